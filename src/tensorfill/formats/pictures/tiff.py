"""TIFF: pictures, stacks and clips of any dtype, in .tif files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents
from ..damage import damaged, readable
from ..format import Format
from ..reading import Reading
from ..source import open_source
from . import tiff_page
from .alpha import fitting_alpha
from .asked_frames import asked_frames
from .orientation import as_stored, orientation
from .profile import fitting_profile, profile_losses
from .tiff_about import add_about, byte_order, read_about
from .tiff_by_pillow import read_by_pillow
from .tiff_chain import KIND
from .tiff_description import understood
from .tiff_file import parsed
from .tiff_stack import Stack, in_one_piece, page_by_page
from .tiff_text import told_description, with_description

_SMALLER_COPY_OR_MASK = 1 | 4
_BIG = 2**32 - 2**25  # bytes; beyond it a .tif file needs wider offsets
_LETTERS = {"video": "T", "volume": "Z", "cube": "C"}
_COLOUR_KINDS = {3: ("picture", "array"), 4: ("video", "array")}


class Tiff(Format):
    """.tif files. A stack of pages is a volume, (row, column, page), unless the file says that pages are frames."""

    name: ClassVar[str] = "tiff"
    extensions: ClassVar[tuple[str, ...]] = (".tif", ".tiff")
    holds_alpha: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Every page of the first page's shape, as the file stores it; NaN and transparent pixels are missing."""
        with open_source(path) as file, readable(path, KIND), parsed(file, path) as pages:
            layout = tiff_page.layout(pages[0])
            about = read_about(file, pages[0].offset)
            if layout is None:
                found = read_by_pillow(path, how, pages[0], len(pages), about.fields)
                found = replace(found, notes=(*found.notes, *about.notes))
                return with_description(found, about.text, understood(pages[0].description))
            full = [page for page in pages if not int(page.subfiletype) & _SMALLER_COPY_OR_MASK] or pages[:1]
            alike = [page for page in full if tiff_page.layout(page) == layout]
            told = understood(pages[0].description, layout.samples, len(alike))
            modes = told.modes if told.modes is not None else (len(alike),) if len(alike) > 1 else ()
            count = math.prod(modes)
            each = math.prod(modes[1:])  # of several modes, the first one is counted as frames
            asked = asked_frames(how, modes[0], path) if modes else range(1)
            wanted = range(asked.start * each, asked.stop * each)
            if len(alike) == 1 < count:
                samples = in_one_piece(file, pages[0], layout, wanted, path)
            elif len(alike) < count:
                raise damaged(path, KIND)
            else:
                samples = page_by_page([alike[index] for index in wanted], layout, file, path)
        notes = (*told.notes, *about.notes)
        if len(full) > len(alike):
            notes += (f"{path} also has {len(full) - len(alike)} pages unlike the first one; they are not read.",)
        if modes and len(wanted) < count:
            modes, told = (len(asked), *modes[1:]), replace(told, fields={})
        found = Stack(samples, layout, modes).contents(told, about.fields, notes, gray=how.gray)
        return with_description(found, about.text, told, whole=len(wanted) == max(count, 1) and not how.gray)

    def write(self, path: Path, contents: Contents) -> None:
        """Pages of gray or RGB, with alpha, compressed without loss; BigTIFF if there is too much for plain TIFF."""
        import tifffile

        data, metadata = contents.data, contents.metadata
        colour = _in_colour(contents)
        alpha = fitting_alpha(metadata.alpha, data, channels=colour)
        turn, order = orientation(metadata), byte_order(metadata)
        data, alpha = as_stored(data, turn), None if alpha is None else as_stored(alpha, turn)
        header = metadata.header if metadata.header_of == Tiff.name else {}
        modes = data.shape[2:-1] if colour else data.shape[2:]
        samples = (3 if colour else 1) + (alpha is not None)
        axes = _letters(contents, len(modes)) + ("YXS" if colour else "YX")
        stored = (*modes, *data.shape[:2], *((3,) if colour else ()))
        options: dict[str, Any] = {
            "photometric": "rgb" if colour else "minisblack",
            "planarconfig": "contig" if samples > 1 else None,
            "extrasamples": None if alpha is None else [header.get("alpha", 2)],
            "predictor": 2 if data.dtype.kind in "ui" else None,
        }
        big = math.prod(stored) * data.dtype.itemsize > _BIG
        with tifffile.TiffWriter(path, bigtiff=big, byteorder=order) as file:
            file.write(
                _pages(data, alpha, len(modes), data.dtype.newbyteorder(order)),
                shape=(math.prod(modes), *data.shape[:2], *((samples,) if samples > 1 else ())),
                dtype=data.dtype.newbyteorder(order),
                compression="zlib",
                metadata=None,
                software=False,
                maxworkers=1,
                **options,
            )
        text = told_description(contents, stored, axes)
        add_about(path, metadata, fitting_profile(metadata, 3 if colour else 1), text)

    def refuses(self, contents: Contents) -> str | None:
        """Numbers in at least two modes fit."""
        dtype = contents.dtype
        if contents.ndim < 2 or 0 in contents.shape or dtype.kind not in "uif" or dtype.itemsize > 8:
            return (
                "A .tif file holds integers or floating point of up to 64 bits, at least one row and one column of it. "
                f"Got {dtype} of shape {contents.shape} instead; write .npy or .npz."
            )
        return None

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Only alpha and profiles that belong to something else."""
        alpha, data = contents.metadata.alpha, contents.data
        profile = profile_losses(contents, 3 if _in_colour(contents) else 1)
        if alpha is None or fitting_alpha(alpha, data, channels=_in_colour(contents)) is not None:
            return profile
        return (
            *profile,
            f"The transparency, of shape {alpha.shape}, does not belong to the array of shape {data.shape}; left out.",
        )


def _letters(contents: Contents, modes: int) -> str:
    """What the modes of pages are: as the file said that they came from, or by the kind of the data."""
    axes = contents.metadata.axes
    return axes[2 : 2 + modes] if _axes_fit(contents) else _LETTERS.get(contents.metadata.kind, "Q") * modes


def _axes_fit(contents: Contents) -> bool:
    axes = contents.metadata.axes
    return axes.startswith("YX") and len(axes) == contents.ndim


def _in_colour(contents: Contents) -> bool:
    if _axes_fit(contents):
        return contents.metadata.axes.endswith("S") and contents.shape[-1] == 3
    return contents.metadata.kind in _COLOUR_KINDS.get(contents.ndim, ()) and contents.shape[-1] == 3


def _pages(data: NDArray[Any], alpha: NDArray[Any] | None, modes: int, dtype: np.dtype[Any]) -> Iterator[NDArray[Any]]:
    """Page after page, the last of the other modes fastest."""
    for index in np.ndindex(*data.shape[2 : 2 + modes]):
        place = (slice(None), slice(None), *index)
        page = data[place] if alpha is None else np.dstack([data[place], alpha[place]])
        yield np.ascontiguousarray(page, dtype=dtype)
