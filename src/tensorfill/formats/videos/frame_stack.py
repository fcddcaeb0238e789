"""A clip in the making: frames come one by one, and the array (row, column, frame[, channel]) is filled in place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..room import check_room

_FIRST_GUESS = 64  # frames, where a file does not say how many there are
_MOST_WAITING = 32  # frames that are put into the array together, so that its memory is walked through less often
_MOST_WAITING_BYTES = 2**26


class FrameStack:
    """Collects frames; there is room for `expected` of them at first, and never for more than memory allows.

    Gray frames and frames in colour may be mixed: then all become colour.
    """

    def __init__(self, path: Path, expected: int = 0) -> None:
        self._path = path
        self._expected = expected
        self._waiting: list[NDArray[Any]] = []
        self._array: NDArray[Any] | None = None
        self._stored = 0

    def __len__(self) -> int:
        return self._stored + len(self._waiting)

    def add(self, frame: NDArray[Any]) -> None:
        """One more frame, (row, column) or (row, column, channel), of the size and dtype of those before."""
        before = self._waiting[0] if self._waiting else self._array
        if before is not None and (before.shape[:2] != frame.shape[:2] or before.dtype != frame.dtype):
            raise UnreadableFile(
                f"{self._path} changes its size or its depth at frame {len(self)}, from {_look(before)} to "
                f"{_look(frame)}; read the part before it with --frames 0-{len(self) - 1}."
            )
        self._waiting.append(frame)
        if len(self._waiting) == _MOST_WAITING or len(self._waiting) * frame.nbytes > _MOST_WAITING_BYTES:
            self._store()

    def array(self) -> NDArray[Any]:
        """All of them. At least one must have been added."""
        self._store()
        assert self._array is not None
        return self._array if self._array.shape[2] == self._stored else self._array[:, :, : self._stored].copy()

    def _store(self) -> None:
        if not self._waiting:
            return
        frames, self._waiting = self._waiting, []
        colour = any(frame.ndim == 3 for frame in frames) or (self._array is not None and self._array.ndim == 4)
        into = self._with_room(len(frames), frames[0], colour=colour)
        if colour:
            frames = [
                frame if frame.ndim == 3 else np.broadcast_to(frame[..., None], (*frame.shape, 3)) for frame in frames
            ]
        into[:, :, self._stored : self._stored + len(frames)] = np.stack(frames, axis=2)
        self._stored += len(frames)

    def _with_room(self, count: int, like: NDArray[Any], *, colour: bool) -> NDArray[Any]:
        """The array, made larger or coloured where needed."""
        needed, old = self._stored + count, self._array
        if old is not None and old.shape[2] >= needed and (old.ndim == 4) == colour:
            return old
        doubled = _FIRST_GUESS if old is None else 2 * old.shape[2]
        length = self._expected if self._expected >= needed else max(needed, doubled)
        shape = (*like.shape[:2], length, 3) if colour else (*like.shape[:2], length)
        check_room(self._path, shape, like.dtype.itemsize)
        array = np.empty(shape, dtype=like.dtype)
        if old is not None:
            kept = old[:, :, : self._stored]
            array[:, :, : self._stored] = kept[..., None] if array.ndim > kept.ndim else kept
        self._array = array
        return array


def _look(frame: NDArray[Any]) -> str:
    return f"{frame.shape[1]} × {frame.shape[0]} pixels of {8 * frame.dtype.itemsize} bits"
