"""Videos in .mkv, .avi, .y4m and .mp4 files: what comes back exactly, what nearly, and what is refused.

Files are decoded in this process, where it is not about the child process that otherwise does it.
"""

from __future__ import annotations

import resource
import signal
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from clip_files import beep, encode, noise, scene, video
from numpy.typing import NDArray

from tensorfill.errors import TooLarge, UnreadableFile
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.contents import Reading
from tensorfill.formats.format import Format
from tensorfill.formats.videos.containers import Avi, Mkv, Mp4, Y4m
from tensorfill.formats.videos.decoding import FrameStack
from tensorfill.formats.videos.wholeness import RunningTime

FORMATS = [Mkv(), Avi(), Mp4(), Y4m()]
HD = (600, 1100, 1, 3)
"""A size for which players assume other weights of red and blue."""
Y4M = b"YUV4MPEG2 W2 H2 C420\nFRAME\n"


def back(form: Format, path: Path, data: NDArray[Any], rate: Fraction | None = Fraction(25)) -> Contents:
    """Written and read."""
    form.write(path, video(data, rate))
    found = form.decode(path, Reading())
    assert isinstance(found, Contents)
    return found


# What comes back


@pytest.mark.parametrize("form", [Mkv(), Avi(), Y4m()])
@pytest.mark.parametrize("shape", [(500, 1, 2, 3), (1, 500, 2), (400, 2, 1), HD])
def test_strips_of_pixels_and_large_frames_are_videos_too(tmp_path: Path, form: Format, shape: tuple[int, ...]) -> None:
    data = noise(shape, np.uint16)
    error = back(form, tmp_path / "a", data).data.astype(int) - data
    assert np.abs(error).max() <= (form.name == "y4m" and len(shape) == 4)


def test_no_colour_at_all_is_off_by_more_than_one_level_in_y4m(tmp_path: Path) -> None:
    levels = np.arange(0, 256, 5, dtype=np.uint8)
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1)
    assert np.abs(back(Y4m(), tmp_path / "a.y4m", cube).data.astype(int) - cube).max() == 1


@pytest.mark.parametrize("form", [Mkv(), Y4m()])
@pytest.mark.parametrize(
    "rate", [Fraction(30000, 1001), Fraction(1, 7), Fraction(123457, 1000), Fraction(20000), Fraction(99999, 2)]
)
def test_frame_rates_are_kept_that_fields_of_a_mkv_cannot_hold(tmp_path: Path, form: Format, rate: Fraction) -> None:
    assert back(form, tmp_path / "a", noise((8, 8, 30)), rate).metadata.frame_rate == rate


@pytest.mark.parametrize("form", FORMATS)
def test_a_frame_rate_that_libav_cannot_hold_is_rounded_or_refused(tmp_path: Path, form: Format) -> None:
    data, odd, extension = noise((8, 8, 3)), Fraction(29.97), form.extensions[0]
    assert form.losses(video(data, odd))[0] == f"The frame rate is rounded in {extension}, to 2997/100 per second."
    assert back(form, tmp_path / "a", data, odd).metadata.frame_rate == Fraction(2997, 100)
    assert form.refuses(video(data, Fraction(10**6))) == (
        f"A {extension} video has 0.001 to 100000 frames per second. Got 1e+06 instead; write .npy, .npz or .tif."
    )


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [("a.mp4", 64, 80), ("a.mp4", 63, 80), ("a.m4v", 64, 79), ("a.mov", 65, 81), ("a.mov", 578, 640)],
)
def test_colours_of_an_mp4_come_back_within_a_few_levels(tmp_path: Path, name: str, rows: int, columns: int) -> None:
    clip, rate = scene(rows, columns), Fraction(30000, 1001)
    found = back(Mp4(), tmp_path / name, clip, rate)
    assert (found.shape, found.dtype, found.metadata.frame_rate, found.notes) == (clip.shape, np.uint8, rate, ())
    error = found.data.astype(float) - clip
    assert np.abs(error).mean() < 3
    # A mix-up of BT.601 and BT.709, or of the levels 16 to 235 and 0 to 255, shifts a channel by more than this.
    assert np.abs(error.mean(axis=(0, 1, 2))).max() < 0.5


@pytest.mark.parametrize("rows", [64, 578])
def test_libav_itself_shows_the_colours_that_we_wrote_into_an_mp4(tmp_path: Path, rows: int) -> None:
    clip = scene(rows, 80, 2)
    Mp4().write(tmp_path / "a.mp4", video(clip))
    with av.open(str(tmp_path / "a.mp4")) as container:
        frame = next(container.decode(video=0))
        assert (frame.color_range, frame.colorspace) == (1, 1 if rows == 578 else 6)
        shown = frame.to_ndarray(format="rgb24")
    assert np.abs((shown.astype(float) - clip[:, :, 0]).mean(axis=(0, 1))).max() < 1.5


@pytest.mark.parametrize(("dtype", "depth"), [(np.uint8, ("gray", "rgb24")), (np.uint16, ("gray16le", "rgb48le"))])
@pytest.mark.parametrize("colour", [False, True])
def test_libav_itself_shows_what_we_wrote_into_a_y4m(tmp_path: Path, dtype: Any, depth: Any, colour: bool) -> None:
    data = noise((6, 10, 3, 3) if colour else (6, 10, 3), dtype)
    Y4m().write(tmp_path / "a.y4m", video(data, Fraction(30000, 1001)))
    with av.open(str(tmp_path / "a.y4m")) as container:
        frames = list(container.decode(video=0))
        assert container.streams.video[0].average_rate == Fraction(30000, 1001)
    assert frames[0].color_range == 2
    shown = np.stack([frame.to_ndarray(format=depth[colour]) for frame in frames], axis=2)
    np.testing.assert_allclose(shown, data, atol=(3 if dtype == np.uint8 else 400) if colour else 0)


@pytest.mark.parametrize("rows", [64, 65])
def test_a_gray_mp4_comes_back_gray_and_in_its_range(tmp_path: Path, rows: int) -> None:
    clip = scene(rows, colour=False)
    clip[:8], clip[-8:] = 0, 255
    found = back(Mp4(), tmp_path / "a.mp4", clip)
    assert found.shape == clip.shape
    assert np.abs(found.data.astype(float) - clip).mean() < 2
    assert found.data[:4].max() <= 2
    assert found.data[-4:].min() >= 253
    assert found.notes == (f"{tmp_path / 'a.mp4'} has no colour in it, so it is read as gray.",)


def test_the_same_clip_makes_the_same_mp4(tmp_path: Path) -> None:
    # Clips of other sizes between leave other values in the memory that the encoder gets.
    sizes = ((24, 32), (32, 64), (48, 80))
    clips = {size: video(np.cumsum(noise((*size, 6, 3)) // 16, axis=2, dtype=np.uint8)) for size in sizes}

    def write(number: int) -> bytes:
        path = tmp_path / f"{number}.mp4"
        Mp4().write(path, clips[sizes[number % 3]])
        return path.read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(write, range(300)))) == len(sizes)


# What is said before it is written


def test_what_a_format_loses_is_told() -> None:
    lossy = "An .mp4 is lossy, so observed entries change a little too; write .mkv to keep them exactly."
    odd = "An .mp4 with an odd number of rows or columns cannot be shown by every player."
    fast = "A frame rate above 1000 per second does not come back from .avi; write .mkv to keep it."
    assert Mp4().losses(video(scene())) == (lossy,)
    assert Mp4().losses(video(scene(63))) == (lossy, odd)
    assert Avi().losses(video(noise((8, 8, 3)), Fraction(1001))) == (fast,)
    for dtype, top in ((np.uint8, 255), (np.uint16, 65535)):
        assert Y4m().losses(video(noise((4, 4, 2, 3), dtype))) == (
            f"Colour is rounded in .y4m, by at most 1 of {top} levels; write .mkv to keep it exactly.",
        )


def test_what_no_video_keeps_is_told() -> None:
    data = np.full((4, 4, 2), 0.5)
    data[0, 0, 0] = np.nan
    metadata = Metadata(kind="cube", alpha=np.ones((4, 4)), band_names=("red", "blue"))
    assert Mkv().losses(Contents(data, metadata=metadata)) == (
        "The floating-point values are scaled by 255 and rounded to 8 bits in .mkv.",
        "A .mkv video cannot say which entries are missing; what is NaN becomes black.",
        "A .mkv video does not keep how opaque pixels are, the names of bands.",
        "No frame rate is known; .mkv is written with 25 frames per second.",
    )
    alike = video(np.zeros((4, 4, 2, 3), np.uint8))
    assert Mp4().losses(alike)[0] == "Three channels that are all alike are read back from .mp4 as gray."
    assert Mkv().losses(alike) == ()


def test_what_a_video_cannot_hold_is_refused_with_what_could() -> None:
    deep, wide, flat = np.zeros((4, 4, 2), np.uint16), np.zeros((16386, 2, 1), np.uint8), np.zeros((4, 4), np.uint8)
    refusals = {
        "write .mkv to keep 16 bits, or .npy, .npz or .tif.": Mp4().refuses(video(deep)),
        "has at most 16384 rows and columns. Got 16386 and 2 instead; write .mkv.": Mp4().refuses(video(wide)),
        "this is a single picture or table; write .png, .npy or .npz.": Mkv().refuses(video(flat)),
        "Got -inf to 0 instead": Mkv().refuses(video(np.stack([flat, np.full((4, 4), -np.inf)], axis=2))),
    }
    assert all(sentence in (said or "") for sentence, said in refusals.items()), refusals


# What other programs write


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
        ("a.mkv", "rawvideo", "y210le", np.uint16, 3.0),
        ("a.mov", "qtrle", "rgb24", np.uint8, 0.0),
        ("a.mov", "prores_ks", "yuv422p10le", np.uint16, 2.0),
        ("a.avi", "utvideo", "gbrp", np.uint8, 0.0),
        ("a.mov", "png", "rgba", np.uint8, 0.0),
        ("a.mov", "png", "rgb48be", np.uint16, 0.6),
        ("a.avi", "rawvideo", "rgb555le", np.uint8, 4.0),
        ("a.mkv", "ffv1", "gbrp12le", np.uint16, 0.6),
        ("a.y4m", "wrapped_avframe", "yuv420p", np.uint8, 3.0),
        ("a.y4m", "wrapped_avframe", "yuv422p", np.uint8, 3.0),
        ("a.y4m", "wrapped_avframe", "yuv411p", np.uint8, 4.0),
        ("a.y4m", "rawvideo", "yuv444p", np.uint8, 3.0),
    ],
)
def test_other_codecs_are_read(tmp_path: Path, name: str, codec: str, pixels: str, dtype: Any, most: float) -> None:
    clip = scene(frames=5)
    form = Y4m() if name == "a.y4m" else Mkv()
    found = form.decode(encode(tmp_path / name, clip, codec, pixels), Reading())
    assert (found.shape, found.dtype) == (clip.shape, dtype)
    levels = found.data.astype(float) / (257 if dtype == np.uint16 else 1)
    assert np.abs(levels - clip).mean() <= most
    assert np.abs((levels - clip).mean(axis=(0, 1, 2))).max() < 2.5


def test_bits_between_8_and_16_are_scaled_and_told(tmp_path: Path) -> None:
    clip = scene(colour=False)
    path = encode(tmp_path / "a.mkv", clip, "ffv1", "gray10le")
    found = Mkv().decode(path, Reading())
    assert found.dtype == np.uint16
    assert np.abs(found.data / 257 - clip).max() < 0.5
    assert found.notes == (f"The 10 bits of each value of {path} are scaled to 16, so that white is 65535.",)
    (tmp_path / "a.y4m").write_bytes(Y4M.replace(b"C420", b"C420p12") + bytes([255, 15] * 4 + [0, 8] * 2))
    found = Y4m().decode(tmp_path / "a.y4m", Reading())
    assert found.data.ravel().tolist() == [65535] * 4
    assert "The 12 bits of each value" in found.notes[1]


def test_brightness_of_a_y4m_is_that_of_a_player(tmp_path: Path) -> None:
    path, shades = tmp_path / "a.y4m", bytes([16, 126, 235, 240])
    path.write_bytes(Y4M + shades + bytes([128, 128]))
    found = Y4m().decode(path, Reading())
    assert found.data.ravel().tolist() == [0, 128, 255, 255]
    assert found.notes == (f"{path} has no colour in it, so it is read as gray.",)
    path.write_bytes(Y4M + shades + bytes([90, 200]))
    assert Y4m().decode(path, Reading()).shape == (2, 2, 1, 3)
    assert Y4m().decode(path, Reading(gray=True)).data.ravel().tolist() == [0, 128, 255, 255]
    path.write_bytes(Y4M.replace(b"C420", b"C444alpha").replace(b"FRAME", b"FRAME Ip") + shades + bytes([128] * 12))
    assert Y4m().decode(path, Reading()).notes[1:] == (f"The transparency of {path} is not kept.",)


@pytest.mark.parametrize("pixels", ["yuv420p", "bgr0"])
def test_brightness_alone_can_be_asked_for(tmp_path: Path, pixels: str) -> None:
    clip = scene()
    found = Mkv().decode(encode(tmp_path / "a.mkv", clip, "ffv1", pixels), Reading(gray=True))
    assert found.notes == ()
    np.testing.assert_allclose(found.data, clip @ [0.299, 0.587, 0.114], atol=3)


def test_gray_frames_before_the_first_colour_become_colour(tmp_path: Path) -> None:
    clip = np.repeat(scene(frames=80)[..., :1], 3, axis=-1)
    clip[:, :, 70:] = scene(frames=10)
    found = Mkv().decode(encode(tmp_path / "a.mkv", clip, "ffv1", "yuv444p"), Reading())
    assert found.shape == clip.shape
    assert np.abs(found.data.astype(int) - clip).max() <= 4


def test_a_colour_coding_that_is_not_told_is_a_guess_that_is_told(tmp_path: Path) -> None:
    path = encode(tmp_path / "a.mkv", scene(frames=2), "ffv1", "yuv444p")
    guess = "does not say how its colours are coded; {} is assumed, as players do."
    assert Mkv().decode(path, Reading()).notes == (f"{path} {guess.format('BT.601')}",)
    large = tmp_path / "a.y4m"
    assert back(Y4m(), large, noise(HD)).notes == (f"{large} {guess.format('BT.709')}",)


def test_sound_uneven_times_turning_and_transparency_are_told(tmp_path: Path) -> None:
    gray, clip = scene(colour=False), scene(frames=3)
    times = [40 * number + 200 * (number > 6) for number in range(12)]
    path = encode(tmp_path / "a.mkv", gray, "ffv1", "gray", times=times, sound=True)
    found = Mkv().decode(path, Reading())
    np.testing.assert_array_equal(found.data, gray)
    assert found.notes == (
        f"The sound of {path} is not kept.",
        f"The frames of {path} are not evenly spaced in time; its frame rate is an average.",
    )
    path = encode(tmp_path / "b.mov", clip, "qtrle", "rgb24", turned=90)
    found = Mp4().decode(path, Reading())
    np.testing.assert_array_equal(found.data, np.rot90(clip))
    assert found.notes == (f"{path} is turned by 90 degrees counterclockwise, as it asks for.",)
    path = encode(tmp_path / "c.mov", clip, "png", "rgba")
    assert Mp4().decode(path, Reading()).notes == (f"The transparency of {path} is not kept.",)


def test_frames_left_out_by_an_edit_list_are_no_damage(tmp_path: Path) -> None:
    source = encode(tmp_path / "a.mp4", scene(frames=20), "libx264", "yuv420p")
    with av.open(str(source)) as container, av.open(str(tmp_path / "b.mp4"), "w") as output:
        stream = output.add_stream_from_template(container.streams.video[0])
        for packet in container.demux(video=0):
            if packet.dts is not None:
                earlier = round(8 / 25 / packet.time_base)
                packet.pts, packet.dts, packet.stream = packet.pts - earlier, packet.dts - earlier, stream
                output.mux(packet)
    found = Mp4().decode(tmp_path / "b.mp4", Reading())
    assert found.shape[2] == 12
    assert found.notes[-1] == f"{tmp_path / 'b.mp4'} leaves out 8 of its 20 frames on purpose, as players do too."


# A part of the frames, and the child process


@pytest.mark.parametrize("form", FORMATS)
def test_the_child_process_reads_the_same(tmp_path: Path, form: Format) -> None:
    path, how = tmp_path / f"a{form.extensions[0]}", Reading(frames=(2, 5))
    form.write(path, video(scene(frames=8)))
    here, there = form.decode(path, how), form.read(path, how)
    np.testing.assert_array_equal(np.asarray(there), np.asarray(here))
    assert (there.notes, there.metadata.frame_rate) == (here.notes, here.metadata.frame_rate)


@pytest.mark.slow
def test_the_child_process_reads_what_is_larger_than_its_first_allowance(tmp_path: Path) -> None:
    clip = np.zeros((2000, 3000, 50), np.uint8) + np.arange(50, dtype=np.uint8)
    Y4m().write(tmp_path / "a.y4m", video(clip))
    np.testing.assert_array_equal(np.asarray(Y4m().read(tmp_path / "a.y4m", Reading())), clip)


# Damage, besides that of the thousand files in tests/damage


def test_the_frames_before_a_cut_can_still_be_read(tmp_path: Path) -> None:
    clip = noise((20, 20, 30))
    path = tmp_path / "a.mkv"
    Mkv().write(path, video(clip))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(
        UnreadableFile, match=r"it declares [\d,]+ bytes and has [\d,]+; .* with frames=\(FIRST, LAST\).$"
    ):
        Mkv().decode(path, Reading())
    np.testing.assert_array_equal(Mkv().decode(path, Reading(frames=(0, 15))).data, clip[:, :, :16])


def test_a_y4m_cut_within_a_frame_is_refused_and_its_start_can_be_read(tmp_path: Path) -> None:
    path, data = tmp_path / "a.y4m", noise((3, 4, 9))
    Y4m().write(path, video(data))
    whole = path.read_bytes()
    head = whole.index(b"FRAME")
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        frames, rest = divmod(length - head, 18) if length > head else (0, 1)
        if rest:  # the format does not say how many frames there are, so a cut between two is not seen
            with pytest.raises(UnreadableFile, match="cut short"):
                Y4m().decode(path, Reading())
        if frames:
            part = Y4m().decode(path, Reading(frames=(0, frames - 1)))
            np.testing.assert_array_equal(part.data, data[:, :, :frames])


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
        with pytest.raises(UnreadableFile, match=r"is damaged or cut short after frame \d+; what comes bef") as caught:
            form.decode(path, Reading())
        last = int(str(caught.value).rpartition("frames=(0, ")[2].removesuffix(")."))
        before = form.decode(path, Reading(frames=(0, last)))
        np.testing.assert_array_equal(before.data, clip[:, :, : last + 1])


def test_frames_that_vanish_in_the_middle_are_noticed(tmp_path: Path) -> None:
    path = Path("a.mkv")

    def check(made: Path, number: int) -> tuple[str, ...]:
        with av.open(str(made)) as container:
            time = RunningTime.of(container, container.streams.video[0])
        time.number = number
        return time.check(path)

    theirs, ours = encode(tmp_path / "a.mkv", noise((8, 8, 30)), "ffv1", "gray"), tmp_path / "b.mkv"
    Mkv().write(ours, video(noise((8, 8, 30))))
    assert check(theirs, 30) == check(ours, 30) == ()
    assert check(theirs, 29) == ("a.mkv should have 30 frames and has 29, which are read.",)
    with pytest.raises(UnreadableFile, match=r"^a.mkv should have 30 frames and has 27: it is damaged or cut short; "):
        check(theirs, 27)
    with pytest.raises(UnreadableFile, match="should have 30 frames and has 29"):
        check(ours, 29)


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
                found = form.decode(path, Reading())
            except (UnreadableFile, TooLarge) as error:
                assert "\n" not in str(error)  # noqa: PT017
            else:
                assert found.shape[2] == 10 or found.notes
    assert capfd.readouterr().err == ""


def test_a_frame_of_a_y4m_that_does_not_begin_with_its_word_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.y4m"
    Y4m().write(path, video(noise((3, 4, 9))))
    whole = bytearray(path.read_bytes())
    whole[whole.index(b"FRAME") + 3 * 18] = 0
    path.write_bytes(whole)
    with pytest.raises(
        UnreadableFile, match=r"cut short after frame 2; what comes before can be read with frames=\(0, 2\).$"
    ):
        Y4m().decode(path, Reading())


def test_a_file_with_sound_alone_is_refused(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "a.mp4"), "w") as output:
        beep(output, output.add_stream("aac", rate=44100))
    with pytest.raises(UnreadableFile, match=r"a.mp4 has no pictures in it that could be read."):
        Mp4().decode(tmp_path / "a.mp4", Reading())


def test_a_video_longer_than_it_says_is_still_bounded_by_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = FrameStack(tmp_path, expected=2)
    frame = np.zeros((10, 10), np.uint8)
    for _ in range(100):
        stack.add(frame)
    assert stack.finish().shape == (10, 10, 100)
    monkeypatch.setattr("tensorfill.formats.damage._SMALL", 0)
    monkeypatch.setattr("tensorfill.formats.damage.available_memory", lambda: 40_000)
    with pytest.raises(TooLarge):  # noqa: PT012
        for _ in range(1000):
            stack.add(frame)


def test_a_change_of_size_is_refused(tmp_path: Path) -> None:
    stack = FrameStack(Path("a.mkv"))
    stack.add(np.zeros((4, 6), np.uint8))
    with pytest.raises(
        UnreadableFile,
        match=r"^a.mkv changes its size or its depth at frame 1, from 6 × 4 pixels of 8 bits to 4 × 4 pixels of 8 bits",
    ):
        stack.add(np.zeros((4, 4), np.uint8))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("size", "share"), [(4, 0.5), (64, 0.1), (64, 0.99), (256, 0.7)])
def test_a_full_disk_is_an_oserror(tmp_path: Path, form: Format, size: int, share: float) -> None:
    contents = video(noise((size, size, 3, 3)))
    form.write(tmp_path / "whole", contents)
    limit = int(share * (tmp_path / "whole").stat().st_size)
    # Not in a forked child: libav has threads, and what they hold locked would stay so there.
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with pytest.raises(OSError, match="large"):
            form.write(tmp_path / "a", contents)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_without_pyav_the_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    (tmp_path / "a.mp4").write_bytes(b"x")
    with pytest.raises(
        UnreadableFile, match=r"a.mp4 needs av, which is not installed: pip install 'tensorfill\[video\]'"
    ):
        Mp4().decode(tmp_path / "a.mp4", Reading())
