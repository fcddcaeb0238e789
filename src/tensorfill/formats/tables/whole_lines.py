"""Whole lines of a text file, packed by gzip or not, in pieces of bounded size."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from ...errors import UnreadableFile
from ..source import open_source

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_PIECE = 2**22
_LONGEST_LINE = 2**20
_HARMLESS = 2**23  # bytes of text, whatever they were packed into
_MOST_TIMES = 200  # packing tables of numbers saves 3 to 30 times


def whole_lines(path: Path) -> Iterator[bytes]:
    """The text of a file; every piece ends where a line does. Does not hide what a damaged .gz raises."""
    rest, lines = b"", 1
    for number, new in enumerate(_unpacked(path)):
        piece = rest + (new.removeprefix(_BOM) if number == 0 else new)
        end = piece.rfind(b"\n") + 1
        piece, rest = piece[:end], piece[end:]
        lines += piece.count(b"\n")
        if len(rest) > _LONGEST_LINE:
            raise UnreadableFile(f"Line {lines} of {path} does not end within a million characters: it is no table.")
        if piece:
            yield piece
    if rest:
        yield rest


def _unpacked(path: Path) -> Iterator[bytes]:
    """The bytes of a file, or those packed in it if they are not suspiciously many."""
    with open_source(path) as file:
        packed = file.read(2) == _GZIP
        if packed:
            _check_packed(file, path)
        file.seek(0)
        source = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
        while piece := source.read(_PIECE):
            yield piece


def _check_packed(file: BinaryIO, path: Path) -> None:
    """Unpack once without keeping anything: that is quick, and turning text into numbers is not."""
    file.seek(0)
    stored, total = path.stat().st_size, 0
    unpacked = gzip.GzipFile(fileobj=file)
    while piece := unpacked.read(_PIECE):
        total += len(piece)
        if total > max(_HARMLESS, _MOST_TIMES * stored):
            raise UnreadableFile(
                f"{path} has {stored:,} bytes and unpacks to more than {total:,}: it is damaged, or made to fill "
                "the memory."
            )


@contextmanager
def text_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file to write lines to, packed if its name ends in .gz."""
    with path.open("xb") as plain:
        if path.suffix.lower() != ".gz":
            yield plain
        else:
            # Without name and time, so that the same table gives the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=plain, compresslevel=3, mtime=0) as packed:
                yield cast(IO[bytes], packed)
