"""What groups start from; what counts as strokes, which like them are held out, and the thin plate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_cdt

from tensorfill.missingness import Missingness
from tensorfill.patches.settings import PatchSettings
from tensorfill.patches.start import Start, Strokes, start_from_strokes
from tensorfill.sampling import mask
from tensorfill.selection.judge import Judge
from tensorfill.tensor import Array

# How much of the start stays


Floats = NDArray[np.float32]


def start_of(side: int = 40) -> tuple[Start, Floats, Floats]:
    """One with a tenth held out; the truth there, and what the start predicts."""
    rng = np.random.default_rng(0)
    values = rng.random((side, side)).astype(np.float32)
    mask = rng.random((side, side)) < 0.5
    held = mask & (rng.random((side, side)) < 0.2)
    before = (values + rng.normal(size=values.shape) * 0.1).astype(np.float32)
    judge = Judge.of(Missingness(mask), held)
    start = Start(mask, values, held, judge, before, before, 0.0, frozenset({0, 1}), 0.0)
    return start, values[held], before[held]


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_as_much_counts_as_makes_errors_smallest(share: float) -> None:
    start, truth, first = start_of()
    said = first + (truth - first) / np.float32(share)  # too far by just that
    assert start.share(said, first, PatchSettings()) == pytest.approx(share, rel=1e-4)


@pytest.mark.parametrize(("factor", "share"), [(0.5, 1.0), (4.0, 0.5)])
def test_groups_count_for_a_half_at_least_and_never_for_more_than_they_say(factor: float, share: float) -> None:
    start, truth, first = start_of()
    assert start.share(first + np.float32(factor) * (truth - first), first, PatchSettings()) == share


def test_of_few_entries_or_no_change_nothing_is_learned() -> None:
    start, truth, first = start_of(side=10)
    assert start.share(first + 2 * (truth - first), first, PatchSettings()) == 1
    start, _, first = start_of()
    assert start.share(first, first, PatchSettings()) == 1


Mask = NDArray[np.bool_]


def strokes_of(known: Mask) -> Strokes | None:
    return Strokes.of(Missingness(known))


def scratched(shape: tuple[int, ...] = (96, 80), seed: int = 0, share: float = 0.9) -> Mask:
    return mask("scratches", shape, share, seed)


def square(side: int, size: int = 96) -> Mask:
    """A block in the middle of a picture of which the rest is known."""
    known = np.ones((size, size), dtype=bool)
    first = (size - side) // 2
    known[first : first + side, first : first + side] = False
    return known


# What counts as strokes


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pattern", ["scratches", "text"])
@pytest.mark.parametrize("shape", [(96, 80), (96, 80, 3), (3, 96, 80), (96, 80, 12)])
def test_scratches_and_writing_through_all_bands(pattern: str, shape: tuple[int, ...], seed: int) -> None:
    flat = mask(pattern, (96, 80), 0.9, seed)
    known = np.ones(shape, dtype=bool)
    known &= flat.reshape([size if size in flat.shape else 1 for size in shape])
    found = strokes_of(known)
    assert found is not None
    assert found.layout.searched == tuple(mode for mode, size in enumerate(shape) if size in flat.shape)
    np.testing.assert_array_equal(found.missing.reshape(flat.shape), ~flat)


def test_tubes_in_a_volume() -> None:
    known = np.ones((30, 24, 20), dtype=bool)
    known[10:12, :20, 5:7] = known[3:25, 15:17, 12:14] = False
    found = strokes_of(known)
    assert found is not None
    assert found.layout.searched == (0, 1, 2)
    np.testing.assert_array_equal(found.missing, ~known)


def _with_lost_frame() -> Mask:
    known = np.ascontiguousarray(np.broadcast_to(scratched()[..., None], (96, 80, 12)))
    known[:, :, 5] = False
    return known


def _beside_one_column() -> Mask:
    known = np.ones((400, 4), dtype=bool)
    for first in range(10, 390, 40):
        known[first : first + 6, 1:] = False
    return known


def _in_four_modes() -> Mask:
    known = np.ones((20, 18, 16, 12), dtype=bool)
    known[5:7, :15, 4:6, 3:6] = known[12:14, 6:9, 2:14, 7:9] = False
    return known


NO_STROKES: dict[str, Mask] = {
    "nothing missing": np.ones((96, 80), dtype=bool),
    "a block": square(40),
    "scattered entries": np.random.default_rng(0).random((96, 80)) < 0.9,
    "lost rows": np.arange(96)[:, None] % 9 != np.zeros((1, 80)),
    "a lost frame": np.broadcast_to(np.arange(12) != 5, (96, 80, 12)),
    "a lost frame among scratches": _with_lost_frame(),
    "too much missing": scratched(share=0.7),
    "a mode without neighbours": _beside_one_column(),
    "four modes": _in_four_modes(),
}


@pytest.mark.parametrize("name", NO_STROKES)
def test_no_strokes(name: str) -> None:
    assert strokes_of(np.ascontiguousarray(NO_STROKES[name])) is None


@pytest.mark.parametrize("name", ["a mode without neighbours", "four modes"])
def test_they_are_narrow_holes_all_the_same(name: str) -> None:
    pattern = Missingness(NO_STROKES[name])
    assert pattern.structured
    assert not pattern.any_lost
    assert pattern.mask.mean() > 0.8


def test_a_hole_may_be_as_deep_as_half_a_thick_pen_and_no_deeper() -> None:
    assert strokes_of(square(8)) is not None
    assert strokes_of(square(9)) is None


def test_in_a_larger_picture_strokes_may_be_wider() -> None:
    assert strokes_of(square(40, 600)) is not None
    assert strokes_of(square(42, 600)) is None


def test_a_fifth_may_be_missing_and_no_more() -> None:
    few, many = np.ones((100, 80), dtype=bool), np.ones((100, 80), dtype=bool)
    few[:, ::10] = few[0] = True
    few[2:98, ::5] = False
    many[1:99, ::4] = False
    assert 1 - few.mean() < 0.2 < 1 - many.mean()
    assert strokes_of(few) is not None
    assert strokes_of(many) is None


# What is held out, and the start


def picture(shape: tuple[int, ...] = (96, 80)) -> Array:
    """Waves that reach down to 0, and up to 1."""
    places = np.meshgrid(*(np.arange(size) for size in shape), indexing="ij")
    waves = sum(np.sin(place / (3 + number)) for number, place in enumerate(places))
    waves = np.asarray(waves, dtype=float)
    return (waves - waves.min()) / np.ptp(waves)


def started(known: Mask, values: Array | None = None, floor: float = 0.0, seed: int = 0) -> Start:
    pattern = Missingness(known)
    strokes = Strokes.of(pattern)
    assert strokes is not None
    full = picture(known.shape) if values is None else values
    seen = np.where(known, full, 0).astype(np.float32)
    return start_from_strokes(strokes, pattern, seen, floor, np.random.default_rng(seed))


CASES: dict[str, Mask] = {
    "scratches": scratched(),
    "writing": mask("text", (96, 80), 0.85, 0),
    "in colour": np.ascontiguousarray(np.broadcast_to(scratched()[..., None], (96, 80, 3))),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CASES)
def test_what_is_held_out_is_known_and_does_not_touch_what_is_missing(name: str, seed: int) -> None:
    known = CASES[name]
    held = started(known, seed=seed).held
    assert known[held].all()
    flat_known, flat_held = (part if part.ndim == 2 else part[..., 0] for part in (known, held))
    assert np.array_equal(held, np.broadcast_to(flat_held.reshape(held.shape[:2] + (1,) * (held.ndim - 2)), held.shape))
    away = distance_transform_cdt(flat_known, "chessboard")
    assert away[flat_held].min() > 4
    assert np.count_nonzero(flat_held) > 0.05 * np.count_nonzero(~flat_known), "enough to judge by"


def test_what_is_held_out_is_made_of_strokes_too() -> None:
    known = scratched((128, 128))
    held = started(known).held
    thickness = [distance_transform_cdt(holes, "chessboard").max() for holes in (held, ~known)]
    assert thickness[0] <= thickness[1]


def test_of_large_pictures_only_a_part_is_held_out() -> None:
    known = scratched((400, 400))
    held = started(known).held
    assert np.count_nonzero(held) < 0.6 * np.count_nonzero(~known)
    assert np.count_nonzero(held) >= 2000


@pytest.mark.parametrize("name", CASES)
def test_known_values_are_kept(name: str) -> None:
    known = CASES[name]
    start = started(known)
    full = picture(known.shape).astype(np.float32)
    np.testing.assert_array_equal(start.after[known], full[known])
    seen = known & ~start.held
    np.testing.assert_array_equal(start.before[seen], full[seen])
    np.testing.assert_array_equal(start.values[known], full[known])
    assert not np.array_equal(start.before[start.held], full[start.held]), "they are not seen"


@pytest.mark.parametrize("name", CASES)
def test_a_smooth_picture_is_found(name: str) -> None:
    known = CASES[name]
    start, full = started(known), picture(known.shape)
    assert np.sqrt(np.mean((start.after - full)[~known] ** 2)) < 0.1 * full[~known].std()
    assert start.error(start.before[start.held]) < 0.1 * full[start.held].std()


def test_what_is_hidden_has_no_part_in_it() -> None:
    known = scratched()
    start = started(known)
    full = picture()
    other = started(known, np.where(start.held, 0.5, full))
    np.testing.assert_array_equal(other.before, start.before)
    assert not np.array_equal(other.after, start.after)


def test_nothing_lies_below_the_floor() -> None:
    """A plate through a valley swings below it."""
    known = scratched()
    valley = np.maximum(picture() - 0.4, 0)
    for floor in (0.0, 0.05):
        start = started(known, valley, floor)
        for found in (start.before[start.held], start.after[~known]):
            assert found.min() == np.float32(floor)
    free = started(known, valley, -np.inf)
    assert free.after[~known].min() < 0


def test_it_says_what_it_is() -> None:
    known = scratched()
    start = started(known)
    assert start.strokes
    assert start.places == {0, 1}
    np.testing.assert_array_equal(start.mask, known)
    assert start.judge.structured
    assert len(start.judge.holes) == np.count_nonzero(start.held)


@pytest.mark.parametrize("deviation", [0.01, 0.05])
def test_noise_is_told_roughly(deviation: float) -> None:
    known = scratched((128, 128))
    noisy = picture((128, 128)) / 2 + 0.2 + deviation * np.random.default_rng(0).standard_normal((128, 128))
    assert 0.3 < np.sqrt(started(known, noisy).noise) / deviation < 1.5
    flat = started(known, np.full((128, 128), 0.5))
    assert flat.noise == pytest.approx(1e-6)


def test_another_seed_holds_out_others() -> None:
    known = scratched()
    first, again, other = (started(known, seed=seed) for seed in (0, 0, 1))
    for name in ("held", "before", "after"):
        parts: list[Any] = [getattr(start, name) for start in (first, again)]
        np.testing.assert_array_equal(*parts)
    assert not np.array_equal(other.held, first.held)
    np.testing.assert_array_equal(other.after, first.after)


@pytest.mark.parametrize(("side", "deepest"), [(24, 3), (32, 4), (120, 4), (160, 5), (300, 10)])
def test_how_deep_a_stroke_may_be_goes_by_the_shortest_side(side: int, deepest: int) -> None:
    for depth, are in ((deepest, True), (deepest + 1, False)):
        known = np.ones((side, 2 * side, 3), dtype=bool)
        known[3 : 2 + 2 * depth, 3 : 2 + 2 * depth] = False  # so many sites from its middle to the rim
        assert (Strokes.of(Missingness(known)) is not None) == are
