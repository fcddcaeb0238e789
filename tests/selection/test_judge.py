"""Predictions of held-out entries are judged, each kind of hole by itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.missingness import Missingness
from tensorfill.selection.held_out import hold_out
from tensorfill.selection.judge import Judge, can_judge_lost, goes_deeper, hole_numbers, typical_error

Mask = NDArray[np.bool_]


def held_of(known: Mask, seed: int = 0) -> Mask:
    return hold_out(Missingness(known), np.random.default_rng(seed))


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
    assert goes_deeper(Missingness(known), held & known)
    assert not goes_deeper(Missingness(lines), held & lines)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_scattered_entries_are_no_deeper_than_those_held_out(share: float) -> None:
    known = np.random.default_rng(0).random((40, 30, 10)) < share
    assert not goes_deeper(Missingness(known), held_of(known))


@pytest.mark.parametrize("share", [0.7, 0.3])
def test_of_a_lost_frame_among_scattered_holes_some_frames_and_some_entries_are_held_out(share: float) -> None:
    known = np.random.default_rng(0).random((20, 18, 12)) < share
    known[:, :, 5] = False
    held = held_of(known)
    judge = Judge.of(Missingness(known), held)
    assert judge.mixed
    assert judge.apart.any()
    assert not judge.apart.all()
    whole = (known & ~held).any(axis=(0, 1)) != known.any(axis=(0, 1))
    assert whole.sum() in (1, 2), "whole frames"
    np.testing.assert_array_equal(judge.apart, np.broadcast_to(whole, known.shape)[held])
    both = judge.joined(judge)
    errors = np.where(judge.apart, 3.0, 1.0)
    assert judge.error(errors) == pytest.approx(3 * judge.apart_share + 1 - judge.apart_share)
    assert both.error(np.append(errors, errors)) == pytest.approx(judge.error(errors))


def test_a_lost_frame_is_one_thing_to_judge_by_however_little_of_it_is_known() -> None:
    known = np.random.default_rng(0).random((20, 18, 12)) < 0.1
    known[:, :, 5] = False
    held = np.zeros_like(known)
    held[:, :, [2, 8, 9]] = True
    judge = Judge.of(Missingness(known), held & known)
    assert judge.apart.all()
    assert len(np.unique(judge.holes)) == 2, "frame 2, and frames 8 and 9 together"


def test_a_large_hole_among_scattered_ones_is_judged_by_a_large_hole() -> None:
    known = np.random.default_rng(0).random((60, 80)) < 0.5
    known[10:30, 20:50] = False
    held = np.zeros_like(known)
    held[35:50, 10:40] = True
    held[::7, ::7] = True
    judge = Judge.of(Missingness(known), held & known)
    assert judge.mixed
    assert not judge.structured
    inside = np.zeros_like(known)
    inside[35:50, 10:40] = True
    inside = inside[held & known]
    assert judge.apart[inside].mean() > 0.9
    assert judge.apart[~inside].mean() < 0.1
    assert judge.apart_share == pytest.approx(600 / (~known).sum(), rel=0.2)


def test_of_the_only_known_slice_nothing_tells() -> None:
    known = np.zeros((8, 7, 5), dtype=bool)
    known[:, :, 2] = True
    assert not can_judge_lost(Missingness(known), held_of(known))
    known[:, :, 4] = True
    assert can_judge_lost(Missingness(known), held_of(known)), "either tells about the other"
    assert can_judge_lost(Missingness(np.ones((3, 3), dtype=bool)), np.zeros((3, 3), dtype=bool))


def test_odds_tell_by_how_many_standard_errors_squared_errors_differ() -> None:
    mask = np.random.default_rng(0).random((40, 40)) < 0.5
    held = mask & (np.random.default_rng(1).random((40, 40)) < 0.5)
    judge = Judge.of(Missingness(mask), held)
    count = np.count_nonzero(held)
    misses, others = np.random.default_rng(2).normal(size=(2, count))
    more = misses**2 - others**2
    assert judge.odds(misses, others) == pytest.approx(more.mean() / (more.std() / np.sqrt(count)))
    assert judge.odds(others, misses) == pytest.approx(-judge.odds(misses, others))
    assert judge.odds(misses, misses) == 0


def test_few_holes_have_no_odds() -> None:
    mask = np.ones((40, 40), dtype=bool)
    mask[5:12, 5:12] = False
    held = np.zeros_like(mask)
    held[20:27, 20:27] = True
    judge = Judge.of(Missingness(mask), held)
    assert judge.structured
    assert not judge.divides_holes
    assert judge.odds(np.zeros(49), np.ones(49)) == 0


def test_a_large_hole_such_as_a_lost_frame_is_several_pieces_to_judge_by() -> None:
    mask = np.ones((48, 32, 12), dtype=bool)
    mask[..., [3, 8]] = False
    held = np.zeros_like(mask)
    held[..., 5] = True
    judge = Judge.of(Missingness(mask), held)
    rng = np.random.default_rng(0)
    misses, others = rng.normal(size=(2, 48, 32))
    pieces = (misses**2 - 4 * others**2).reshape(3, 16, 2, 16).sum(axis=(1, 3)).reshape(-1)
    expected = pieces.mean() / (pieces.std() / np.sqrt(6))
    assert judge.odds(misses.reshape(-1), 2 * others.reshape(-1)) == pytest.approx(expected)
    assert judge.divides_holes
    twice = judge.joined(judge)
    both = [np.tile(part.reshape(-1), 2) for part in (misses, 2 * others)]
    assert twice.odds(*both) == pytest.approx(np.sqrt(2) * expected)
