"""Nearest slices: the formula, what cannot be compared, and tables that only similar rows can tell."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill import complete
from tensorfill.errors import InvalidSetting, UnrecoverableSlice
from tensorfill.tensor import Array


def test_entries_are_weighted_means_of_the_nearest_rows_that_know_them() -> None:
    rng = np.random.default_rng(0)
    full = rng.random((12, 5))
    known = rng.random(full.shape) < 0.7
    known[0] = True
    found = complete(full, known, method="nearest-slices", neighbours=3).model
    for row, column in np.argwhere(~known):
        candidates = []
        for other in np.flatnonzero(known[:, column]):
            both = known[row] & known[other]
            if both.any():
                candidates.append((float(np.mean((full[row, both] - full[other, both]) ** 2)), full[other, column]))
        nearest = sorted(candidates)[:3]
        weights = [1 / distance for distance, _ in nearest]
        expected = np.average([value for _, value in nearest], weights=weights)
        assert found[row, column] == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(found[known], full[known], rtol=1e-14)


def test_what_cannot_be_compared_is_a_mean() -> None:
    data = np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan], [np.nan, np.nan, np.nan], [5.0, 4.0, np.nan]])
    with pytest.warns(UnrecoverableSlice):  # a row and a column with nothing known
        found = complete(data, method="nearest-slices").model
    np.testing.assert_allclose(found[2, :2], [3.0, 3.0])
    np.testing.assert_allclose(found[:, 2], 15 / 5)


def sharp_days(seed: int) -> tuple[Array, Array]:
    """Hours of 25 days and 30 sensors, each with a peak at its own hour, of no low rank; day-long outages."""
    rng = np.random.default_rng(seed)
    hours = np.arange(600)[:, None] % 24
    peaks = np.exp(-0.5 * (np.abs((hours - rng.uniform(0, 24, 30) + 12) % 24 - 12) / 0.8) ** 2)
    full = 3 + 2 * peaks + 0.1 * rng.normal(size=(600, 30))
    known = np.ones(full.shape, dtype=bool)
    for sensor in range(30):
        for day in rng.choice(25, 4, replace=False):
            known[24 * day : 24 * day + 24, sensor] = False
    return full, known


def root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


@pytest.mark.slow
def test_auto_is_no_worse_where_only_similar_rows_tell() -> None:
    impute = pytest.importorskip("sklearn.impute")
    for seed in range(2):
        full, known = sharp_days(seed)
        holed = np.where(known, full, np.nan)
        judge = root_mean_square((impute.KNNImputer().fit_transform(holed) - full)[~known])
        assert root_mean_square((complete(holed).model - full)[~known]) <= 1.02 * judge


def test_too_many_slices_are_refused() -> None:
    data = np.ones((9000, 2))
    data[0] = 2
    data[3, 1] = np.nan
    with pytest.raises(InvalidSetting, match="8,192 at most; there are 9,000"):
        complete(data, method="nearest-slices")
