"""Holes described in words: a colour and how near to it, wider holes, dead slices; and the rim that is left of them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

import tensorfill
from tensorfill.errors import InvalidInput, InvalidSetting
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.missing_values import (
    check_growth,
    declare_slices_missing,
    declare_value_missing,
    describe_rim,
    find_frame_mode,
    grow_holes,
    grow_mask,
    has_rim,
)

RED = (255.0, 0.0, 0.0)


def picture(data: np.ndarray, known: np.ndarray | None = None, kind: str = "picture") -> Contents:
    return Contents(data, known, metadata=Metadata(kind=kind))  # type: ignore[arg-type]


def scene(size: int = 96) -> np.ndarray:
    """Something with gradients, an edge and texture."""
    rows, columns = np.mgrid[:size, :size]
    noise = np.random.default_rng(3).normal(0, 6, (size, size, 3))
    smooth = (
        np.stack([60 + columns, 120 + 40 * np.sin(rows / 9), 160 - rows], axis=2) + 50 * (rows > columns)[..., None]
    )
    return np.clip(smooth + noise, 0, 255).astype(np.uint8)


def scribbled(clean: np.ndarray, *, soft: bool, quality: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Red strokes over it, with soft edges or hard ones, and as a .jpg or not; and how much of each pixel is red."""
    times = 4 if soft else 1
    size = clean.shape[1] * times, clean.shape[0] * times
    layer = Image.new("L", size, 0)
    pen = ImageDraw.Draw(layer)
    for line in ([(0.1, 0.2), (0.5, 0.35), (0.9, 0.15)], [(0.2, 0.9), (0.45, 0.6), (0.85, 0.8)]):
        pen.line([(x * size[0], y * size[1]) for x, y in line], fill=255, width=6 * times, joint="curve")
    share = np.asarray(layer.resize(clean.shape[1::-1], Image.Resampling.BOX), dtype=float)[..., None] / 255
    mixed = np.rint(clean * (1 - share) + np.array(RED) * share).astype(np.uint8)
    if quality is not None:
        packed = io.BytesIO()
        Image.fromarray(mixed).save(packed, "JPEG", quality=quality)
        mixed = np.asarray(Image.open(packed))
    return mixed, share[..., 0]


# A value, and how near to it


def test_a_colour_is_matched_within_a_tolerance_in_every_channel() -> None:
    data = np.full((1, 4, 3), 100, np.uint8)
    data[0, 1], data[0, 2], data[0, 3] = (255, 0, 0), (246, 10, 9), (244, 0, 0)
    missing = ~declare_value_missing(picture(data), RED, 10).known()
    assert missing[0, :, 0].tolist() == [False, True, True, False]
    assert (missing == missing[..., :1]).all()
    assert (~declare_value_missing(picture(data), RED).known())[0, :, 0].tolist() == [False, True, False, False]


def test_a_value_may_have_a_tolerance_too_and_small_whole_numbers_do_not_wrap_round() -> None:
    data = np.array([[0, 3, 4, 252, 255]], np.uint8)
    assert (~declare_value_missing(picture(data), (0,), 3).known()).tolist() == [[True, True, False, False, False]]
    assert (~declare_value_missing(picture(data), (255,), 3).known()).tolist() == [[False, False, False, True, True]]


@pytest.mark.parametrize(
    ("value", "tolerance", "sentence"),
    [
        ((7.0,), 0, "No entry is 7, so missing=7 finds no hole; the nearest one is 2 off, and tolerance=2 would"),
        ((60.0,), 4, "No entry is 60 within 4, so missing=60 finds no hole; the nearest one is 10 off"),
    ],
)
def test_a_value_that_matches_nothing_is_refused(value: tuple[float, ...], tolerance: float, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        declare_value_missing(picture(np.array([[5, 50]], np.uint8)), value, tolerance)


@pytest.mark.parametrize("tolerance", [-1, np.nan, np.inf, "3", True])
def test_a_tolerance_is_a_number_of_levels(tolerance: object) -> None:
    with pytest.raises(InvalidSetting, match="'tolerance' must be a number of levels, 0 or more"):
        declare_value_missing(picture(np.ones((2, 2))), (1.0,), tolerance)  # type: ignore[arg-type]


# Wider


def test_holes_grow_round_in_rows_and_columns_all_channels_together() -> None:
    missing = np.zeros((7, 7, 3), bool)
    missing[3, 3, 1] = True
    wide = grow_mask(missing, 2, channels=True)
    assert wide[..., 0].astype(int).tolist() == [
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 0],
        [0, 0, 1, 1, 1, 0, 0],
        [0, 1, 1, 1, 1, 1, 0],
        [0, 0, 1, 1, 1, 0, 0],
        [0, 0, 0, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
    ]
    assert (wide == wide[..., :1]).all()


def test_every_frame_grows_by_itself() -> None:
    known = np.ones((5, 5, 3), bool)
    known[2, 2, 1] = False
    clip = grow_holes(picture(np.ones((5, 5, 3), np.uint8), known, "video"), 1)
    assert (~clip.known()).sum(axis=(0, 1)).tolist() == [0, 5, 0]


@pytest.mark.parametrize("pixels", [-1, 1.5, "2", True, 10**9])
def test_growth_is_a_whole_number_of_pixels(pixels: object) -> None:
    with pytest.raises(InvalidSetting, match="'grow' must be a whole number of pixels"):
        check_growth(pixels)


def test_holes_that_leave_nothing_are_refused() -> None:
    with pytest.raises(InvalidInput, match="With holes 9 pixels wider nothing is known any more"):
        grow_holes(picture(np.ones((3, 3)), np.eye(3) == 0), 9)


def test_the_library_reads_with_the_same_words(tmp_path: Path) -> None:
    data = np.full((9, 9, 3), 100, np.uint8)
    data[4, 4] = 250, 3, 3
    Image.fromarray(data).save(tmp_path / "a.png")
    read = tensorfill.read(tmp_path / "a.png", missing=(255, 0, 0), tolerance=5, grow=1)
    assert (~read.known()).sum() == 5 * 3
    with pytest.raises(InvalidInput, match="finds no hole"):
        tensorfill.read(tmp_path / "a.png", missing=(255, 0, 0))


# Slices


def test_slices_of_any_mode_counted_from_1() -> None:
    data = np.ones((3, 4, 5, 2))
    for mode in range(1, 5):
        missing = ~declare_slices_missing(picture(data, kind="array"), mode, [0, 1]).known()
        assert np.moveaxis(missing, mode - 1, 0)[:2].all()
        assert not np.moveaxis(missing, mode - 1, 0)[2:].any()


def test_modes_and_slices_that_are_not_there_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"are 1 … 2. Got 3 for missing slices"):
        declare_slices_missing(picture(np.ones((3, 4))), 3, [0])
    with pytest.raises(InvalidInput, match=r"The slices of mode 2 are 0 … 3. Got 4"):
        declare_slices_missing(picture(np.ones((3, 4))), 2, [1, 4])


def test_frames_are_where_the_file_says_that_time_is() -> None:
    stack = Contents(np.ones((4, 5, 6, 7)), metadata=Metadata(kind="volume", axes="YXTZ"))
    assert find_frame_mode(stack) == 2


# The rim


@pytest.mark.parametrize(("soft", "quality"), [(True, None), (True, 85), (False, 85)])
def test_a_blurred_rim_is_noticed_and_goes_away_with_wider_holes(soft: bool, quality: int | None) -> None:
    mixed, _ = scribbled(scene(), soft=soft, quality=quality)
    tight = declare_value_missing(picture(mixed), RED, 10)
    assert describe_rim(tight, 0, 10) == (
        "Pixels at the rim of the holes look like what was removed: grow=2 and tolerance=40 may help.",
    )
    assert describe_rim(grow_holes(declare_value_missing(picture(mixed), RED, 60), 3), 3, 60) == ()


def test_a_tight_mask_over_a_scribble_is_noticed_too() -> None:
    mixed, share = scribbled(scene(), soft=True, quality=85)
    known = np.broadcast_to(share[..., None] < 1, mixed.shape).copy()
    assert describe_rim(picture(mixed, known), 1, None) == (
        "Pixels at the rim of the holes look like what was removed: grow=3 may help.",
    )


@pytest.mark.parametrize("content", ["red", "black", "truth"])
@pytest.mark.parametrize("kind", ["strokes", "blocks", "pixels"])
def test_clean_edges_are_not_complained_about(content: str, kind: str) -> None:
    clean = scene()
    missing = scribbled(clean, soft=False, quality=None)[1] > 0
    if kind == "blocks":
        missing = np.zeros_like(missing)
        missing[20:50, 30:60] = True
    if kind == "pixels":
        missing = np.random.default_rng(0).random(missing.shape) < 0.3
    filling = {"red": np.array(RED, np.uint8), "black": np.zeros(3, np.uint8), "truth": clean}[content]
    data = np.where(missing[..., None], filling, clean)
    assert not has_rim(picture(data, np.broadcast_to(~missing[..., None], data.shape).copy()))


def test_what_is_no_picture_has_no_rim() -> None:
    mixed, _ = scribbled(scene(), soft=True, quality=85)
    assert not has_rim(declare_value_missing(picture(mixed, kind="array"), RED, 10))
