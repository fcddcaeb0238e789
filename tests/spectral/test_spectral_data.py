"""What is seen in the data before anything is learned: strange borders, places, and a window like the whole."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.errors import InvalidSetting
from tensorfill.library import complete
from tensorfill.sampling import mask as sample
from tensorfill.selection.windows import Window
from tensorfill.spectral.bases import Basis, Borders, Cosines, CosinesWithin, Entries
from tensorfill.spectral.data import (
    BorderSettings,
    KnownData,
    PlaceSettings,
    WindowSettings,
    find_borders,
    find_places,
    find_window,
)
from tensorfill.spectral.prior import starting_prior
from tensorfill.tensor import Array


def borders_of(data: KnownData) -> Borders:
    return find_borders(data, BorderSettings())


def places_of(data: KnownData) -> frozenset[int]:
    return find_places(data, PlaceSettings())


def window_of(known: NDArray[np.bool_], bases: list[Basis]) -> Window | None:
    return find_window(known, bases, WindowSettings())


# Borders


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
    mask = sample(pattern, picture.shape, keep, seed)
    mask[[0, -1]] |= pattern == "lines"
    values = picture[mask]
    return KnownData(mask, values - values.mean())


@pytest.mark.parametrize("keep", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("mode", "index", "expected"), [(0, 0, (1, 0)), (0, -1, (0, 1)), (1, 0, (1, 0)), (1, -1, (0, 1))]
)
def test_strange_borders_are_found(keep: float, seed: int, mode: int, index: int, expected: tuple[int, int]) -> None:
    found = borders_of(known(with_border(smooth_picture(seed=seed), mode, index), keep=keep, seed=seed))
    assert found[mode] == expected
    assert not any(map(any, found[:mode] + found[mode + 1 :]))


@pytest.mark.parametrize("pattern", ["lines", "blocks", "scratches"])
def test_strange_borders_are_found_among_holes(pattern: str) -> None:
    assert borders_of(known(with_border(smooth_picture(), 0, -1), pattern, 0.7))[0] == (0, 1)


@pytest.mark.parametrize("pattern", ["uniform", "lines", "blocks"])
@pytest.mark.parametrize("seed", range(6))
def test_there_are_no_borders_in_data_that_goes_on_to_its_end(pattern: str, seed: int) -> None:
    for picture in (smooth_picture(seed=seed), np.random.default_rng(seed).random((40, 30, 3))):
        assert not any(map(any, borders_of(known(picture, pattern, 0.3, seed))))


def test_a_jump_inside_is_no_border() -> None:
    picture = 0.2 * smooth_picture()
    picture[24:] += 0.7
    assert not any(map(any, borders_of(known(picture))))


def test_short_modes_and_tables_have_no_borders() -> None:
    assert borders_of(known(np.random.default_rng(0).random((8, 9, 3)))) == ((0, 0),) * 3
    assert borders_of(known(np.random.default_rng(0).random((40, 3)))) == ((0, 0),) * 2


def test_what_is_beside_a_border_is_filled_as_if_it_were_not_there() -> None:
    picture = with_border(smooth_picture(), 0, -1)
    known = np.ones(picture.shape, dtype=bool)
    known[[*range(10, 14), *range(42, 46)]] = False

    def error(**settings: object) -> float:
        done = complete(picture, known, "spectral", **settings)
        return float(np.abs(done.tensor - picture)[42:46].mean())

    assert error() < 0.5 * error(borders=((0, 0),) * 3)


def test_borders_that_were_found_are_told_and_give_the_same_again() -> None:
    picture = with_border(smooth_picture(), 1, 0)
    known = sample("uniform", picture.shape, 0.4, 0)
    done = complete(picture, known, "spectral")
    assert done.settings["borders"] == ((0, 0), (1, 0), (0, 0))
    assert done.reasons["borders"] == "Nothing like what is beside them: the first index of mode 2."
    again = complete(picture, known, "spectral", borders=done.settings["borders"])
    np.testing.assert_array_equal(again.tensor, done.tensor)


@pytest.mark.parametrize("borders", [((1, 0),), ((-1, 0),) * 3, ((0, 0), (0, 0), (2, 1)), ((0.5, 0),) * 3, "none"])
def test_borders_that_cannot_be_are_refused(borders: object) -> None:
    with pytest.raises(InvalidSetting, match="borders"):
        complete(np.ones((48, 40, 3)), np.eye(48, 40)[..., None] > -np.ones(3), "spectral", borders=borders)


# Places


def clip() -> Array:
    """A picture of waves that hardly changes from frame to frame."""
    i, j, k = np.meshgrid(np.arange(28), np.arange(24), np.arange(12), indexing="ij")
    return np.asarray(2 + np.sin(i / 2.5) * np.cos(j / 3) + 0.5 * np.sin(j / 1.7 + 1) + 0.1 * np.sin(i / 4 + k / 3))


def known_data(truth: Array, share: float, seed: int = 0) -> KnownData:
    known = np.random.default_rng(seed).random(truth.shape) < share
    return KnownData(known, truth[known] - truth[known].mean())


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_frames_are_no_place_wherever_they_are(order: tuple[int, ...]) -> None:
    data = known_data(clip().transpose(order), 0.2)
    assert places_of(data) == {order.index(0), order.index(1)}


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_channels_are_no_place(axis: int) -> None:
    picture = np.moveaxis(np.broadcast_to(clip()[..., :1], (28, 24, 3)), 2, axis)
    assert places_of(known_data(np.ascontiguousarray(picture), 0.3)) == {0, 1, 2} - {axis}


def test_large_data_is_looked_at_in_part_to_the_same_end() -> None:
    assert find_places(known_data(clip(), 0.3), PlaceSettings(enough=2000)) == {0, 1}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_learning_starts_from_the_same_variances_in_any_order(order: tuple[int, ...]) -> None:
    truth = clip().transpose(order)
    places = places_of(known_data(truth, 0.2))
    start = starting_prior([Cosines(size) for size in truth.shape], 1.0, places)
    usual = starting_prior([Cosines(size) for size in clip().shape], 1.0)
    np.testing.assert_allclose(start.variances, usual.variances.transpose(order))


# A window

PHOTO = (1080, 1920, 3)


def cosines(shape: tuple[int, ...]) -> list[Basis]:
    return [Cosines(size) for size in shape]


def sizes(window: tuple[slice, ...] | None) -> tuple[int, ...]:
    assert window is not None
    return tuple(at.stop - at.start for at in window)


def half_known(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.random.default_rng(0).random(shape) < 0.5


def test_the_longest_modes_are_halved_until_little_is_left() -> None:
    assert sizes(window_of(half_known(PHOTO), cosines(PHOTO))) == (540, 480, 3)


def test_small_data_needs_no_window() -> None:
    assert window_of(half_known((512, 512, 3)), cosines((512, 512, 3))) is None


def test_only_cosines_are_cut() -> None:
    bases = [CosinesWithin(1080, 0, 1), Cosines(1920), Cosines(3)]
    assert sizes(window_of(half_known(PHOTO), bases)) == (1080, 240, 3)
    assert window_of(half_known(PHOTO), [Entries(size) for size in PHOTO]) is None


def test_modes_that_are_short_stay_whole() -> None:
    shape = (100, 70, 60, 11)
    assert window_of(half_known(shape), cosines(shape)) is None


def test_a_window_lies_where_as_much_is_known_as_elsewhere() -> None:
    known = half_known(PHOTO)
    known[:700, :1200] = False
    window = window_of(known, cosines(PHOTO))
    assert window is not None
    assert known[window].mean() == pytest.approx(known.mean(), rel=0.5)


def test_there_is_no_window_if_no_place_is_like_the_whole() -> None:
    known = np.zeros(PHOTO, dtype=bool)
    known[::2, 240:250] = True  # four times the share in a window with this in it, and nothing in the others
    assert window_of(known, cosines(PHOTO)) is None


@pytest.mark.parametrize("pattern", ["uniform", "blocks", "lines"])
def test_what_is_known_there_keeps_its_place(pattern: str) -> None:
    values = np.arange(24 * 20 * 3, dtype=np.float32).reshape(24, 20, 3)
    known = sample(pattern, values.shape, 0.6, 0)
    part = (slice(5, 17), slice(0, 10), slice(0, 3))
    found = KnownData(known, values[known]).within(part)
    np.testing.assert_array_equal(found.mask, known[part])
    np.testing.assert_array_equal(found.filled(found.values), np.where(known, values, 0)[part])
