"""Parts of a tensor, and the race on one: who is clearly beaten there is not tried on everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.missingness import Missingness
from tensorfill.observed import ObservedTensor
from tensorfill.selection.held_out import hold_out
from tensorfill.selection.judge import Judge
from tensorfill.selection.windows import Race, window_sizes, windows
from tensorfill.tensor import Array


def test_the_longest_modes_are_halved_until_few_entries_are_left() -> None:
    assert window_sizes((512, 512, 31), (0, 1, 2), 2**18, 32) == [64, 128, 31]
    assert window_sizes((100, 50), (0, 1), 5000, 32) == [100, 50]


def test_modes_that_must_not_be_cut_stay_whole() -> None:
    assert window_sizes((512, 64), (1,), 2**14, 32) == [512, 32]
    assert window_sizes((512, 64), (1,), 2**13, 32) is None
    assert window_sizes((512, 64), (), 2**13, 32) is None


def test_windows_are_at_the_beginning_the_middle_and_the_end() -> None:
    assert list(windows((10, 4), [4, 4])) == [
        (slice(0, 4), slice(0, 4)),
        (slice(3, 7), slice(0, 4)),
        (slice(6, 10), slice(0, 4)),
    ]


Mask = NDArray[np.bool_]
SHAPE = (400, 500)


def scattered(shape: tuple[int, ...] = SHAPE, share: float = 0.5) -> Mask:
    return np.random.default_rng(0).random(shape) < share


def held_of(known: Mask, share: float = 0.05) -> Mask:
    return known & (np.random.default_rng(1).random(known.shape) < share)


def race_of(known: Mask, held: Mask, errors: Array | float = 1.0) -> Race | None:
    """Where the leader is so far off at every place, or everywhere."""
    pattern = Missingness(known)
    return Race.of(pattern, held, Judge.of(pattern, held), np.broadcast_to(errors, known.shape)[held].copy())


def some_race(known: Mask, held: Mask, errors: Array | float = 1.0) -> Race:
    found = race_of(known, held, errors)
    assert found is not None
    return found


def sizes(race: Race) -> tuple[int, ...]:
    return tuple(along.stop - along.start for along in race.window)


# The window


@pytest.mark.parametrize(
    ("shape", "window"),
    [
        ((400, 500), (200, 125)),
        ((300, 300, 3), (75, 150, 3)),
        ((40, 2000), (40, 500)),
        ((64, 64, 64), (32, 32, 32)),
        ((1000, 1000), (250, 500)),
    ],
)
def test_it_has_the_longest_modes_halved_until_it_is_small_enough(
    shape: tuple[int, ...], window: tuple[int, ...]
) -> None:
    known = scattered(shape)
    found = some_race(known, held_of(known))
    assert sorted(sizes(found)) == sorted(window)
    assert np.prod(window) <= max(np.prod(shape) / 8, 2**15)
    for along, size in zip(found.window, shape, strict=True):
        assert 0 <= along.start < along.stop <= size


@pytest.mark.parametrize("shape", [(100, 200), (128, 256), (31, 63, 63), (12, 3000, 3)])
def test_there_is_one_only_where_it_is_smaller_and_modes_are_long_enough(shape: tuple[int, ...]) -> None:
    """Up to 2¹⁵ entries a window would be all there is; modes shorter than 64 are not cut."""
    known = scattered(shape)
    found = race_of(known, held_of(known))
    cut = np.prod(shape) > 2**15 and max(shape) >= 64
    assert (found is not None) == cut


def test_where_modes_are_too_short_for_an_eighth_of_the_data_it_is_a_quarter() -> None:
    known = scattered((80, 25, 108))
    assert sizes(some_race(known, held_of(known))) == (40, 25, 54)


def test_it_is_where_the_leader_is_as_far_off_as_everywhere() -> None:
    known = scattered()
    rows = np.linspace(0.1, 2.0, SHAPE[0])[:, None]
    errors = np.broadcast_to(np.abs(np.sin(np.arange(500) / 90)) * rows, SHAPE)
    held = held_of(known)
    found = some_race(known, held, errors)
    usual = np.mean(errors[held] ** 2)

    def odd(first: int, second: int) -> float:
        at = slice(first, first + sizes(found)[0]), slice(second, second + sizes(found)[1])
        return float(abs(np.log(np.mean(errors[at][held[at]] ** 2) / usual)))

    here = odd(found.window[0].start, found.window[1].start)
    assert here == pytest.approx(abs(np.log(np.mean(found.misses[found.inside] ** 2) / usual)))
    corners = [
        odd(first, second)
        for first in (0, (400 - sizes(found)[0]) // 2, 400 - sizes(found)[0])
        for second in (0, (500 - sizes(found)[1]) // 2, 500 - sizes(found)[1])
    ]
    assert here == pytest.approx(min(corners))
    assert here < 0.5 * max(corners)


def test_modes_with_lost_slices_are_not_cut() -> None:
    known = scattered((40, 300, 300))
    held = held_of(known)
    assert sorted(sizes(some_race(known, held))) == [40, 75, 150]
    known[:, :, 10] = False
    assert sizes(some_race(known, held & known)) == (40, 37, 300)
    known = scattered((40, 120, 300))
    known[:, :, 10] = False
    assert race_of(known, held_of(known)) is None, "a mode of 60 is not cut any more, and that is too much still"


def test_where_every_long_mode_has_lost_slices_there_is_none() -> None:
    known = scattered((300, 300))
    known[10] = known[:, 20] = False
    assert race_of(known, held_of(known)) is None
    known = scattered((3, 30000))
    known[:, 17] = False
    assert race_of(known, held_of(known)) is None


def test_too_few_held_out_entries_tell_nothing() -> None:
    known = scattered()
    held = np.zeros(SHAPE, dtype=bool)
    held[known & (np.indices(SHAPE).sum(axis=0) % 97 == 0) & (np.arange(500) < 200)] = True
    assert race_of(known, held) is not None
    few = np.zeros_like(held)
    few.reshape(-1)[np.flatnonzero(held)[::40]] = True
    assert 0 < np.count_nonzero(few) < 50
    assert race_of(known, few) is None


def test_there_is_none_where_the_leader_is_never_off() -> None:
    known = scattered()
    assert race_of(known, held_of(known), 0.0) is None


def test_no_window_is_taken_in_which_the_leader_is_never_off() -> None:
    known = scattered()
    errors = np.zeros(SHAPE)
    errors[:, 375:] = 1.0
    found = some_race(known, held_of(known), errors)
    assert found.window[1].stop > 375


# What methods see


def test_they_see_what_is_known_in_the_window_and_not_held_out() -> None:
    known = scattered()
    held = held_of(known)
    values = 1 + np.arange(known.size, dtype=float).reshape(SHAPE)
    found = some_race(known, held)
    part = found.part(ObservedTensor.from_array(values, known), held)
    assert part.shape == sizes(found)
    np.testing.assert_array_equal(part.mask(), (known & ~held)[found.window])
    np.testing.assert_array_equal(part.values, values[found.window][part.mask()])


@pytest.mark.parametrize("lower", [0.0, None, -3.0])
def test_they_see_the_same_values_whatever_the_floor(lower: float | None) -> None:
    """A tensor keeps its values less the lower bound; a part of it has the same bound for what is predicted."""
    known = scattered()
    held = held_of(known)
    values = (
        np.random.default_rng(2).standard_normal(SHAPE) if lower is None else np.random.default_rng(2).random(SHAPE)
    )
    observed = replace(ObservedTensor.from_array(np.abs(values), known), floor=-np.inf if lower is None else lower)
    found = some_race(known, held)
    part = found.part(observed, held)
    assert part.floor == observed.floor
    whole = np.zeros(SHAPE)
    whole.reshape(-1)[observed.positions] = observed.values
    np.testing.assert_array_equal(part.values, whole[found.window][part.mask()])


def test_rows_are_those_of_held_out_entries_in_the_window_in_the_order_of_their_misses() -> None:
    known = scattered()
    held = held_of(known)
    numbers = np.arange(1, known.size + 1, dtype=float).reshape(SHAPE)
    found = some_race(known, held, numbers)
    rows = found.rows(held)
    assert len(rows) == np.count_nonzero(found.inside) >= 50
    np.testing.assert_array_equal(numbers[found.window][tuple(rows.T)], found.misses[found.inside])


# Who is close


def test_close_is_up_to_a_tenth_worse_than_the_leader_there() -> None:
    known = scattered()
    errors = np.ones(SHAPE)
    found = some_race(known, held_of(known), errors)
    ones = np.ones(np.count_nonzero(found.inside))
    assert found.is_close(0.0 * ones)
    assert found.is_close(1.09 * ones)
    assert found.is_close(-1.09 * ones)
    assert not found.is_close(1.11 * ones)


def test_what_the_leader_misses_elsewhere_does_not_count() -> None:
    known = scattered()
    found = some_race(known, held_of(known))
    worse = replace(found, misses=np.where(found.inside, found.misses, 100.0))
    assert not worse.is_close(np.full(np.count_nonzero(found.inside), 1.5))


def test_it_is_enough_to_be_close_in_one_kind_of_hole() -> None:
    known = scattered((160, 160, 40))
    known[:, :, [10, 30]] = False
    pattern = Missingness(known)
    held = hold_out(pattern, np.random.default_rng(0))
    found = some_race(known, held)
    apart = found.judge.apart[found.inside]
    assert apart.any()
    assert not apart.all()
    assert found.is_close(np.where(apart, 1.0, 5.0))
    assert found.is_close(np.where(apart, 5.0, 1.0))
    assert not found.is_close(np.where(apart, 1.2, 1.2))
