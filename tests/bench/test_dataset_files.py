"""Scenes, videos and pictures of the paper, from files laid out like the real ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from PIL import Image
from scipy import io, ndimage

from tensorfill.bench.data_file import ORIGINAL_SCENE, SCENE, read_scene, resize
from tensorfill.bench.dataset import datasets
from tensorfill.errors import InvalidInput, UnreadableFile

SCENES = {
    "ribeira": ("ref_ribeira1bbb_reg1.mat",),
    "braga": ("ref_braga1bb_reg1.mat",),
    "ruivaes": ("ref_ruivaes1bb_reg1.mat", "ref_ruivaes1bb_reg1_lax.mat"),
}
RAW_VIDEOS = {
    "container": "container_qcif.yuv",
    "hall": "hall_qcif.yuv",
    "highway": "highway_qcif.yuv",
    "akiyo": "akiyo_qcif.yuv",
}


def write_mat(path: Path, version: str, variable: str, cube: np.ndarray[Any, Any]) -> None:
    """A cube as MATLAB stores it: in version 7.3 with the axes in reverse."""
    if version == "5":
        io.savemat(path, {variable: cube})
    else:
        with h5py.File(path, "w", userblock_size=512) as file:
            file.create_dataset(variable, data=cube.T, chunks=(1, *cube.T.shape[1:]), compression=1, shuffle=True)


def ramp(rows: int, columns: int, bands: int) -> np.ndarray[Any, Any]:
    """Reflectances that differ from mode to mode and rise linearly, up to 2."""
    row, column, band = np.meshgrid(
        *(np.arange(size, dtype=np.float32) / (size - 1) for size in (rows, columns, bands)), indexing="ij", sparse=True
    )
    return np.asarray(0.2 * row + 0.6 * column + 1.2 * band + np.float32(0.0))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that does not outlive the test, for large files."""
    yield tmp_path
    for path in tmp_path.iterdir():
        path.unlink()


# The hyperspectral scenes


def test_a_scene_of_full_size_is_made_smaller(folder: Path) -> None:
    write_mat(folder / "ref_ribeira1bbb_reg1.mat", "5", "reflectances", ramp(*ORIGINAL_SCENE))
    loaded = datasets()["ribeira"].load(folder)
    assert loaded.truth.shape == (203, 268, 33)
    assert loaded.truth.max() == 1
    assert loaded.card.approximate is not None
    # A ramp stays a ramp; its ends move inwards by two and a half of the five pixels that become one.
    middle = loaded.truth[101, :, 0]
    np.testing.assert_allclose(np.diff(middle), np.diff(middle).mean(), rtol=1e-3)
    low, high = 0.6 * (2 / 1339), 0.6 * (1337 / 1339)
    scale = 0.2 * (1014 / 1016) + high + 1.2
    assert middle[0] * scale == pytest.approx(0.1 + low, abs=3e-4)
    assert middle[-1] * scale == pytest.approx(0.1 + high, abs=3e-4)


@pytest.mark.parametrize("version", ["5", "7.3"])
def test_rows_columns_and_bands_stay_what_they_are(tmp_path: Path, version: str) -> None:
    cube = np.random.default_rng(0).random((60, 80, 4)) * 2
    write_mat(tmp_path / "a.mat", version, "reflectances", cube)
    small = read_scene(tmp_path / "a.mat", original=(60, 80, 4), shape=(12, 16, 4))
    # By a factor of five, the centre of a new pixel is the centre of an old one.
    np.testing.assert_allclose(small, cube[2::5, 2::5])


@pytest.mark.parametrize("shape", [(7, 9), (33, 20), (203, 268), (1, 1)])
def test_resizing_agrees_with_scipy(shape: tuple[int, int]) -> None:
    picture = np.random.default_rng(1).random((101, 67))
    centres = [(np.arange(new) + 0.5) * old / new - 0.5 for new, old in zip(shape, picture.shape, strict=True)]
    expected = ndimage.map_coordinates(picture, np.meshgrid(*centres, indexing="ij"), order=1, mode="nearest")
    np.testing.assert_allclose(resize(picture, shape), expected, atol=1e-12)


def test_a_scene_cropped_a_little_differently_is_taken(tmp_path: Path) -> None:
    write_mat(tmp_path / "a.mat", "5", "reflectances", ramp(57, 82, 4))
    assert read_scene(tmp_path / "a.mat", original=(60, 80, 4), shape=(12, 16, 4)).shape == (12, 16, 4)


@pytest.mark.parametrize("wrong", [(40, 80, 4), (60, 95, 4), (60, 80, 3), (60, 80)])
def test_a_scene_of_another_size_is_refused(tmp_path: Path, wrong: tuple[int, ...]) -> None:
    write_mat(tmp_path / "a.mat", "5", "reflectances", np.ones(wrong))
    with pytest.raises(InvalidInput, match=r"must be of size \(60, 80, 4\), give or take 10 rows and columns. Got \("):
        read_scene(tmp_path / "a.mat", original=(60, 80, 4), shape=(12, 16, 4))


def test_a_scene_without_reflectances_is_refused(tmp_path: Path) -> None:
    write_mat(tmp_path / "ref_braga1bb_reg1.mat", "5", "radiances", np.ones((3, 3)))
    with pytest.raises(UnreadableFile, match=r"has no variable 'reflectances'. The variables in it are: 'radiances'"):
        datasets()["braga"].load(tmp_path)


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_looked_for_under_its_names(name: str) -> None:
    originals = [file for file in datasets()[name].files if "resize" not in file.name]
    assert tuple(file.name for file in originals) == SCENES[name]
    assert all(file.read is read_scene for file in originals)


def test_a_scene_that_is_small_already_is_taken_as_it_is(tmp_path: Path) -> None:
    cube = np.random.default_rng(0).random(SCENE)
    write_mat(tmp_path / "ref_ribeira1bbb_reg1_resize_203x268x33.mat", "5", "out", cube)
    loaded = datasets()["ribeira"].load(tmp_path)
    np.testing.assert_array_equal(loaded.truth, cube)
    assert loaded.card.approximate is None


# The videos


@pytest.mark.parametrize("name", RAW_VIDEOS)
def test_a_raw_video_gives_the_brightness_of_its_first_150_frames(tmp_path: Path, name: str) -> None:
    video = np.random.default_rng(0).integers(0, 256, (153, 144, 176), dtype=np.uint8)
    colour = bytes(2 * 72 * 88)
    (tmp_path / RAW_VIDEOS[name]).write_bytes(b"".join(frame.tobytes() + colour for frame in video))
    loaded = datasets()[name].load(tmp_path)
    np.testing.assert_array_equal(loaded.truth, np.moveaxis(video[:150], 0, 2) / 255)
    assert loaded.card.approximate is None


def test_a_raw_video_of_another_size_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hall_qcif.yuv").write_bytes(bytes(352 * 288))
    with pytest.raises(
        UnreadableFile, match=r"raw 4:2:0 frames of 176 × 144 pixels, 38016 bytes each. Got 101376 bytes"
    ):
        datasets()["hall"].load(tmp_path)


@pytest.mark.parametrize("name", ["container", "highway", "akiyo", "hall_h264_control"])
def test_an_encoded_video_is_labelled_and_the_raw_one_is_preferred(tmp_path: Path, name: str) -> None:
    dataset = datasets()[name]
    encoded = dataset.files[-1]
    np.savez(tmp_path / encoded.name, data=np.full((144, 176, 150), 51, dtype=np.uint8))
    loaded = dataset.load(tmp_path)
    assert loaded.truth.max() == pytest.approx(0.2)
    assert loaded.card.approximate is not None
    assert "H.264" in loaded.card.approximate
    assert len(loaded.notes) == 1
    if name in RAW_VIDEOS:
        (tmp_path / RAW_VIDEOS[name]).write_bytes(bytes(150 * 38016))
        assert dataset.load(tmp_path).card.approximate is None


@pytest.mark.parametrize(
    ("extension", "rows_first"), [(".npz", False), (".npz", True), (".mat", False), (".mat", True), (".yuv", True)]
)
def test_tomato_may_be_any_of_three_files_either_way_round(folder: Path, extension: str, rows_first: bool) -> None:
    frames = np.zeros((167, 242, 320), dtype=np.uint8)
    frames[:, 0, 1], frames[0, 241, 319] = 51, 255
    video = np.moveaxis(frames, 0, 2) if rows_first else np.moveaxis(frames, 0, 2).swapaxes(0, 1)
    path = folder / f"tomato{extension}"
    if extension == ".npz":
        np.savez_compressed(path, data=video)
    elif extension == ".mat":
        io.savemat(path, {"video": video}, do_compression=True)
    else:
        path.write_bytes(b"".join(frame.tobytes() + bytes(2 * 121 * 160) for frame in frames))
    truth = datasets()["tomato"].load(folder).truth
    assert truth.shape == (320, 242, 167)
    assert (truth[1, 0, 5], truth[319, 241, 0], truth[0, 1, 5]) == (pytest.approx(0.2), 1, 0)


# Pictures and arrays


@pytest.mark.parametrize(("name", "size"), [("baboon", 256), ("splash", 512), ("airplane", 512)])
def test_a_picture_is_read_in_colour(tmp_path: Path, name: str, size: int) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (size, size, 3), dtype=np.uint8)
    dataset = datasets()[name]
    Image.fromarray(pixels).save(tmp_path / dataset.files[0].name)
    np.testing.assert_array_equal(dataset.load(tmp_path).truth, pixels / 255)


def test_a_picture_of_another_size_is_refused(tmp_path: Path) -> None:
    Image.fromarray(np.zeros((512, 512, 3), dtype=np.uint8)).save(tmp_path / "baboon_256.png")
    with pytest.raises(InvalidInput, match=r"must have the shape \(256, 256, 3\) of 'baboon'. Got \(512, 512, 3\)"):
        datasets()["baboon"].load(tmp_path)


@pytest.mark.parametrize("name", ["cave_a", "hangzhou_metro"])
def test_counts_and_cubes_are_divided_by_their_largest_value(tmp_path: Path, name: str) -> None:
    dataset = datasets()[name]
    save = partial(np.savez_compressed, tmp_path / dataset.files[0].name)
    data = np.full(dataset.shape, 10, dtype=np.uint16)
    data[0, 0, 0] = 40
    save(data=data)
    truth = dataset.load(tmp_path).truth
    assert (truth.max(), truth.min()) == (1, 0.25)
