"""Whether a container file is all there, by the lengths that its outermost parts declare."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from ...errors import UnreadableFile
from ..source import open_source

_EBML = b"\x1a\x45\xdf\xa3"
_SEGMENT = b"\x18\x53\x80\x67"
_BOXES = (
    b"ftyp",
    b"moov",
    b"mdat",
    b"free",
    b"skip",
    b"wide",
    b"pnot",
    b"styp",
    b"sidx",
    b"moof",
    b"uuid",
    b"mfra",
    b"meta",
)


def check_whole(path: Path) -> None:
    """Refuse a file that ends before a part of it does; what declares no length passes."""
    with open_source(path) as file:
        there = file.seek(0, 2)
        file.seek(0)
        declared = _declared_length(file, there)
    if declared > there:
        raise UnreadableFile(
            f"{path} is cut short: it declares {declared:,} bytes and has {there:,}; get it again as a whole, or read "
            "the frames that are there with --frames FIRST-LAST."
        )


def _declared_length(file: BinaryIO, there: int) -> int:
    start = file.read(12)
    file.seek(0)
    if start[:4] == _EBML:
        return open_segment(file) or 0
    if start[:4] == b"RIFF" and start[8:] == b"AVI ":
        return 8 + int.from_bytes(start[4:8], "little")
    if start[4:8] in _BOXES:
        return _boxes_length(file, there)
    return 0


def open_segment(file: BinaryIO) -> int | None:
    """Where the segment of a .mkv file ends, the element that holds everything but a small head; None if nobody says.

    Afterwards the file stands at its first part.
    """
    file.seek(0)
    head = element_size(file) if file.read(4) == _EBML else None
    if head is None:
        return None
    file.seek(head, 1)
    size = element_size(file) if file.read(4) == _SEGMENT else None
    return None if size is None else file.tell() + size


def element_size(file: BinaryIO) -> int | None:
    """A number of 1 to 8 bytes, as many as there are zero bits before the first one; all ones means unknown."""
    first = file.read(1)
    if not first or not first[0]:
        return None
    length = 9 - first[0].bit_length()
    size = int.from_bytes(first + file.read(length - 1), "big") - (1 << 7 * length)
    return None if size == (1 << 7 * length) - 1 else size


def _boxes_length(file: BinaryIO, there: int) -> int:
    """Where the last of the boxes ends that stand one after the other in .mp4 and .mov files."""
    place = 0
    while place + 8 <= there:
        file.seek(place)
        head = file.read(16)
        size, kind = int.from_bytes(head[:4], "big"), head[4:8]
        if size == 1 and len(head) == 16:
            size = int.from_bytes(head[8:], "big")
        if size < 8 or (kind not in _BOXES and place + size > there):
            return there  # to the end of the file, or something that is not a box
        place += size
    return place
