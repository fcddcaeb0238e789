"""Masks in files of their own: True, or not black, means known."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile

MASK = np.array([[True, False, True], [False, True, True]])


def test_a_boolean_array(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", MASK)
    np.testing.assert_array_equal(formats.read_mask(tmp_path / "m.npy", MASK.shape), MASK)


def test_the_key_observed_of_an_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", observed=MASK)
    np.testing.assert_array_equal(formats.read_mask(tmp_path / "m.npz", MASK.shape), MASK)


def test_a_gray_picture_serves_every_channel(tmp_path: Path) -> None:
    Image.fromarray(MASK.astype(np.uint8)).save(tmp_path / "m.png")
    np.testing.assert_array_equal(formats.read_mask(tmp_path / "m.png", (2, 3)), MASK)
    three = formats.read_mask(tmp_path / "m.png", (2, 3, 3))
    np.testing.assert_array_equal(three, np.stack([MASK] * 3, axis=-1))


def test_a_colour_picture_in_black_and_white_serves_gray_data(tmp_path: Path) -> None:
    Image.fromarray(np.stack([MASK * np.uint8(255)] * 3, axis=-1)).save(tmp_path / "m.png")
    np.testing.assert_array_equal(formats.read_mask(tmp_path / "m.png", (2, 3)), MASK)


def test_a_colour_picture_may_tell_channels_apart(tmp_path: Path) -> None:
    channels = np.random.default_rng(0).integers(0, 2, (2, 3, 3), dtype=np.uint8)
    Image.fromarray(channels).save(tmp_path / "m.png")
    np.testing.assert_array_equal(formats.read_mask(tmp_path / "m.png", (2, 3, 3)), channels > 0)


def test_transparent_is_missing(tmp_path: Path) -> None:
    pixels = np.full((2, 3, 4), 255, np.uint8)
    pixels[..., 3] = MASK * 255
    Image.fromarray(pixels).save(tmp_path / "m.png")
    np.testing.assert_array_equal(formats.read_mask(tmp_path / "m.png", (2, 3)), MASK)


def test_another_shape_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", MASK)
    with pytest.raises(InvalidInput, match=r"shape of the data, \(2, 3, 3\). Got \(2, 3\) instead"):
        formats.read_mask(tmp_path / "m.npy", (2, 3, 3))


def test_numbers_are_refused_because_they_could_mean_either(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", MASK.astype(int))
    with pytest.raises(InvalidInput, match=r"True where the value is known. Got int64 instead"):
        formats.read_mask(tmp_path / "m.npy", MASK.shape)


def test_an_archive_without_the_key_names_those_it_has(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", data=MASK)
    with pytest.raises(UnreadableFile, match=r"has no array 'observed'. The arrays in it are: 'data'."):
        formats.read_mask(tmp_path / "m.npz", MASK.shape)


def test_jpg_is_refused_because_its_black_is_not_black(tmp_path: Path) -> None:
    Image.fromarray(MASK.astype(np.uint8)).save(tmp_path / "m.jpg")
    with pytest.raises(UnreadableFile, match=r"cannot serve as a mask.*save it as .png"):
        formats.read_mask(tmp_path / "m.jpg", MASK.shape)
