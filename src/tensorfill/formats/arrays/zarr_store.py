"""The files of a Zarr store, in a folder or in a zip file, looked at before the library opens them."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import UnreadableFile
from ..damage import damaged
from .zip_names import members

KIND = "a Zarr store"
_DESCRIPTIONS = ("zarr.json", ".zarray")
_LARGEST = 2**24  # bytes of a description
_MOST_FILES = 2_000_000

Description = dict[str, Any]


def descriptions(path: Path) -> dict[str, Description]:
    """What is said about every array, by its path inside the store; that of an array at the root is empty."""
    found = {key.rpartition("/")[0]: said for key, said in _described(path) if _is_array(key, said)}
    return dict(sorted(found.items()))


def stored(path: Path, array: str) -> tuple[int, int]:
    """How many pieces of an array there are, and their bytes. Refuses links out of the store, pipes and devices."""
    if path.is_file():
        with zipfile.ZipFile(path) as archive:
            start = f"{array}/" if array else ""
            sizes = {
                entry.filename: entry.file_size
                for entry in members(archive, path)
                if entry.filename.startswith(start) and _is_piece(entry.filename)
            }
        if 0 in sizes.values():
            raise damaged(path, KIND)
        return len(sizes), sum(sizes.values())
    root = path.resolve()
    count = total = 0
    for file in _files(root / array, root):
        about = file.stat()
        if not stat.S_ISREG(about.st_mode):
            raise UnreadableFile(f"{file} in the Zarr store {path} is not an ordinary file.")
        if file.is_symlink():
            _check_inside(file, root)
        if _is_piece(file.name):
            if not about.st_size:  # the library takes an empty shard for one that is all fill value
                raise damaged(path, KIND)
            count, total = count + 1, total + about.st_size
    return count, total


def opened(zarr: Any, path: Path) -> Any:
    """The store for the library, to be read only."""
    if path.is_file():
        return zarr.storage.ZipStore(path, mode="r", read_only=True)
    return zarr.storage.LocalStore(path, read_only=True)


def _is_array(key: str, said: Description) -> bool:
    """Rather than a group, whose description may go on with those of all its arrays."""
    return key.endswith(".zarray") or said.get("node_type") == "array"


def _described(path: Path) -> Iterator[tuple[str, Description]]:
    if path.is_file():
        with zipfile.ZipFile(path) as archive:
            for entry in members(archive, path):
                if entry.filename.rpartition("/")[2] in _DESCRIPTIONS and entry.file_size <= _LARGEST:
                    yield entry.filename, _parsed(archive.read(entry), path)
        return
    root = path.resolve()
    for folder, folders, files in os.walk(root):
        for name in (name for name in _DESCRIPTIONS if name in files):
            file = Path(folder, name)
            _check_inside(file, root)
            if file.is_file() and file.stat().st_size <= _LARGEST:
                said = _parsed(file.read_bytes(), path)
                yield file.relative_to(root).as_posix(), said
                if _is_array(name, said):
                    folders.clear()  # its pieces, possibly very many


def _parsed(text: bytes, path: Path) -> Description:
    said = json.loads(text)
    if not isinstance(said, dict):
        raise damaged(path, KIND)
    return said


def _is_piece(name: str) -> bool:
    return name.rpartition("/")[2] not in (*_DESCRIPTIONS, ".zattrs", ".zgroup", ".zmetadata") and name[-1:] != "/"


def _files(folder: Path, root: Path) -> Iterator[Path]:
    _check_inside(folder, root)
    count = 0
    for here, folders, files in os.walk(folder):
        for name in folders:
            if Path(here, name).is_symlink():
                raise _leads_out(Path(here, name))
        for name in files:
            count += 1
            if count > _MOST_FILES:
                raise UnreadableFile(f"{root} has more than {_MOST_FILES:,} files, too many to read.")
            yield Path(here, name)


def _check_inside(file: Path, root: Path) -> None:
    if not file.resolve().is_relative_to(root):
        raise _leads_out(file)


def _leads_out(file: Path) -> UnreadableFile:
    return UnreadableFile(f"{file} is a link that leads out of its Zarr store, which is not followed.")
