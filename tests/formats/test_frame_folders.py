"""How folders of numbered pictures become clips and clips become such folders."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tensorfill import formats
from tensorfill.errors import InvalidInput, InvalidSetting, TensorfillError, UnreadableFile
from tensorfill.formats.contents import Contents, Metadata, Reading
from tensorfill.formats.listed import decide_role, is_clip
from tensorfill.formats.pictures.frames import Frames
from tensorfill.formats.pictures.pixels import brightness
from tensorfill.formats.pictures.tiff import Tiff

CLIP = np.random.default_rng(0).integers(0, 256, (6, 8, 12), dtype=np.uint8)


def folder_of(folder: Path, names: list[str], clip: NDArray[Any] = CLIP) -> Path:
    folder.mkdir(exist_ok=True)
    for index, name in enumerate(names):
        Image.fromarray(clip[:, :, index]).save(folder / name)
    return folder


def read(folder: Path, **how: Any) -> Contents:
    return Frames().read(folder, Reading(**how))


@pytest.mark.parametrize("pattern", ["frame_{:04d}.png", "{}.png", "take2-{}.PNG", "a.b {}.tif", "{:03d}.TIFF"])
def test_frames_are_sorted_by_number_and_keep_their_names(tmp_path: Path, pattern: str) -> None:
    names = [pattern.format(number) for number in range(3, 15)]
    back = read(folder_of(tmp_path / "in", names))
    np.testing.assert_array_equal(back.data, CLIP)
    Frames().write(tmp_path / "out", back)
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(names)
    np.testing.assert_array_equal(read(tmp_path / "out").data, CLIP)
    assert Frames().losses(back) == ()


def test_gaps_are_missing_frames_and_get_their_names(tmp_path: Path) -> None:
    back = read(folder_of(tmp_path / "in", ["f_08.png", "f_09.png", "f_12.png"]))
    assert back.shape == (6, 8, 5)
    assert back.known().all(axis=(0, 1)).tolist() == [True, True, False, False, True]
    assert not back.known()[:, :, 2:4].any()
    assert "2 frames are not there and count as missing: f_10.png, f_11.png." in back.notes[0]
    Frames().write(tmp_path / "out", back.fill(np.asarray(back.data)))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [f"f_{n:02d}.png" for n in range(8, 13)]


def test_gaps_in_a_clip_with_alpha_are_opaque_when_filled(tmp_path: Path) -> None:
    colour = np.repeat(CLIP[..., None], 4, axis=3)
    colour[..., 3] = 255
    colour[0, 0, :, 3] = 0
    back = read(folder_of(tmp_path / "in", ["1.png", "3.png"], colour))
    assert back.shape == (6, 8, 3, 3)
    assert not back.known()[0, 0].any()
    assert not back.known()[:, :, 1].any()
    assert back.metadata.alpha is not None
    assert not back.metadata.alpha[:, :, 1].any()
    filled = back.fill(np.asarray(back.data))
    assert filled.metadata.alpha is not None
    assert (filled.metadata.alpha == 255).all()


def test_part_of_a_clip_reads_no_other_picture(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "in", [f"{number}.png" for number in range(12)])
    (folder / "0.png").write_bytes(b"damaged")
    part = read(folder, frames=(9, 11))
    np.testing.assert_array_equal(part.data, CLIP[..., 9:])
    assert part.metadata.header["names"] == ("9.png", "10.png", "11.png")
    with pytest.raises(InvalidSetting, match="within 0 … 11"):
        read(folder, frames=(9, 12))


def test_part_of_a_clip_with_nothing_in_it_is_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "in", ["1.png", "9.png"])
    with pytest.raises(UnreadableFile, match="None of the frames asked for is there"):
        read(folder, frames=(2, 3))


def test_other_files_are_named_in_a_note(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "in", ["a1.png", "a2.png", "b1.png"])
    for name in ("readme.txt", ".hidden"):
        (folder / name).write_text("x")
    assert "no frames of the clip" in read(folder).notes[0]
    assert read(folder).notes[0].endswith(": b1.png, readme.txt.")


def test_jpg_frames_are_written_as_png_and_that_is_said(tmp_path: Path) -> None:
    back = read(folder_of(tmp_path / "in", ["1.jpg", "2.jpg"]))
    assert Frames().losses(back) == ("The frames are written as .png, not .jpg, so that every value is kept.",)
    Frames().write(tmp_path / "out", back)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["1.png", "2.png"]
    np.testing.assert_array_equal(read(tmp_path / "out").data, back.data)


def test_the_frame_rate_is_not_kept_and_that_is_said() -> None:
    contents = Contents(CLIP, metadata=Metadata(kind="video", frame_rate=Fraction(25)))
    assert Frames().losses(contents) == ("A folder of frames does not keep the frame rate, 25 per second.",)


@pytest.mark.parametrize("name", [None, "../escaped.png", "/escaped.png", "sub/1.png", "", ".."])
def test_names_that_lead_elsewhere_are_not_used(tmp_path: Path, name: str | None) -> None:
    header = {} if name is None else {"names": (name, "2.png")}
    Frames().write(tmp_path / "out", Contents(CLIP[..., :2], metadata=Metadata(header=header, header_of="frames")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["frame_0001.png", "frame_0002.png"] if name is None else len(names) == 2


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ([], "must hold pictures with numbered names"),
        (["first.png"], "must hold pictures with numbered names"),
        (["1.png", "01.png"], "two pictures with the number 1"),
        (["1.png", "999999999999999999.png"], "only 2 are there: number them without large gaps"),
        (["a1.png", "a2.png", "b1.png", "b2.png"], "must hold the pictures of one clip"),
    ],
)
def test_folders_that_are_no_clip_are_refused(tmp_path: Path, names: list[str], sentence: str) -> None:
    with pytest.raises(TensorfillError, match=sentence):
        read(folder_of(tmp_path / "in", names))


def test_frames_must_be_alike(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "in", ["1.png", "2.png"])
    Image.fromarray(CLIP[:, :3, 0]).save(folder / "3.png")
    with pytest.raises(UnreadableFile, match=r"must be alike. Got uint8 of shape \(6, 8\) in 1.png and .* in 3.png"):
        read(folder)


def test_a_stack_is_no_frame(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("1.tif", "2.tif"):
        Tiff().write(tmp_path / "in" / name, Contents(CLIP))
    with pytest.raises(UnreadableFile, match="must be one picture"):
        read(tmp_path / "in")


@pytest.mark.parametrize(
    ("names", "is_one"),
    [
        (["f1.png", "f2.png", "f7.png"], True),
        (["f1.tif", "f2.tif"], True),
        (["f1.png"], False),
        (["a1.png", "a2.png", "b1.png"], False),
        (["first.png", "second.png"], False),
    ],
)
def test_which_folders_look_like_one_clip(tmp_path: Path, names: list[str], is_one: bool) -> None:
    folder = folder_of(tmp_path / "in", names)
    assert is_clip(folder) == is_one
    (folder / "notes.txt").write_text("x")
    assert is_clip(folder) == is_one, "a text is no data"
    np.save(folder / "more.npy", CLIP)
    assert not is_clip(folder)
    assert not is_clip(tmp_path / "nowhere")


def test_pictures_of_several_sizes_are_no_clip_unless_one_is_damaged(tmp_path: Path) -> None:
    """A damaged frame is named when the clip is read, and not taken for a reason to read photos."""
    folder = folder_of(tmp_path / "in", ["1.png", "2.png"])
    Image.fromarray(CLIP[:3, :, 0]).save(folder / "3.png")
    assert not is_clip(folder)
    for content in (b"", b"damaged", (folder / "1.png").read_bytes()[:20]):
        (folder / "3.png").write_bytes(content)
        assert is_clip(folder)
        with pytest.raises(UnreadableFile, match=r"3\.png is not a \.png picture"):
            formats.read(folder)


@pytest.mark.parametrize("more", ["poster.png", "b1.png", "more.npy"])
def test_a_clip_among_other_files_is_asked_about(tmp_path: Path, more: str) -> None:
    folder = folder_of(tmp_path / "in", ["a1.png", "a2.png", "a3.png"])
    (folder / more).write_bytes((folder / "a1.png").read_bytes())
    for look in (formats.read, decide_role):
        with pytest.raises(InvalidInput, match=r"one clip of 3 pictures such as a1.png, or 4 files of their own"):
            look(folder)
    assert formats.read(folder, format="frames").shape == (6, 8, 3)


def test_two_clips_in_one_folder_are_asked_about(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "in", ["a1.png", "a2.png", "b1.png", "b2.png"])
    with pytest.raises(InvalidInput, match=r"clips, one for each of the names .* or 4 files of their own"):
        decide_role(folder)


def test_a_folder_of_photos_is_not_read_as_a_whole(tmp_path: Path) -> None:
    photos = folder_of(tmp_path / "in", ["1.png", "2.png"])
    Image.fromarray(CLIP[:3, :, 0]).save(photos / "3.png")
    assert decide_role(photos) == "files"
    with pytest.raises(InvalidInput, match=r"holds 3 files and no clip .*; give a file in it, such as .*1.png"):
        formats.read(photos)


def test_that_a_folder_is_taken_for_a_clip_is_told_unless_that_was_asked_for(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "in", ["1.png", "2.png"])
    told = f"{folder} is read as one clip of its numbered pictures; complete --each takes each by itself."
    assert told in formats.read(folder).notes
    assert told not in formats.read(folder, format="frames").notes


@pytest.mark.parametrize("extension", ["bmp", "webp"])
def test_frames_may_be_of_any_picture_format(tmp_path: Path, extension: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in (1, 2):
        Image.fromarray(CLIP[..., number]).convert("RGB").save(folder / f"f{number}.{extension}", lossless=True)
    clip = read(folder)
    assert clip.shape == (6, 8, 2, 3)
    np.testing.assert_array_equal(read(folder, gray=True).data, brightness(clip.data))
    formats.write(tmp_path / "out", clip, format="frames")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [f"f1.{extension}", f"f2.{extension}"]
    np.testing.assert_array_equal(read(tmp_path / "out").data, clip.data)
