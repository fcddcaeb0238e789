"""The pages of a TIFF file put together: rows, columns, pages, and the samples of a pixel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..brightness import brightness
from ..contents import Contents
from ..damage import damaged
from ..metadata import Kind, Metadata
from ..room import check_room
from . import tiff_page
from .alpha import known_pixels
from .orientation import orientation, upright
from .tiff_chain import KIND
from .tiff_description import Description
from .tiff_page import Layout

_ASSOCIATED_ALPHA, _ALPHA = 1, 2
_RGB = 2
_PLANES_APART = 2
_WHITE_IS_0 = 0


@dataclass(frozen=True)
class Stack:
    """Samples, (rows, columns, pages, samples), and what the first page declares about them."""

    samples: NDArray[Any]
    layout: Layout
    modes: tuple[int, ...]
    """The modes that the pages make up; none for a single picture."""

    @property
    def has_alpha(self) -> bool:
        """Whether the last sample of a pixel is how opaque it is."""
        plain = 3 if self.layout.photometric == _RGB else 1
        return self.layout.samples == plain + 1 and self.layout.extra[:1] in ((_ASSOCIATED_ALPHA,), (_ALPHA,))

    def contents(self, told: Description, about: dict[str, Any], notes: tuple[str, ...], *, gray: bool) -> Contents:
        """Values and alpha, upright, with the modes of the file; `about` are further metadata."""
        header = dict(about.get("header", {}))
        samples, alpha = self.samples, None
        if self.has_alpha:
            alpha = np.ascontiguousarray(samples[..., -1]).reshape(*samples.shape[:2], *self.modes)
            samples = samples[..., :-1]
            header = header if self.layout.extra[0] == _ALPHA else {**header, "alpha": self.layout.extra[0]}
        if self.layout.photometric == _WHITE_IS_0 and self.layout.dtype.kind == "u":
            samples = np.iinfo(self.layout.dtype).max - samples
            notes = (*notes, "White is stored as 0; the values are turned round, so that black is 0.")
        bands = samples.shape[3]
        colour = bands == 3 and self.layout.photometric == _RGB
        data = samples.reshape(*samples.shape[:2], *self.modes, *((bands,) if bands > 1 else ()))
        if colour and gray:
            data = brightness(data)
        axes = f"YX{told.axes}" + ("S" if bands > 1 else "")
        fields: dict[str, Any] = {
            **about,
            **told.fields,
            "kind": told.kind or self._kind(bands, colour),
            "axes": axes[: data.ndim] if told.axes else "",
            "frame_rate": told.frame_rate,
            "header": header,
            "header_of": "tiff" if header else "",
        }
        turn = orientation(Metadata(**fields))
        data, alpha = upright(data, turn), None if alpha is None else upright(alpha, turn)
        metadata = Metadata(**fields, alpha=alpha)
        known, soft = known_pixels(alpha, data.shape)
        return Contents(np.ascontiguousarray(data), known, (*notes, *soft), metadata)

    def _kind(self, bands: int, colour: bool) -> Kind:
        if not self.modes:
            return "picture" if bands == 1 or colour else "cube"
        return "video" if colour else "volume"


def page_by_page(pages: list[Any], layout: Layout, file: BinaryIO, path: Path) -> NDArray[Any]:
    """The samples of pages of equal layout."""
    shape = (layout.height, layout.width, len(pages), layout.samples)
    check_room(path, shape, layout.dtype.itemsize, path.stat().st_size)
    out = np.empty(shape, dtype=layout.dtype)
    for index, page in enumerate(pages):
        out[:, :, index] = tiff_page.pixels(page, file, path)
    return out


def in_one_piece(file: BinaryIO, page: Any, layout: Layout, wanted: range, path: Path) -> NDArray[Any]:
    """The samples of pages that ImageJ and tifffile put behind the first one, without a page entry of their own."""
    shape: tuple[int, ...] = (len(wanted), layout.height, layout.width, layout.samples)
    axes = (1, 2, 0, 3)
    if page.planarconfig == _PLANES_APART:
        shape, axes = (len(wanted), layout.samples, layout.height, layout.width), (2, 3, 0, 1)
    check_room(path, shape, layout.dtype.itemsize, path.stat().st_size)
    length = layout.height * layout.width * layout.samples * layout.dtype.itemsize
    if not page.is_contiguous:
        raise damaged(path, KIND)
    file.seek(page.dataoffsets[0] + wanted.start * length)
    flat = np.frombuffer(file.read(length * len(wanted)), dtype=layout.dtype.newbyteorder(page.parent.byteorder))
    stored = flat.reshape(shape)  # fails if something is cut off
    return np.ascontiguousarray(stored.transpose(axes), dtype=layout.dtype)
