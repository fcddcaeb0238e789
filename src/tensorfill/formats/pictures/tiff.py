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
from .tiff_by_pillow import read_by_pillow
from .tiff_chain import KIND
from .tiff_description import described, understood
from .tiff_file import parsed, resolution
from .tiff_stack import Stack, in_one_piece, page_by_page

_SMALLER_COPY_OR_MASK = 1 | 4
_BIG = 2**32 - 2**25  # bytes; beyond it a .tif file needs wider offsets
_LETTERS = {"video": "T", "volume": "Z", "cube": "C"}
_COLOUR_KINDS = {3: ("picture", "array"), 4: ("video", "array")}


class Tiff(Format):
    """.tif files. A stack of pages is a volume, (row, column, page), unless the file says that pages are frames."""

    name: ClassVar[str] = "tiff"
    extensions: ClassVar[tuple[str, ...]] = (".tif", ".tiff")
    holds_alpha: ClassVar[bool] = True

    def read(self, path: Path, how: Reading) -> Contents:
        """Every page of the first page's shape, as the file stores it; NaN and transparent pixels are missing."""
        with open_source(path) as file, readable(path, KIND), parsed(file, path) as pages:
            layout = tiff_page.layout(pages[0])
            if layout is None:
                return read_by_pillow(path, how, pages[0], len(pages))
            full = [page for page in pages if not int(page.subfiletype) & _SMALLER_COPY_OR_MASK] or pages[:1]
            alike = [page for page in full if tiff_page.layout(page) == layout]
            told, header = understood(pages[0].description, layout.samples), resolution(pages[0])
            modes = told.modes if told.modes is not None else (len(alike),) if len(alike) > 1 else ()
            count = math.prod(modes)
            wanted = asked_frames(how, count, path) if modes else range(1)
            if len(alike) == 1 < count:
                samples = in_one_piece(file, pages[0], layout, wanted, path)
            elif len(alike) < count:
                raise damaged(path, KIND)
            else:
                samples = page_by_page([alike[index] for index in wanted], layout, file, path)
        notes: tuple[str, ...] = ()
        if len(full) > len(alike):
            notes = (f"{path} also has {len(full) - len(alike)} pages unlike the first one; they are not read.",)
        if modes and len(wanted) < count:
            modes, told = (len(wanted),), replace(told, fields={})
        return Stack(samples, layout, modes).contents(told, header, notes, gray=how.gray)

    def write(self, path: Path, contents: Contents) -> None:
        """Pages of gray or RGB, with alpha, compressed without loss; BigTIFF if there is too much for plain TIFF."""
        import tifffile

        data, metadata = contents.data, contents.metadata
        colour = _in_colour(contents)
        alpha = fitting_alpha(metadata.alpha, data, channels=colour)
        header = metadata.header if metadata.header_of == Tiff.name else {}
        modes = data.shape[2:-1] if colour else data.shape[2:]
        samples = (3 if colour else 1) + (alpha is not None)
        axes = _LETTERS.get(metadata.kind, "Q") * len(modes) + ("YXS" if colour else "YX")
        stored = (*modes, *data.shape[:2], *((3,) if colour else ()))
        options: dict[str, Any] = {
            "photometric": "rgb" if colour else "minisblack",
            "planarconfig": "contig" if samples > 1 else None,
            "extrasamples": None if alpha is None else [header.get("alpha", 2)],
            "predictor": 2 if data.dtype.kind in "ui" else None,
            "resolution": header.get("resolution"),
            "resolutionunit": header.get("unit"),
        }
        with tifffile.TiffWriter(path, bigtiff=math.prod(stored) * data.dtype.itemsize > _BIG, byteorder="<") as file:
            file.write(
                _pages(data, alpha, len(modes)),
                shape=(math.prod(modes), *data.shape[:2], *((samples,) if samples > 1 else ())),
                dtype=data.dtype.newbyteorder("<"),
                description=described(metadata, stored, axes),
                compression="zlib",
                metadata=None,
                software=False,
                maxworkers=1,
                **options,
            )

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
        """Only alpha that belongs to something else."""
        alpha, data = contents.metadata.alpha, contents.data
        if alpha is None or fitting_alpha(alpha, data, channels=_in_colour(contents)) is not None:
            return ()
        return (
            f"The transparency, of shape {alpha.shape}, does not belong to the array of shape {data.shape}; left out.",
        )


def _in_colour(contents: Contents) -> bool:
    return contents.metadata.kind in _COLOUR_KINDS.get(contents.ndim, ()) and contents.shape[-1] == 3


def _pages(data: NDArray[Any], alpha: NDArray[Any] | None, modes: int) -> Iterator[NDArray[Any]]:
    """Page after page, the last of the other modes fastest."""
    little = data.dtype.newbyteorder("<")
    for index in np.ndindex(*data.shape[2 : 2 + modes]):
        place = (slice(None), slice(None), *index)
        page = data[place] if alpha is None else np.dstack([data[place], alpha[place]])
        yield np.ascontiguousarray(page, dtype=little)
