"""A window of large data: where it lies, and how a spectrum that was learned there is taken over."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.sampling import mask
from tensorfill.spectral.bases import Basis, Cosines, Entries
from tensorfill.spectral.borders import CosinesWithin
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.start import starting_prior
from tensorfill.spectral.window import cut, find_window, resize

PHOTO = (1080, 1920, 3)


def cosines(shape: tuple[int, ...]) -> list[Basis]:
    return [Cosines(size) for size in shape]


def sizes(window: tuple[slice, ...] | None) -> tuple[int, ...]:
    assert window is not None
    return tuple(at.stop - at.start for at in window)


def half_known(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.random.default_rng(0).random(shape) < 0.5


# Where it lies


def test_the_longest_modes_are_halved_until_little_is_left() -> None:
    assert sizes(find_window(half_known(PHOTO), cosines(PHOTO))) == (540, 480, 3)


def test_small_data_needs_none() -> None:
    assert find_window(half_known((512, 512, 3)), cosines((512, 512, 3))) is None


def test_only_cosines_are_cut() -> None:
    bases = [CosinesWithin(1080, 0, 1), Cosines(1920), Cosines(3)]
    assert sizes(find_window(half_known(PHOTO), bases)) == (1080, 240, 3)
    assert find_window(half_known(PHOTO), [Entries(size) for size in PHOTO]) is None


def test_modes_that_are_short_stay_whole() -> None:
    shape = (100, 70, 60, 11)
    assert find_window(half_known(shape), cosines(shape)) is None


def test_it_lies_where_as_much_is_known_as_elsewhere() -> None:
    known = half_known(PHOTO)
    known[:700, :1200] = False
    window = find_window(known, cosines(PHOTO))
    assert window is not None
    assert known[window].mean() == pytest.approx(known.mean(), rel=0.5)


def test_there_is_none_if_no_place_is_like_the_whole() -> None:
    known = np.zeros(PHOTO, dtype=bool)
    known[::2, 240:250] = True  # four times the share in a window with this in it, and nothing in the others
    assert find_window(known, cosines(PHOTO)) is None


@pytest.mark.parametrize("pattern", ["uniform", "blocks", "lines"])
def test_what_is_known_there_keeps_its_place(pattern: str) -> None:
    values = np.arange(24 * 20 * 3, dtype=np.float32).reshape(24, 20, 3)
    known = mask(pattern, values.shape, 0.6, 0)
    part = (slice(5, 17), slice(0, 10), slice(0, 3))
    found = cut(KnownData(known, values[known]), part)
    np.testing.assert_array_equal(found.mask, known[part])
    np.testing.assert_array_equal(found.filled(found.values), np.where(known, values, 0)[part])


# The spectrum


def test_a_spectrum_is_the_same_function_of_frequency_in_the_window_and_in_the_whole() -> None:
    whole = starting_prior(cosines((480, 400, 3)), 2.0)
    expected = starting_prior(cosines((240, 100, 3)), 2.0)
    found = resize(whole, (240, 100, 3))
    assert found.noise == expected.noise
    inner = (slice(1, None), slice(1, None))
    np.testing.assert_allclose(found.variances[inner], expected.variances[inner], rtol=0.15)
    back = resize(found, (480, 400, 3))
    assert back.transform.coefficient_shape == (480, 400, 3)
    # What is slower than the window is long is taken to vary as the slowest there.
    np.testing.assert_allclose(back.variances[4:, 6:], whole.variances[4:, 6:], rtol=0.15)


def test_modes_that_are_not_cut_keep_their_basis_and_their_variances() -> None:
    whole = starting_prior([Entries(6), Cosines(200), CosinesWithin(30, 1, 0)], 1.0)
    found = resize(whole, (6, 100, 30))
    assert found.transform.bases[0] is whole.transform.bases[0]
    assert found.transform.bases[2] is whole.transform.bases[2]
    assert found.variances.shape == found.bins.shape
    np.testing.assert_allclose(found.variances[:, 0], whole.variances[:, 0])
