"""Masks in files of their own: what they mean is said, never guessed, and they may be smaller than the data."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile

MASK = np.array([[True, False, True], [False, True, True]])
GRAY = MASK * np.uint8(255)


def known(path: Path, shape: tuple[int, ...], means: str | None = "known") -> np.ndarray:
    return formats.read_mask(path, shape, means)[0]  # type: ignore[arg-type]


def test_a_boolean_array_means_what_is_said(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", MASK)
    np.testing.assert_array_equal(known(tmp_path / "m.npy", MASK.shape, "known"), MASK)
    np.testing.assert_array_equal(known(tmp_path / "m.npy", MASK.shape, "missing"), ~MASK)


@pytest.mark.parametrize("name", ["m.npy", "m.png"])
def test_a_mask_that_could_mean_either_is_refused(tmp_path: Path, name: str) -> None:
    formats.write(tmp_path / name, formats.Contents(GRAY))
    with pytest.raises(InvalidInput, match=r"--mask-means missing if .* or --mask-means known if"):
        formats.read_mask(tmp_path / name, MASK.shape)


def test_the_key_observed_of_an_archive_says_itself_what_it_means(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", observed=MASK)
    np.testing.assert_array_equal(known(tmp_path / "m.npz", MASK.shape, None), MASK)


def test_numbers_count_as_marked_where_they_are_not_zero(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", MASK.astype(int))
    np.testing.assert_array_equal(known(tmp_path / "m.npy", MASK.shape), MASK)


def test_a_gray_picture_serves_every_channel_and_frame(tmp_path: Path) -> None:
    Image.fromarray(MASK.astype(np.uint8)).save(tmp_path / "m.png")
    for shape in ((2, 3), (2, 3, 3), (2, 3, 5, 3)):
        spread = MASK.reshape(2, 3, *(1 for _ in shape[2:]))
        np.testing.assert_array_equal(known(tmp_path / "m.png", shape), np.broadcast_to(spread, shape))


def test_a_colour_picture_in_black_and_white_serves_gray_data(tmp_path: Path) -> None:
    Image.fromarray(np.stack([GRAY] * 3, axis=-1)).save(tmp_path / "m.png")
    np.testing.assert_array_equal(known(tmp_path / "m.png", (2, 3)), MASK)


def test_a_colour_picture_may_tell_channels_apart(tmp_path: Path) -> None:
    channels = np.random.default_rng(0).integers(0, 2, (2, 3, 3), dtype=np.uint8)
    Image.fromarray(channels).save(tmp_path / "m.png")
    np.testing.assert_array_equal(known(tmp_path / "m.png", (2, 3, 3)), channels > 0)


def test_transparent_is_not_marked(tmp_path: Path) -> None:
    pixels = np.full((2, 3, 4), 255, np.uint8)
    pixels[..., 3] = MASK * 255
    Image.fromarray(pixels).save(tmp_path / "m.png")
    np.testing.assert_array_equal(known(tmp_path / "m.png", (2, 3)), MASK)


def test_a_video_serves_every_channel_of_a_video_in_colour(tmp_path: Path) -> None:
    moving = np.stack([MASK, ~MASK, MASK, MASK], axis=2)
    formats.write(tmp_path / "m.mkv", formats.Contents(moving * np.uint8(255)))
    found = known(tmp_path / "m.mkv", (2, 3, 4, 3), "missing")
    np.testing.assert_array_equal(found, np.repeat(~moving[..., None], 3, axis=3))


def test_one_value_per_band_serves_every_pixel(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.array([True, False, True, True]))
    found = known(tmp_path / "m.npy", (2, 3, 4))
    assert found.all(axis=(0, 1)).tolist() == [True, False, True, True]


def test_one_value_per_index_of_two_modes_of_the_same_size_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.array([True, False, True]))
    with pytest.raises(InvalidInput, match="must have the shape of the data"):
        known(tmp_path / "m.npy", (3, 3, 4))


def test_sizes_of_one_serve_all_indices(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", MASK[:, None, :])
    np.testing.assert_array_equal(known(tmp_path / "m.npy", (2, 4, 3))[:, 2], MASK)


def test_shades_between_go_to_the_nearer_end_and_are_told(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 60, 200, 255]], np.uint8)).save(tmp_path / "m.png")
    mask, notes = formats.read_mask(tmp_path / "m.png", (1, 4), "missing")
    assert mask.tolist() == [[True, True, False, False]]
    assert "2 entries between 0 and its largest value, 255; those above 127.5 count as missing" in notes[0]


def test_another_shape_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", MASK)
    with pytest.raises(InvalidInput, match=r"shape of the data, \(4, 3\), or .* Got \(2, 3\) instead"):
        known(tmp_path / "m.npy", (4, 3))


def test_jpg_is_refused_because_its_black_is_not_black(tmp_path: Path) -> None:
    Image.fromarray(MASK.astype(np.uint8)).save(tmp_path / "m.jpg")
    with pytest.raises(UnreadableFile, match=r"cannot serve as a mask.*save it as .png"):
        known(tmp_path / "m.jpg", MASK.shape)


def test_of_a_picture_with_holes_of_its_own_the_holes_count_and_not_the_colours(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (2, 3, 4), dtype=np.uint8)
    pixels[..., 3] = GRAY
    Image.fromarray(pixels).save(tmp_path / "m.png")
    mask, notes = formats.read_mask(tmp_path / "m.png", (2, 3), "known")
    np.testing.assert_array_equal(mask, MASK)
    assert "has holes of its own" in notes[0]
