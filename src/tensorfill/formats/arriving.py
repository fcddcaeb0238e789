"""ArrivingArray: an array that somebody is still making, read by another thread as far as it is there."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .file_array import Elsewhere, complete_key, take


class ArrivingArray(Elsewhere):
    """An array that grows along one mode: whoever reads beyond what is there waits for it.

    So what writes a file by pages can do so in a thread, while later pages are being made: `Format.write` reads each
    page when it comes to it.
    """

    def __init__(self, array: Any, mode: int = 0) -> None:
        """`array` is where it is put, in memory or in a file; `mode` the one along which it grows."""
        self.array, self.mode = array, mode
        self.shape: tuple[int, ...] = tuple(array.shape)
        self._there = 0
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the values."""
        found: np.dtype[Any] = self.array.dtype
        return found

    @property
    def nbytes(self) -> int:
        """How many bytes the values take."""
        return self.size * self.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Those of the array, but for the mode along which it grows, which is the slowest whatever they are."""
        found = list(self.array.strides)
        found[self.mode] = 1 + max(map(abs, found), default=0)
        return tuple(found)

    @property
    def there(self) -> int:
        """Up to which index of the mode it is there."""
        return self._there

    def advance(self, end: int) -> None:
        """All before this index of the mode is there."""
        with self._changed:
            self._there = max(self._there, end)
            self._changed.notify_all()

    def abort(self, error: BaseException) -> None:
        """No more will come: who waits for it, or would, gets this error."""
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def __getitem__(self, key: Any) -> NDArray[Any]:
        keys = complete_key(key, self.ndim)
        self._wait_for(keys[self.mode])
        return take(self.array, tuple(keys))

    def _wait_for(self, key: slice | int) -> None:
        indices = range(self.shape[self.mode])[key]
        end = 1 + (max(indices, default=-1) if isinstance(indices, range) else indices)
        with self._changed:
            self._changed.wait_for(lambda: self._there >= end or self._error is not None)
            if self._there < end and self._error is not None:
                raise self._error
