"""Raw video in .yuv files: the size is asked for, gray is exact, colour is not."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from clip_files import noise
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorfill.errors import InvalidInput, InvalidSetting, TooLarge, UnreadableFile
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.reading import Reading
from tensorfill.formats.videos.raw_yuv import Yuv, read_luma


@settings(max_examples=30, deadline=None)
@given(shape=st.tuples(st.integers(1, 15), st.integers(1, 15), st.integers(1, 4)), gray=st.booleans())
def test_gray_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, shape: tuple[int, int, int], gray: bool
) -> None:
    path = tmp_path_factory.mktemp("clip") / "a.yuv"
    Yuv().write(path, Contents(noise(shape)))
    back = Yuv().read(path, Reading(size=(shape[1], shape[0]), gray=gray))
    np.testing.assert_array_equal(back.data, noise(shape))
    assert (back.dtype, back.metadata.kind, back.metadata.frame_rate) == (np.uint8, "video", None)
    levels = f"{path} has no colour in it, so it is read as gray, with the levels that it stores."
    assert back.notes == (() if gray else (levels,))


@pytest.mark.parametrize(("rows", "columns"), [(24, 32), (23, 31)])
def test_colour_comes_back_within_a_few_levels(tmp_path: Path, rows: int, columns: int) -> None:
    y, x = np.mgrid[:rows, :columns]
    smooth = np.stack([40 + 5 * x, 60 + 6 * y, 230 - 5 * x], axis=-1).clip(0, 255).astype(np.uint8)
    clip = np.stack([smooth, smooth[::-1]], axis=2)
    Yuv().write(tmp_path / "a.yuv", Contents(clip))
    back = Yuv().read(tmp_path / "a.yuv", Reading(size=(columns, rows)))
    assert back.shape == clip.shape
    assert np.abs(back.data.astype(int) - clip).mean() < 1.5


def test_colours_are_those_of_bt_601(tmp_path: Path) -> None:
    red = bytes([81] * 4 + [90, 240])  # ITU-R BT.601: Y 81, Cb 90, Cr 240
    (tmp_path / "a.yuv").write_bytes(red)
    back = Yuv().read(tmp_path / "a.yuv", Reading(size=(2, 2)))
    np.testing.assert_allclose(back.data[0, 0, 0], (255, 0, 0), atol=2)
    assert back.notes == ()
    np.testing.assert_array_equal(Yuv().read(tmp_path / "a.yuv", Reading(size=(2, 2), gray=True)).data, 81)


def test_losses_say_what_to_add_when_reading() -> None:
    gray = Contents(noise((144, 176, 2)), metadata=Metadata(kind="video", frame_rate=Fraction(25)))
    size = "A .yuv says neither its size nor its frame rate; read it with --size 176x144."
    assert Yuv().losses(gray) == (size,)
    assert Yuv().losses(Contents(noise((144, 176, 2, 3)))) == (
        "A .yuv has colour at half the width and height, so values change; write .mkv to keep them exactly.",
        size,
    )
    assert "write .mkv to keep 16 bits" in (Yuv().refuses(Contents(np.zeros((2, 2, 2), np.uint16))) or "")


def test_without_its_size_it_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.yuv").write_bytes(bytes(6))
    with pytest.raises(InvalidInput, match=r"which does not say its size: add it, such as --size 176x144.$"):
        Yuv().read(tmp_path / "a.yuv", Reading())
    with pytest.raises(InvalidInput, match=r"such as --size 176x144. Got 0x4 instead.$"):
        Yuv().read(tmp_path / "a.yuv", Reading(size=(0, 4)))


@pytest.mark.parametrize(
    ("length", "sentence"),
    [
        (35, "must be a whole number of raw 4:2:0 frames of 6 × 4 pixels, 36 bytes each. Got 35 bytes instead."),
        (37, "must be a whole number of raw 4:2:0 frames of 6 × 4 pixels, 36 bytes each. Got 37 bytes instead."),
        (0, "must hold at least {} frames of 6 × 4 pixels. Got 0 instead."),
    ],
)
def test_a_length_that_does_not_fit_is_refused(tmp_path: Path, length: int, sentence: str) -> None:
    path = tmp_path / "a.yuv"
    path.write_bytes(bytes(length))
    with pytest.raises(UnreadableFile, match=re.escape(f"{path} {sentence.format(1)}")):
        Yuv().read(path, Reading(size=(6, 4)))
    with pytest.raises(UnreadableFile, match=re.escape(f"{path} {sentence.format(3)}")):
        read_luma(path, rows=4, columns=6, frames=3)


def test_a_video_with_headers_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "a.yuv").write_bytes(b"YUV4MPEG2 W6 H4 F25:1 Ip A1:1 C420\n" + bytes(100))
    with pytest.raises(UnreadableFile, match=r"is a .y4m video, which has headers; make it raw first: ffmpeg -i"):
        Yuv().read(tmp_path / "a.yuv", Reading(size=(6, 4)))
    with pytest.raises(UnreadableFile, match=r"^There is no file .*b.yuv.$"):
        read_luma(tmp_path / "b.yuv", rows=4, columns=6, frames=1)


@pytest.mark.parametrize(("rows", "columns"), [(4, 6), (6, 4), (5, 6), (5, 7)])
def test_the_brightness_of_the_first_frames_alone_can_be_read(tmp_path: Path, rows: int, columns: int) -> None:
    video = noise((rows, columns, 3))
    colour = bytes([99]) * (2 * ((rows + 1) // 2) * ((columns + 1) // 2))
    (tmp_path / "a.yuv").write_bytes(b"".join(video[:, :, frame].tobytes() + colour for frame in range(3)))
    for frames in (3, 2):
        back = read_luma(tmp_path / "a.yuv", rows=rows, columns=columns, frames=frames)
        np.testing.assert_array_equal(back, video[:, :, :frames])
        assert back.dtype == np.uint8


def test_a_part_of_the_frames_can_be_read(tmp_path: Path) -> None:
    Yuv().write(tmp_path / "a.yuv", Contents(noise((4, 6, 9))))
    back = Yuv().read(tmp_path / "a.yuv", Reading(size=(6, 4), frames=(3, 8)))
    np.testing.assert_array_equal(back.data, noise((4, 6, 9))[:, :, 3:])
    with pytest.raises(InvalidSetting, match=r"'frames' must lie within 0-8, all that .*a.yuv has. Got '3-9' instead."):
        Yuv().read(tmp_path / "a.yuv", Reading(size=(6, 4), frames=(3, 9)))


def test_what_does_not_fit_into_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Yuv().write(tmp_path / "a.yuv", Contents(noise((4, 6, 9))))
    monkeypatch.setattr("tensorfill.formats.limits._SMALL", 0)
    monkeypatch.setattr("tensorfill.formats.limits.available_memory", lambda: 300)
    with pytest.raises(TooLarge, match=r"a.yuv declares an array of 4 × 6 × 9"):
        Yuv().read(tmp_path / "a.yuv", Reading(size=(6, 4)))
