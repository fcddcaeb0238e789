"""Data of extraordinary size: worked on in other units, told in its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.bounds import Bounds
from tensorfill.completion import Snapshot
from tensorfill.library import complete
from tensorfill.methods.constant_fill import MeanFill
from tensorfill.observed import ObservedTensor
from tensorfill.units import Shift, Unit, Units


@pytest.fixture
def known() -> NDArray[np.bool_]:
    return np.random.default_rng(1).random((6, 5, 4)) < 0.7


@pytest.fixture
def data() -> NDArray[Any]:
    rng = np.random.default_rng(0)
    return np.einsum("i,j,k->ijk", *(1 + rng.random(size) for size in (6, 5, 4)))


@pytest.mark.parametrize("scale", [1.0, 255.0, 65535.0, 1e-11, 1e11])
def test_ordinary_data_stays_as_it_is(data: NDArray[Any], scale: float) -> None:
    observed = ObservedTensor.from_array(scale * data)
    assert Unit.of(observed).apply(observed) is observed


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-14, 1e13, 1e300])
def test_the_largest_value_becomes_ordinary(data: NDArray[Any], scale: float) -> None:
    observed = ObservedTensor.from_array(scale * data)
    assert 0.5 <= Unit.of(observed).apply(observed).known.max() < 1


def test_large_integers_are_divided_too() -> None:
    observed = ObservedTensor.from_array(np.array([[2**64 - 1, 2**63]], np.uint64))
    np.testing.assert_array_equal(Unit.of(observed).apply(observed).known, [1.0, 0.5])


def test_nothing_but_zero_has_no_size() -> None:
    observed = ObservedTensor.from_array(np.zeros((2, 2)))
    assert Unit.of(observed).apply(observed) is observed


def test_single_precision_stays_single(data: NDArray[Any]) -> None:
    observed = ObservedTensor.from_array((1e-44 * data).astype(np.float32))
    assert Unit.of(observed).apply(observed).dtype == np.float32


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp <= 1024, reason="no longer floats on this machine")
def test_longer_floats_are_divided_before_they_are_shortened(data: NDArray[Any], known: NDArray[np.bool_]) -> None:
    huge = data * np.longdouble(2.0) ** 4000
    done = complete(huge, known, method="mean-fill")
    np.testing.assert_array_equal(done.tensor[known], huge[known])
    assert np.isfinite(done.model).all()


def test_what_is_told_is_in_the_units_of_the_data(data: NDArray[Any], known: NDArray[np.bool_]) -> None:
    scale = 2.0**-1000
    plain, tiny = (complete(unit * data, known, method="spectral") for unit in (1.0, scale))
    np.testing.assert_allclose(tiny.model / scale, plain.model, rtol=1e-6)
    np.testing.assert_allclose(tiny.uncertainty / scale, plain.uncertainty, rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(sum(tiny.components) / scale, plain.model, rtol=1e-6)
    np.testing.assert_array_equal(tiny.predict([[0, 0, 0], [5, 4, 3]], raw=True), tiny.model[[0, 5], [0, 4], [0, 3]])
    assert plain.smallest is not None
    assert tiny.smallest == pytest.approx(scale * plain.smallest, rel=1e-5)
    assert tiny.observed.known.max() == (scale * data[known]).max()


def test_a_note_tells_which_figures_are_in_other_units(data: NDArray[Any], known: NDArray[np.bool_]) -> None:
    (note,) = complete(1e-300 * data, known, method="nonneg-dual").notes
    assert note.startswith("The largest known value is ")
    assert "in units of 2^-99" in note
    assert complete(data, known, method="nonneg-dual").notes == ()


def test_a_watcher_sees_the_units_of_the_data(data: NDArray[Any], known: NDArray[np.bool_]) -> None:
    seen: list[Snapshot] = []
    done = complete(1e200 * data, known, method="nonneg-dual", watch=seen.append)
    assert [snapshot.step for snapshot in seen] == list(done.history)
    np.testing.assert_allclose(seen[-1].estimate.dense(), done.model, rtol=0.2, atol=1e199)


@pytest.mark.parametrize("effort", ["low", "normal"])
def test_auto_takes_the_largest_floats(data: NDArray[Any], known: NDArray[np.bool_], effort: str) -> None:
    huge = data / data.max() * np.finfo(np.float64).max
    done = complete(huge, known, effort=effort)
    assert np.isfinite(done.tensor).all()
    assert np.abs(done.tensor / huge - 1).max() < 0.2


def test_deviations_go_back_into_the_units_of_the_data_everywhere_and_entry_by_entry() -> None:
    """A made-up method is as unsure as the entry's number in the tensor, in its own units."""
    table = 1e20 * np.array([[1.0, 1e3, 1e6], [2.0, 3e3, 2e6]])
    observed = ObservedTensor.from_array(table + 5, lower=None)
    shift = Shift.of(Bounds(5, None), observed)
    units = Units.of(observed, shift, shift.apply(observed), MeanFill(), columns_apart=True)
    coordinates = np.array([[0, 0], [1, 1], [0, 2]])
    numbers = np.arange(1.0, 7.0).reshape(2, 3)
    expected = numbers * units.slices.scales * 2.0**units.size.exponent
    assert units.size.exponent != 0
    assert units.slices.scales is not None

    def at(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return numbers[tuple(rows.T)]

    ways: list[dict[str, Any]] = [{"deviations": numbers.copy}, {"deviations_at": at}]
    for told in ways:
        found = MeanFill().complete(units.seen, rng=np.random.default_rng(0))
        told_of_data = units.restore(units.restore_size(replace(found, **told)))
        done = replace(told_of_data, keep_observed=False)
        np.testing.assert_allclose(done.uncertainty, expected)
        np.testing.assert_allclose(done.predict(coordinates, deviation=True)[1], expected[tuple(coordinates.T)])
