"""PNG pictures with 16 bits per channel, which Pillow would cut down to 8."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..damage import damaged
from ..room import check_room
from .png_chunks import SIGNATURE, Chunk, Header, packed

_KIND = "a .png picture"
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
_COLOUR = {channels: colour for colour, channels in _CHANNELS.items()}
_PIECE = 2**20
_ROWS = 64  # filtered at a time


def read(
    file: BinaryIO, header: Header, chunks: tuple[Chunk, ...], path: Path
) -> tuple[NDArray[np.uint16], NDArray[np.uint16] | None]:
    """The values, (rows, columns) or (rows, columns, 3), and alpha if there is any."""
    from .png_filters import unfilter

    channels = _CHANNELS.get(header.colour)
    if channels is None:
        raise damaged(path, _KIND)
    check_room(path, (header.height, header.width, channels), 2, sum(chunk.length for chunk in chunks))
    width = 2 * channels * header.width
    raw = _inflated(file, chunks, header.height * (width + 1), path).reshape(header.height, width + 1)
    rows = np.ascontiguousarray(raw[:, 1:])
    if not unfilter(raw[:, 0].copy(), rows, 2 * channels):
        raise damaged(path, _KIND)
    samples = rows.view(">u2").astype(np.uint16).reshape(header.height, header.width, channels)
    alpha = np.ascontiguousarray(samples[..., -1]) if channels in (2, 4) else _from_key(file, chunks, samples)
    values = samples[..., 0] if channels < 3 else samples[..., :3]
    return np.ascontiguousarray(values), alpha


def write(path: Path, data: NDArray[Any], about: bytes = b"") -> None:
    """Gray, gray with alpha, RGB or RGB with alpha, told apart by their number; `about` are further chunks."""
    samples = data[..., None] if data.ndim == 2 else data
    height, width, channels = samples.shape
    with path.open("xb") as file:
        file.write(SIGNATURE)
        file.write(packed(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, _COLOUR[channels], 0, 0, 0)))
        file.write(about)
        squeeze = zlib.compressobj(6)
        for start in range(0, height, _ROWS):
            if body := squeeze.compress(_filtered(samples, start)):
                file.write(packed(b"IDAT", body))
        file.write(packed(b"IDAT", squeeze.flush()))
        file.write(packed(b"IEND", b""))


def _filtered(samples: NDArray[Any], start: int) -> bytes:
    from .png_filters import paeth_filtered

    before = min(start, 1)  # the row above is needed, not written
    part = np.ascontiguousarray(samples[start - before : start + _ROWS], dtype=">u2")
    rows = part.reshape(len(part), -1).view(np.uint8)
    out = np.full((len(rows), rows.shape[1] + 1), 4, dtype=np.uint8)
    out[:, 1:] = paeth_filtered(rows, 2 * samples.shape[2])
    return out[before:].tobytes()


def _inflated(file: BinaryIO, chunks: tuple[Chunk, ...], size: int, path: Path) -> NDArray[np.uint8]:
    """Exactly `size` bytes, never more, from all the chunks of pixels."""
    out = np.empty(size, dtype=np.uint8)
    filled, inflate = 0, zlib.decompressobj()
    for chunk in (chunk for chunk in chunks if chunk.kind == b"IDAT"):
        file.seek(chunk.start)
        left = chunk.length
        while left:
            piece = file.read(min(left, _PIECE))
            left -= len(piece)
            while piece:
                got = inflate.decompress(piece, min(size - filled, _PIECE) + 1)
                if filled + len(got) > size:
                    raise damaged(path, _KIND)
                out[filled : filled + len(got)] = np.frombuffer(got, dtype=np.uint8)
                filled += len(got)
                piece = inflate.unconsumed_tail
    if filled != size or not inflate.eof:
        raise damaged(path, _KIND)
    return out


def _from_key(file: BinaryIO, chunks: tuple[Chunk, ...], samples: NDArray[np.uint16]) -> NDArray[np.uint16] | None:
    """Alpha from the one colour that a tRNS chunk declares transparent."""
    keys = [chunk for chunk in chunks if chunk.kind == b"tRNS" and chunk.length == 2 * samples.shape[2]]
    if not keys:
        return None
    file.seek(keys[0].start)
    key = np.frombuffer(file.read(keys[0].length), dtype=">u2")
    return np.where((samples == key).all(axis=2), 0, 65535).astype(np.uint16)
