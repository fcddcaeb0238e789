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
    """Looks at one frame after the other; those of old files have no checksums, and pass.

    A file has them if any slice does. Where the size of a slice is wrong, that may show in a later frame only.
    """

    def __init__(self) -> None:
        self._there = False
        self._seen = 0
        self._first_wrong: int | None = None

    def see(self, packet: bytes) -> None:
        """The next coded frame."""
        slices = list(_slices(packet))
        # A stretch of zeros has the right checksum, and is no slice.
        right = [any(part) and not _crc(part) for part in slices]
        self._there |= any(right)
        if self._first_wrong is None and not (all(right) and sum(map(len, slices)) == len(packet)):
            self._first_wrong = self._seen
        self._seen += 1

    @property
    def wrong(self) -> int | None:
        """The first frame that is not as it was written, as far as can be told by now."""
        return self._first_wrong if self._there else None


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
