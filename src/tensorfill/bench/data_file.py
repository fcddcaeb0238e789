"""DataFile: one file that holds a dataset, how to read it, and what is known about it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from .. import formats
from ..errors import InvalidInput


def read_array(path: Path) -> NDArray[Any]:
    """The array in a .npy, .npz (key `data`), .png or .jpg, every entry of it known."""
    contents = formats.read_contents(path)
    if not contents.known().all():
        raise InvalidInput(f"{path} must be complete to serve as the truth, but some of its entries are missing.")
    return contents.data


@dataclass(frozen=True)
class DataFile:
    """A file below the data folder that a dataset can be read from."""

    name: str
    read: Callable[[Path], NDArray[Any]] = read_array
    sha256: str | None = None
    """Of the file the known figures come from; None where we have not seen it."""
    approximate: str | None = None
    """Why this file is not quite the original data, in one sentence; None where it is."""


def sha256_of(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
