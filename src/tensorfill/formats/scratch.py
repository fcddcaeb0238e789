"""Scratch: a folder for arrays that are too large for memory, as long as they are needed."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

import numpy as np

from ..errors import UnwritableFile
from ..tensor import entries
from .file_array import FileArray, cut
from .staging import private_stage

LARGE = 2**28
_TERMINATED = 128 + 15


@dataclass(frozen=True)
class Scratch:
    """A folder that nobody else can look into. `scratch_in` makes one, and deletes it with all that is in it."""

    folder: Path
    large: int = LARGE
    """From how many bytes on an array is kept here, rather than in memory."""

    def takes(self, size: int) -> bool:
        """Whether an array of so many bytes is large."""
        return size > self.large

    @property
    def free(self) -> int:
        """How many bytes there is room for."""
        return shutil.disk_usage(self.folder).free

    def allocate(self, shape: Sequence[int], dtype: Any, axes: Sequence[int] | None = None) -> FileArray:
        """Zeros on disk; `axes` are the modes in the order in which they are stored, the slowest first.

        The room is taken at once: a disk that is full is noticed here, where it is one sentence.
        """
        stored = np.dtype(dtype)
        found = FileArray.of(self.folder / secrets.token_hex(8), stored, tuple(map(int, shape)), axes)
        with self.refusing(), found.path.open("xb") as file:
            _take_room(file.fileno(), found.nbytes)
        return found

    def receive(self, file: BinaryIO, shape: Sequence[int], dtype: np.dtype[Any]) -> FileArray:
        """Numbers from a file that need not be a real one, the last index fastest; EOFError if they are too few."""
        found = self.allocate(shape, dtype)
        for region in cut(found.shape, dtype.itemsize):
            sizes = [part.stop - part.start for part in region]
            piece = file.read(entries(sizes) * dtype.itemsize)
            if len(piece) < entries(sizes) * dtype.itemsize:
                raise EOFError
            found[region] = np.frombuffer(piece, dtype).reshape(sizes)
        return found

    def extend(self, array: FileArray, mode: int, size: int) -> FileArray:
        """The same with more indices of its slowest mode."""
        shape = (*array.shape[:mode], size, *array.shape[mode + 1 :])
        with self.refusing(), array.path.open("r+b") as file:
            _take_room(file.fileno(), entries(shape) * array.stored.itemsize)
        return FileArray(array.path, array.stored, shape, array.strides, array.offset)

    def discard(self, array: FileArray) -> None:
        """Give back its room."""
        array.path.unlink(missing_ok=True)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """One sentence about what keeps the folder from being written."""
        try:
            yield
        except OSError as error:
            raise _unwritable(self.folder.parent, error) from error


def _take_room(descriptor: int, size: int) -> None:
    if hasattr(os, "posix_fallocate") and size:
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.truncate(descriptor, size)


def _unwritable(folder: Path, error: OSError) -> UnwritableFile:
    return UnwritableFile(
        f"What is too large for memory cannot be kept in {folder} meanwhile: {error.strerror or error}."
    )


def allocate(scratch: Scratch | None, shape: Sequence[int], dtype: Any, axes: Sequence[int] | None = None) -> Any:
    """Room for an array: on disk if it is large and there is a place for that, else in memory."""
    if scratch is not None and scratch.takes(entries(shape) * np.dtype(dtype).itemsize):
        return scratch.allocate(shape, dtype, axes)
    return np.zeros(shape, dtype)


@contextmanager
def scratch_in(folder: Path, large: int = LARGE) -> Iterator[Scratch]:
    """A new folder in this one; it is deleted in the end, also after Ctrl-C and when the process is told to end.

    If the process is killed outright, the next one that writes into `folder` deletes it.
    """
    with ExitStack() as until_done:
        until_done.enter_context(_tidying_when_terminated())
        try:
            stage = until_done.enter_context(private_stage(folder))
        except OSError as error:
            raise _unwritable(folder, error) from error
        yield Scratch(stage, large)


@contextmanager
def _tidying_when_terminated() -> Iterator[None]:
    """SIGTERM, where it would end this process at once, lets `with` and `finally` have their turn in the block."""
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    leave: Callable[[int, FrameType | None], None] = _leave
    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(_TERMINATED)
