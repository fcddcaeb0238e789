"""PNG pictures with 16 bits per channel, by hand because Pillow cuts those in colour or with alpha down to 8.

Every byte is stored as the difference to what its neighbours foretell. With a to the left of x, b above it and c above
a, the forecast is 0, a, b, ⌊(a + b)/2⌋, or whichever of a, b, c is nearest to a + b − c.

Format: W3C, Portable Network Graphics (PNG) Specification, section 9.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...compiling import compiled
from .png_chunks import SIGNATURE, Chunks, to_chunk

_COLOUR = {1: 0, 2: 4, 3: 2, 4: 6}
_ROWS = 64  # filtered at a time
_NEAREST = 4


def read_sixteen_bit(chunks: Chunks) -> tuple[NDArray[np.uint16], NDArray[np.uint16] | None]:
    """The values, (rows, columns) or (rows, columns, 3), and alpha if there is any; ValueError if it is damaged."""
    channels = chunks.channels
    raw = np.empty(chunks.size, dtype=np.uint8)
    place = 0
    for piece in chunks.inflate(chunks.size):
        raw[place : place + len(piece)] = np.frombuffer(piece, dtype=np.uint8)  # fails if there is too much
        place += len(piece)
    rows = raw.reshape(chunks.height, -1)
    values = np.ascontiguousarray(rows[:, 1:])
    if place != len(raw) or not undo_filters(rows[:, 0].copy(), values, 2 * channels):
        raise ValueError("too few pixels, or no such filter")
    samples = values.view(">u2").astype(np.uint16).reshape(chunks.height, chunks.width, channels)
    key = np.frombuffer(chunks.body(b"tRNS"), dtype=">u2")
    alpha: NDArray[np.uint16] | None = None
    if channels in (2, 4):
        alpha = np.ascontiguousarray(samples[..., -1])
    elif len(key) == channels:  # the one colour that is transparent
        alpha = np.where((samples == key).all(axis=2), 0, 65535).astype(np.uint16)
    return np.ascontiguousarray(samples[..., 0] if channels < 3 else samples[..., :3]), alpha


def write_sixteen_bit(path: Path, data: NDArray[Any], about: bytes) -> None:
    """Gray, gray with alpha, RGB or RGB with alpha, told apart by their number; `about` are further chunks."""
    samples = data[..., None] if data.ndim == 2 else data
    height, width, channels = samples.shape
    squeeze = zlib.compressobj(6)
    with path.open("xb") as file:
        file.write(SIGNATURE)
        file.write(to_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, _COLOUR[channels], 0, 0, 0)))
        file.write(about)
        for start in range(0, height, _ROWS):
            if body := squeeze.compress(_filter_rows(samples, start)):
                file.write(to_chunk(b"IDAT", body))
        file.write(to_chunk(b"IDAT", squeeze.flush()) + to_chunk(b"IEND", b""))


def _filter_rows(samples: NDArray[Any], start: int) -> bytes:
    """Some rows as differences to the last of the forecasts: what `undo_filters` undoes."""
    step, before = 2 * samples.shape[2], min(start, 1)  # the row above is needed, not written
    part = np.ascontiguousarray(samples[start - before : start + _ROWS], dtype=">u2")
    rows = part.reshape(len(part), -1).view(np.uint8)
    padded = np.zeros((rows.shape[0] + 1, rows.shape[1] + step), dtype=np.int16)
    padded[1:, step:] = rows
    a, b, c = padded[1:, :-step], padded[:-1, step:], padded[:-1, :-step]
    to_a, to_b, to_c = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    forecast = np.where((to_a <= to_b) & (to_a <= to_c), a, np.where(to_b <= to_c, b, c))
    out = np.full((len(rows), rows.shape[1] + 1), _NEAREST, dtype=np.uint8)
    out[:, 1:] = rows - forecast
    return out[before:].tobytes()


@compiled()
def undo_filters(filters, rows, step):  # type: ignore[no-untyped-def]
    """Replace differences by values, in place; `step` bytes are a pixel. Returns whether all filters exist."""
    width, zero = rows.shape[1], np.int64(0)
    for i in range(rows.shape[0]):
        method = filters[i]
        if method > 4:
            return False
        if method == 0:
            continue
        for j in range(width):
            a = np.int64(rows[i, j - step]) if j >= step else zero
            b = np.int64(rows[i - 1, j]) if i > 0 else zero
            c = np.int64(rows[i - 1, j - step]) if i > 0 and j >= step else zero
            if method == 1:
                forecast = a
            elif method == 2:
                forecast = b
            elif method == 3:
                forecast = (a + b) // 2
            else:
                to_a, to_b, to_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                if to_a <= to_b and to_a <= to_c:
                    forecast = a
                elif to_b <= to_c:
                    forecast = b
                else:
                    forecast = c
            rows[i, j] = (rows[i, j] + forecast) & 255
    return True
