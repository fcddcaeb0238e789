"""The bytes of .png files, made by the definition."""

import struct
import zlib


def chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk with the right checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(
    columns: int, rows: int, pixels: bytes, *, colour: int = 0, bits: int = 8, interlace: int = 0, more: bytes = b""
) -> bytes:
    """A file of these fields, whatever they are; `pixels` are rows, each behind the number of its filter."""
    header = struct.pack(">IIBBBBB", columns, rows, bits, colour, 0, 0, interlace)
    body = chunk(b"IHDR", header) + more + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
