"""Files of one command that must not be the same: nothing that is written may replace what is read, or each other."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .. import formats
from ..errors import InvalidInput, TensorfillError

Named = tuple[str, Path]
"""What a file is, as in "the mask", and where."""


def check_apart(inputs: Iterable[Named], outputs: Iterable[Named]) -> None:
    """Refuse an output that is an input or another output, by whatever name, or that has an input in it."""
    taken: dict[object, str] = {}
    around: dict[object, str] = {}
    for what, path in inputs:
        for place in _files(path):
            taken.setdefault(_identity(place), what)
            for folder in Path(os.path.realpath(place)).parents:
                around.setdefault(_identity(folder), what)
    for what, path in outputs:
        for place in _files(path):
            identity = _identity(place)
            if identity in taken:
                raise InvalidInput(f"The {taken[identity]} and the {what} cannot both be {place}; give another name.")
            if identity in around:
                raise InvalidInput(f"The {what} {path} cannot replace the folder of the {around[identity]}.")
            taken[identity] = what


def _files(path: Path) -> tuple[Path, ...]:
    """The file itself, and those that belong to it."""
    place = formats.located(path)[0]
    try:
        return place, *formats.format_of(place).companions(place)
    except TensorfillError:  # no data, such as a report
        return (place,)


def _identity(path: Path) -> object:
    """The same for two names of one file: through links of both kinds, and where case does not count."""
    place = os.path.realpath(path)
    try:
        found = os.stat(place)
    except (OSError, ValueError):  # it is to be made
        return os.path.normcase(place)
    return (found.st_dev, found.st_ino) if found.st_ino else os.path.normcase(place)
