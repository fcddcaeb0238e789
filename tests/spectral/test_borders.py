"""Borders that do not belong are found from known entries, stand alone, and no longer disturb what is beside them."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill import complete, sampling
from tensorfill.errors import InvalidSetting
from tensorfill.spectral.bases import Cosines
from tensorfill.spectral.bins import Bins
from tensorfill.spectral.borders import CosinesWithin, strange_borders
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.start import starting_prior
from tensorfill.tensor import Array


def smooth_picture(rows: int = 48, columns: int = 40, seed: int = 0) -> Array:
    """Waves in all directions, in three colours, between 0 and 1."""
    rng = np.random.default_rng(seed)
    i, j = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    picture = np.zeros((rows, columns, 3))
    for _ in range(8):
        wave = np.sin(rng.normal(0, 0.15) * i + rng.normal(0, 0.15) * j + rng.uniform(0, 7))
        picture += np.multiply.outer(wave, rng.uniform(0.5, 1, 3))
    return (picture - picture.min()) / np.ptp(picture)


def with_border(picture: Array, mode: int, index: int) -> Array:
    """A slice is replaced by something as smooth that has nothing to do with its neighbours."""
    changed = picture.copy()
    np.moveaxis(changed, mode, 0)[index] = np.where(np.moveaxis(picture, mode, 0)[index] > 0.5, 0.02, 0.98)
    return changed


def known(picture: Array, pattern: str = "uniform", keep: float = 0.4, seed: int = 0) -> KnownData:
    mask = sampling.mask(pattern, picture.shape, keep, seed)
    mask[[0, -1]] |= pattern == "lines"
    values = picture[mask]
    return KnownData(mask, values - values.mean())


@pytest.mark.parametrize(("first", "last"), [(1, 0), (0, 2), (2, 1)])
@pytest.mark.parametrize("axis", [0, 1])
def test_columns_are_orthonormal_and_those_of_a_border_touch_nothing_else(first: int, last: int, axis: int) -> None:
    basis = CosinesWithin(9, first, last)
    Q = basis.synthesise(np.eye(9), 0)
    np.testing.assert_allclose(Q.T @ Q, np.eye(9), atol=1e-12)
    x = np.random.default_rng(0).random((9, 9))
    np.testing.assert_allclose(basis.analyse(x, axis), Q.T @ x if axis == 0 else x @ Q, atol=1e-12)
    np.testing.assert_allclose(basis.synthesise(basis.analyse(x, axis), axis), x, atol=1e-12)
    outside = [*range(first), *range(9 - last, 9)]
    np.testing.assert_array_equal(Q[np.ix_(outside, range(9 - basis.alone, 9))], np.eye(basis.alone))
    assert not Q[outside, : 9 - basis.alone].any()


def test_bins_of_a_border_are_not_smoothed_along_their_mode() -> None:
    bins = Bins([CosinesWithin(20, 1, 1), Cosines(12)])
    values = np.random.default_rng(1).random(bins.shape)
    inner = Bins([Cosines(18), Cosines(12)])
    np.testing.assert_allclose(bins.smoothed(values, 2.0)[:-2], inner.smoothed(values[:-2], 2.0))
    one = np.zeros(bins.shape)
    one[-1] = 1
    np.testing.assert_allclose(bins.smoothed(one, 2.0)[-1], 1)
    assert not bins.smoothed(one, 2.0)[:-1].any()


def test_a_border_varies_as_other_slices_do() -> None:
    bins = Bins([CosinesWithin(20, 0, 1), Cosines(3)])
    variances = np.random.default_rng(2).random(bins.shape)
    spread = bins.spread(bins.with_borders(variances), np.dtype(np.float64))
    np.testing.assert_allclose(spread[-1], spread[:-1].mean(axis=0))
    np.testing.assert_array_equal(bins.with_borders(variances)[:-1], variances[:-1])


def test_learning_starts_with_borders_that_vary_as_other_slices_do() -> None:
    prior = starting_prior([CosinesWithin(30, 1, 1), Cosines(20), Cosines(3)], 2.0)
    np.testing.assert_allclose(prior.bins.with_borders(prior.variances), prior.variances)


@pytest.mark.parametrize("keep", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("mode", "index", "expected"), [(0, 0, (1, 0)), (0, -1, (0, 1)), (1, 0, (1, 0)), (1, -1, (0, 1))]
)
def test_they_are_found(keep: float, seed: int, mode: int, index: int, expected: tuple[int, int]) -> None:
    found = strange_borders(known(with_border(smooth_picture(seed=seed), mode, index), keep=keep, seed=seed))
    assert found[mode] == expected
    assert not any(map(any, found[:mode] + found[mode + 1 :]))


@pytest.mark.parametrize("pattern", ["lines", "blocks", "scratches"])
def test_they_are_found_among_holes(pattern: str) -> None:
    assert strange_borders(known(with_border(smooth_picture(), 0, -1), pattern, 0.7))[0] == (0, 1)


@pytest.mark.parametrize("pattern", ["uniform", "lines", "blocks"])
@pytest.mark.parametrize("seed", range(6))
def test_there_are_none_in_data_that_goes_on_to_its_end(pattern: str, seed: int) -> None:
    for picture in (smooth_picture(seed=seed), np.random.default_rng(seed).random((40, 30, 3))):
        assert not any(map(any, strange_borders(known(picture, pattern, 0.3, seed))))


def test_a_jump_inside_is_no_border() -> None:
    picture = 0.2 * smooth_picture()
    picture[24:] += 0.7
    assert not any(map(any, strange_borders(known(picture))))


def test_short_modes_and_tables_have_none() -> None:
    assert strange_borders(known(np.random.default_rng(0).random((8, 9, 3)))) == ((0, 0),) * 3
    assert strange_borders(known(np.random.default_rng(0).random((40, 3)))) == ((0, 0),) * 2


def test_what_is_beside_a_border_is_filled_as_if_it_were_not_there() -> None:
    picture = with_border(smooth_picture(), 0, -1)
    observed = np.ones(picture.shape, dtype=bool)
    observed[42:46] = False
    observed[10:14] = False

    def error(**settings: object) -> float:
        done = complete(picture, observed, "spectral", **settings)
        return float(np.abs(done.tensor - picture)[42:46].mean())

    assert error() < 0.5 * error(borders=((0, 0),) * 3)


def test_what_was_found_is_told_and_gives_the_same_again() -> None:
    picture = with_border(smooth_picture(), 1, 0)
    observed = sampling.uniform(picture.shape, keep=0.4, seed=0)
    done = complete(picture, observed, "spectral")
    assert done.settings["borders"] == ((0, 0), (1, 0), (0, 0))
    assert done.reasons["borders"] == "Nothing like what is beside them: the first index of mode 2."
    again = complete(picture, observed, "spectral", borders=done.settings["borders"])
    np.testing.assert_array_equal(again.tensor, done.tensor)


@pytest.mark.parametrize("borders", [((1, 0),), ((-1, 0),) * 3, ((0, 0), (0, 0), (2, 1)), ((0.5, 0),) * 3, "none"])
def test_borders_that_cannot_be_are_refused(borders: object) -> None:
    with pytest.raises(InvalidSetting, match="borders"):
        complete(np.ones((48, 40, 3)), np.eye(48, 40)[..., None] > -np.ones(3), "spectral", borders=borders)
