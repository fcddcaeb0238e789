"""What is read and written piece by piece is what it is as a whole: values, masks, notes, metadata, bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
import tifffile
from array_files import decode_here, save
from clip_files import encode, noise, scene
from PIL import Image
from scipy import io

from tensorfill.errors import InvalidInput, TooLarge, UnreadableFile
from tensorfill.formats import Contents, DataFile, Metadata, file_array, read_mask
from tensorfill.formats.contents import Reading
from tensorfill.formats.file_array import Elsewhere, FileArray
from tensorfill.formats.missing_values import (
    declare_frames_missing,
    declare_known,
    declare_slices_missing,
    declare_value_missing,
    describe_rim,
    grow_holes,
)
from tensorfill.formats.scratch import Scratch, scratch_in
from tensorfill.formats.videos import containers

COLOUR = scene(18, 22, 9)
GRAY = scene(18, 22, 9, colour=False)
CUBE = noise((7, 6, 5), np.uint16)
KNOWN = noise((7, 6, 5)) > 60


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    decode_here(monkeypatch)
    monkeypatch.setattr(containers._Container, "guarded", False)
    monkeypatch.setattr(file_array, "PIECE", 300)
    monkeypatch.setattr(file_array, "_MAPPED", 2000)


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    """One that takes everything."""
    with scratch_in(tmp_path, large=0) as found:
        yield found


@pytest.fixture
def never_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays on disk refuse to come into memory as a whole."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the whole array was asked for")

    monkeypatch.setattr(Elsewhere, "__array__", refuse)
    monkeypatch.setattr(Elsewhere, "__array_ufunc__", refuse)


def whole(array: Any) -> Any:
    """All of it in memory, whatever is forbidden."""
    return array[...] if isinstance(array, Elsewhere) else array


def check_same(found: Contents, expected: Contents) -> None:
    """Everything about them is the same."""
    assert found.on_disk
    assert (found.dtype, found.shape, found.notes) == (expected.dtype, expected.shape, expected.notes)
    np.testing.assert_array_equal(whole(found.data), expected.data)
    assert (found.observed is None) == (expected.observed is None)
    np.testing.assert_array_equal(whole(found.observed), expected.observed)
    for field in fields(Metadata):
        here, there = (whole(getattr(each.metadata, field.name)) for each in (found, expected))
        if field.name == "header":
            assert here.keys() == there.keys()
        else:
            np.testing.assert_array_equal(here, there, field.name)
    everything = tuple(slice(0, size) for size in expected.shape)
    np.testing.assert_array_equal(found.known_in(everything), expected.known())
    inner = tuple(slice(size // 3, size - size // 4) for size in expected.shape)
    for one, other in zip(found.part(inner), (np.asarray(expected.data)[inner], expected.known()[inner]), strict=True):
        np.testing.assert_array_equal(one, other)


# Reading


def in_file(folder: Path, kind: str) -> Path:
    """A file of this kind, as others or we write it."""
    path = folder / f"a.{kind.split()[-1]}"
    holes = np.where(KNOWN, CUBE, np.nan).astype(np.float32)
    opacity = np.where(noise((18, 22, 9)) > 40, 255, 0).astype(np.uint8)
    opacity[3:9, 2:8, 4] = np.where(opacity[3:9, 2:8, 4] > 0, 90, 0)
    contents = {
        "gray": Contents(GRAY, metadata=Metadata(kind="video", frame_rate=Fraction(24))),
        "colour": Contents(COLOUR, metadata=Metadata(kind="video", frame_rate=Fraction(24))),
        "deep": Contents(CUBE * 3, metadata=Metadata(kind="video")),
        "nan": Contents(holes),
        "masked": Contents(CUBE, KNOWN, metadata=Metadata(variable="x", wavelengths=(1.0, 2.0, 3.0, 4.0, 5.0))),
        "newest": Contents(CUBE, KNOWN, metadata=Metadata(header={"version": "7.3"}, header_of="mat")),
        "alpha": Contents(COLOUR, metadata=Metadata(kind="video", alpha=opacity)),
        "gray-alpha": Contents(GRAY, metadata=Metadata(kind="video", alpha=opacity)),
    }
    if (name := kind.split()[0]) in contents:
        DataFile.of(path).write(contents[name])
    elif name == "fortran":
        np.save(path, np.asfortranarray(holes.astype(">f8")))
    elif name == "hyperstack":
        tifffile.imwrite(path, noise((2, 3, 4, 8, 9)), imagej=True, metadata={"axes": "TZCYX"})
    elif name == "one-piece":
        tifffile.imwrite(path, CUBE.astype(">u2"), imagej=True, byteorder=">")
    elif name == "white-is-0":
        tifffile.imwrite(path, CUBE, photometric="miniswhite", compression="zlib", metadata=None)
    elif name == "turned":
        tifffile.imwrite(path, CUBE, photometric="minisblack", extratags=[(274, "H", 1, 6, True)])
    elif name in ("bsq", "bil", "bip"):
        about = {"interleave": name, "byte order": "1", "data ignore value": str(CUBE[1, 1, 1]), "bbl": "{1,1,0,1,1}"}
        DataFile.of(path).write(
            Contents(CUBE, metadata=Metadata(header={"interleave": name, "byte order": "1"}, header_of="envi"))
        )
        text = path.read_text() + "".join(f"{key} = {value}\n" for key, value in list(about.items())[2:])
        path.write_text(text)
    elif kind.split(".")[0].endswith("nii"):
        image = nibabel.Nifti1Image(CUBE, np.eye(4))
        image.header.set_slope_inter(2 if name == "scaled" else 1, 3 if name == "scaled" else 0)
        nibabel.save(image, path)
    elif name in ("h264", "mpeg4"):
        encode(path, COLOUR, "libx264" if name == "h264" else "mpeg4", "yuv420p")
    elif name == "partly-coloured":
        clip = COLOUR.copy()
        clip[:, :, :5] = clip[:, :, :5, :1]
        encode(path, clip, "libx264", "yuv444p")
    else:
        save(folder, " ".join(kind.split()[1:]), data=holes, observed=KNOWN)
    return path


READ = (
    "nan npy", "fortran npy", "masked npz", "nan npz", "masked h5", "nan h5", "masked zarr", "masked zarr.zip",
    "masked mat", "newest mat", "nan mat", "gray tif", "colour tif", "alpha tif", "gray-alpha tif", "nan tif",
    "hyperstack tif", "one-piece tif", "white-is-0 tif", "turned tif", "bsq hdr", "bil hdr", "bip hdr", "gray mkv",
    "colour mkv", "deep mkv", "colour avi", "h264 mp4", "partly-coloured mp4", "colour y4m", "gray y4m", "gray gif",
    "colour gif", "alpha gif", "scaled nii", "plain nii", "plain nii.gz", "scaled nii.gz",
)  # fmt: skip


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("how", [Reading(), Reading(gray=True), Reading(frames=(2, 4))], ids=["all", "gray", "frames"])
def test_a_file_is_read_onto_disk_as_it_is_into_memory(
    tmp_path: Path, scratch: Scratch, never_whole: None, kind: str, how: Reading
) -> None:
    file = DataFile.of(in_file(tmp_path, kind))
    if how.frames and "hyperstack" in kind:
        how = Reading(frames=(1, 1))
    check_same(file.read(how, scratch), file.read(how))  # type: ignore[arg-type]


@pytest.mark.parametrize("clip", [GRAY, COLOUR, COLOUR[:17, :21]], ids=["gray", "colour", "odd"])
@pytest.mark.parametrize("gray", [False, True])
def test_raw_video_too(tmp_path: Path, scratch: Scratch, never_whole: None, clip: Any, gray: bool) -> None:
    file = DataFile.of(tmp_path / "a.yuv")
    file.write(Contents(clip, metadata=Metadata(kind="video")))
    for frames in (None, (3, 6)):
        how = Reading(size=(clip.shape[1], clip.shape[0]), gray=gray, frames=frames)
        check_same(file.read(how, scratch), file.read(how))  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", [False, True])
@pytest.mark.parametrize("gone", [(), (3, 5)], ids=["all", "gaps"])
def test_a_folder_of_frames_too(
    tmp_path: Path, scratch: Scratch, never_whole: None, alpha: bool, gone: tuple[int, ...]
) -> None:
    (tmp_path / "clip").mkdir()
    for number in set(range(9)) - set(gone):
        pixels = COLOUR[:, :, number]
        opacity = np.where(noise((18, 22, 1), seed=number) > 40, 255, 0).astype(np.uint8)
        with_alpha = alpha and number != 1
        Image.fromarray(np.dstack([pixels, opacity]) if with_alpha else pixels).save(tmp_path / f"clip/f{number}.png")
    file = DataFile.of(tmp_path / "clip")
    for how in (Reading(), Reading(gray=True), Reading(frames=(2, 6))):
        check_same(file.read(how, scratch), file.read(how))  # type: ignore[arg-type]


def test_a_clip_that_is_longer_than_it_says_grows_on_disk(
    tmp_path: Path, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = DataFile.of(in_file(tmp_path, "colour mkv"))
    expected = file.read(Reading())
    monkeypatch.setattr("tensorfill.formats.videos.decoding._FIRST_GUESS", 2)
    monkeypatch.setattr("tensorfill.formats.videos.decoding.count_batch", lambda size: 2)
    monkeypatch.setattr("tensorfill.formats.videos.wholeness.RunningTime.of", lambda *_: _unknown())
    check_same(file.read(Reading(), scratch), expected)  # type: ignore[arg-type]
    assert len(list(scratch.folder.iterdir())) == 1


def _unknown() -> Any:
    from tensorfill.formats.videos.wholeness import RunningTime

    return RunningTime(0)


def test_what_is_small_is_in_memory(tmp_path: Path) -> None:
    with scratch_in(tmp_path) as scratch:
        found = DataFile.of(in_file(tmp_path, "nan npy")).read(Reading(), scratch)
        assert isinstance(found, Contents)
        assert not found.on_disk
        assert list(scratch.folder.iterdir()) == []


# What speaks against it


@pytest.mark.parametrize("kind", ["masked h5", "masked zarr", "gray tif", "gray mkv", "gray gif", "nan npz"])
def test_a_disk_without_room_is_one_sentence(
    tmp_path: Path, scratch: Scratch, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    file = DataFile.of(in_file(tmp_path, kind))
    monkeypatch.setattr("tensorfill.formats.damage._SMALL", 0)
    monkeypatch.setattr(Scratch, "free", 2**28)
    with pytest.raises(TooLarge, match=r"does not fit into memory as a whole, and 0.3 GB of disk are free in "):
        file.read(Reading(), scratch)


@pytest.mark.parametrize("kind", ["masked h5", "gray mkv", "gray tif"])
def test_what_would_not_fit_into_memory_and_is_very_small_as_a_file_is_refused(
    tmp_path: Path, scratch: Scratch, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    file = DataFile.of(in_file(tmp_path, kind))
    monkeypatch.setattr("tensorfill.formats.damage._SMALL", 0)
    monkeypatch.setattr("tensorfill.formats.damage.available_memory", lambda: 100)
    for limit in ("_MOST_TIMES", "_MOST_TIMES_ON_DISK"):
        monkeypatch.setattr(f"tensorfill.formats.damage.{limit}", 0.01)
    with pytest.raises(UnreadableFile, match="made to fill the disk"):
        file.read(Reading(), scratch)


@pytest.mark.parametrize("kind", ["nan npy", "bsq hdr", "masked h5", "gray tif", "gray mkv", "masked zarr.zip"])
def test_a_file_that_is_cut_short_is_refused_as_ever(tmp_path: Path, scratch: Scratch, kind: str) -> None:
    path = in_file(tmp_path, kind)
    cut = path.with_suffix(".img") if kind.endswith("hdr") else path
    cut.write_bytes(cut.read_bytes()[:-20])
    said = []
    for room in (None, scratch):
        with pytest.raises(UnreadableFile) as error:
            DataFile.of(path).read(Reading(), room)
        said.append(str(error.value))
    assert said[0] == said[1]


# Writing


def on_disk(scratch: Scratch, values: Any) -> FileArray:
    found = scratch.allocate(values.shape, values.dtype, (*range(2, values.ndim), *range(2))[: values.ndim])
    found[...] = values
    return found


def bytes_of(path: Path) -> dict[str, Any]:
    """What is in a file, without the time at which it was written."""
    if path.is_dir():
        return {file.name: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return {entry.filename: (archive.read(entry), entry.compress_size) for entry in archive.infolist()}
    raw = path.read_bytes()
    if path.suffix == ".mkv":
        return {"frames": np.asarray(DataFile.of(path).read(Reading())).tobytes(), "length": len(raw)}
    if raw.startswith(b"MATLAB 5.0"):
        return {"variables": raw[128:], "values": io.loadmat(path)["data"].tobytes()}
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


FLOATS = (GRAY / 255).astype(np.float32)
ALPHA = np.where(GRAY > 90, 255, 0).astype(np.uint8)
WRITTEN = [
    *[(name, CUBE) for name in ("a.npy", "a.npz", "a.h5", "a.zarr", "a.zarr.zip", "a.mat", "a.tif", "a.hdr", "a.mkv")],
    *[(name, CUBE) for name in ("a.nii", "a.nii.gz")],
    *[(name, COLOUR) for name in ("a.npy", "a.h5", "a.zarr", "a.tif", "a.mkv", "a.mp4", "a.y4m", "a.yuv", "a.gif")],
    *[(name, GRAY) for name in ("a.avi", "a.mp4", "a.yuv", "a.gif", "frames")],
    *[(name, FLOATS) for name in ("a.mkv", "a.gif", "frames", "a.hdr", "a.mat")],
    *[("a.npy", GRAY[:, 0, 0]), ("a.mat", GRAY[:, 0, 0]), ("a.hdr", GRAY[..., 0]), ("frames", COLOUR)],
]


@pytest.mark.parametrize(("name", "values"), WRITTEN, ids=lambda each: each if isinstance(each, str) else each.ndim)
@pytest.mark.parametrize("more", ["", "mask", "alpha", "big end", "newest"])
def test_a_file_is_written_from_disk_as_it_is_from_memory(
    tmp_path: Path, scratch: Scratch, never_whole: None, name: str, values: Any, more: str
) -> None:
    known = noise(values.shape) > 60 if more == "mask" else None
    kind = "video" if values.ndim > 2 else "array"
    alpha = ALPHA if more == "alpha" and values.shape[:3] == ALPHA.shape else None
    header: dict[str, Any] = {"header": {"version": "7.3"}, "header_of": "mat"} if more == "newest" else {}
    whole = Contents(values, known, metadata=Metadata(kind=kind, alpha=alpha, **header))  # type: ignore[arg-type]
    there = Metadata(kind=kind, alpha=None if alpha is None else on_disk(scratch, alpha), **header)  # type: ignore
    stored = values.astype(values.dtype.newbyteorder(">")) if more == "big end" else values
    parts = Contents(on_disk(scratch, stored), None if known is None else on_disk(scratch, known), metadata=there)
    said, found = [], []
    for folder, contents in (("one", whole), ("other", parts)):
        (tmp_path / folder).mkdir()
        file = DataFile.of(tmp_path / folder / name, "frames" if name == "frames" else None)
        said.append((file.form.refuses(contents), file.form.losses(contents), file.form.page_mode(contents)))
        if said[-1][0] is None:
            assert file.write(contents) == said[-1][1]
            found.append(bytes_of(file.path))
    assert said[0] == said[1]
    assert found[1:] == found[:1]


# What is said to be missing

HOLES = [
    lambda contents: declare_value_missing(contents, [3.0]),
    lambda contents: declare_value_missing(contents, [100.0], 9),
    lambda contents: declare_value_missing(contents, [100.0, 110.0, 90.0], 30),
    lambda contents: declare_frames_missing(contents, [0, 3]),
    lambda contents: declare_slices_missing(contents, 1, [2, 4, 5]),
    lambda contents: grow_holes(declare_value_missing(contents, [100.0], 2), 1),
    lambda contents: grow_holes(declare_value_missing(contents, [100.0], 0), 3),
    lambda contents: grow_holes(declare_frames_missing(contents, [1]), 50),
    lambda contents: declare_known(declare_known(contents, _mask(contents)), ~_mask(contents) | (_mask(contents) > 3)),
    lambda contents: grow_holes(declare_frames_missing(contents, range(contents.shape[2])), 1),
    lambda contents: declare_value_missing(contents, [-5.0], 0.25),
    lambda contents: declare_value_missing(contents, [1.0, 2.0]),
    lambda contents: declare_frames_missing(contents, [77]),
]


def _mask(contents: Contents) -> Any:
    return noise(contents.shape, seed=3) > 100


@pytest.mark.parametrize("number", range(len(HOLES)))
@pytest.mark.parametrize("values", [COLOUR, GRAY, FLOATS * 255, np.where(GRAY > 200, np.nan, GRAY)], ids=lambda _: "")
def test_holes_are_the_same_on_disk(
    tmp_path: Path, scratch: Scratch, never_whole: None, number: int, values: Any
) -> None:
    metadata = Metadata(kind="video")
    found: list[Any] = []
    for contents in (
        Contents(values, metadata=metadata),
        Contents(on_disk(scratch, values), metadata=metadata, scratch=scratch),
    ):
        try:
            found.append(HOLES[number](contents))
        except InvalidInput as error:
            found.append(str(error))
    if isinstance(found[0], str):
        assert found[0] == found[1]
        return
    np.testing.assert_array_equal(whole(found[1].observed), found[0].observed)
    assert describe_rim(found[1], 1, 2.0) == describe_rim(found[0], 1, 2.0)


def test_a_rim_is_noticed_on_disk(scratch: Scratch, never_whole: None) -> None:
    clip = np.full((40, 50, 3), 60, np.uint8)
    clip[10:30, 12:40], clip[9, 12:40], clip[30, 12:40] = 250, 150, 150
    clip[10:30, 11], clip[10:30, 40] = 150, 150
    for data in (clip, on_disk(scratch, clip)):
        contents = Contents(data, metadata=Metadata(kind="video"), scratch=scratch)
        assert len(describe_rim(declare_value_missing(contents, [250.0]), 0, 0.0)) == 1


MASKS = {
    "clip.npy": noise((18, 22, 9)) > 99,
    "page.npy": noise((18, 22)) > 99,
    "page.png": np.where(noise((18, 22)) > 99, 255, 0).astype(np.uint8),
    "shades.tif": noise((18, 22)),
    "clip.mkv": np.where(noise((18, 22, 9, 1)) > 99, 255, 0).astype(np.uint8).repeat(3, axis=3),
    "holes.npy": np.where(noise((18, 22, 9)) > 99, noise((18, 22, 9), seed=1), np.nan),
    "frames.npy": np.arange(9) > 3,
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("means", ["missing", "known"])
@pytest.mark.parametrize("shape", [(18, 22, 9), (18, 22, 9, 3)], ids=str)
def test_masks_are_the_same_on_disk(
    tmp_path: Path, scratch: Scratch, never_whole: None, name: str, means: Any, shape: tuple[int, ...]
) -> None:
    kind = "picture" if name.endswith(("png", "tif")) else "video" if name.endswith("mkv") else "array"
    DataFile.of(tmp_path / name).write(Contents(MASKS[name], metadata=Metadata(kind=kind)))  # type: ignore[arg-type]
    (one, said), (other, also) = (read_mask(tmp_path / name, shape, means, scratch=room) for room in (None, scratch))
    np.testing.assert_array_equal(whole(other), one)
    assert said == also


def test_what_was_filled_is_opaque_on_disk(scratch: Scratch, never_whole: None) -> None:
    known = np.repeat((noise(GRAY.shape) > 60)[..., None], 3, axis=3)
    filled = []
    for make in (lambda values: values, lambda values: on_disk(scratch, values)):
        contents = Contents(make(COLOUR), make(known), metadata=Metadata(kind="video", alpha=make(ALPHA)))
        contents = Contents(contents.data, contents.observed, metadata=contents.metadata, scratch=scratch)
        filled.append(whole(contents.fill(contents.data).metadata.alpha))
    np.testing.assert_array_equal(*filled)
