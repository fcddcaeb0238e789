"""Kept files: facts as JSON and blocks of bytes, written whole or not at all, and sealed by a checksum.

    line of the format │ length of the head │ head: JSON │ blocks, one after the other │ BLAKE2b of all that

With a key the checksum is a message authentication code: only who has the key can have written the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path
from typing import IO, Any

_FORMAT = b"tensorfill kept file, version 1\n"
_LENGTH = 8  # bytes of a length
_SEAL = 32  # bytes of the checksum
_LONGEST_HEAD = 2**28  # bytes: one that claims to be longer is damaged
PART = ".part"
"""How names of files end that are being written."""

Block = bytes | bytearray | memoryview


class Damaged(Exception):
    """The file is not what was written, or not written by whom it should be."""


@dataclass(frozen=True, eq=False)
class Kept:
    """What a file holds."""

    facts: Mapping[str, Any]
    blocks: Sequence[memoryview]


def write_kept(path: Path, facts: Mapping[str, Any], blocks: Sequence[Block] = (), *, key: bytes = b"") -> None:
    """Write a file that is whole as soon as it has its name; raises OSError, and then leaves nothing behind."""
    flat = [memoryview(block).cast("B") for block in blocks]
    head = json.dumps({"facts": facts, "lengths": [len(block) for block in flat]}, default=_plain).encode()
    seal = hashlib.blake2b(key=key, digest_size=_SEAL)
    part = path.with_name(f".{path.name}-{secrets.token_hex(4)}{PART}")
    try:
        with part.open("xb") as file:
            parts: list[Block] = [_FORMAT, len(head).to_bytes(_LENGTH, "big"), head, *flat]
            for block in parts:
                seal.update(block)
                file.write(block)
            file.write(seal.digest())
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    _sync_folder(path.parent)


def read_kept(path: Path, *, key: bytes = b"") -> Kept:
    """What was written; raises `Damaged`, or OSError where there is nothing to read."""
    seal = hashlib.blake2b(key=key, digest_size=_SEAL)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if _take(file, len(_FORMAT), seal) != _FORMAT:
            raise Damaged
        length = int.from_bytes(_take(file, _LENGTH, seal), "big")
        if length > min(size, _LONGEST_HEAD):
            raise Damaged
        head = bytes(_take(file, length, seal))
        # What the head says is believed after the seal was looked at; before that, only as far as the file is long.
        blocks = [_take(file, count, seal) for count in _lengths(head, size - file.tell() - _SEAL)]
        if not compare_digest(file.read(_SEAL + 1), seal.digest()):
            raise Damaged
    return Kept(json.loads(head)["facts"], [memoryview(block) for block in blocks])


def _take(file: IO[bytes], count: int, seal: Any) -> bytearray:
    """So many bytes, which can be written to: arrays are made of them as they are."""
    block = bytearray(count)
    if file.readinto(block) != count:  # type: ignore[attr-defined]
        raise Damaged
    seal.update(block)
    return block


def _lengths(head: bytes, room: int) -> list[int]:
    try:
        lengths = json.loads(head)["lengths"]
        fits = all(type(length) is int and length >= 0 for length in lengths) and sum(lengths) == room
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged from error
    if not fits:
        raise Damaged
    return list(lengths)


def _plain(number: Any) -> Any:
    """Numbers of NumPy as those of Python."""
    if hasattr(number, "item"):
        return number.item()
    raise TypeError(f"{type(number).__name__} is nothing that JSON can hold.")


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        with suppress(OSError):  # not every file system can
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
