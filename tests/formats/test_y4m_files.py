"""Videos in .y4m files: gray exactly, colour within one level, other people's layouts, and damage."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorfill.errors import InvalidSetting, TooLarge, UnreadableFile
from tensorfill.formats.contents import Contents
from tensorfill.formats.metadata import Metadata
from tensorfill.formats.reading import Reading
from tensorfill.formats.videos.y4m import Y4m


def noise(shape: tuple[int, ...], dtype: Any = np.uint8, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def video(data: Any, rate: Fraction | None = Fraction(25)) -> Contents:
    return Contents(data, metadata=Metadata(kind="video", frame_rate=rate))


@settings(max_examples=40, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 20), st.integers(1, 20), st.integers(1, 4)),
    colour=st.booleans(),
    dtype=st.sampled_from([np.uint8, np.uint16]),
    rate=st.fractions(min_value=Fraction(1, 1000), max_value=100_000, max_denominator=10_000),
)
def test_gray_is_exact_and_colour_is_off_by_at_most_one_level(
    tmp_path_factory: pytest.TempPathFactory, shape: tuple[int, ...], colour: bool, dtype: Any, rate: Fraction
) -> None:
    path = tmp_path_factory.mktemp("clip") / "a.y4m"
    data = noise((*shape, 3) if colour else shape, dtype)
    Y4m().write(path, video(data, rate))
    back = Y4m().read(path, Reading())
    assert (back.shape, back.dtype, back.metadata.kind) == (data.shape, data.dtype, "video")
    assert np.abs(back.data.astype(int) - data).max() <= (1 if colour else 0)
    assert back.metadata.frame_rate == rate
    assert back.notes == ()


def test_no_colour_at_all_is_off_by_more_than_one_level(tmp_path: Path) -> None:
    levels = np.arange(0, 256, 5, dtype=np.uint8)
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1)
    Y4m().write(tmp_path / "a.y4m", video(cube))
    assert np.abs(Y4m().read(tmp_path / "a.y4m", Reading()).data.astype(int) - cube).max() == 1


def test_losses_say_by_how_much_colour_is_rounded() -> None:
    assert Y4m().losses(video(noise((4, 4, 2)))) == ()
    for dtype, top in ((np.uint8, 255), (np.uint16, 65535)):
        assert Y4m().losses(video(noise((4, 4, 2, 3), dtype))) == (
            f"Colour is rounded in .y4m, by at most 1 of {top} levels; write .mkv to keep it exactly.",
        )
    assert "write .npy, .npz or .tif" in (Y4m().refuses(video(np.zeros((2, 2, 2), np.int64))) or "")


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("colour", [False, True])
def test_libav_reads_what_we_write(tmp_path: Path, dtype: Any, colour: bool) -> None:
    data = noise((6, 10, 3, 3) if colour else (6, 10, 3), dtype)
    Y4m().write(tmp_path / "a.y4m", video(data, Fraction(30000, 1001)))
    with av.open(str(tmp_path / "a.y4m")) as container:
        frames = list(container.decode(video=0))
        assert container.streams.video[0].average_rate == Fraction(30000, 1001)
    assert len(frames) == 3
    assert frames[0].color_range == 2
    form = ("rgb24" if dtype == np.uint8 else "rgb48le") if colour else ("gray" if dtype == np.uint8 else "gray16le")
    shown = np.stack([frame.to_ndarray(format=form) for frame in frames], axis=2)
    np.testing.assert_allclose(shown, data, atol=(3 if dtype == np.uint8 else 400) if colour else 0)


@pytest.mark.parametrize(
    ("tag", "pixels"),
    [
        ("C420jpeg", "yuv420p"),
        ("C420mpeg2", "yuv420p"),
        ("C422", "yuv422p"),
        ("C444", "yuv444p"),
        ("C411", "yuv411p"),
        ("C420p10 XYSCSS=420P10", "yuv420p10le"),
        ("C444p12 XYSCSS=444P12", "yuv444p12le"),
    ],
)
def test_other_layouts_are_read(tmp_path: Path, tag: str, pixels: str) -> None:
    y, x = np.mgrid[:24, :32]
    smooth = np.stack([100 + 4 * x, 60 + 6 * y, 230 - 5 * x], axis=-1).clip(0, 255).astype(np.uint8)
    frame = av.VideoFrame.from_ndarray(smooth, format="rgb24").reformat(format=pixels)
    planes = [
        np.frombuffer(plane, np.uint8)
        .reshape(plane.height, -1)[:, : plane.width * (2 if "le" in pixels else 1)]
        .tobytes()
        for plane in frame.planes
    ]
    frames = 2 * (b"FRAME\n" + b"".join(planes))
    (tmp_path / "a.y4m").write_bytes(f"YUV4MPEG2 W32 H24 F25:1 Ip A1:1 {tag}\n".encode() + frames)
    back = Y4m().read(tmp_path / "a.y4m", Reading())
    assert back.shape == (24, 32, 2, 3)
    deep = "le" in pixels
    levels = back.data[:, :, 1].astype(float) / (257 if deep else 1)
    assert np.abs(levels - smooth).mean() < 3
    scaled = f"The {tag[5:7]} bits of each value of {tmp_path / 'a.y4m'} are scaled to 16, so that white is 65535."
    assert back.notes == ((scaled,) if deep else ())


def test_brightness_is_that_of_a_player(tmp_path: Path) -> None:
    planes = bytes([16, 126, 235, 240]) + bytes([128]) * 2
    (tmp_path / "a.y4m").write_bytes(b"YUV4MPEG2 W2 H2 C420\nFRAME\n" + planes)
    back = Y4m().read(tmp_path / "a.y4m", Reading())
    np.testing.assert_array_equal(back.data.ravel(), [0, 128, 255, 255])
    assert back.notes == (f"{tmp_path / 'a.y4m'} has no colour in it, so it is read as gray.",)
    assert back.metadata.frame_rate is None
    (tmp_path / "a.y4m").write_bytes(b"YUV4MPEG2 W2 H2 C420\nFRAME\n" + planes[:4] + bytes([90, 200]))
    assert Y4m().read(tmp_path / "a.y4m", Reading()).shape == (2, 2, 1, 3)
    gray = Y4m().read(tmp_path / "a.y4m", Reading(gray=True))
    np.testing.assert_array_equal(gray.data.ravel(), [0, 128, 255, 255])


def test_a_part_of_the_frames_can_be_read(tmp_path: Path) -> None:
    data = noise((3, 4, 9))
    Y4m().write(tmp_path / "a.y4m", video(data))
    back = Y4m().read(tmp_path / "a.y4m", Reading(frames=(2, 5)))
    np.testing.assert_array_equal(back.data, data[:, :, 2:6])
    with pytest.raises(InvalidSetting, match="'frames' must lie within 0-8, all that"):
        Y4m().read(tmp_path / "a.y4m", Reading(frames=(2, 9)))


def test_a_file_cut_within_a_frame_is_refused_and_its_start_can_be_read(tmp_path: Path) -> None:
    path, data = tmp_path / "a.y4m", noise((3, 4, 9))
    Y4m().write(path, video(data))
    whole = path.read_bytes()
    head = whole.index(b"FRAME")
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        frames, rest = divmod(length - head, 18) if length > head else (0, 1)
        if rest:  # the format does not say how many frames there are, so a cut between two is not seen
            with pytest.raises(UnreadableFile, match="cut short"):
                Y4m().read(path, Reading())
        if frames:
            part = Y4m().read(path, Reading(frames=(0, frames - 1)))
            np.testing.assert_array_equal(part.data, data[:, :, :frames])


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (b"YUV4MPEG2 W2 H2 C420\nFRAME\n123", "a.y4m has no whole frame in it: it is damaged or cut short."),
        (b"YUV4MPEG2 W2 H2 C420\nFRAMES", "has no whole frame in it"),
        (b"YUV4MPEG2 W2 H2 C420\n", "has no whole frame in it"),
        (b"YUV4MPEG2 W2 H0 C420\n", "is not a .y4m video that can be read"),
        (b"YUV4MPEG2 W2 Hx C420\n", "is not a .y4m video that can be read"),
        (b"YUV4MPEG2 W99999999 H99999999\n", "is not a .y4m video that can be read"),
        (b"YUV4MPEG2 W8000 H8000 F25:1\nFRAME\n", "has no whole frame in it"),
        (
            b"YUV4MPEG2 W2 H2 Cxyz\n",
            "must be coded as 420, 422, 444, 411, 440 or mono, of 8 to 16 bits. Got xyz instead.",
        ),
        (b"YUV4MPEG2 W2 H2" + b" X" * 9999, "is not a .y4m video that can be read"),
        (b"", "is not a .y4m video that can be read"),
        (b"\xff\xfe\x00", "is not a .y4m video that can be read"),
    ],
)
def test_what_is_no_y4m_is_refused(tmp_path: Path, start: bytes, sentence: str) -> None:
    (tmp_path / "a.y4m").write_bytes(start)
    with pytest.raises(UnreadableFile, match=sentence):
        Y4m().read(tmp_path / "a.y4m", Reading())


def test_a_frame_that_does_not_begin_with_its_word_is_damage(tmp_path: Path) -> None:
    Y4m().write(tmp_path / "a.y4m", video(noise((3, 4, 9))))
    whole = bytearray((tmp_path / "a.y4m").read_bytes())
    whole[whole.index(b"FRAME") + 3 * 18] = 0
    (tmp_path / "a.y4m").write_bytes(whole)
    with pytest.raises(
        UnreadableFile, match=r"cut short after frame 2; what comes before can be read with --frames 0-2.$"
    ):
        Y4m().read(tmp_path / "a.y4m", Reading())


def test_what_does_not_fit_into_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Y4m().write(tmp_path / "a.y4m", video(noise((30, 40, 9))))
    monkeypatch.setattr("tensorfill.formats.room._SMALL", 0)
    monkeypatch.setattr("tensorfill.formats.room.available_memory", lambda: 10_000)
    with pytest.raises(TooLarge, match=r"a.y4m declares an array of 30 × 40 × 9"):
        Y4m().read(tmp_path / "a.y4m", Reading())
