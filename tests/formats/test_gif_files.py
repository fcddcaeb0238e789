"""How .gif files become clips and clips become .gif files."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageSequence

from tensorfill.formats.contents import Contents, Metadata, Reading
from tensorfill.formats.pictures.gif import Gif

RNG = np.random.default_rng(0)
NOISE = RNG.integers(0, 256, (40, 50, 6), dtype=np.uint8)
FEW = RNG.integers(0, 256, (250, 3), dtype=np.uint8)[RNG.integers(0, 250, (40, 50, 6))]


def video(data: NDArray[Any], **metadata: Any) -> Contents:
    return Contents(data, metadata=Metadata(kind="video", **metadata))


def written(path: Path, contents: Contents) -> Contents:
    path.unlink(missing_ok=True)
    assert Gif().refuses(contents) is None
    Gif().write(path, contents)
    return Gif().read(path, Reading())


def as_pillow_sees_it(path: Path, mode: str) -> NDArray[Any]:
    with Image.open(path) as image:
        return np.stack([np.asarray(frame.convert(mode)) for frame in ImageSequence.Iterator(image)], axis=2)


PLAIN = {
    "noise": NOISE,
    "colours": FEW,
    "identical": np.repeat(NOISE[..., :1], 5, axis=2),
    "gray in colour": np.repeat(NOISE[..., None], 3, axis=3),
    "one frame": NOISE[..., :1],
    "black": np.zeros((3, 3, 4), np.uint8),
    "one colour": np.full((3, 3, 4, 3), 9, np.uint8),
    "large": np.zeros((600, 700, 2), np.uint8),
    "ramps": np.tile(np.arange(256, dtype=np.uint8), (300, 2))[..., None],
}


@pytest.mark.parametrize("what", PLAIN)
def test_frames_that_are_alike_or_plain_come_back(tmp_path: Path, what: str) -> None:
    assert Gif().losses(video(PLAIN[what])) == ()
    np.testing.assert_array_equal(written(tmp_path / "a.gif", video(PLAIN[what])).data, PLAIN[what])


def test_pillow_reads_what_is_written(tmp_path: Path) -> None:
    written(tmp_path / "g.gif", video(NOISE, frame_rate=Fraction(25)))
    np.testing.assert_array_equal(as_pillow_sees_it(tmp_path / "g.gif", "L"), NOISE)
    written(tmp_path / "c.gif", video(FEW))
    np.testing.assert_array_equal(as_pillow_sees_it(tmp_path / "c.gif", "RGB"), FEW)
    with Image.open(tmp_path / "g.gif") as image:
        assert (image.info["duration"], image.info["loop"]) == (40, 0)


@pytest.mark.parametrize("disposal", [0, 1, 2, [1, 3, 3, 1, 1]])
def test_what_pillow_writes_is_read(tmp_path: Path, disposal: int | list[int]) -> None:
    """Pillow stores rectangles of differences, with transparent pixels where nothing changes."""
    clip = FEW[:, :, :1].repeat(5, axis=2)
    for frame in range(5):
        clip[5 : 9 + frame, 3 * frame : 3 * frame + 4, frame] = FEW[0, 0, 0]
    first, *others = (Image.fromarray(clip[:, :, frame]) for frame in range(5))
    first.save(tmp_path / "a.gif", save_all=True, append_images=others, duration=50, disposal=disposal)
    back = Gif().read(tmp_path / "a.gif", Reading())
    seen = as_pillow_sees_it(tmp_path / "a.gif", "RGBA")
    np.testing.assert_array_equal(back.known()[..., 0], seen[..., 3] > 0)
    np.testing.assert_array_equal(back.data[back.known()], seen[..., :3][back.known()])
    assert back.metadata.frame_rate == 20
    if not isinstance(disposal, list):
        np.testing.assert_array_equal(back.data, clip)


@pytest.mark.parametrize("interlace", [0, 1])
def test_interlaced_pictures_are_read(tmp_path: Path, interlace: int) -> None:
    Image.fromarray(NOISE[..., 0]).save(tmp_path / "a.gif", interlace=interlace)
    back = Gif().read(tmp_path / "a.gif", Reading())
    np.testing.assert_array_equal(back.data, NOISE[..., 0])
    assert back.metadata.kind == "picture", "one image, and nothing said about playing it"


@pytest.mark.parametrize("data", [NOISE // 2, FEW])
def test_transparent_pixels_are_missing_in_their_frame_only(tmp_path: Path, data: NDArray[Any]) -> None:
    alpha = np.where(RNG.random(NOISE.shape) < 0.3, 0, 255).astype(np.uint8)
    back = written(tmp_path / "a.gif", video(data, alpha=alpha))
    np.testing.assert_array_equal(back.metadata.alpha, alpha)
    known = back.known()
    np.testing.assert_array_equal(known if data.ndim == 3 else known[..., 0], alpha > 0)
    np.testing.assert_array_equal(back.data[known], data[known])
    assert Gif().losses(video(data, alpha=alpha)) == ()


def test_a_frame_without_holes_does_not_shine_through_the_next_one(tmp_path: Path) -> None:
    alpha = np.full(FEW.shape[:3], 255, np.uint8)
    alpha[:9, :9, 1::2] = 0
    back = written(tmp_path / "a.gif", video(FEW, alpha=alpha))
    np.testing.assert_array_equal(back.metadata.alpha, alpha)
    np.testing.assert_array_equal(back.data[alpha > 0], FEW[alpha > 0])


def test_what_shines_through_becomes_opaque_and_that_is_said(tmp_path: Path) -> None:
    alpha = np.full(NOISE.shape, 255, np.uint8)
    alpha[0, 0], alpha[0, 1] = 1, 0
    contents = video(NOISE // 2, alpha=alpha)
    assert "become opaque" in Gif().losses(contents)[0]
    assert written(tmp_path / "a.gif", contents).known().sum() == NOISE.size - NOISE.shape[2]


def test_too_many_colours_are_merged_and_that_is_said(tmp_path: Path) -> None:
    rows, columns = np.mgrid[0:80, 0:80]
    photo = np.stack([rows * 3, columns * 3, (rows + columns) // 2], axis=-1)[:, :, None].astype(np.uint8)
    assert "in 1 of 1 frames similar ones are merged" in Gif().losses(video(photo))[0]
    change = np.abs(written(tmp_path / "a.gif", video(photo)).data.astype(int) - photo)
    assert 0 < change.mean() < 4
    assert change.max() < 25


def test_a_gray_too_many_beside_transparent_pixels_is_merged(tmp_path: Path) -> None:
    ramps = np.tile(np.arange(256, dtype=np.uint8), (4, 1))[..., None]
    alpha = np.full(ramps.shape, 255, np.uint8)
    alpha[0] = 0
    assert "merged" in Gif().losses(video(ramps, alpha=alpha))[0]
    back = written(tmp_path / "a.gif", video(ramps, alpha=alpha))
    assert np.abs(back.data.astype(int) - ramps)[1:].max() <= 2


@pytest.mark.parametrize(("rate", "becomes"), [(24, "25"), (Fraction(30000, 1001), "33.3333"), (200, "100")])
def test_frame_rates_that_hundredths_of_a_second_cannot_say(tmp_path: Path, rate: Any, becomes: str) -> None:
    contents = video(NOISE, frame_rate=Fraction(rate))
    assert f"frames per second become {becomes}." in Gif().losses(contents)[0]
    assert f"{float(written(tmp_path / 'a.gif', contents).metadata.frame_rate):g}" == becomes


def test_frames_that_last_differently_give_a_note(tmp_path: Path) -> None:
    frames = [Image.fromarray(NOISE[..., index]) for index in range(3)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:], duration=[20, 40, 40])
    back = Gif().read(tmp_path / "a.gif", Reading())
    assert back.metadata.frame_rate == 30
    assert "last 0.02 to 0.04 seconds" in back.notes[0]


def test_a_gif_may_end_with_comments_and_be_followed_by_anything(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    written(path, video(NOISE))
    path.write_bytes(path.read_bytes()[:-1] + b"!\xfe\x05hello\x02!!\0;junk")
    np.testing.assert_array_equal(Gif().read(path, Reading()).data, NOISE)
