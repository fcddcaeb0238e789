"""GIF: clips of at most 256 colours per frame, or one such picture. Pillow packs and unpacks the frames."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...telling import Phase, tell_phase
from ..contents import Contents, Metadata, Reading, describe_loss
from ..damage import check_room, damaged, open_source
from ..file_array import is_in_memory, pieces, take
from ..format import Format
from ..scratch import Scratch, allocate
from .pixels import (
    add_alpha,
    brightness,
    choose_frames,
    describe,
    has_frames,
    is_picture,
    iterate_pages,
    open_picture,
    refuse_floats,
    tell_rounding,
    to_contents,
    to_shades,
)

_COLOUR = b"tensorfill: in colour"
_MOST_PIXELS = 65_535
_MOST_COLOURS = 256
_GRAYS = bytes(level for level in range(_MOST_COLOURS) for _ in range(3))
_OPAQUE = 255
_STRIDE = 1000  # frames between two words about how far it is
_CLEAR, _BRING_BACK = 2, 3
"""What becomes of an image before the next one is drawn: its rectangle is cleared, or as it was before."""


class Gif(Format):
    """.gif files.

    They are videos, (row, column, frame[, channel]), and gray if every colour is. A file with a single image that does
    not say how often to play it is a picture: that is how still pictures are saved, and how animations are not.
    """

    name: ClassVar[str] = "gif"
    extensions: ClassVar[tuple[str, ...]] = (".gif",)
    kind: ClassVar[str] = "a .gif file"
    picture: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """What is to be seen after each image; where nothing was drawn yet, a pixel is missing."""
        with open_source(path) as file, open_picture(path, self.kind, "GIF", file) as image:
            count = getattr(image, "n_frames", 1)
            wanted = choose_frames(how, path, count)
            is_still = count == 1 and "loop" not in image.info
            is_colour = _COLOUR in image.info.get("comment", b"")
            shape = (image.height, image.width, len(wanted))
            check_room(path, (*shape, 4), 1, path.stat().st_size, scratch=how.scratch)
            data: NDArray[Any] = allocate(how.scratch, (*shape, 3), np.uint8, (2, 0, 1, 3))
            alpha: NDArray[Any] = allocate(how.scratch, shape, np.uint8, (2, 0, 1))
            opaque, hundredths = True, []
            for index, (frame, known) in enumerate(self._draw(image, file, wanted.stop, path)):
                hundredths.append(image.info.get("duration", 0) // 10)
                if index in wanted:
                    colours = frame * known[..., None]
                    is_colour |= bool((colours != colours[..., :1]).any())
                    opaque &= bool(known.all())
                    data[:, :, index - wanted.start] = colours
                    alpha[:, :, index - wanted.start] = np.where(known, _OPAQUE, 0)
        data, there = _drop_equal_channels(data) if not is_colour else data, None if opaque else alpha
        if is_still:
            return to_contents(data[:, :, 0], None if there is None else there[:, :, 0], how)
        rate, notes = _find_frame_rate(hundredths, path)
        if how.gray and is_colour:
            data = _to_brightness(data, how.scratch)
        return add_alpha(Contents(data, None, notes, Metadata(kind="video", frame_rate=rate)), there, how.scratch)

    def _draw(
        self, image: Any, file: BinaryIO, count: int, path: Path
    ) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_]]]:
        """After each of the first `count` images: colours, (rows, columns, 3), and True where something is drawn."""
        width, height = image.size
        drawn = np.zeros((height, width), dtype=bool)
        for index in range(count):
            image.seek(index)
            _, (left, top, right, bottom), place, *_ = image.tile[0]
            if right > 2 * width or bottom > 2 * height:  # Pillow makes the canvas as large as the image asks for
                raise damaged(path, self.kind)
            rectangle, before = np.s_[top:bottom, left:right], drawn.copy()
            drawn[rectangle] = True
            shown = np.asarray(image.convert("RGBA"))[:height, :width]
            yield shown[..., :3], drawn & (shown[..., 3] > 0)
            if image.mode == "L":
                image.putpalette(_GRAYS)  # or Pillow would take indices of later frames in colour for grays
            if image.disposal_method == _CLEAR:
                drawn[rectangle] = False
            elif image.disposal_method == _BRING_BACK:
                drawn = before
            if index % _STRIDE == 0:
                tell_phase(Phase("reading frames", number=index + 1, of=count))
        if count == image.n_frames:
            _check_end(file, place, path, self.kind)

    def write(self, path: Path, contents: Contents) -> None:
        """Every frame whole, with colours of its own; pixels with alpha 0 are transparent, all others are not."""
        from PIL import GifImagePlugin, Image

        has_holes = _has_holes(contents)
        height, width, *channels = contents.shape if _is_still(contents) else _without_frames(contents.shape)
        about: dict[str, Any] = {"duration": 10 * _to_hundredths(contents.metadata.frame_rate)}
        about |= {"transparency": _MOST_COLOURS - 1} if has_holes else {}
        about |= {"comment": _COLOUR} if channels else {}
        about |= {} if _is_still(contents) else {"loop": 0}
        # Not by `save`, which leaves out frames that are like the one before.
        with path.open("xb") as file:
            for part in GifImagePlugin.getheader(Image.new("L", (width, height)), info=dict(about))[0]:
                file.write(part)
            about["disposal"] = _CLEAR if has_holes else 1  # so that no frame shines through the next one
            for frame, known in _iterate_frames(contents):
                image = _to_image(frame, known)
                for part in GifImagePlugin.getdata(image, include_color_table=image.mode == "P", **about):
                    file.write(part)
            file.write(b";")

    def page_mode(self, contents: Contents) -> int | None:
        """That of frames."""
        return None if _is_still(contents) else 2

    def refuses(self, contents: Contents) -> str | None:
        """Only 8-bit clips and pictures fit."""
        data = contents.data
        fits = is_picture(contents) if _is_still(contents) else has_frames(contents)
        if not fits or not (data.dtype == np.uint8 or data.dtype.kind == "f"):
            return (
                "A .gif holds 8-bit clips (or floating point in [0, 1]) of shape (rows, columns, frames) or (rows, "
                f"columns, frames, 3), or one picture. Got {describe(contents)} instead; write .npy or .npz."
            )
        if max(data.shape[:2]) > _MOST_PIXELS:
            return (
                f"A .gif has at most {_MOST_PIXELS:,} rows and columns. "
                f"Got shape {data.shape} instead; write .tif or .npy."
            )
        return refuse_floats(data, "a .gif")

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """More than 256 colours, other frame rates, shades of transparency, floats."""
        found = list(tell_rounding(contents, ".gif"))
        merged = [_merges_colours(frame, known) for frame, known in _iterate_frames(contents)]
        if any(merged):
            found.append(
                f"A .gif frame has at most 256 colours; in {sum(merged)} of {len(merged)} frames similar ones are "
                "merged, so observed entries change too; write .mkv or .npy to keep them exactly."
            )
        rate, alpha = contents.metadata.frame_rate, contents.metadata.alpha
        if rate is not None and not _is_still(contents) and rate * _to_hundredths(rate) != 100:
            found.append(
                f"A .gif counts time in hundredths of a second: {float(rate):g} frames per second become "
                f"{100 / _to_hundredths(rate):g}."
            )
        if alpha is not None and _is_half_transparent(alpha):
            found.append("A .gif pixel is transparent or not; those that shine through a little become opaque.")
        return (*found, *describe_loss(contents, "a .gif", "alpha", "frame_rate"))


def _is_still(contents: Contents) -> bool:
    return contents.metadata.kind == "picture" or contents.ndim == 2


def _without_frames(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:2], *shape[3:])


def _drop_equal_channels(data: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(data[..., 0]) if is_in_memory(data) else cast(Any, data).part((..., 0))


def _to_brightness(data: NDArray[Any], scratch: Scratch | None) -> NDArray[Any]:
    out: NDArray[Any] = allocate(scratch, data.shape[:3], data.dtype, (2, 0, 1))
    for index, frame in enumerate(iterate_pages(data)):
        out[:, :, index] = brightness(frame)
    return out


def _has_holes(contents: Contents) -> bool:
    """Whether there is a transparent pixel in the clip."""
    alpha, colour = contents.metadata.alpha, contents.ndim == (3 if _is_still(contents) else 4)
    if alpha is None or alpha.shape != (contents.shape[:-1] if colour else contents.shape):
        return False
    return not all(bool((take(alpha, region) > 0).all()) for region in pieces(alpha))


def _is_half_transparent(alpha: NDArray[Any]) -> bool:
    most = max(take(alpha, region).max() for region in pieces(alpha))
    parts = (take(alpha, region) for region in pieces(alpha))
    return any(bool(((part > 0) & (part < most)).any()) for part in parts)


def _iterate_frames(contents: Contents) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_] | None]]:
    """Frames of bytes, and which pixels are not transparent, None if all pixels of the clip are not."""
    data, alpha = contents.data, contents.metadata.alpha
    frames = iter([data]) if _is_still(contents) else iterate_pages(data)
    if alpha is None or not _has_holes(contents):
        yield from ((to_shades(frame), None) for frame in frames)
        return
    opacities = iter([alpha]) if _is_still(contents) else iterate_pages(alpha)
    for frame, opacity in zip(frames, opacities, strict=True):
        yield to_shades(frame), opacity > 0


def _check_end(file: BinaryIO, place: int, path: Path, kind: str) -> None:
    """Refuse a file without an end: Pillow takes one that was cut short for a shorter clip.

    `place` is where the pixels of the last image begin; there may be comments and the like behind them.
    """
    file.seek(place)
    lead = b"!"
    while lead == b"!":
        while (size := file.read(1)) > b"\0":
            file.seek(size[0], 1)
        lead = file.read(1)
        file.seek(int(lead == b"!"), 1)
    if lead != b";":
        raise damaged(path, kind)


def _find_frame_rate(hundredths: list[int], path: Path) -> tuple[Fraction | None, tuple[str, ...]]:
    total = sum(hundredths)
    if not total:
        return None, ()
    rate = Fraction(100 * len(hundredths), total)
    shortest, longest = min(hundredths), max(hundredths)
    if shortest == longest:
        return rate, ()
    note = (
        f"The frames of {path} last {shortest / 100:g} to {longest / 100:g} seconds; "
        f"an output shows them evenly, {float(rate):.4g} per second."
    )
    return rate, (note,)


def _to_hundredths(rate: Fraction | None) -> int:
    """How long a frame is shown; 0 if undeclared."""
    return 0 if rate is None else min(max(1, round(100 / rate)), 65_535)


def _count_room(known: NDArray[np.bool_] | None) -> int:
    """How many colours a frame may have; where a clip has transparent pixels, one means transparent."""
    return _MOST_COLOURS if known is None else _MOST_COLOURS - 1


def _take_pixels(frame: NDArray[np.uint8], known: NDArray[np.bool_] | None) -> Any:
    """Pillow's picture of the known pixels of a frame, in one row."""
    from PIL import Image

    pixels = (frame if known is None else frame[known]).reshape(1, -1, *frame.shape[2:])
    return Image.fromarray(pixels if frame.ndim == 3 else np.repeat(pixels[..., None], 3, axis=2))


def _merges_colours(frame: NDArray[np.uint8], known: NDArray[np.bool_] | None) -> bool:
    if frame.ndim == 2 and known is None:
        return False
    return _take_pixels(frame, known).getcolors(_count_room(known)) is None


def _to_image(frame: NDArray[np.uint8], known: NDArray[np.bool_] | None) -> Any:
    """Pillow's picture of a frame, with at most 256 colours; similar ones are merged where they are more."""
    from PIL import Image

    if frame.ndim == 2 and known is None:
        return Image.fromarray(np.ascontiguousarray(frame))
    indices, palette = np.full(frame.shape[:2], _MOST_COLOURS - 1, dtype=np.uint8), b""
    drawn = np.ones(frame.shape[:2], dtype=bool) if known is None else known
    if drawn.any():
        how = (_count_room(known), Image.Quantize.MEDIANCUT, 3)
        merged = _take_pixels(frame, known).quantize(*how, dither=Image.Dither.NONE)
        indices[drawn] = np.asarray(merged).reshape(-1)
        palette = bytes(merged.getpalette())[: 3 * _count_room(known)]
    image = Image.fromarray(indices)
    image.putpalette(palette.ljust(len(_GRAYS), b"\0"))
    return image
