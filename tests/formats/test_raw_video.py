"""Raw video without a header: what is read, and what does not fit."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tensorfill.errors import UnreadableFile
from tensorfill.formats.videos.raw_yuv import read_luma


def write(path: Path, video: np.ndarray) -> None:  # type: ignore[type-arg]
    """Frames of (row, column, frame) as planar 4:2:0, the colour planes full of 99."""
    rows, columns, frames = video.shape
    colour = bytes([99]) * (2 * ((rows + 1) // 2) * ((columns + 1) // 2))
    path.write_bytes(b"".join(video[:, :, frame].tobytes() + colour for frame in range(frames)))


@pytest.mark.parametrize(("rows", "columns"), [(4, 6), (6, 4), (5, 6), (5, 7)])
def test_the_brightness_comes_back_frame_by_frame(tmp_path: Path, rows: int, columns: int) -> None:
    video = np.random.default_rng(0).integers(0, 90, (rows, columns, 3), dtype=np.uint8)
    write(tmp_path / "a.yuv", video)
    back = read_luma(tmp_path / "a.yuv", rows=rows, columns=columns, frames=3)
    np.testing.assert_array_equal(back, video)
    assert back.dtype == np.uint8


def test_later_frames_are_left_out(tmp_path: Path) -> None:
    video = np.random.default_rng(0).integers(0, 90, (4, 6, 5), dtype=np.uint8)
    write(tmp_path / "a.yuv", video)
    np.testing.assert_array_equal(read_luma(tmp_path / "a.yuv", rows=4, columns=6, frames=2), video[:, :, :2])


@pytest.mark.parametrize(
    ("length", "sentence"),
    [
        (35, "must be a whole number of raw 4:2:0 frames of 6 × 4 pixels, 36 bytes each. Got 35 bytes instead."),
        (37, "must be a whole number of raw 4:2:0 frames of 6 × 4 pixels, 36 bytes each. Got 37 bytes instead."),
        (72, "must hold at least 3 frames of 6 × 4 pixels. Got 2 instead."),
        (0, "must hold at least 3 frames of 6 × 4 pixels. Got 0 instead."),
    ],
)
def test_a_length_that_does_not_fit_is_refused(tmp_path: Path, length: int, sentence: str) -> None:
    (tmp_path / "a.yuv").write_bytes(bytes(length))
    with pytest.raises(UnreadableFile, match=f"a.yuv {re.escape(sentence)}$"):
        read_luma(tmp_path / "a.yuv", rows=4, columns=6, frames=3)


def test_a_video_with_headers_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "a.yuv").write_bytes(b"YUV4MPEG2 W6 H4 F25:1 Ip A1:1 C420\n" + bytes(100))
    with pytest.raises(UnreadableFile, match=r"is a .y4m video, which has headers; make it raw first: ffmpeg -i"):
        read_luma(tmp_path / "a.yuv", rows=4, columns=6, frames=1)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"^There is no file .*a.yuv.$"):
        read_luma(tmp_path / "a.yuv", rows=4, columns=6, frames=1)
