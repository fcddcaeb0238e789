"""A dataset of an open HDF5 file, looked at before it is read: where it lies, how large it is, how it is packed."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from .. import limits
from ..contents import check_numbers
from ..room import check_room
from .choice import Found

_MOST_OBJECTS = 10_000
_MOST_LINKS = 20
_MOST_CHUNKS = 2**21


def datasets(file: Any, h5py: Any) -> dict[str, Found]:
    """Every dataset by its path; links are not followed, so this ends."""
    found: dict[str, Found] = {}
    seen = 0

    def look(name: str, item: Any) -> bool | None:
        nonlocal seen
        seen += 1
        if isinstance(item, h5py.Dataset):
            found[name] = described(item)
        return True if seen >= _MOST_OBJECTS else None

    file.visititems(look)
    return found


def described(dataset: Any) -> Found:
    """Shape and dtype; without a dtype if it is one that NumPy does not have."""
    try:
        return Found(dataset.shape or (), None if dataset.shape is None else dataset.dtype)
    except TypeError:
        return Found((), None)


def opened(file: Any, h5py: Any, path: Path, asked: str) -> tuple[str, Any] | None:
    """The path and the object of this name, following links inside the file only; None if there is none."""
    here: Any = file
    walked: list[str] = []
    left = asked.split("/")[::-1]
    links = 0
    while left:
        name = left.pop()
        if name in ("", "."):
            continue
        key = name.encode(errors="surrogateescape")
        if not isinstance(here, h5py.Group) or not here.id.links.exists(key):
            return None
        link = here.id.links.get_info(key).type
        if link == h5py.h5l.TYPE_SOFT and links < _MOST_LINKS:
            links += 1
            target = here.id.links.get_val(key).decode(errors="surrogateescape")
            if target.startswith("/"):
                here, walked = file, []
            left.extend(target.split("/")[::-1])
        elif link == h5py.h5l.TYPE_HARD:
            here = here[name]
            walked.append(name)
        else:
            raise UnreadableFile(
                f"'{asked}' in {path} is a link to another file, which is not followed; open that file instead."
            )
    return "/".join(walked), here


def loaded(dataset: Any, h5py: Any, path: Path, name: str) -> NDArray[Any]:
    """All values, in this machine's byte order."""
    found = described(dataset)
    if found.dtype is None:
        raise InvalidInput(f"'{name}' in {path} must hold real numbers (integers or floating point).")
    check_numbers(np.empty(0, found.dtype), f"'{name}' in {path}")
    if dataset.is_virtual or dataset.external:
        raise UnreadableFile(
            f"The values of '{name}' in {path} lie in other files or datasets, which are not followed; "
            "store them in one dataset first."
        )
    _check_filters(dataset, h5py, path, name)
    itemsize = found.dtype.itemsize
    check_room(path, found.shape, itemsize, path.stat().st_size)
    _check_chunks(dataset, path, name)
    chunk = prod(dataset.chunks) if dataset.chunks else 0
    limits.allow((prod(found.shape) + chunk) * itemsize)
    data = np.asarray(dataset[()])
    return data.astype(data.dtype.newbyteorder("="), copy=False)


def _check_filters(dataset: Any, h5py: Any, path: Path, name: str) -> None:
    how = dataset.id.get_create_plist()
    for index in range(how.get_nfilters()):
        code, _, _, called = how.get_filter(index)
        if not h5py.h5z.filter_avail(code):
            known = called.decode(errors="replace") or "unnamed"
            raise UnreadableFile(
                f"'{name}' in {path} is packed by a filter that is not installed ({known}, number {code}); "
                "store it with gzip, or without a filter."
            )


def _check_chunks(dataset: Any, path: Path, name: str) -> None:
    if not dataset.chunks:
        return
    check_room(path, dataset.chunks, dataset.dtype.itemsize)
    count = prod(-(-size // max(piece, 1)) for size, piece in zip(dataset.shape, dataset.chunks, strict=True))
    if count > _MOST_CHUNKS:
        raise UnreadableFile(
            f"'{name}' in {path} is cut into {count:,} pieces of {' × '.join(map(str, dataset.chunks))}, too many to "
            "read; store it in larger pieces."
        )
