"""Bombs: a few bytes that unpack to very many."""

from __future__ import annotations

import gzip
import zlib

_PIECE = 2**20
_LINES = 100_000
_GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"  # the checksum at the end is wrong: nobody should get there
MEGABYTES, GIGABYTES = 2**20, 2**30


def deflated_zeros(count: int) -> bytes:
    """Zeros in deflate's raw form, about a thousandth of their number; made without packing them all."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(bytes(_PIECE)) + packer.flush(zlib.Z_FULL_FLUSH)
    return piece * (count // _PIECE) + zlib.compress(bytes(count % _PIECE), 9)[2:-4]


def zlib_zeros(count: int, start: bytes = b"") -> bytes:
    """The same after `start`, with zlib's head and a checksum that is right."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    lead = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    low, high = (zlib.adler32(start) & 0xFFFF), zlib.adler32(start) >> 16
    return b"\x78\xda" + lead + deflated_zeros(count) + (((high + count * low) % 65521) << 16 | low).to_bytes(4, "big")


def gzip_zeros(count: int, start: bytes) -> bytes:
    """`start` packed by gzip, and then zeros, as a second member of the file."""
    return gzip.compress(start, mtime=0) + _GZIP + deflated_zeros(count) + bytes(8)


def gzip_lines(start: bytes, line: bytes, count: int) -> bytes:
    """Text packed by gzip: a start, and the same line very often."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    lead = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(line * _LINES) + packer.flush(zlib.Z_FULL_FLUSH)
    return _GZIP + lead + piece * (count // _LINES) + packer.flush() + bytes(8)
