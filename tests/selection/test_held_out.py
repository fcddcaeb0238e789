"""What is held out: known entries, missing in the same way as the rest, and those that are hard to predict."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from tensorfill.missingness import Missingness, collapse, find_enclosed, is_structured
from tensorfill.observed import ObservedTensor
from tensorfill.sampling import mask
from tensorfill.selection.held_out import hard_places, hold_out
from tensorfill.spectral.data import KnownData

Mask = NDArray[np.bool_]
SHAPES = [(40, 36), (24, 20, 10), (20, 18, 3), (12, 10, 8, 3)]
SHAPED = ["blocks", "lines", "scratches"]
KEEP = [0.1, 0.5, 0.8]
SEEDS = range(3)


def held_of(known: Mask, seed: int = 0) -> Mask:
    return hold_out(Missingness(known), np.random.default_rng(seed))


def test_one_large_hole_is_noticed_among_entries_missing_one_by_one() -> None:
    known = np.random.default_rng(0).random((200, 180)) > 0.05
    assert not is_structured(known)
    known[60:90, 40:80] = False
    assert is_structured(known)


def test_a_dead_column_is_noticed_among_entries_missing_one_by_one() -> None:
    known = np.random.default_rng(0).random((200, 180)) > 0.05
    known[:, 77] = False
    assert is_structured(known)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("keep", KEEP)
def test_entries_missing_one_by_one_are_no_holes(shape: tuple[int, ...], keep: float) -> None:
    assert not any(is_structured(mask("uniform", shape, keep, seed)) for seed in SEEDS)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("pattern", SHAPED)
@pytest.mark.parametrize("keep", KEEP)
def test_shapes_are_holes(shape: tuple[int, ...], pattern: str, keep: float) -> None:
    assert all(is_structured(mask(pattern, shape, keep, seed)) for seed in SEEDS)


@pytest.mark.parametrize("pattern", ["frames", "pixels", "fibres"])
@pytest.mark.parametrize("keep", KEEP)
def test_what_is_missing_in_all_or_no_frames_is_a_hole(pattern: str, keep: float) -> None:
    assert all(is_structured(mask(pattern, (24, 20, 10), keep, seed)) for seed in SEEDS)


@pytest.mark.parametrize("shape", [(20, 18, 3), (12, 10, 8, 3)], ids=str)
@pytest.mark.parametrize("keep", KEEP)
def test_a_pixel_without_any_of_its_colours_is_held_out_whole(shape: tuple[int, ...], keep: float) -> None:
    """Otherwise its other colours would give it away, and predictions would look better than they are."""
    for seed in SEEDS:
        known = mask("pixels", shape, keep, seed)
        held = held_of(known, seed)
        np.testing.assert_array_equal(held.any(axis=-1), held.all(axis=-1))


def test_nothing_missing_is_no_hole() -> None:
    assert not is_structured(np.ones((6, 7), dtype=bool))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("pattern", ["uniform", "pixels", *SHAPED])
@pytest.mark.parametrize("keep", KEEP)
def test_only_known_entries_are_held_out_and_some_are_left(shape: tuple[int, ...], pattern: str, keep: float) -> None:
    for seed in SEEDS:
        known = mask(pattern, shape, keep, seed)
        held = held_of(known, seed)
        assert held.any()
        assert not (held & ~known).any()
        assert (known & ~held).sum() >= 0.2 * known.sum()


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_few_of_many_are_held_out(keep: float) -> None:
    known = mask("uniform", (60, 50, 10), keep, 0)
    share = held_of(known).sum() / known.sum()
    assert 0.05 <= round(share, 3) <= 0.2
    assert held_of(known).sum() >= 500


@pytest.mark.parametrize("keep", [0.3, 0.7])
def test_of_frames_whole_ones_are_held_out(keep: float) -> None:
    known = mask("frames", (8, 7, 20), keep, 0)
    held = held_of(known)
    np.testing.assert_array_equal(held.any(axis=(0, 1)), held.all(axis=(0, 1)))
    assert 0 < held[0, 0].sum() < known[0, 0].sum()


@pytest.mark.parametrize(("empty", "held_out"), [(8, 8), (30, 14)])
def test_if_the_end_is_missing_the_last_known_frames_are_held_out(empty: int, held_out: int) -> None:
    """A forecast is judged by a forecast: within the known frames every method would have both neighbours."""
    known = np.ones((6, 5, 100), dtype=bool)
    known[..., 100 - empty :] = False
    held = held_of(known)[0, 0]
    assert np.flatnonzero(held).tolist() == list(range(100 - empty - held_out, 100 - empty))


def test_if_both_ends_and_frames_between_are_missing_some_of_each_are_held_out() -> None:
    known = np.ones((6, 5, 60), dtype=bool)
    known[..., [0, 7, 16, 24, 39, 47, 58, 59]] = False
    held = held_of(known)[0, 0]
    assert held[[1, 56, 57]].all()
    assert held[2:56].any()


def test_what_is_missing_all_around_is_judged_by_a_rim_of_what_is_known() -> None:
    known = np.zeros((40, 50), dtype=bool)
    known[5:-5, 4:-8] = True
    held = held_of(known)
    rim = known.copy()
    rim[6:-6, 5:-9] = False
    np.testing.assert_array_equal(held, rim)


@pytest.mark.parametrize("keep", [0.3, 0.7])
def test_of_pixels_whole_ones_are_held_out(keep: float) -> None:
    known = mask("pixels", (12, 11, 9), keep, 0)
    held = held_of(known)
    np.testing.assert_array_equal(held.any(axis=2), held.all(axis=2))
    assert 0 < held[..., 0].sum() < known[..., 0].sum()


def few_known() -> dict[str, Mask]:
    frame, stripes, one, two = (np.zeros((6, 7), dtype=bool) for _ in range(4))
    frame[:, 3] = True
    stripes[::2] = True
    one[2, 3] = True
    two[2, 3] = two[5, 1] = True
    return {"one frame": frame, "every second line": stripes, "one entry": one, "two entries": two}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(80, 25, 108), (144, 20, 150), (256, 40, 31)], ids=str)
def test_of_many_lines_not_just_a_few_are_held_out(shape: tuple[int, ...], seed: int) -> None:
    known = mask("lines", shape, 0.7, seed)
    assert held_of(known, seed).sum() > 0.05 * known.sum()


@pytest.mark.parametrize("name", ["one frame", "every second line", "two entries"])
@pytest.mark.parametrize("seed", range(5))
def test_something_is_held_out_and_something_left_of_any_mask(name: str, seed: int) -> None:
    known = few_known()[name]
    held = held_of(known, seed)
    assert held.any()
    assert not (held & ~known).any()
    assert (known & ~held).any()


@pytest.mark.parametrize("pattern", ["uniform", "blocks"])
def test_the_same_generator_holds_out_the_same(pattern: str) -> None:
    known = mask(pattern, (20, 18, 6), 0.5, 0)
    np.testing.assert_array_equal(held_of(known, 4), held_of(known, 4))
    assert (held_of(known, 4) != held_of(known, 5)).any()


def test_what_is_left_keeps_its_values() -> None:
    rng = np.random.default_rng(0)
    known, truth = rng.random((5, 4, 3)) < 0.6, rng.random((5, 4, 3))
    data = KnownData(known, truth[known])
    held = known & (rng.random(known.shape) < 0.3)
    left = data.without(held)
    np.testing.assert_array_equal(left.mask, known & ~held)
    np.testing.assert_array_equal(left.values, truth[left.mask])
    np.testing.assert_array_equal(left.filled(left.values), np.where(left.mask, truth, 0))
    assert (data.count, data.shape, data.share) == (known.sum(), known.shape, known.mean())


def test_a_frame_lost_between_others_is_judged_by_frames_between_others() -> None:
    known = np.ones((6, 5, 9), dtype=bool)
    known[:, :, 4] = False
    for seed in range(20):
        held = held_of(known, seed)
        assert not held[:, :, [0, -1]].any(), "the first and the last would have to be extrapolated"
        assert find_enclosed(known & ~held)[held].all()


def test_a_frame_lost_between_others_among_scattered_holes_likewise() -> None:
    known = np.random.default_rng(0).random((12, 10, 9)) < 0.7
    known[:, :, 4] = False
    for seed in range(20):
        left = known & ~held_of(known, seed)
        assert left[:, :, [0, -1]].any(axis=(0, 1)).all()
        assert left.any(axis=(0, 1)).sum() < 8, "some frame was held out whole"


# Large holes among entries missing one by one


def block_among_scattered(share: float, seed: int = 0) -> tuple[Mask, tuple[slice, slice]]:
    known = np.random.default_rng(seed).random((60, 80)) < share
    block = slice(10, 30), slice(20, 50)
    known[block] = False
    return known, block


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_large_hole_among_scattered_ones_is_a_kind_of_its_own(share: float) -> None:
    known, block = block_among_scattered(share)
    deep = Missingness(known).deep
    inside = np.zeros_like(known)
    inside[block] = True
    assert deep[inside].mean() > 0.9
    assert deep[~inside].mean() < 0.05


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("keep", [0.05, *KEEP])
def test_scattered_holes_are_not_deep(shape: tuple[int, ...], keep: float) -> None:
    assert not any(Missingness(mask("uniform", shape, keep, seed)).any_deep for seed in range(10))


def test_of_a_large_hole_among_scattered_ones_a_hole_as_large_is_held_out() -> None:
    known, block = block_among_scattered(0.5)
    size = (block[0].stop - block[0].start) * (block[1].stop - block[1].start)
    for seed in range(5):
        held = held_of(known, seed)
        now = Missingness(known & ~held).deep & held
        assert now.sum() > 0.2 * size, "about half of such a hole was known, some of it may be beyond the borders"
        assert (held & ~now).any(), "scattered entries too"


@pytest.mark.parametrize(
    ("pattern", "shape", "keep"),
    [("pixels", (40, 20, 12), 0.5), ("pixels", (64, 64, 9), 0.1), ("lines", (60, 8, 30), 0.8)],
)
def test_fibres_that_are_missing_here_and_there_are_held_out_one_by_one(
    pattern: str, shape: tuple[int, ...], keep: float
) -> None:
    """Not those without neighbours, as connected parts that are small would be, nor together with them."""
    known = mask(pattern, shape, keep, seed=0)
    held = hold_out(Missingness(known), np.random.default_rng(0))
    small, few = collapse(known), collapse(held)
    assert few.shape == small.shape, "whole fibres"
    assert 0.1 <= few.sum() / small.sum() <= 0.21
    left = binary_dilation(small & ~few) & few
    assert left.any(), "some have a known neighbour that is not held out"


def test_ends_of_the_longest_mode_are_hard() -> None:
    rng = np.random.default_rng(0)
    known = rng.random((3, 200)) < 0.5
    found = hard_places(ObservedTensor.from_array(rng.random(known.shape), known), np.zeros_like(known))
    columns = np.flatnonzero(known.any(axis=0))
    assert set(np.flatnonzero(found.any(axis=0))) == {columns[0], columns[-1]}
    assert not (found & ~known).any()


def test_neighbours_of_an_outlier_are_hard_and_the_outlier_itself_is_not_held_out() -> None:
    rng = np.random.default_rng(1)
    known = rng.random((30, 40)) < 0.6
    known[12, 20] = True
    values = 0.7 + 0.01 * rng.random(known.shape)
    values[12, 20] = 700.0
    found = hard_places(ObservedTensor.from_array(values, known), np.zeros_like(known))
    assert found[10:15, 18:23].sum() == known[10:15, 18:23].sum() - 1
    assert not found[12, 20]


def test_what_is_held_out_already_is_left_alone() -> None:
    known = np.ones((3, 200), dtype=bool)
    held = np.zeros_like(known)
    held[:, 0] = True
    found = hard_places(ObservedTensor.from_array(np.random.default_rng(2).random(known.shape), known), held)
    assert not (found & held).any()
    assert found[:, -1].all()
