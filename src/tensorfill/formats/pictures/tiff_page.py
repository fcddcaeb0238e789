"""One page of a TIFF file as an array: strips or tiles, unpacked one by one and put in their places.

Format: Adobe, TIFF Revision 6.0, sections 8, 9, 13 to 15; Adobe Photoshop TIFF Technical Notes, 2002 (deflate), and
Technical Note 3, 2005 (the floating-point predictor). Every length is checked before memory is asked for.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..damage import damaged
from ..room import check_room
from .tiff_chain import KIND

_NONE, _LZW, _DEFLATE, _OLD_DEFLATE, _PACKBITS = 1, 5, 8, 32946, 32773
_UNPACKED = (_NONE, _LZW, _DEFLATE, _OLD_DEFLATE, _PACKBITS)
_DIFFERENCES, _FLOAT_DIFFERENCES = 2, 3
_PLANES_APART = 2
_GRAYS_AND_RGB = (0, 1, 2)
_PADDING = 2**16  # bytes


@dataclass(frozen=True)
class Layout:
    """What a page declares about its pixels; pages with equal layouts belong to one stack."""

    height: int
    width: int
    samples: int
    dtype: np.dtype[Any]
    photometric: int
    """0: gray, 0 is white; 1: gray, 0 is black; 2: RGB."""
    extra: tuple[int, ...]
    """What samples beyond gray or RGB mean; 1 and 2: alpha."""


def layout(page: Any) -> Layout | None:
    """The layout of a page that `pixels` can read; None if it cannot."""
    dtype = page.dtype
    readable = (
        dtype is not None
        and dtype.kind in "uif"
        and page.bitspersample == 8 * dtype.itemsize
        and page.compression in _UNPACKED
        and page.predictor in (1, _DIFFERENCES, _FLOAT_DIFFERENCES)
        and page.photometric in _GRAYS_AND_RGB
        and page.fillorder == 1
        and page.imagedepth == 1
        and not (page.predictor == _FLOAT_DIFFERENCES and dtype.kind != "f")
    )
    if not readable:
        return None
    extra = tuple(int(kind) for kind in page.extrasamples)
    return Layout(
        page.imagelength, page.imagewidth, page.samplesperpixel, dtype.newbyteorder("="), int(page.photometric), extra
    )


def pixels(page: Any, file: BinaryIO, path: Path) -> NDArray[Any]:
    """The samples of a page, (rows, columns, samples)."""
    form = layout(page)
    if form is None:
        raise damaged(path, KIND)
    apart = page.planarconfig == _PLANES_APART and form.samples > 1
    rows = page.tilelength if page.is_tiled else min(page.rowsperstrip or form.height, form.height)
    columns = page.tilewidth if page.is_tiled else form.width
    if min(rows, columns, form.samples, form.height, form.width) < 1:
        raise damaged(path, KIND)
    together = 1 if apart else form.samples
    check_room(path, (rows, columns, together), form.dtype.itemsize, sum(page.databytecounts))
    planes = range(form.samples if apart else 1)
    tops, lefts = range(0, form.height, rows), range(0, form.width, columns)
    if not len(planes) * len(tops) * len(lefts) == len(page.dataoffsets) == len(page.databytecounts):
        raise damaged(path, KIND)
    out = np.empty((form.height, form.width, form.samples), dtype=form.dtype)
    segments = zip(product(planes, tops, lefts), page.dataoffsets, page.databytecounts, strict=True)
    for (plane, top, left), offset, length in segments:
        down = rows if page.is_tiled else min(rows, form.height - top)
        packed = _bytes_at(file, offset, length, path)
        row = columns * together * form.dtype.itemsize
        flat = _unpacked(packed, down * row, rows * row, page.compression, path)
        part = _summed(flat, (down, columns, together), page)
        inside = part[: form.height - top, : form.width - left]
        channels = slice(plane, plane + 1) if apart else slice(None)
        out[top : top + len(inside), left : left + inside.shape[1], channels] = inside
    return out


def _bytes_at(file: BinaryIO, offset: int, length: int, path: Path) -> NDArray[np.uint8]:
    size = file.seek(0, 2)
    if length < 1 or offset + length > size:
        raise damaged(path, KIND)
    file.seek(offset)
    return np.frombuffer(file.read(length), dtype=np.uint8)


def _unpacked(packed: NDArray[np.uint8], size: int, full: int, compression: int, path: Path) -> NDArray[np.uint8]:
    """Exactly `size` bytes; what comes after them, up to a `full` strip or tile, is padding."""
    if compression in (_DEFLATE, _OLD_DEFLATE):
        inflate = zlib.decompressobj()
        out = np.frombuffer(inflate.decompress(packed.tobytes(), size), dtype=np.uint8)
        found = len(out) if _ends(inflate, full - size + _PADDING) else 0
    elif compression == _NONE:
        out = packed[:size]
        found = len(out)
    else:
        from .lzw import decode
        from .packbits import unpack

        out = np.empty(size, dtype=np.uint8)
        found = decode(packed, out, 8, True) if compression == _LZW else unpack(packed, out)
    if found != size:
        raise damaged(path, KIND)
    return out


def _ends(inflate: Any, most: int) -> bool:
    """Whether the data ends within that many bytes; where it does, its checksum has been compared."""
    while not inflate.eof and most > 0:
        padding = inflate.decompress(inflate.unconsumed_tail, min(most, _PADDING))
        if not padding and not inflate.eof:
            return False
        most -= len(padding)
    return bool(inflate.eof)


def _summed(flat: NDArray[np.uint8], shape: tuple[int, int, int], page: Any) -> NDArray[Any]:
    """Bytes as samples in the machine's byte order, differences to the pixel on the left added up."""
    rows, columns, samples = shape
    order, dtype = page.parent.byteorder, page.dtype
    if page.predictor == _FLOAT_DIFFERENCES:
        spread = np.cumsum(flat.reshape(rows, columns * dtype.itemsize, samples), axis=1, dtype=np.uint8)
        planes = spread.reshape(rows, dtype.itemsize, columns * samples).transpose(0, 2, 1)
        floats: NDArray[Any] = np.ascontiguousarray(planes).view(dtype.newbyteorder(">"))
        return floats.reshape(shape)
    if page.predictor == _DIFFERENCES:
        whole = np.dtype(f"u{dtype.itemsize}")
        stored = flat.view(whole.newbyteorder(order)).reshape(shape)
        sums: NDArray[Any] = np.cumsum(stored, axis=1, dtype=whole).view(dtype.newbyteorder("="))
        return sums
    values: NDArray[Any] = flat.view(dtype.newbyteorder(order))
    return values.reshape(shape)
