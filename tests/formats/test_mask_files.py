"""Masks in files of their own: what they mean is said, never guessed, and they may be smaller than the data."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats import Contents

MASK = np.array([[True, False, True], [False, True, True]])
GRAY = MASK * np.uint8(255)
CHANNELS = np.random.default_rng(0).integers(0, 2, (2, 3, 3), dtype=np.uint8)
BANDS = np.array([True, False, True, True])
MOVING = np.stack([MASK, ~MASK, MASK, MASK], axis=2)


def known(path: Path, content: Any, shape: tuple[int, ...], means: str | None = "known") -> np.ndarray:
    """What a mask with this content says of data of this shape."""
    if path.suffix == ".npz":
        np.savez(path, observed=content)
    elif path.suffix == ".npy":
        np.save(path, content)
    elif path.suffix == ".mkv":
        formats.write(path, Contents(content))
    else:
        Image.fromarray(content).save(path)
    return formats.read_mask(path, shape, means)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "content", "shape", "means", "expected"),
    [
        ("bool.npy", MASK, (2, 3), "known", MASK),
        ("bool.npy", MASK, (2, 3), "missing", ~MASK),
        ("numbers.npy", MASK * 7, (2, 3), "known", MASK),
        ("says_itself.npz", MASK, (2, 3), None, MASK),
        ("sizes_of_one.npy", MASK[:, None, :], (2, 4, 3), "known", MASK[:, None]),
        ("a_value_per_band.npy", BANDS, (2, 3, 4), "known", BANDS),
        ("gray.png", MASK.astype(np.uint8), (2, 3), "known", MASK),
        ("gray_for_channels.png", GRAY, (2, 3, 3), "known", MASK[..., None]),
        ("gray_for_frames.png", GRAY, (2, 3, 5, 3), "known", MASK[..., None, None]),
        ("black_and_white_in_colour.png", np.stack([GRAY] * 3, axis=-1), (2, 3), "known", MASK),
        ("channels_apart.png", CHANNELS, (2, 3, 3), "known", CHANNELS > 0),
        ("transparent_is_not_marked.png", np.dstack([GRAY * 0 + 255] * 3 + [GRAY]), (2, 3), "known", MASK),
        ("video_for_channels.mkv", MOVING * np.uint8(255), (2, 3, 4, 3), "missing", ~MOVING[..., None]),
    ],
)
def test_a_mask_means_what_is_said_and_serves_what_it_does_not_tell_apart(
    tmp_path: Path, name: str, content: Any, shape: tuple[int, ...], means: str | None, expected: np.ndarray
) -> None:
    np.testing.assert_array_equal(known(tmp_path / name, content, shape, means), np.broadcast_to(expected, shape))


@pytest.mark.parametrize("name", ["m.npy", "m.png"])
def test_a_mask_that_could_mean_either_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"mask_means='missing' if .* or mask_means='known' if"):
        known(tmp_path / name, GRAY, MASK.shape, None)


@pytest.mark.parametrize(("content", "shape"), [(MASK, (4, 3)), (BANDS, (4, 4, 3))])
def test_another_shape_or_one_value_for_two_modes_of_the_same_size_is_refused(
    tmp_path: Path, content: np.ndarray, shape: tuple[int, ...]
) -> None:
    with pytest.raises(InvalidInput, match=r"shape of the data, \(4, .*\), or .* Got \(.*\) instead"):
        known(tmp_path / "m.npy", content, shape)


def test_shades_between_go_to_the_nearer_end_and_are_told(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 60, 200, 255]], np.uint8)).save(tmp_path / "m.png")
    mask, notes = formats.read_mask(tmp_path / "m.png", (1, 4), "missing")
    assert mask.tolist() == [[True, True, False, False]]
    assert "2 entries between 0 and its largest value, 255; those above 127.5 count as missing" in notes[0]


def test_jpg_is_refused_because_its_black_is_not_black(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"cannot serve as a mask.*save it as .png"):
        known(tmp_path / "m.jpg", GRAY, MASK.shape)


def test_of_a_picture_with_holes_of_its_own_the_holes_count_and_not_the_colours(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (2, 3, 4), dtype=np.uint8)
    pixels[..., 3] = GRAY
    Image.fromarray(pixels).save(tmp_path / "m.png")
    mask, notes = formats.read_mask(tmp_path / "m.png", (2, 3), "known")
    np.testing.assert_array_equal(mask, MASK)
    assert "has holes of its own" in notes[0]
