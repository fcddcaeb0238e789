"""The checksums of FFV1, which libav computes and does not act upon.

A frame is a chain of slices, read from its end: each ends with 3 bytes that tell its size, 1 byte of status, and 4
bytes that make the CRC-32 of the whole slice 0 (RFC 9043, section 4.9; most significant bit first, starting from 0).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_TRAILER = 8
_ONES = 0xFFFFFFFF
_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class Ffv1Checksums:
    """Looks at one frame after the other; those of old files have no checksums, and pass."""

    def __init__(self) -> None:
        self._there = False

    def right(self, packet: bytes) -> bool:
        """Whether a coded frame is as it was written, as far as can be told."""
        slices = list(_slices(packet))
        if sum(map(len, slices)) != len(packet):
            return not self._there
        self._there = True
        return not any(map(_crc, slices))


def _slices(packet: bytes) -> Iterator[bytes]:
    """From the last one to the first, as far as the chain holds."""
    end = len(packet)
    while end >= _TRAILER:
        size = int.from_bytes(packet[end - _TRAILER : end - _TRAILER + 3], "big") + _TRAILER
        if size > end:
            return
        yield packet[end - size : end]
        end -= size


def _crc(data: bytes) -> int:
    """0 if all is well. zlib has the least significant bit first and inverts before and after."""
    return zlib.crc32(data.translate(_MIRRORED), _ONES) ^ _ONES
