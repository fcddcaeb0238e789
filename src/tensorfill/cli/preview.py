"""Pictures beside a result: before, after and what has changed; and how unsure every entry is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ..completion import Completion
from ..formats import Contents
from ..formats.file_array import fill_by_pieces, pieces, take
from ..formats.missing_values import has_channels
from ..formats.scratch import Scratch, allocate
from ..tensor import entries
from ..views import shades_of, view_of

Picture = NDArray[np.uint8]
_HOLE = np.array([255, 0, 255], dtype=np.uint8)
_GAP = 8
_CAPTION_HEIGHT = 24
_SMALLEST, _LARGEST = 160, 800  # pixels of a panel's longer side
_UNSURE = 0.995  # share of the missing entries that a picture of deviations tells apart; the rest is white
_TELLING = 2**24  # deviations


def preview(source: Contents, done: Completion) -> Picture:
    """Before, after and difference of the whole picture, or of one slice that has holes."""
    known = done.observed.mask()
    view = view_of(known, colour=_in_colour(source))
    shades = shades_of(view.of(done.tensor))
    given, after = _shades(view.of(source.data), *shades), _shades(view.of(done.tensor), *shades)
    before = given.copy()
    holes = ~view.of(known)
    before[holes if holes.ndim == 2 else holes.all(axis=2)] = _HOLE
    # Where colours are missing one by one, those that are not there are black.
    before[np.broadcast_to(holes if holes.ndim == 3 else holes[..., None], before.shape) & (before != _HOLE)] = 0
    difference = np.abs(after.astype(np.int16) - given).astype(np.uint8)
    panels = {f"before: {1 - holes.mean():.0%} known": before, "after": after, "difference": difference}
    return side_by_side({name: _resize(panel) for name, panel in panels.items()})


def side_by_side(panels: Mapping[str, NDArray[Any]]) -> Picture:
    """Colour pictures of equal height from left to right, their captions above them."""
    pictures = {caption: Image.fromarray(np.ascontiguousarray(panel)) for caption, panel in panels.items()}
    height = max(picture.height for picture in pictures.values())
    width = sum(picture.width + _GAP for picture in pictures.values()) + _GAP
    sheet = Image.new("RGB", (width, height + _CAPTION_HEIGHT + _GAP), "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default()
    left = _GAP
    for caption, picture in pictures.items():
        draw.text((left, _CAPTION_HEIGHT // 3), caption, fill="black", font=font)
        sheet.paste(picture, (left, _CAPTION_HEIGHT))
        left += picture.width + _GAP
    return np.asarray(sheet)


def _in_colour(source: Contents) -> bool | None:
    """Whether the last mode is one of colours; None where the file does not say."""
    return None if source.metadata.kind == "array" else has_channels(source)


def _resize(panel: Picture) -> Picture:
    """A panel that can be looked at next to two others: small ones enlarged, large ones reduced."""
    longest = max(panel.shape[:2])
    times = max(1, -(-_SMALLEST // longest))
    if longest <= _LARGEST:
        return panel.repeat(times, axis=0).repeat(times, axis=1)
    size = (round(panel.shape[1] * _LARGEST / longest), round(panel.shape[0] * _LARGEST / longest))
    return np.asarray(Image.fromarray(panel).resize(size, Image.Resampling.BOX))


def _shades(part: NDArray[Any], black: float, white: float) -> Picture:
    """Values from `black` to `white` as 8 bits in three channels."""
    shades = (np.nan_to_num(part.astype(np.float64), nan=black) - black) / (white - black)
    whole = np.rint(np.clip(shades, 0.0, 1.0) * 255).astype(np.uint8)
    return whole if whole.ndim == 3 else np.repeat(whole[..., None], 3, axis=2)


def draw_deviations(deviations: Any, scratch: Scratch | None = None) -> tuple[Any, float]:
    """Brighter where an entry is less sure, and the deviation from which on it is white.

    That is one that few exceed, so that the rest can be told apart. Of very many deviations a part tells which it is.
    """
    step = max(1, entries(deviations.shape) // _TELLING)
    sample = np.concatenate([take(deviations, region).ravel()[::step] for region in pieces(deviations)])
    unsure = sample[sample > 0]
    white = float(np.quantile(unsure, _UNSURE)) if unsure.size else 1.0
    picture = allocate(scratch, deviations.shape, np.uint8)
    fill_by_pieces(picture, lambda region: np.rint(255 * np.minimum(take(deviations, region) / white, 1)))
    return picture, white
