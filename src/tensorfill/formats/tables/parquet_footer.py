"""What the footer of a .parquet file declares, read without unpacking anything.

A file ends with its metadata in Thrift's compact protocol, their length in 4 bytes, and PAR1; see
https://parquet.apache.org/docs/file-format/ and Thrift's "compact protocol" specification.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from ..damage import damaged
from ..source import open_source

_MAGIC = b"PAR1"
_DEEPEST = 32
_ROW_GROUPS, _COLUMNS, _CHUNK, _UNPACKED = 4, 1, 3, 6  # numbers of fields in parquet.thrift
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12


def declared_bytes(path: Path) -> int:
    """How many bytes all columns have, unpacked, if the file tells the truth."""
    with open_source(path) as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        tail = file.read(8)
        length = struct.unpack("<I", tail[:4])[0] if len(tail) == 8 else 0
        if tail[4:] != _MAGIC or not 0 < length <= size - 12:
            raise damaged(path, "a .parquet file")
        file.seek(size - 8 - length)
        footer = _Compact(file.read(length)).structure()
    total = 0
    for group in footer.get(_ROW_GROUPS, ()):
        for column in group.get(_COLUMNS, ()):
            total += max(0, int(column.get(_CHUNK, {}).get(_UNPACKED, 0)))
    return total


class _Compact:
    """Values in Thrift's compact protocol; a structure is a dict by field number."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._depth = 0

    def structure(self) -> dict[int, Any]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("nested too deep")
        found: dict[int, Any] = {}
        field = 0
        while (head := self._byte()) != 0:
            field = field + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            found[field] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        self._depth -= 1
        return found

    def _value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _STRUCT:
            return self.structure()
        raise ValueError(f"no such kind in a footer: {kind}")

    def _list(self) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._unsigned()
        if count > len(self._data) - self._at:  # every element has a byte at least
            raise ValueError("longer than the footer")
        return [self._value(head & 15) for _ in range(count)]

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _bytes(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise ValueError("cut short")
        self._at += count
        return self._data[self._at - count : self._at]
