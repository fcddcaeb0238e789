"""Entries are held out the way others are missing, and only known ones."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.sampling import mask
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.held_out import Judge, goes_deeper, hold_out, hole_numbers, typical_error
from tensorfill.spectral.holes import has_holes

Mask = NDArray[np.bool_]
SHAPES = [(40, 36), (24, 20, 10), (20, 18, 3), (12, 10, 8, 3)]
SHAPED = ["blocks", "lines", "scratches"]
KEEP = [0.1, 0.5, 0.8]
SEEDS = range(3)


def held_of(known: Mask, seed: int = 0) -> Mask:
    return hold_out(known, np.random.default_rng(seed))


def test_one_large_hole_is_noticed_among_entries_missing_one_by_one() -> None:
    known = np.random.default_rng(0).random((200, 180)) > 0.05
    assert not has_holes(known)
    known[60:90, 40:80] = False
    assert has_holes(known)


def test_a_dead_column_is_noticed_among_entries_missing_one_by_one() -> None:
    known = np.random.default_rng(0).random((200, 180)) > 0.05
    known[:, 77] = False
    assert has_holes(known)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("keep", KEEP)
def test_entries_missing_one_by_one_are_no_holes(shape: tuple[int, ...], keep: float) -> None:
    assert not any(has_holes(mask("uniform", shape, keep, seed)) for seed in SEEDS)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("pattern", SHAPED)
@pytest.mark.parametrize("keep", KEEP)
def test_shapes_are_holes(shape: tuple[int, ...], pattern: str, keep: float) -> None:
    assert all(has_holes(mask(pattern, shape, keep, seed)) for seed in SEEDS)


@pytest.mark.parametrize("pattern", ["frames", "pixels", "fibres"])
@pytest.mark.parametrize("keep", KEEP)
def test_what_is_missing_in_all_or_no_frames_is_a_hole(pattern: str, keep: float) -> None:
    assert all(has_holes(mask(pattern, (24, 20, 10), keep, seed)) for seed in SEEDS)


@pytest.mark.parametrize("shape", [(20, 18, 3), (12, 10, 8, 3)], ids=str)
@pytest.mark.parametrize("keep", KEEP)
def test_a_pixel_without_any_of_its_colours_is_held_out_whole(shape: tuple[int, ...], keep: float) -> None:
    """Otherwise its other colours would give it away, and predictions would look better than they are."""
    for seed in SEEDS:
        known = mask("pixels", shape, keep, seed)
        held = held_of(known, seed)
        np.testing.assert_array_equal(held.any(axis=-1), held.all(axis=-1))


def test_nothing_missing_is_no_hole() -> None:
    assert not has_holes(np.ones((6, 7), dtype=bool))


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


def test_holes_are_numbered_one_by_one() -> None:
    held = np.zeros((8, 9, 3), dtype=bool)
    held[1:3, 1:4] = True
    held[5:7, 2:3] = True
    numbers = hole_numbers(held, holes=True)
    assert numbers.tolist() == [0] * 18 + [1] * 6
    assert not hole_numbers(held, holes=False).any()


def test_the_typical_error_of_one_hole_is_the_root_mean_square() -> None:
    misses = np.array([3.0, -4.0, 0.0, 5.0])
    assert typical_error(misses, np.zeros(4, dtype=np.intp)) == pytest.approx(np.sqrt(12.5))
    apart = typical_error(misses, np.array([0, 0, 1, 1]))
    assert apart == pytest.approx((np.sqrt(12.5) + np.sqrt(12.5)) / 2)
    assert typical_error(np.array([1.0, 1.0, 100.0]), np.array([0, 1, 2])) == pytest.approx(34)


def test_a_block_among_lines_goes_deeper_than_what_is_held_out() -> None:
    known = np.ones((40, 40, 6), dtype=bool)
    known[::5, :30] = False
    lines = known.copy()
    known[12:26, 8:24] = False
    held = np.zeros_like(known)
    held[33, :30] = True
    assert goes_deeper(known, held & known)
    assert not goes_deeper(lines, held & lines)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_scattered_entries_are_no_deeper_than_those_held_out(share: float) -> None:
    known = np.random.default_rng(0).random((40, 30, 10)) < share
    assert not goes_deeper(known, held_of(known))


@pytest.mark.parametrize("share", [0.7, 0.3])
def test_of_a_lost_frame_among_scattered_holes_some_frames_and_some_entries_are_held_out(share: float) -> None:
    known = np.random.default_rng(0).random((20, 18, 12)) < share
    known[:, :, 5] = False
    held = held_of(known)
    judge = Judge.of(known, held)
    assert judge.mixed
    assert judge.lost.any()
    assert not judge.lost.all()
    whole = (known & ~held).any(axis=(0, 1)) != known.any(axis=(0, 1))
    assert whole.sum() in (1, 2), "whole frames"
    np.testing.assert_array_equal(judge.lost, np.broadcast_to(whole, known.shape)[held])
    both = judge.joined(judge)
    errors = np.where(judge.lost, 3.0, 1.0)
    assert judge.error(errors) == pytest.approx(3 * judge.lost_share + 1 - judge.lost_share)
    assert both.error(np.append(errors, errors)) == pytest.approx(judge.error(errors))
