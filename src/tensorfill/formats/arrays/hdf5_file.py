"""A new HDF5 file on a disk that may be full: libhdf5 crashes after a write that failed, so it is never told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from ..damage import needed


class _Forgiving:
    """What h5py needs of a file; the first failure is kept, and nothing is written after it."""

    def __init__(self, raw: FileIO) -> None:
        self.raw = raw
        self.failure: OSError | None = None

    def write(self, data: Any) -> int:
        view = memoryview(data)
        try:
            while view and self.failure is None:
                view = view[self.raw.write(view) :]
        except OSError as error:
            self.failure = error
        return len(memoryview(data))

    def truncate(self, size: int) -> int:
        try:
            return self.raw.truncate(size) if self.failure is None else size
        except OSError as error:
            self.failure = error
            return size

    def read(self, size: int) -> bytes:
        return self.raw.read(size) or b""

    def readinto(self, into: Any) -> int:
        view = memoryview(into)
        got = self.raw.readinto(view) or 0
        view[got:] = bytes(len(view) - got)
        return len(view)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.raw.seek(offset, whence)

    def tell(self) -> int:
        return self.raw.tell()

    def flush(self) -> None:
        """Nothing waits in between."""


@contextmanager
def new_hdf5(path: Path, **how: Any) -> Iterator[Any]:
    """A file of h5py to be filled; OSError if it could not all be written."""
    h5py = needed("h5py", "hyperspectral", path)
    with path.open("x+b", buffering=0) as raw:
        target = _Forgiving(raw)
        with h5py.File(target, "w", **how) as file:
            yield file
    if target.failure is not None:
        raise target.failure
