"""Nothing that is written replaces what is read, or something else that is written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import InvalidInput, TensorfillError
from ..formats import DataFile
from .source import Source

Named = tuple[str, tuple[Path, ...]]
"""What a file is, as in "the mask", and all files that belong to it, itself first."""


def name_inputs(file: DataFile, source: Source) -> list[Named]:
    """The data and its masks."""
    return [("input", file.files), *(("mask", _mask_files(path)) for path, _ in source.masks)]


def _mask_files(path: Path) -> tuple[Path, ...]:
    try:
        return DataFile.of(path).files
    except TensorfillError:  # which reading it will tell
        return (path,)


def check_apart(inputs: Iterable[Named], outputs: Iterable[Named]) -> None:
    """Refuse an output that is an input or another output, by whatever name, or that has an input in it."""
    taken: dict[object, str] = {}
    around: dict[object, str] = {}
    for what, files in inputs:
        for file in files:
            taken.setdefault(_identify(file), what)
            for folder in Path(os.path.realpath(file)).parents:
                around.setdefault(_identify(folder), what)
    for what, files in outputs:
        for file in files:
            identity = _identify(file)
            if identity in taken:
                raise InvalidInput(f"The {taken[identity]} and the {what} cannot both be {file}; give another name.")
            if identity in around:
                raise InvalidInput(f"The {what} {files[0]} cannot replace the folder of the {around[identity]}.")
            taken[identity] = what


def _identify(path: Path) -> object:
    """The same for two names of one file: through links of both kinds, and where case does not count."""
    place = os.path.realpath(path)
    try:
        found = os.stat(place)
    except (OSError, ValueError):  # it is to be made
        return os.path.normcase(place)
    return (found.st_dev, found.st_ino) if found.st_ino else os.path.normcase(place)
