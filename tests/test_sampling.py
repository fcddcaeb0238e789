"""Hiding entries: the rules are short, so that anyone can repeat them."""

import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill import sampling
from tensorfill.errors import InvalidSetting
from tensorfill.sampling import PATTERNS, check_pattern, mask, uniform

EVERY = [*PATTERNS, "fibres-1", "fibres-2", "slices-1", "slices-2"]
VIDEO = (36, 40, 25)
PICTURE = (40, 36, 3)


# Entries


@pytest.mark.parametrize("shape", [(7,), (4, 5), (3, 4, 5), (2, 3, 2, 3)])
@pytest.mark.parametrize("keep", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_the_rule_is_exactly_one_line_of_numpy(shape: tuple[int, ...], keep: float, seed: int) -> None:
    kept = uniform(shape, keep, seed)
    np.testing.assert_array_equal(kept, np.random.default_rng(seed).random(shape) < keep)
    np.testing.assert_array_equal(kept, mask("uniform", shape, keep, seed))
    assert kept.dtype == np.bool_


def test_a_list_is_a_shape_too() -> None:
    np.testing.assert_array_equal(uniform([3, 4], 0.5, 0), uniform((3, 4), 0.5, 0))


# What all patterns have in common


@pytest.mark.parametrize("pattern", EVERY)
@pytest.mark.parametrize("keep", [0.2, 0.5, 0.8])
def test_the_share_kept_is_about_as_asked(pattern: str, keep: float) -> None:
    kept = mask(pattern, VIDEO, keep, 0)
    assert kept.shape == VIDEO
    assert kept.dtype == np.bool_
    assert kept.mean() == pytest.approx(keep, abs=0.04)


@pytest.mark.parametrize("pattern", EVERY)
def test_the_same_seed_hides_the_same_and_another_one_something_else(pattern: str) -> None:
    np.testing.assert_array_equal(mask(pattern, VIDEO, 0.6, 5), mask(pattern, VIDEO, 0.6, 5))
    assert (mask(pattern, VIDEO, 0.6, 5) != mask(pattern, VIDEO, 0.6, 6)).any()


@pytest.mark.parametrize("pattern", EVERY)
def test_a_larger_share_keeps_what_a_smaller_one_kept_up_to_everything(pattern: str) -> None:
    shares = [mask(pattern, VIDEO, keep, 3) for keep in (0.02, 0.2, 0.7, 1)]
    assert all(more[fewer].all() for fewer, more in pairwise(shares))
    assert shares[0].any(), "hardly anything is still something"
    assert shares[-1].all()
    shares[-1][0, 0, 0] = False  # a mask is its owner's


@pytest.mark.parametrize("pattern", EVERY)
def test_numpys_global_state_is_neither_used_nor_changed(pattern: str) -> None:
    np.random.seed(5)  # noqa: NPY002
    first = mask(pattern, VIDEO, 0.5, 0)
    drawn = np.random.random()  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    assert drawn == np.random.random()  # noqa: NPY002
    np.testing.assert_array_equal(first, mask(pattern, VIDEO, 0.5, 0))


@pytest.mark.parametrize("pattern", EVERY)
@pytest.mark.parametrize("keep", [0, -0.1, 1.5, float("nan")])
def test_a_share_outside_the_possible_is_refused(pattern: str, keep: float) -> None:
    sentence = f"'keep' must be above 0 and at most 1, the share of entries to keep. Got {keep!r} instead."
    with pytest.raises(InvalidSetting, match=f"^{re.escape(sentence)}$"):
        mask(pattern, VIDEO, keep, seed=0)


@pytest.mark.parametrize("pattern", EVERY)
def test_a_negative_seed_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidSetting, match=r"^'seed' must be 0 or more\. Got -1 instead\.$"):
        mask(pattern, VIDEO, 0.5, seed=-1)


# Pixels and fibres


def test_a_pixel_is_kept_in_all_channels_and_frames_or_in_none() -> None:
    kept = mask("pixels", (20, 20, 3, 6), 0.4, 2)
    np.testing.assert_array_equal(kept, np.broadcast_to(uniform((20, 20), 0.4, 2)[:, :, None, None], kept.shape))


@pytest.mark.parametrize(("pattern", "axis"), [("fibres", 2), ("fibres-1", 0), ("fibres-2", 1), ("fibres-3", 2)])
def test_a_fibre_is_kept_whole_or_not_at_all(pattern: str, axis: int) -> None:
    kept = mask(pattern, VIDEO, 0.4, 2)
    np.testing.assert_array_equal(kept.any(axis=axis), kept.all(axis=axis))
    others = tuple(size for place, size in enumerate(VIDEO) if place != axis)
    np.testing.assert_array_equal(kept.any(axis=axis), uniform(others, 0.4, 2))


# Lines, frames, slices


def test_a_picture_loses_whole_rows() -> None:
    kept = mask("lines", PICTURE, 0.7, 0)
    rows = kept.any(axis=(1, 2))
    assert rows.sum() == 28, "0.7 of 40"
    np.testing.assert_array_equal(kept, np.broadcast_to(rows[:, None, None], PICTURE))


def test_every_frame_of_a_video_loses_rows_of_its_own() -> None:
    kept = mask("lines", (40, 12, 20), 0.7, 0)
    np.testing.assert_array_equal(kept.any(axis=1), kept.all(axis=1))
    assert (kept[:, 0].sum(axis=0) == 28).all(), "as many in each"
    assert (kept[:, :, 0] != kept[:, :, 1]).any()
    assert kept.any(axis=(1, 2)).all(), "no row is gone in all frames"


@pytest.mark.parametrize("shape", [(30, 8, 3, 9), (30, 8, 9, 3)])
def test_the_colours_of_a_video_go_together_wherever_their_mode_is(shape: tuple[int, ...]) -> None:
    kept = mask("lines", shape, 0.5, 0)
    colour = shape.index(3)
    np.testing.assert_array_equal(kept.any(axis=colour), kept.all(axis=colour))
    whole = mask("frames", shape, 0.5, 0)
    frames = whole.any(axis=(0, 1, colour))
    assert frames.shape == (9,)
    np.testing.assert_array_equal(frames, whole.all(axis=(0, 1, colour)))
    assert 0 < frames.sum() < 9


def test_frames_are_gone_altogether() -> None:
    kept = mask("frames", VIDEO, 0.8, 0)
    np.testing.assert_array_equal(kept, np.broadcast_to(kept[0, 0], VIDEO))
    assert kept[0, 0].sum() == 20
    np.testing.assert_array_equal(kept, mask("slices", VIDEO, 0.8, 0))
    np.testing.assert_array_equal(kept, mask("slices-3", VIDEO, 0.8, 0))


@pytest.mark.parametrize(("pattern", "axis"), [("slices-1", 0), ("slices-2", 1), ("slices", 2)])
def test_slices_are_gone_along_their_mode(pattern: str, axis: int) -> None:
    kept = np.moveaxis(mask(pattern, VIDEO, 0.5, 1), axis, 0)
    assert {slab.all() == slab.any() for slab in kept} == {True}


@pytest.mark.parametrize(("keep", "left"), [(0.01, 1), (0.3, 1), (0.7, 2), (0.99, 2), (1, 3)])
def test_of_few_slices_one_is_kept_and_one_is_hidden(keep: float, left: int) -> None:
    assert mask("slices", PICTURE, keep, 0)[0, 0].sum() == left


# Blocks, boxes, drawings


@pytest.mark.parametrize("pattern", ["blocks", "scratches", "text"])
@pytest.mark.parametrize("shape", [(60, 80), (60, 80, 3), (60, 80, 3, 7)])
def test_what_is_over_a_picture_is_over_all_of_its_channels_and_frames(pattern: str, shape: tuple[int, ...]) -> None:
    kept = mask(pattern, shape, 0.75, 0)
    flat = kept.reshape(60, 80, -1)
    np.testing.assert_array_equal(flat, np.broadcast_to(flat[:, :, :1], flat.shape))
    assert kept.mean() == 0.75, "exactly"


def test_boxes_come_and_go_with_time() -> None:
    kept = mask("boxes", (48, 48, 30), 0.75, 0)
    assert kept.mean() == 0.75
    assert (kept[:, :, 0] != kept[:, :, 15]).any()
    assert kept.any(axis=2).mean() > 0.99, "next to no pixel is hidden all the time"
    together = mask("boxes", PICTURE, 0.75, 0)
    np.testing.assert_array_equal(together, mask("blocks", PICTURE, 0.75, 0))


def known_neighbours(kept: NDArray[np.bool_]) -> float:
    """The share of hidden pixels that have a known one next to them."""
    near = np.zeros_like(kept)
    near[1:] |= kept[:-1]
    near[:-1] |= kept[1:]
    near[:, 1:] |= kept[:, :-1]
    near[:, :-1] |= kept[:, 1:]
    return float(near[~kept].mean())


def test_holes_are_as_large_as_they_sound() -> None:
    shares = {name: known_neighbours(mask(name, (256, 256), 0.8, 0)) for name in EVERY if name != "frames"}
    assert shares["uniform"] > 0.99
    assert shares["blocks"] < 0.2
    assert shares["blocks"] < shares["text"] < shares["uniform"]
    assert shares["blocks"] < shares["scratches"] < shares["uniform"]


def test_blocks_are_no_likelier_in_the_middle_than_at_the_border() -> None:
    hidden = sum((~mask("blocks", (48, 48), 0.9, seed)).astype(int) for seed in range(400)) / 400
    assert hidden[:3].mean() == pytest.approx(hidden[20:28].mean(), abs=0.03)
    assert hidden[:, -3:].mean() == pytest.approx(hidden[:, 20:28].mean(), abs=0.03)


# What cannot be


@pytest.mark.parametrize("pattern", ["pixels", "blocks", "boxes", "lines", "frames", "scratches", "text"])
@pytest.mark.parametrize("shape", [(9,), (9, 0, 3)])
def test_pictures_have_rows_and_columns(pattern: str, shape: tuple[int, ...]) -> None:
    sentence = f"The pattern '{pattern}' needs rows and columns, modes 1 and 2, and one entry or more. Got shape "
    with pytest.raises(InvalidSetting, match=f"^{re.escape(f'{sentence}{shape} instead.')}$"):
        mask(pattern, shape, 0.5, 0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: mask("frames", PICTURE, 0.5, 0),
            "The pattern 'frames' needs frames or bands: a mode after the second with more than 4 indices, for fewer "
            "are taken for colours. Got shape (40, 36, 3) instead.",
        ),
        (
            lambda: mask("fibres-4", VIDEO, 0.5, 0),
            "The pattern 'fibres' along mode 4 needs that mode and another one. Got shape (36, 40, 25) instead.",
        ),
        (
            lambda: mask("slices", (7,), 0.5, 0),
            "The pattern 'slices' needs two modes or more. Got shape (7,) instead.",
        ),
        (
            lambda: mask("lines", (1, 9), 0.5, 0),
            "The pattern 'lines' hides whole rows, and there is 1: nothing would be left. Use another pattern, or keep "
            "all with 1.",
        ),
        (
            lambda: sampling.slices((3, 1), 0.5, 0),
            "The pattern 'slices' hides whole slices, and there is 1: nothing would be left. Use another pattern, or "
            "keep all with 1.",
        ),
        (
            lambda: mask("text", (40, 15), 0.5, 0),
            "The pattern 'text' needs 16 rows and columns or more, to have room for a letter. Got shape (40, 15) "
            "instead.",
        ),
    ],
)
def test_what_a_shape_does_not_allow_is_refused(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InvalidSetting, match=f"^{re.escape(sentence)}$"):
        call()


@pytest.mark.parametrize("name", ["block", "", "fibres-", "fibres-0", "fibres-x", "lines-2", "Uniform"])
def test_a_name_that_is_none_is_told_with_those_there_are(name: str) -> None:
    sentence = (
        f"There is no pattern {name!r}. The patterns are: uniform, pixels, fibres, blocks, boxes, lines, frames, "
        "slices, scratches, text; fibres and slices also along a mode, as in fibres-2."
    )
    with pytest.raises(InvalidSetting, match=f"^{re.escape(sentence)}$"):
        check_pattern(name)


def test_every_pattern_is_a_function_of_the_room() -> None:
    for name, function in PATTERNS.items():
        assert getattr(sampling, name) is function
        assert check_pattern(name) == name
