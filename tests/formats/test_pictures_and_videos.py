"""What holds for all pictures and videos: what comes back, what is refused, what is told, what damage does."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from clip_files import noise, scene, video
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from tensorfill.errors import InvalidSetting, TooLarge, UnreadableFile
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.contents import Reading
from tensorfill.formats.format import Format
from tensorfill.formats.pictures.by_pillow import Bmp, Jpeg, Webp
from tensorfill.formats.pictures.frames import Frames
from tensorfill.formats.pictures.gif import Gif
from tensorfill.formats.pictures.pixels import brightness
from tensorfill.formats.pictures.png import Png
from tensorfill.formats.pictures.tiff import Tiff
from tensorfill.formats.videos.containers import Avi, Mkv, Mp4, Y4m
from tensorfill.formats.videos.raw_yuv import Yuv

NAMED = {
    form.name: form
    for form in (Png(), Jpeg(), Bmp(), Webp(), Gif(), Tiff(), Frames(), Mkv(), Avi(), Mp4(), Y4m(), Yuv())
}
PICTURES, CLIPS = ["png", "bmp", "webp", "gif"], ["gif", "frames", "mkv", "avi", "y4m", "yuv"]
DEEP = ["png", "frames", "mkv", "avi", "y4m"]
"""Those with 16 bits; folders of .tif files have all dtypes, and .tif files a test of their own."""
WITH_ALPHA = ["png", "webp", "gif", "frames"]
HUNDREDTHS, ANY = ("100", "25", "100/3", "1/2"), ("25", "30000/1001", "1/7", "900")
RATES = {"gif": HUNDREDTHS, "mkv": ANY, "avi": ANY, "y4m": ANY}
SHADES = ["png", "jpeg", "bmp", "webp", "gif", "mkv", "avi", "mp4", "y4m", "yuv"]


def picture(data: NDArray[Any]) -> Contents:
    return Contents(data, metadata=Metadata(kind="picture"))


def there_and_back(form: Format, path: Path, contents: Contents, **how: Any) -> Contents:
    """Written, and read in this process."""
    assert form.refuses(contents) is None
    form.write(path, contents)
    how = {"size": (contents.shape[1], contents.shape[0]), **how} if form.name == "yuv" else how
    found = form.decode(path, Reading(**how))
    assert isinstance(found, Contents)
    return found


@st.composite
def seen(draw: st.DrawFn, name: str, kind: str) -> Contents:
    """A picture or a clip of a dtype that the format keeps, with alpha and a frame rate if it has a place for them."""
    sides = (draw(st.integers(1, 24)), draw(st.integers(1, 24)))
    colour = () if name == "yuv" or (name != "webp" and draw(st.booleans())) else (3,)
    shape = (*sides, *(() if kind == "picture" else (draw(st.integers(1, 5)),)), *colour)
    dtypes = ["u1", *(["<u2", ">u2"] if name in DEEP else []), *(["u4", "i2", "f4", "f8"] if name == "frames" else [])]
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    top = 1 if dtype.kind == "f" else int(np.iinfo(dtype).max)
    # A .gif frame has 256 colours, one of them for transparent pixels; so there are fewer here.
    levels = draw(arrays.arrays(dtype, shape, elements=st.integers(0, 5) if name == "gif" else None))
    if name == "y4m" and colour:
        levels[0, 0, 0] = 0, 9, 5  # what is gray all over is read as gray
    alpha = None
    if name in WITH_ALPHA and draw(st.booleans()):
        half = draw(st.sampled_from([top] if name == "gif" else [top, top / 2]))
        alpha = np.full(shape[: len(shape) - len(colour)], half, dtype.newbyteorder("="))  # whole numbers are cut off
        alpha.flat[0] = 0
    rate = Fraction(draw(st.sampled_from(RATES[name]))) if kind == "video" and name in RATES else None
    return Contents(levels, metadata=Metadata(kind=kind, alpha=alpha, frame_rate=rate))


# What comes back


@pytest.mark.parametrize(("name", "kind"), [*((p, "picture") for p in PICTURES), *((c, "video") for c in CLIPS)])
def test_every_value_comes_back_and_only_y4m_rounds_colour(name: str, kind: str) -> None:
    form = NAMED[name]

    @settings(max_examples=30, deadline=None)
    @given(seen(name, kind))
    def check(contents: Contents) -> None:
        with TemporaryDirectory() as folder:
            back = there_and_back(form, Path(folder) / "a", contents)
        known = np.broadcast_to(True if back.observed is None else back.observed, contents.shape)
        rounded = name == "y4m" and contents.ndim == 4
        if rounded:
            assert np.abs(back.data.astype(int) - contents.data).max() <= 1
        else:
            np.testing.assert_array_equal(back.data[known], contents.data[known])
        assert (back.shape, back.dtype) == (contents.shape, contents.dtype.newbyteorder("="))
        assert (back.metadata.kind, back.metadata.frame_rate) == (kind, contents.metadata.frame_rate)
        np.testing.assert_array_equal(back.metadata.alpha, contents.metadata.alpha)
        holes = np.zeros(contents.shape, bool)
        if contents.metadata.alpha is not None:
            holes.reshape(contents.metadata.alpha.size, -1)[0] = True
        np.testing.assert_array_equal(known, ~holes)
        if name != "yuv":
            assert len(form.losses(contents)) == rounded
            assert back.notes == ()

    check()


@pytest.mark.parametrize("name", SHADES)
def test_floats_are_scaled_and_told_or_refused(tmp_path: Path, name: str) -> None:
    form, wrap = NAMED[name], (video if name in ("mkv", "avi", "mp4", "y4m", "yuv") else picture)
    data = np.full((16, 16), 0.5) if wrap is picture else np.full((16, 16, 3), 0.5)
    data[:8] = 1.0
    assert "scaled by 255 and rounded to 8 bits" in form.losses(wrap(data))[0]
    back = there_and_back(form, tmp_path / "a", wrap(data), gray=name == "webp")
    levels = 219 if name == "yuv" else 255  # which is read as it is stored
    assert np.abs(back.data.astype(int) - np.where(data < 1, 128, 255)).max() <= (0 if levels == 255 else 40)
    for wrong in (1.5, -0.5, np.inf):
        data[0, 0] = wrong
        assert "must lie between 0 and 1 to become a" in (form.refuses(wrap(data)) or "")
    data[0, 0] = np.nan  # a video cannot say what is missing
    assert (form.refuses(wrap(data)) is None) == (wrap is video)


# What does not fit


@pytest.mark.parametrize("name", NAMED)
def test_what_cannot_be_held_is_refused_with_a_way_out(name: str) -> None:
    """Tables of numbers, too many modes or channels, other dtypes, nothing at all."""
    form = NAMED[name]
    wrong: list[Contents] = [video(np.zeros((0, 4, 2), np.uint8)), video(np.zeros((2, 4, 4, 3, 2), bool))]
    if name != "tiff":
        wrong += [picture(np.zeros((4, 4, 4), np.uint8)), video(np.zeros((4, 4, 2, 4), np.uint8))]
    if name not in ("tiff", "frames"):
        wrong += [wrap(np.zeros((4, 4, 3), np.int64)) for wrap in (picture, video)]
    if name not in DEEP and name != "tiff":
        wrong += [picture(np.zeros((4, 4), np.uint16)), video(np.zeros((4, 4, 2), np.uint16))]
    if name not in PICTURES and name not in ("tiff", "jpeg"):
        wrong.append(picture(np.zeros((4, 4, 3), np.uint8)))
    if name not in CLIPS and name not in ("tiff", "mp4"):
        wrong.append(video(np.zeros((4, 4, 3), np.uint8)))
    for contents in wrong:
        assert "; write ." in (form.refuses(contents) or ""), contents


@pytest.mark.parametrize(("name", "most"), {"jpeg": 65_500, "bmp": 65_500, "webp": 16_383, "gif": 65_535}.items())
def test_more_rows_or_columns_than_the_format_has_are_refused(name: str, most: int) -> None:
    assert f"at most {most:,}" in (NAMED[name].refuses(picture(np.zeros((1, most + 1), np.uint8))) or "")
    assert NAMED[name].refuses(picture(np.zeros((1, most), np.uint8))) is None


# A part of it


@pytest.mark.parametrize("name", ["tiff", "gif", "frames", "mkv", "y4m", "yuv"])
def test_a_part_of_the_frames_can_be_read(tmp_path: Path, name: str) -> None:
    form, clip, path = NAMED[name], noise((4, 6, 50)), tmp_path / "a"
    for first, last in ((0, 0), (3, 40), (49, 49)):
        part = form.decode(path, reading(name, (first, last))) if path.exists() else None
        if part is None:
            part = there_and_back(form, path, video(clip), frames=(first, last))
        np.testing.assert_array_equal(part.data, clip[:, :, first : last + 1])
    for beyond in ((3, 50), (3, 2), (-1, 2)):
        with pytest.raises(InvalidSetting, match=rf"'frames' must be .* Got frames=\({beyond[0]}, {beyond[1]}\) inst"):
            form.decode(path, reading(name, beyond))


def reading(name: str, frames: tuple[int, int]) -> Reading:
    return Reading(frames=frames, size=(6, 4) if name == "yuv" else None)


@pytest.mark.parametrize("name", ["png", "jpeg", "bmp", "webp", "gif", "tiff", "frames", "mkv"])
def test_gray_is_the_brightness_of_what_is_read(tmp_path: Path, name: str) -> None:
    form, clip = NAMED[name], scene(6, 8, 2)
    contents = video(clip) if name in CLIPS else picture(clip[:, :, 0])
    colour = there_and_back(form, tmp_path / "a", contents)
    gray = form.decode(tmp_path / "a", Reading(gray=True))
    assert isinstance(gray, Contents)
    np.testing.assert_array_equal(gray.data, brightness(np.asarray(colour)))
    assert gray.metadata.kind == colour.metadata.kind


# Damage, besides that of the thousand files in tests/damage


@pytest.mark.parametrize("name", ["png", "jpeg", "bmp", "webp", "gif", "tiff", "mkv", "avi", "mp4", "y4m"])
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    form, path = NAMED[name], tmp_path / "a"
    clip = scene(32, 48, 6)
    there_and_back(form, path, video(clip) if name in (*CLIPS, "tiff", "mp4") else picture(clip[:, :, 0]))
    whole = path.read_bytes()
    # libav reads an .mp4 without the end of the box behind its frames, and all of them; a .y4m does not tell how many
    # frames there are, so a cut between two is not seen.
    most = whole.index(b"moov") if name == "mp4" else len(whole)
    places = {0, 1, 30, most - 1, most - 9, *np.random.default_rng(0).integers(31, most, 25).tolist()}
    for length in places:
        path.write_bytes(whole[:length])
        with pytest.raises(UnreadableFile, match="cut short"):
            form.decode(path, Reading())
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["png", "gif", "tiff", "mkv", "y4m", "yuv"])
def test_what_does_not_fit_into_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    form, clip = NAMED[name], noise((40, 40, 40))
    there_and_back(form, tmp_path / "a", video(clip) if name != "png" else picture(clip[:, :, 0]))
    monkeypatch.setattr("tensorfill.formats.damage._SMALL", 0)
    monkeypatch.setattr("tensorfill.formats.damage.available_memory", lambda: 1000)
    with pytest.raises(TooLarge, match=r"a declares an array of 40 × 40"):
        form.decode(tmp_path / "a", Reading(size=(40, 40)))


@pytest.mark.parametrize("name", ["jpeg", "mp4"])
def test_what_is_lossy_says_so_and_is_so_by_little(tmp_path: Path, name: str) -> None:
    clip = scene(64, 80, colour=False)
    contents = video(clip) if name == "mp4" else picture(clip[:, :, 0])
    assert "is lossy, so observed entries change a little too; write" in " ".join(NAMED[name].losses(contents))
    change = np.abs(there_and_back(NAMED[name], tmp_path / "a", contents).data.astype(int) - contents.data)
    assert 0 < change.max() <= 12
    assert change.mean() < 1.5
