"""GIF: clips of at most 256 colours per frame, or one such picture."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...telling import Phase, tell_phase
from ..brightness import brightness
from ..contents import Contents
from ..damage import damaged, readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from ..source import open_source
from ..unkept import unkept
from . import gif_bytes
from .alpha import known_pixels
from .asked_frames import asked_frames
from .gif_blocks import Blocks, parsed
from .gif_canvas import KIND, shown
from .gif_colours import GRAYS, few_enough, indexed
from .still import as_shades, described, float_losses, is_picture, refuses_floats

_COLOUR = b"tensorfill: in colour"
_MOST_PIXELS = 65_535
_OPAQUE = 255
_TOLD = 1000  # frames between two words about how far it is


class Gif(Format):
    """.gif files.

    They are videos, (row, column, frame[, channel]), and gray if every colour is. A file with a single image that does
    not say how often to play it is a picture: that is how still pictures are saved, and how animations are not.
    """

    name: ClassVar[str] = "gif"
    extensions: ClassVar[tuple[str, ...]] = (".gif",)
    picture: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """What is to be seen after each image; where nothing was drawn yet, a pixel is missing."""
        with open_source(path) as file, readable(path, KIND):
            size = path.stat().st_size
            check_room(path, (size,), 1)
            blocks = parsed(file.read())
            wanted = asked_frames(how, len(blocks.images), path)
            data, known = _frames(blocks, wanted, path, size)
        if how.gray and data.ndim == 4:
            data = brightness(data)
        rate, notes = _frame_rate([image.hundredths for image in blocks.images], path)
        alpha = None if known.all() else np.where(known, _OPAQUE, 0).astype(np.uint8)
        if len(blocks.images) == 1 and not blocks.looped:
            data, alpha = data[:, :, 0], None if alpha is None else alpha[:, :, 0]
            return Contents(data, known_pixels(alpha, data.shape)[0], (), Metadata(kind="picture", alpha=alpha))
        metadata = Metadata(kind="video", alpha=alpha, frame_rate=rate)
        return Contents(data, known_pixels(alpha, data.shape)[0], notes, metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """Every frame whole, with colours of its own; pixels with alpha 0 are transparent, all others are not."""
        clip, known = _as_clip(contents)
        height, width, count = clip.shape[:3]
        plain = clip.ndim == 3 and known is None
        rate = contents.metadata.frame_rate
        with path.open("xb") as file:
            file.write(gif_bytes.head(height, width, GRAYS if plain else None))
            if not _is_still(contents):
                file.write(gif_bytes.loop())
            if clip.ndim == 4:
                file.write(gif_bytes.comment(_COLOUR))
            for index in range(count):
                frame = clip[:, :, index]
                if plain:
                    file.write(gif_bytes.image(frame, None, _hundredths(rate), None))
                else:
                    there = None if known is None else known[:, :, index]
                    indices, table, transparent = indexed(frame, there)
                    file.write(gif_bytes.image(indices, table, _hundredths(rate), transparent))
            file.write(gif_bytes.TRAILER)

    def refuses(self, contents: Contents) -> str | None:
        """Only 8-bit clips and pictures fit."""
        data = contents.data
        clip = contents.ndim == 3 or (contents.ndim == 4 and contents.shape[3] == 3)
        shape_fits = is_picture(contents) if _is_still(contents) else clip
        if 0 in contents.shape or not shape_fits or not (data.dtype == np.uint8 or data.dtype.kind == "f"):
            return (
                "A .gif holds 8-bit clips (or floating point in [0, 1]) of shape (rows, columns, frames) or (rows, "
                f"columns, frames, 3), or one picture. Got {described(contents)} instead; write .npy or .npz."
            )
        if max(data.shape[:2]) > _MOST_PIXELS:
            return (
                f"A .gif has at most {_MOST_PIXELS:,} rows and columns. "
                f"Got shape {data.shape} instead; write .tif or .npy."
            )
        return refuses_floats(data, "a .gif")

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """More than 256 colours, other frame rates, shades of transparency, floats."""
        found = list(float_losses(contents, ".gif"))
        clip, known = _as_clip(contents)
        merged = sum(
            not few_enough(clip[:, :, index], None if known is None else known[:, :, index])
            for index in range(clip.shape[2] if clip.ndim == 4 or known is not None else 0)
        )
        if merged:
            found.append(
                f"A .gif frame has at most 256 colours; in {merged} of {clip.shape[2]} frames similar ones are merged, "
                "so observed entries change too; write .mkv or .npy to keep them exactly."
            )
        rate, alpha = contents.metadata.frame_rate, contents.metadata.alpha
        if rate is not None and not _is_still(contents) and rate * _hundredths(rate) != 100:
            found.append(
                f"A .gif counts time in hundredths of a second: {float(rate):g} frames per second become "
                f"{100 / _hundredths(rate):g}."
            )
        if alpha is not None and bool(((alpha > 0) & (alpha < alpha.max())).any()):
            found.append("A .gif pixel is transparent or not; those that shine through a little become opaque.")
        return (*found, *unkept(contents, "a .gif", "alpha", "frame_rate"))


def _is_still(contents: Contents) -> bool:
    return contents.metadata.kind == "picture" or contents.ndim == 2


def _as_clip(contents: Contents) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Frames of bytes, and which pixels are not transparent, None if all are."""
    data, alpha = as_shades(contents.data), contents.metadata.alpha
    if _is_still(contents):
        data, alpha = data[:, :, None], None if alpha is None else alpha[:, :, None]
    if alpha is None or alpha.shape != data.shape[:3] or bool((alpha > 0).all()):
        return data, None
    return data, alpha > 0


def _frames(blocks: Blocks, wanted: range, path: Path, size: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    if not blocks.height or not blocks.width:
        raise damaged(path, KIND)
    shape = (blocks.height, blocks.width, len(wanted))
    check_room(path, (*shape, 4), 1, size)
    data, known = np.zeros((*shape, 3), dtype=np.uint8), np.zeros(shape, dtype=bool)
    for index, (colours, there) in enumerate(shown(blocks, path)):
        if index in wanted:
            data[:, :, index - wanted.start] = colours
            known[:, :, index - wanted.start] = there
        if index % _TOLD == 0:
            tell_phase(Phase("reading frames", number=index + 1, of=len(blocks.images)))
        if index == wanted[-1]:
            break
    gray = _COLOUR not in blocks.comments and all((data[..., 0] == data[..., other]).all() for other in (1, 2))
    return (np.ascontiguousarray(data[..., 0]) if gray else data), known


def _frame_rate(hundredths: list[int], path: Path) -> tuple[Fraction | None, tuple[str, ...]]:
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


def _hundredths(rate: Fraction | None) -> int:
    """How long a frame is shown; 0 if nobody knows."""
    return 0 if rate is None else min(max(1, round(100 / rate)), 65_535)
