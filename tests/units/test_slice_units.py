"""Columns of a table in units of their own: it does not matter which."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from numpy.typing import NDArray

from tensorfill import complete
from tensorfill.completion import Snapshot
from tensorfill.observed import ObservedTensor
from tensorfill.units import SliceUnits

UNITS = 10.0 ** np.array([-2.0, 1.0, 2.0, -1.0, 0.0, 1.5])


def sensors(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Six sensors that see the same day in their own way; and which values are known."""
    rng = np.random.default_rng(seed)
    hours = np.arange(120)[:, None]
    day = np.concatenate([np.sin(2 * np.pi * hours / 24), np.cos(2 * np.pi * hours / 24), np.sin(hours / 20)], axis=1)
    table = 12 + day @ rng.normal(0, 2, (3, 6)) + rng.normal(0, 0.2, (120, 6))
    return table, rng.random(table.shape) < 0.8


def frame(table: NDArray[np.float64], known: NDArray[np.bool_]) -> pandas.DataFrame:
    return pandas.DataFrame(np.where(known, table, np.nan))


def errors(found: NDArray[np.float64], table: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The root mean square error of every column where it is not known."""
    return np.sqrt(np.sum((found - table) ** 2 * ~known, axis=0) / np.sum(~known, axis=0))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_error_of_a_column_in_its_own_unit_is_that_in_one_unit(seed: int) -> None:
    table, known = sensors(seed)
    one = complete(frame(table, known), effort="low").filled.to_numpy()
    many = complete(frame(UNITS * table, known), effort="low").filled.to_numpy()
    array = complete(np.where(known, table, np.nan), effort="low").tensor
    found = errors(many / UNITS, table, known)
    assert (found <= 1.02 * errors(one, table, known)).all()
    assert (found <= 1.2 * errors(array, table, known)).all()


def test_without_it_units_would_matter() -> None:
    table, known = sensors()
    array = complete(np.where(known, UNITS * table, np.nan), effort="low").tensor
    one = complete(np.where(known, table, np.nan), effort="low").tensor
    assert (errors(array / UNITS, table, known) > 2 * errors(one, table, known)).any()


def test_it_is_told() -> None:
    table, known = sensors()
    done = complete(frame(UNITS * table, known), method="mean-fill")
    assert done.notes[-1].startswith("Columns are up to 9.5e+03 times as large as one another")
    assert done.notes[-1] == done.reasons["columns"]
    assert complete(frame(table, known), method="mean-fill").notes == ()


def test_uncertainty_predictions_snapshots_and_parts_are_in_the_units_of_the_columns() -> None:
    table, known = sensors()
    seen: list[NDArray[np.float64]] = []

    def watch(snapshot: Snapshot) -> None:
        where = np.array([[3, 0], [3, 2]])
        assert np.allclose(snapshot.estimate.at(where), snapshot.estimate.dense()[3, [0, 2]])
        seen.append(snapshot.estimate.dense())

    done = complete(frame(UNITS * table, known), method="nonneg-dual", rank=2, max_iter=20, watch=watch)
    assert np.allclose(seen[-1].mean(axis=0), UNITS * table.mean(axis=0), rtol=0.3)
    assert np.allclose(sum(done.components), done.estimate.dense())
    assert done.smallest == done.estimate.dense().min()
    assert np.allclose(done.predict([[0, 1]], raw=True), done.model[0, 1])
    sure = complete(frame(UNITS * table, known), effort="low")
    deviation = np.array([sure.uncertainty[~known[:, column], column].mean() for column in range(6)])
    assert (np.abs(np.log10(deviation / UNITS)) < 1).all()


def test_out_of_time_columns_are_not_interpolated_into_one_another() -> None:
    table, known = sensors()
    done = complete(frame(UNITS * table, known), method="nonneg-dual", time_limit=1e-9)
    assert done.stop.kind == "time"
    assert (errors(done.filled.to_numpy() / UNITS, table, known) < 10).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_columns_of_one_size_stay_as_they_are(dtype: str) -> None:
    data = ObservedTensor.from_array(np.random.default_rng(0).random((200, 5)).astype(dtype) + 10)
    assert SliceUnits.of(data).apply(data) is data


def test_few_entries_do_not_make_a_unit() -> None:
    rng = np.random.default_rng(0)
    ratings = np.full((400, 60), np.nan)
    for column in range(60):
        ratings[rng.choice(400, 3, replace=False), column] = rng.integers(1, 6, 3)
    scales = SliceUnits.of(ObservedTensor.from_array(ratings)).scales
    sizes = np.sqrt(np.nanmean(ratings**2, axis=0))
    assert sizes.max() > 3 * sizes.min()
    assert scales is None or scales.max() < 1.7 * scales.min()


def test_columns_of_zeros_or_of_nothing_have_no_unit_and_do_no_harm() -> None:
    data = np.array([[1.0, 1e6, 0.0, np.nan], [2.0, 2e6, 0.0, np.nan], [np.nan, 3e6, np.nan, np.nan]])
    scales = SliceUnits.of(ObservedTensor.from_array(data)).scales
    assert scales is not None
    assert scales[2] == scales[3] == 1.0
    assert SliceUnits.of(ObservedTensor.from_array(np.zeros((3, 3)))).scales is None


@pytest.mark.parametrize("sizes", [(1e-300, 1e300), (1e-320, 1.0), (1e150, 1e-150)])
def test_the_largest_and_the_smallest_floats_can_stand_side_by_side(sizes: tuple[float, float]) -> None:
    table, known = sensors()
    known[known.sum(axis=1) < 6, :2] = [True, False]
    scaled = np.where(known, table, np.nan)[:, :2] / 20 * np.array(sizes)
    filled = complete(pandas.DataFrame(scaled), method="mean-fill").filled.to_numpy()
    assert np.isfinite(filled).all()
    np.testing.assert_array_equal(filled[known[:, :2]], scaled[known[:, :2]])
