"""The pages of a .tif file as arrays: tifffile puts strips and tiles in their places, Pillow reads what it does not.

Strips and tiles are unpacked here, so that zlib unpacks no more than they may hold, and because tifffile has no LZW
without a further library: each becomes a file of one strip, which Pillow's libtiff unpacks.

Format: Adobe, TIFF Revision 6.0; Adobe Photoshop TIFF Technical Note 3, 2005 (the floating-point predictor).
"""

from __future__ import annotations

import math
import os
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..damage import check_room
from .pixels import open_picture, silence, split_alpha
from .tags import Tag, to_exif
from .tiff_about import count_pages

KIND = "a .tif file"
GRAY, RGB = 1, 2
ALPHA = 2
_NONE, _LZW, _PACKBITS = 1, 5, 32773
_DEFLATE = (8, 32946)
_UNPACKED = (_NONE, _LZW, _PACKBITS, *_DEFLATE)
_FLOAT_DIFFERENCES = 3
_PLANES_APART = 2
_PADDING = 2**16  # bytes, besides another such strip
_BY_PILLOW = ("1", "L", "LA", "RGB", "RGBA", "P", "I;16", "I;16B", "CMYK", "YCbCr")
_STDERR = 2
_COMPLAINT = re.compile(rb"[\w.]+: .*\.\r?\n")  # libtiff's: a function or a file, a colon, a full stop
_HARMLESS = re.compile(rb"TIFFFetchNormalTag: Defined set_get_field_type of custom tag")


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


@contextmanager
def open_tiff(file: BinaryIO) -> Iterator[list[Any]]:
    """All pages, at least one, as tifffile sees them; their pixels are not read yet."""
    import tifffile

    # OME files may name others, and those would be opened.
    with silence(), tifffile.TiffFile(file, is_ome=False, _multifile=False) as tif:
        count = count_pages(file, tif.pages[0])
        pages = list(tif.pages)
        if len(pages) != count:
            raise ValueError("pages are lost")
        yield pages


def find_layout(page: Any) -> Layout | None:
    """The layout of a page that `read_pages` can read; None if it cannot."""
    dtype = page.dtype
    readable = (
        dtype is not None
        and dtype.kind in "uif"
        and page.bitspersample == 8 * dtype.itemsize
        and page.compression in _UNPACKED
        and page.predictor in (1, 2, _FLOAT_DIFFERENCES)
        and page.photometric in (0, GRAY, RGB)
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


def read_pages(pages: list[Any], layout: Layout, file: BinaryIO, path: Path) -> Iterator[NDArray[Any]]:
    """The samples of pages of equal layout, each (rows, columns, samples)."""
    for page in pages:
        out = np.empty((layout.height, layout.width, layout.samples), dtype=layout.dtype)
        with catch_complaints():
            _read_page(page, file, path, out)
        yield out


def read_in_one_piece(page: Any, layout: Layout, wanted: range, file: BinaryIO) -> Iterator[NDArray[Any]]:
    """The same of pages that ImageJ and tifffile put behind the first one, without a page entry of their own."""
    shape, axes = (layout.height, layout.width, layout.samples), (0, 1, 2)
    if page.planarconfig == _PLANES_APART:
        shape, axes = (layout.samples, layout.height, layout.width), (1, 2, 0)
    if not page.is_contiguous:
        raise ValueError("pages are not in one piece")
    length = math.prod(shape) * layout.dtype.itemsize
    for number in wanted:
        file.seek(page.dataoffsets[0] + number * length)
        flat = np.frombuffer(file.read(length), dtype=layout.dtype.newbyteorder(page.parent.byteorder))
        yield flat.reshape(shape).transpose(axes).astype(layout.dtype)  # fails if it is cut off


def _read_page(page: Any, file: BinaryIO, path: Path, out: NDArray[Any]) -> None:
    """Fill `out`, (rows, columns, samples)."""
    packing, itemsize = page.compression, page.dtype.itemsize
    has_float_differences = page.predictor == _FLOAT_DIFFERENCES
    # tifffile is given strips and tiles that are unpacked already.
    page.compression = _NONE
    if has_float_differences:
        page.predictor = 1
    if not len(page.dataoffsets) == len(page.databytecounts) == math.prod(page.chunked):
        raise ValueError("strips or tiles are lost")
    for index, (offset, length) in enumerate(zip(page.dataoffsets, page.databytecounts, strict=True)):
        _, (plane, _, top, left, _), (_, rows, columns, samples) = page.decode(None, index)
        check_room(path, (rows, columns, samples), itemsize, length)
        if length < 1 or offset + length > file.seek(0, 2):
            raise ValueError("cut short")
        file.seek(offset)
        plain = _unpack(file.read(length), packing, rows, columns * samples * itemsize, path)
        if has_float_differences:
            plain = _undo_float_differences(plain, (rows, columns, samples), page.dtype, page.parent.byteorder)
        part = page.decode(plain, index)[0][0]
        inside = part[: out.shape[0] - top, : out.shape[1] - left]
        place = out[top : top + len(inside), left : left + inside.shape[1], plane : plane + samples]
        place[...] = inside


def _unpack(packed: bytes, packing: int, rows: int, row: int, path: Path) -> bytes:
    """Exactly so many rows of so many bytes; what comes after them, up to another such strip, is padding."""
    size = rows * row
    if packing in _DEFLATE:
        inflate = zlib.decompressobj()
        plain = inflate.decompress(packed, 2 * size + _PADDING)
        if not inflate.eof:  # only there is the checksum compared
            raise ValueError("no end")
    elif packing == _NONE:
        plain = packed
    else:
        with open_picture(path, KIND, "TIFF", BytesIO(_wrap(packed, packing, rows, row))) as image:
            plain = image.tobytes()
    if len(plain) < size:
        raise ValueError("cut short")
    return plain[:size]


def _wrap(packed: bytes, packing: int, rows: int, row: int) -> bytes:
    """A .tif file with one strip, of bytes as gray pixels."""
    tags = {256: row, 257: rows, 258: 8, 259: packing, 262: GRAY, 273: 0, 277: 1, 278: rows, 279: len(packed)}
    tags[273] = 8 + 2 + 12 * len(tags) + 4  # the strip is behind the directory
    return to_exif((Tag(code, 4, struct.pack("<I", value)) for code, value in tags.items()), "<") + packed


def _undo_float_differences(plain: bytes, shape: tuple[int, int, int], dtype: np.dtype[Any], order: Any) -> bytes:
    """Bytes are stored by their significance, each row's highest ones first, as differences to those on the left."""
    rows, columns, samples = shape
    bytes_in_rows = np.frombuffer(plain, dtype=np.uint8).reshape(rows, columns * dtype.itemsize, samples)
    planes = np.cumsum(bytes_in_rows, axis=1, dtype=np.uint8).reshape(rows, dtype.itemsize, columns * samples)
    floats = np.ascontiguousarray(planes.transpose(0, 2, 1)).view(dtype.newbyteorder(">"))
    return floats.astype(dtype.newbyteorder(order)).tobytes()


def read_by_pillow(page: Any, wanted: range, path: Path) -> tuple[NDArray[Any], Layout, tuple[str, ...]]:
    """Black and white, palettes, JPEG or fax inside: samples as of `read_pages`, which Pillow turns upright; notes.

    `page` is the first one as tifffile sees it; those of another size are left out.
    """
    from PIL import UnidentifiedImageError

    try:
        with open_picture(path, KIND, "TIFF") as image:
            if image.mode not in _BY_PILLOW or not _keeps_all_bits(page):
                raise _refuse_packing(page, path)
            check_room(path, (image.height, image.width, len(wanted), 4), 1, path.stat().st_size)
            size, mode, found = image.size, image.mode, []
            for index in wanted:
                image.seek(index)
                if (image.size, image.mode) == (size, mode):
                    with catch_complaints() as complaints:
                        image.load()
                    if complaints:  # libtiff goes on with gray
                        raise ValueError("libtiff complains")
                    found.append(np.dstack([part for part in split_alpha(image) if part is not None]))
    except UnreadableFile as error:
        if isinstance(error.__cause__, UnidentifiedImageError):
            raise _refuse_packing(page, path) from error
        raise
    samples = np.stack(found, axis=2)
    height, width, _, count = samples.shape
    notes: tuple[str, ...] = (
        () if len(found) == len(wanted) else (f"{path} also has pages of other shapes; they are not read.",)
    )
    if mode == "CMYK":
        notes += (f"{path} is in CMYK, the colours of print; it is read as RGB.",)
    extra = () if count in (1, 3) else (ALPHA,)
    return samples, Layout(height, width, count, samples.dtype, GRAY if count < 3 else RGB, extra), notes


def _keeps_all_bits(page: Any) -> bool:
    """Whether Pillow does: of 16-bit colour it reads 8."""
    bits = page.bitspersample
    return bits in (1, 2, 4, 8) or (bits == 16 and page.samplesperpixel == 1)


def _refuse_packing(page: Any, path: Path) -> Exception:
    if not all(isinstance(value, int) for value in (page.compression, page.photometric, page.bitspersample)):
        return ValueError("no such page")
    packing = getattr(page.compression, "name", page.compression)
    colours = getattr(page.photometric, "name", page.photometric)
    return UnreadableFile(
        f"{path} cannot be read: its pixels ({page.bitspersample} bits, {colours}) are packed by {packing} in a way "
        "that is not known here; save it without compression."
    )


@contextmanager
def catch_complaints() -> Iterator[list[bytes]]:
    """libtiff prints nothing in the block; afterwards its complaints are in the list.

    What others print meanwhile is printed afterwards.
    """
    complaints: list[bytes] = []
    try:
        usual = os.dup(_STDERR)
    except OSError:  # there is no such stream
        yield complaints
        return
    with TemporaryFile() as caught:
        try:
            os.dup2(caught.fileno(), _STDERR)
            yield complaints
        finally:
            os.dup2(usual, _STDERR)
            os.close(usual)
            caught.seek(0)
            for line in caught:
                if not _COMPLAINT.match(line):
                    os.write(_STDERR, line)
                elif not _HARMLESS.match(line):
                    complaints.append(line)
