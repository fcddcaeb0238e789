"""Raw video in .yuv files: the size is asked for, gray is exact, colour is not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from clip_files import noise, video

from tensorfill.errors import InvalidInput, InvalidSetting, UnreadableFile
from tensorfill.formats import Contents
from tensorfill.formats.contents import Reading
from tensorfill.formats.videos.raw_yuv import Yuv, read_luma


@pytest.mark.parametrize(("rows", "columns"), [(24, 32), (23, 31)])
def test_colour_comes_back_within_a_few_levels(tmp_path: Path, rows: int, columns: int) -> None:
    y, x = np.mgrid[:rows, :columns]
    smooth = np.stack([40 + 5 * x, 60 + 6 * y, 230 - 5 * x], axis=-1).clip(0, 255).astype(np.uint8)
    clip = np.stack([smooth, smooth[::-1]], axis=2)
    Yuv().write(tmp_path / "a.yuv", Contents(clip))
    back = Yuv().decode(tmp_path / "a.yuv", Reading(size=(columns, rows)))
    assert back.shape == clip.shape
    assert np.abs(back.data.astype(int) - clip).mean() < 1.5


def test_colours_are_those_of_bt_601_and_gray_is_as_it_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.yuv"
    path.write_bytes(bytes([81] * 4 + [90, 240]))  # ITU-R BT.601: red is Y 81, Cb 90, Cr 240
    back = Yuv().decode(path, Reading(size=(2, 2)))
    np.testing.assert_allclose(back.data[0, 0, 0], (255, 0, 0), atol=2)
    assert back.notes == ()
    np.testing.assert_array_equal(Yuv().decode(path, Reading(size=(2, 2), gray=True)).data, 81)
    path.write_bytes(bytes([81] * 4 + [128, 128]))
    back = Yuv().decode(path, Reading(size=(2, 2)))
    np.testing.assert_array_equal(back.data, np.full((2, 2, 1), 81))
    assert back.notes == (f"{path} has no colour in it, so it is read as gray, with the levels that it stores.",)


def test_losses_say_what_to_add_when_reading() -> None:
    size = "A .yuv says neither its size nor its frame rate; read it with size=(176, 144)."
    halved = "A .yuv has colour at half the width and height, so values change; write .mkv to keep them exactly."
    assert Yuv().losses(video(noise((144, 176, 2)), Fraction(25))) == (size,)
    assert Yuv().losses(Contents(noise((144, 176, 2, 3)))) == (halved, size)
    assert "write .mkv to keep 16 bits" in (Yuv().refuses(Contents(np.zeros((2, 2, 2), np.uint16))) or "")


@pytest.mark.parametrize(
    ("content", "size", "sentence"),
    [
        (bytes(6), None, r"does not say its size: add it, such as size=\(176, 144\).$"),
        (bytes(6), (0, 4), r"such as size=\(176, 144\). Got \(0, 4\) instead.$"),
        (b"YUV4MPEG2 W6 H4 F25:1 Ip A1:1 C420\n", (6, 4), "is a .y4m video, which has headers; make it raw first: "),
        *(
            (bytes(count), (6, 4), f"raw 4:2:0 frames of 6 × 4 pixels, 36 bytes each. Got {count} bytes instead.$")
            for count in (0, 35, 37)
        ),
    ],
)
def test_what_is_no_raw_video_of_that_size_is_refused(
    tmp_path: Path, content: bytes, size: tuple[int, int] | None, sentence: str
) -> None:
    (tmp_path / "a.yuv").write_bytes(content)
    with pytest.raises((UnreadableFile, InvalidInput), match=sentence):
        Yuv().decode(tmp_path / "a.yuv", Reading(size=size))


@pytest.mark.parametrize(("rows", "columns"), [(4, 6), (6, 4), (5, 6), (5, 7)])
def test_the_brightness_of_the_first_frames_alone_can_be_read(tmp_path: Path, rows: int, columns: int) -> None:
    clip = noise((rows, columns, 3))
    colour = bytes([99]) * (2 * ((rows + 1) // 2) * ((columns + 1) // 2))
    (tmp_path / "a.yuv").write_bytes(b"".join(clip[:, :, frame].tobytes() + colour for frame in range(3)))
    for frames in (3, 2):
        back = read_luma(tmp_path / "a.yuv", rows=rows, columns=columns, frames=frames)
        np.testing.assert_array_equal(back, clip[:, :, :frames])
    with pytest.raises(InvalidSetting, match="within 0 … 2, all that"):
        read_luma(tmp_path / "a.yuv", rows=rows, columns=columns, frames=4)
    with pytest.raises(UnreadableFile, match=r"^There is no file .*b.yuv.$"):
        read_luma(tmp_path / "b.yuv", rows=rows, columns=columns, frames=1)
