"""Videos in .mkv, .avi and .mp4 files: what comes back exactly, what nearly, and what is refused."""

from __future__ import annotations

import os
import re
import resource
import signal
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tensorfill.errors import InvalidSetting, TooLarge, UnreadableFile
from tensorfill.formats.contents import Contents
from tensorfill.formats.format import Format
from tensorfill.formats.metadata import Metadata
from tensorfill.formats.reading import Reading
from tensorfill.formats.videos import decoding, frame_stack
from tensorfill.formats.videos.container import Avi, Mkv, Mp4

RATES = st.fractions(min_value=Fraction(1, 100), max_value=900, max_denominator=2000)


def video(data: NDArray[Any], rate: Fraction | None = Fraction(25)) -> Contents:
    return Contents(data, metadata=Metadata(kind="video", frame_rate=rate))


def noise(shape: tuple[int, ...], dtype: Any = np.uint8, seed: int = 0) -> NDArray[Any]:
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def scene(rows: int = 64, columns: int = 80, frames: int = 12, *, colour: bool = True) -> NDArray[np.uint8]:
    """Something like a clip: soft shapes in all shades that move, with a little noise."""
    y, x, t = np.ogrid[:rows, :columns, :frames]
    waves = [np.sin((x + 2 * t) / (9 + 4 * c)) + np.cos((y - t) / (7 + 3 * c)) for c in range(3)]
    values = np.stack([127.5 + 63.7 * wave for wave in waves], axis=-1)
    values += np.random.default_rng(0).normal(0, 2, values.shape)
    clip = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return clip if colour else clip[..., 0]


def encoded(path: Path, data: NDArray[Any], codec: str, pixels: str, *, rate: int = 25, **more: Any) -> Path:
    """A file as another program would write it; `times` in milliseconds, `options` of the container."""
    times = more.get("times")
    tick = Fraction(1, 1000) if times else Fraction(1, rate)
    with av.open(str(path), "w", options=more.get("options", {})) as output:
        stream = output.add_stream(codec, rate=rate)
        stream.height, stream.width, stream.pix_fmt = data.shape[0], data.shape[1], pixels
        stream.codec_context.time_base = tick
        stream.codec_context.options = more.get("settings", {})
        if "turned" in more:
            stream.set_display_rotation(more["turned"])
        if more.get("sound"):
            sound = output.add_stream("aac", rate=44100)
        for number in range(data.shape[2]):
            picture = np.ascontiguousarray(data[:, :, number])
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24" if data.ndim == 4 else "gray")
            frame = frame.reformat(format=pixels)
            frame.pts, frame.time_base = times[number] if times else number, tick
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
        if more.get("sound"):
            beep = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            beep.sample_rate, beep.pts = 44100, 0
            output.mux(sound.encode(beep))
            output.mux(sound.encode(None))
    return path


@settings(max_examples=40, deadline=None)
@given(
    form=st.sampled_from([Mkv(), Avi()]),
    rows=st.integers(1, 40),
    columns=st.integers(1, 40),
    frames=st.integers(1, 5),
    colour=st.booleans(),
    dtype=st.sampled_from(["u1", "<u2", ">u2"]),
    rate=RATES,
)
def test_mkv_and_avi_keep_every_value_and_the_frame_rate(
    tmp_path_factory: pytest.TempPathFactory,
    form: Format,
    rows: int,
    columns: int,
    frames: int,
    colour: bool,
    dtype: str,
    rate: Fraction,
) -> None:
    path = tmp_path_factory.mktemp("clip") / f"a{form.extensions[0]}"
    data = noise((rows, columns, frames, 3) if colour else (rows, columns, frames), np.dtype(dtype[-2:])).astype(dtype)
    assert form.refuses(video(data)) is None
    assert form.losses(video(data, rate)) == ()
    form.write(path, video(data, rate))
    back = form.read(path, Reading())
    assert isinstance(back, Contents)
    np.testing.assert_array_equal(back.data, data)
    assert back.dtype == data.dtype.newbyteorder("=")
    assert back.metadata.kind == "video"
    assert back.metadata.frame_rate == rate
    assert back.notes == ()
    assert back.data.flags.c_contiguous


@pytest.mark.parametrize("form", [Mkv(), Avi()])
@pytest.mark.parametrize("shape", [(500, 1, 2, 3), (1, 500, 2), (400, 2, 1)])
def test_strips_of_pixels_are_videos_too(tmp_path: Path, form: Format, shape: tuple[int, ...]) -> None:
    form.write(tmp_path / "a", video(noise(shape, np.uint16)))
    np.testing.assert_array_equal(np.asarray(form.read(tmp_path / "a", Reading())), noise(shape, np.uint16))


@pytest.mark.parametrize(
    "rate", [Fraction(30000, 1001), Fraction(1, 7), Fraction(123457, 1000), Fraction(20000), Fraction(99999, 2)]
)
def test_mkv_keeps_frame_rates_that_its_own_fields_cannot_hold(tmp_path: Path, rate: Fraction) -> None:
    Mkv().write(tmp_path / "a.mkv", video(noise((8, 8, 30)), rate))
    assert Mkv().read(tmp_path / "a.mkv", Reading()).metadata.frame_rate == rate


def test_a_frame_rate_that_libav_cannot_hold_is_rounded_or_refused(tmp_path: Path) -> None:
    data, odd = noise((8, 8, 3)), Fraction(29.97)
    for form in (Mkv(), Avi(), Mp4()):
        path = tmp_path / f"a{form.extensions[0]}"
        assert form.losses(video(data, odd))[0] == (
            f"The frame rate is rounded in {form.extensions[0]}, to 2997/100 per second."
        )
        form.write(path, video(data, odd))
        assert form.read(path, Reading()).metadata.frame_rate == Fraction(2997, 100)
        assert form.refuses(video(data, Fraction(10**6))) == (
            f"A {form.extensions[0]} video has 0.001 to 100000 frames per second. Got 1e+06 instead; "
            "write .npy, .npz or .tif."
        )


def test_avi_says_which_frame_rate_it_loses() -> None:
    (sentence,) = Avi().losses(video(noise((8, 8, 3)), Fraction(1001)))
    assert sentence == "A frame rate above 1000 per second does not come back from .avi; write .mkv to keep it."


@pytest.mark.parametrize("name", ["a.mp4", "a.mov", "a.m4v"])
@pytest.mark.parametrize(("rows", "columns"), [(64, 80), (63, 80), (64, 79)])
def test_colours_of_an_mp4_come_back_within_a_few_levels(tmp_path: Path, name: str, rows: int, columns: int) -> None:
    clip = scene(rows, columns)
    Mp4().write(tmp_path / name, video(clip, Fraction(30000, 1001)))
    back = Mp4().read(tmp_path / name, Reading())
    assert (back.shape, back.dtype, back.metadata.frame_rate) == (clip.shape, np.uint8, Fraction(30000, 1001))
    error = back.data.astype(float) - clip
    assert np.abs(error).mean() < 3
    # A mix-up of BT.601 and BT.709, or of the levels 16 to 235 and 0 to 255, shifts a channel by more than this.
    assert np.abs(error.mean(axis=(0, 1, 2))).max() < 0.5
    assert back.notes == ()


@pytest.mark.parametrize(("rows", "columns"), [(64, 80), (65, 81), (578, 640)])
def test_plain_colours_of_an_mp4_are_right_at_every_size(tmp_path: Path, rows: int, columns: int) -> None:
    colours = np.array(
        [(255, 0, 0), (0, 255, 0), (0, 0, 255), (200, 100, 50), (255, 255, 255), (0, 0, 0)], dtype=np.uint8
    )
    clip = np.broadcast_to(colours[None, None], (rows, columns, 6, 3))
    Mp4().write(tmp_path / "a.mp4", video(clip))
    back = Mp4().read(tmp_path / "a.mp4", Reading())
    assert np.abs(back.data.astype(int) - clip).max() <= 3


@pytest.mark.parametrize("rows", [64, 578])
def test_libav_itself_shows_the_colours_that_we_wrote_into_an_mp4(tmp_path: Path, rows: int) -> None:
    clip = scene(rows, 80, 2)
    Mp4().write(tmp_path / "a.mp4", video(clip))
    with av.open(str(tmp_path / "a.mp4")) as container:
        frame = next(container.decode(video=0))
        assert frame.color_range == 1
        assert frame.colorspace == (1 if rows == 578 else 6)
        shown = frame.to_ndarray(format="rgb24")
    assert np.abs((shown.astype(float) - clip[:, :, 0]).mean(axis=(0, 1))).max() < 1.5


@pytest.mark.parametrize("rows", [64, 65])
def test_a_gray_mp4_comes_back_gray_and_in_its_range(tmp_path: Path, rows: int) -> None:
    clip = scene(rows, colour=False)
    clip[:8], clip[-8:] = 0, 255
    Mp4().write(tmp_path / "a.mp4", video(clip))
    back = Mp4().read(tmp_path / "a.mp4", Reading())
    assert back.shape == clip.shape
    assert np.abs(back.data.astype(float) - clip).mean() < 2
    assert back.data[:4].max() <= 2
    assert back.data[-4:].min() >= 253
    assert back.notes == (f"{tmp_path / 'a.mp4'} has no colour in it, so it is read as gray.",)


def test_the_same_clip_makes_the_same_mp4(tmp_path: Path) -> None:
    # Clips of other sizes between leave other values in the memory that the encoder gets.
    sizes = ((24, 32), (32, 64), (48, 80))
    clips = {size: video(np.cumsum(noise((*size, 6, 3)) // 16, axis=2, dtype=np.uint8)) for size in sizes}

    def written(number: int) -> bytes:
        path = tmp_path / f"{number}.mp4"
        Mp4().write(path, clips[sizes[number % 3]])
        return path.read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(written, range(300)))) == len(sizes)


def test_an_mp4_says_that_it_is_lossy_and_what_is_not() -> None:
    assert Mp4().losses(video(scene())) == (
        "An .mp4 is lossy, so observed entries change a little too; write .mkv to keep them exactly.",
    )
    assert Mp4().losses(video(scene(63)))[1:] == (
        "An .mp4 with an odd number of rows or columns cannot be shown by every player.",
    )


def test_what_no_video_keeps_is_told() -> None:
    data = np.full((4, 4, 2), 0.5)
    data[0, 0, 0] = np.nan
    metadata = Metadata(kind="cube", alpha=np.ones((4, 4)), band_names=("red", "blue"))
    assert Mkv().losses(Contents(data, metadata=metadata)) == (
        "The floating-point values are scaled by 255 and rounded to 8 bits in .mkv.",
        "A .mkv video cannot say which entries are missing; what is NaN becomes black.",
        "Transparency is not kept in .mkv.",
        "Names of bands, wavelengths and coordinates are not kept in .mkv.",
        "No frame rate is known; .mkv is written with 25 frames per second.",
    )
    alike = Contents(np.zeros((4, 4, 2, 3), np.uint8), metadata=Metadata(frame_rate=Fraction(1)))
    assert Mp4().losses(alike)[0] == "Three channels that are all alike are read back from .mp4 as gray."
    assert Mkv().losses(alike) == ()


def test_floats_become_shades(tmp_path: Path) -> None:
    data = np.array([0.0, 0.5, 1.0, np.nan]).reshape(2, 2, 1)
    Mkv().write(tmp_path / "a.mkv", video(data))
    np.testing.assert_array_equal(Mkv().read(tmp_path / "a.mkv", Reading()).data.ravel(), [0, 128, 255, 0])


@pytest.mark.parametrize(
    ("form", "data", "sentence"),
    [
        (Mkv(), np.zeros((4, 4, 2), np.int32), r"Got int32 of shape \(4, 4, 2\) instead; write .npy, .npz or .tif."),
        (
            Mkv(),
            np.zeros((4, 4, 2, 4), np.uint8),
            r"or \(rows, columns, frames, 3\). Got uint8 of shape \(4, 4, 2, 4\)",
        ),
        (Mkv(), np.zeros((4, 4, 2), bool), "Got bool of shape"),
        (Mkv(), np.zeros((4, 4), np.uint8), "this is a single picture or table; write .png, .npy or .npz."),
        (Mkv(), np.zeros((4, 4, 0), np.uint8), "needs at least one frame"),
        (Avi(), np.full((4, 4, 2), 1.5), "must lie between 0 and 1 to become a .avi video. Got 1.5 to 1.5 instead"),
        (Avi(), np.full((4, 4, 2), -np.inf), "must lie between 0 and 1"),
        (Mp4(), np.zeros((4, 4, 2), np.uint16), "write .mkv to keep 16 bits, or .npy, .npz or .tif."),
        (
            Mp4(),
            np.zeros((16386, 2, 1), np.uint8),
            "at most 16384 rows and columns. Got 16386 and 2 instead; write .mkv.",
        ),
    ],
)
def test_what_a_video_cannot_hold_is_refused(form: Format, data: NDArray[Any], sentence: str) -> None:
    refusal = form.refuses(video(data))
    assert refusal is not None
    assert re.search(sentence, refusal)


def test_a_picture_is_not_a_video_of_three_frames() -> None:
    picture = Contents(np.zeros((4, 4, 3), np.uint8), metadata=Metadata(kind="picture"))
    assert "single picture" in (Mkv().refuses(picture) or "")


@pytest.mark.parametrize(
    ("name", "codec", "pixels", "dtype", "most"),
    [
        ("a.mkv", "libx264", "yuv420p", np.uint8, 4.0),
        ("a.mkv", "libx264", "yuv444p10le", np.uint16, 4.0),
        ("a.mkv", "libvpx-vp9", "yuv420p", np.uint8, 4.0),
        ("a.avi", "mpeg4", "yuv420p", np.uint8, 6.0),
        ("a.avi", "mjpeg", "yuvj422p", np.uint8, 5.0),
        ("a.avi", "rawvideo", "bgr24", np.uint8, 0.0),
        ("a.avi", "rawvideo", "yuyv422", np.uint8, 3.0),
        ("a.mkv", "rawvideo", "nv12", np.uint8, 3.0),
        ("a.mov", "qtrle", "rgb24", np.uint8, 0.0),
        ("a.mov", "prores_ks", "yuv422p10le", np.uint16, 2.0),
        ("a.avi", "utvideo", "gbrp", np.uint8, 0.0),
        ("a.mov", "png", "rgba", np.uint8, 0.0),
        ("a.mkv", "ffv1", "gbrp12le", np.uint16, 0.6),
    ],
)
def test_other_codecs_are_read(tmp_path: Path, name: str, codec: str, pixels: str, dtype: Any, most: float) -> None:
    clip = scene(frames=5)
    back = Mkv().read(encoded(tmp_path / name, clip, codec, pixels), Reading())
    assert (back.shape, back.dtype) == (clip.shape, dtype)
    levels = back.data.astype(float) / (257 if dtype == np.uint16 else 1)
    assert np.abs(levels - clip).mean() <= most
    assert np.abs((levels - clip).mean(axis=(0, 1, 2))).max() < 2.5


def test_bits_between_8_and_16_are_scaled_and_told(tmp_path: Path) -> None:
    clip = scene(colour=False)
    path = encoded(tmp_path / "a.mkv", clip, "ffv1", "gray10le")
    back = Mkv().read(path, Reading())
    assert back.dtype == np.uint16
    assert np.abs(back.data / 257 - clip).max() < 0.5
    assert back.notes == (f"The 10 bits of each value of {path} are scaled to 16, so that white is 65535.",)


@pytest.mark.parametrize("pixels", ["yuv420p", "bgr0"])
def test_brightness_alone_can_be_asked_for(tmp_path: Path, pixels: str) -> None:
    clip = scene()
    path = encoded(tmp_path / "a.mkv", clip, "ffv1", pixels)
    back = Mkv().read(path, Reading(gray=True))
    assert back.notes == ()
    np.testing.assert_allclose(back.data, clip @ [0.299, 0.587, 0.114], atol=3)


def test_gray_frames_before_the_first_colour_become_colour(tmp_path: Path) -> None:
    clip = np.repeat(scene(frames=80)[..., :1], 3, axis=-1)
    clip[:, :, 70:] = scene(frames=10)
    path = encoded(tmp_path / "a.mkv", clip, "ffv1", "yuv444p")
    back = Mkv().read(path, Reading())
    assert back.shape == clip.shape
    assert np.abs(back.data.astype(int) - clip).max() <= 4


def test_a_colour_coding_that_is_not_told_is_a_guess_that_is_told(tmp_path: Path) -> None:
    path = encoded(tmp_path / "a.mkv", scene(frames=2), "ffv1", "yuv444p")
    assert Mkv().read(path, Reading()).notes == (
        f"{path} does not say how its colours are coded; BT.601 is assumed, as players do.",
    )


def test_sound_uneven_times_turning_and_transparency_are_told(tmp_path: Path) -> None:
    gray, clip = scene(colour=False), scene(frames=3)
    times = [40 * number + 200 * (number > 6) for number in range(12)]
    path = encoded(tmp_path / "a.mkv", gray, "ffv1", "gray", times=times, sound=True)
    back = Mkv().read(path, Reading())
    np.testing.assert_array_equal(back.data, gray)
    assert back.notes == (
        f"The sound of {path} is not kept.",
        f"The frames of {path} are not evenly spaced in time; its frame rate is an average.",
    )
    path = encoded(tmp_path / "b.mov", clip, "qtrle", "rgb24", turned=90)
    back = Mp4().read(path, Reading())
    np.testing.assert_array_equal(back.data, np.rot90(clip))
    assert back.notes == (f"{path} is turned by 90 degrees counterclockwise, as it asks for.",)
    path = encoded(tmp_path / "c.mov", clip, "png", "rgba")
    assert Mp4().read(path, Reading()).notes == (f"The transparency of {path} is not kept.",)


def test_frames_left_out_by_an_edit_list_are_no_damage(tmp_path: Path) -> None:
    source = encoded(tmp_path / "a.mp4", scene(frames=20), "libx264", "yuv420p")
    with av.open(str(source)) as container, av.open(str(tmp_path / "b.mp4"), "w") as output:
        stream = output.add_stream_from_template(container.streams.video[0])
        for packet in container.demux(video=0):
            if packet.dts is not None:
                earlier = round(8 / 25 / packet.time_base)
                packet.pts, packet.dts, packet.stream = packet.pts - earlier, packet.dts - earlier, stream
                output.mux(packet)
    back = Mp4().read(tmp_path / "b.mp4", Reading())
    assert back.shape[2] == 12
    assert back.notes[-1] == f"{tmp_path / 'b.mp4'} leaves out 8 of its 20 frames on purpose, as players do too."


def test_a_part_of_the_frames_can_be_read(tmp_path: Path) -> None:
    clip = noise((6, 5, 50))
    Mkv().write(tmp_path / "a.mkv", video(clip))
    for first, last in ((0, 0), (3, 40), (49, 49)):
        back = Mkv().read(tmp_path / "a.mkv", Reading(frames=(first, last)))
        np.testing.assert_array_equal(back.data, clip[:, :, first : last + 1])
    with pytest.raises(
        InvalidSetting, match=r"'frames' must lie within 0-49, all that .*a.mkv has. Got '3-50' instead."
    ):
        Mkv().read(tmp_path / "a.mkv", Reading(frames=(3, 50)))
    with pytest.raises(InvalidSetting, match=r"counted from 0. Got '3-2' instead."):
        Mkv().read(tmp_path / "a.mkv", Reading(frames=(3, 2)))


@pytest.mark.parametrize("form", [Mkv(), Avi(), Mp4()])
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, form: Format) -> None:
    path = tmp_path / "a"
    form.write(path, video(scene()))
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for length in (0, 1, 30, len(whole) - 1, len(whole) - 9, *rng.integers(31, len(whole), 25)):
        path.write_bytes(whole[:length])
        with pytest.raises(UnreadableFile, match=r"cut short"):
            form.read(path, Reading())


def test_the_frames_before_a_cut_can_still_be_read(tmp_path: Path) -> None:
    clip = noise((20, 20, 30))
    path = tmp_path / "a.mkv"
    Mkv().write(path, video(clip))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(UnreadableFile, match=r"it declares [\d,]+ bytes and has [\d,]+; .* with --frames FIRST-LAST.$"):
        Mkv().read(path, Reading())
    np.testing.assert_array_equal(Mkv().read(path, Reading(frames=(0, 15))).data, clip[:, :, :16])


@pytest.mark.parametrize("form", [Mkv(), Avi()])
@pytest.mark.parametrize("colour", [False, True])
def test_a_single_wrong_bit_in_a_lossless_frame_is_noticed(tmp_path: Path, form: Format, colour: bool) -> None:
    clip = noise((30, 30, 12, 3) if colour else (30, 60, 12))
    path = tmp_path / "a"
    form.write(path, video(clip))
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(len(whole) // 2, len(whole) * 9 // 10, 20):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(
            UnreadableFile, match=r"is damaged after frame \d+; what comes before can be read with --frames"
        ):
            form.read(path, Reading())


def test_frames_that_vanish_in_the_middle_are_noticed(tmp_path: Path) -> None:
    with av.open(str(encoded(tmp_path / "a.mkv", noise((8, 8, 30)), "ffv1", "gray"))) as container:
        stream = container.streams.video[0]
        time = decoding.RunningTime.declared(container, stream)
    clock = decoding.FrameClock()
    assert time.check(Path("a.mkv"), 30, clock) == ()
    assert time.check(Path("a.mkv"), 29, clock) == ("a.mkv should have 30 frames and has 29, which are read.",)
    with pytest.raises(UnreadableFile, match=r"^a.mkv should have 30 frames and has 27: it is damaged or cut short; "):
        time.check(Path("a.mkv"), 27, clock)
    Mkv().write(tmp_path / "b.mkv", video(noise((8, 8, 30))))
    with av.open(str(tmp_path / "b.mkv")) as container:
        ours = decoding.RunningTime.declared(container, container.streams.video[0])
    with pytest.raises(UnreadableFile, match="should have 30 frames and has 29"):
        ours.check(Path("b.mkv"), 29, clock)


def test_damaged_files_give_a_sentence_or_the_right_number_of_frames(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    for form in (Mkv(), Avi(), Mp4()):
        path = tmp_path / f"a{form.extensions[0]}"
        form.write(path, video(scene(32, 48, 10)))
        whole = path.read_bytes()
        for _ in range(40):
            damaged = bytearray(whole)
            for place in rng.integers(0, len(whole), 4):
                damaged[place] ^= 1 << int(rng.integers(8))
            path.write_bytes(damaged)
            try:
                back = form.read(path, Reading())
            except (UnreadableFile, TooLarge) as error:
                assert "\n" not in str(error)  # noqa: PT017
            else:
                assert back.shape[2] == 10 or back.notes
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "text", ["", "hello" * 999, "#EXTM3U\n#EXTINF:1,\nfile:///etc/hosts\n", "ffconcat version 1.0\nfile a.mkv\n"]
)
def test_what_is_no_video_is_refused(tmp_path: Path, text: str) -> None:
    Mkv().write(tmp_path / "a.mkv", video(noise((8, 8, 3))))
    (tmp_path / "b.mp4").write_text(text)
    with pytest.raises(UnreadableFile, match=r"b.mp4 is not a video that can be read: it is damaged, cut short, or"):
        Mp4().read(tmp_path / "b.mp4", Reading())


@pytest.mark.parametrize("how", [Reading(), Reading(frames=(0, 3))])
def test_a_file_that_is_not_there_is_told(tmp_path: Path, how: Reading) -> None:
    with pytest.raises(UnreadableFile, match=r"^There is no file .*a.mkv.$"):
        Mkv().read(tmp_path / "a.mkv", how)


def test_a_file_with_sound_alone_is_refused(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "a.mp4"), "w") as output:
        stream = output.add_stream("aac", rate=44100)
        beep = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        beep.sample_rate, beep.pts = 44100, 0
        output.mux(stream.encode(beep))
        output.mux(stream.encode(None))
    with pytest.raises(UnreadableFile, match=r"a.mp4 has no pictures in it that could be read."):
        Mp4().read(tmp_path / "a.mp4", Reading())


def test_a_video_too_large_for_the_memory_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Mkv().write(tmp_path / "a.mkv", video(noise((40, 40, 40, 3))))
    monkeypatch.setattr("tensorfill.formats.room._SMALL", 0)
    monkeypatch.setattr("tensorfill.formats.room.available_memory", lambda: 100_000)
    monkeypatch.setattr(decoding, "_frames", None)
    with pytest.raises(TooLarge, match=r"a.mkv declares an array of 40 × 40 × 40"):
        Mkv().read(tmp_path / "a.mkv", Reading())


def test_a_video_longer_than_it_says_is_still_bounded_by_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = frame_stack.FrameStack(tmp_path, expected=2)
    frame = np.zeros((10, 10), np.uint8)
    for _ in range(100):
        stack.add(frame)
    assert stack.array().shape == (10, 10, 100)
    monkeypatch.setattr("tensorfill.formats.room._SMALL", 0)
    monkeypatch.setattr("tensorfill.formats.room.available_memory", lambda: 40_000)
    with pytest.raises(TooLarge):  # noqa: PT012
        for _ in range(1000):
            stack.add(frame)


def test_a_change_of_size_is_refused(tmp_path: Path) -> None:
    stack = frame_stack.FrameStack(Path("a.mkv"))
    stack.add(np.zeros((4, 6), np.uint8))
    with pytest.raises(
        UnreadableFile,
        match=r"^a.mkv changes its size or its depth at frame 1, from 6 × 4 pixels of 8 bits to 4 × 4 pixels of 8 bits",
    ):
        stack.add(np.zeros((4, 4), np.uint8))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits file sizes in a child process")
@pytest.mark.parametrize("form", [Mkv(), Avi(), Mp4()])
@pytest.mark.parametrize(("size", "share"), [(4, 0.5), (64, 0.1), (64, 0.99), (256, 0.7)])
def test_a_full_disk_is_an_oserror(tmp_path: Path, form: Format, size: int, share: float) -> None:
    contents = video(noise((size, size, 3, 3)))
    form.write(tmp_path / "whole", contents)
    limit = int(share * (tmp_path / "whole").stat().st_size)
    child = os.fork()
    if child == 0:  # so that the limit ends with it
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            form.write(tmp_path / "a", contents)
        except OSError as error:
            code = 0 if "large" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_without_pyav_the_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    (tmp_path / "a.mp4").write_bytes(b"x")
    with pytest.raises(
        UnreadableFile, match=r"a.mp4 needs av, which is not installed: pip install 'tensorfill\[video\]'"
    ):
        Mp4().read(tmp_path / "a.mp4", Reading())
