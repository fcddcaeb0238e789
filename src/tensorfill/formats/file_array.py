"""FileArray: an array that is on disk and never whole in memory; and what serves such arrays and those in memory alike.

Every access maps the part of the file that it is about, copies it and lets it go, so that a process that goes through
all of it never holds more than a piece.
"""

from __future__ import annotations

import mmap
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..errors import UnreadableFile
from ..tensor import entries

PIECE = 2**25
"""Bytes that are read, looked at or written at a time."""
_MAPPED = 2**26
"""Bytes of a file that are mapped at a time."""
Region = tuple[slice, ...]


class Elsewhere(NDArrayOperatorsMixin):
    """An array whose values are not in memory: NumPy takes it for the whole array, whatever that costs."""

    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """How many modes there are."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many entries there are."""
        return entries(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[...], dtype=dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        whole = (np.asarray(each) if isinstance(each, Elsewhere) else each for each in inputs)
        return getattr(ufunc, method)(*whole, **kwargs)

    def __getitem__(self, key: Any) -> NDArray[Any]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class FileArray(Elsewhere):
    """Numbers in a file: where they begin and how many bytes lie between two along every mode.

    A value that can be pickled: what opens it elsewhere needs the same file. Indices are numbers and slices.
    """

    path: Path
    stored: np.dtype[Any]
    """The dtype in the file, of any byte order; what is read is of this machine's."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @classmethod
    def of(
        cls, path: Path, dtype: np.dtype[Any], shape: Sequence[int], axes: Sequence[int] | None = None, offset: int = 0
    ) -> FileArray:
        """Numbers without gaps; `axes` are the modes in the order in which the file has them, the slowest first."""
        strides, step = [0] * len(shape), dtype.itemsize
        for mode in reversed(range(len(shape)) if axes is None else axes):
            strides[mode] = step
            step *= shape[mode]
        return cls(path, dtype, tuple(shape), tuple(strides), offset)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the values."""
        return self.stored.newbyteorder("=")

    @property
    def nbytes(self) -> int:
        """How many bytes the values take."""
        return self.size * self.stored.itemsize

    @property
    def T(self) -> FileArray:
        """The same with its modes in reverse."""
        return self.transpose(range(self.ndim)[::-1])

    def transpose(self, modes: Sequence[int]) -> FileArray:
        """The same with its modes in this order."""
        shape, strides = (tuple(told[mode] for mode in modes) for told in (self.shape, self.strides))
        return replace(self, shape=shape, strides=strides)

    def spread(self, spread: Callable[[NDArray[Any]], NDArray[Any] | None]) -> FileArray | None:
        """The same with further modes, along which all is alike, as a function makes them that only makes views."""
        there = as_strided(np.empty((), self.stored), self.shape, self.strides)
        view = spread(there)
        return None if view is None else replace(self, shape=view.shape, strides=view.strides)

    def part(self, key: Any) -> FileArray:
        """A part of it, which is not read."""
        offset, shape, strides = self.offset, [], []
        for size, stride, index in zip(self.shape, self.strides, complete_key(key, self.ndim), strict=True):
            if isinstance(index, slice):
                chosen = range(size)[index]
                offset += stride * chosen.start if chosen else 0
                shape.append(len(chosen))
                strides.append(stride * chosen.step)
            else:
                offset += stride * range(size)[index]
        return replace(self, offset=offset, shape=tuple(shape), strides=tuple(strides))

    def __getitem__(self, key: Any) -> NDArray[Any]:
        """A copy, whose numbers are in memory in the order of the file."""
        part = self.part(key)
        order = order_of(part)
        found = np.empty([part.shape[mode] for mode in order], self.dtype).transpose(np.argsort(order))
        for place in part._places():
            part.part(place)._copy(take(found, place), write=False)
        return found

    def __setitem__(self, key: Any, values: Any) -> None:
        part = self.part(key)
        given = np.broadcast_to(np.asarray(values), part.shape)
        for place in part._places():
            part.part(place)._copy(given[place], write=True)

    def _places(self) -> Iterator[Region]:
        """Parts of it that lie close together in the file, gaps included."""
        order = order_of(self)
        sizes = list(self.shape)
        for place, mode in enumerate(order):
            within = sum((self.shape[faster] - 1) * abs(self.strides[faster]) for faster in order[place + 1 :])
            count = max(1, (_MAPPED - within) // max(1, abs(self.strides[mode])))
            sizes[mode] = min(sizes[mode], count)
            if count > 1 or within < _MAPPED:
                break
        return _blocks(self.shape, sizes, order)

    def _copy(self, values: NDArray[Any], *, write: bool) -> None:
        """From the file into `values`, or the other way round."""
        if not self.size:
            return
        ends = [(size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True)]
        low = self.offset + sum(min(0, end) for end in ends)
        high = self.offset + sum(max(0, end) for end in ends) + self.stored.itemsize
        start = low - low % mmap.ALLOCATIONGRANULARITY
        access = mmap.ACCESS_WRITE if write else mmap.ACCESS_READ
        try:
            with self.path.open("r+b" if write else "rb") as file:
                if file.seek(0, 2) < high:  # or the system would end this process
                    raise UnreadableFile(f"{self.path} has become shorter while it was read.")
                with mmap.mmap(file.fileno(), high - start, access=access, offset=start) as memory:
                    there: NDArray[Any] = np.ndarray(self.shape, self.stored, memory, self.offset - start, self.strides)
                    if write:
                        there[...] = values
                    else:
                        values[...] = there
                    del there
        except OSError as error:
            what = "written" if write else "read"
            raise UnreadableFile(f"{self.path} cannot be {what} any more: {error.strerror or error}.") from error


def complete_key(key: Any, ndim: int) -> list[slice | int]:
    """An index or a slice for every mode."""
    keys = list(key) if isinstance(key, tuple) else [key]
    at = next((place for place, each in enumerate(keys) if each is Ellipsis), len(keys))
    rest = keys[at + 1 :]
    keys = [*keys[:at], *[slice(None)] * (ndim - at - len(rest)), *rest]
    if len(keys) > ndim:
        raise IndexError(f"{len(keys)} indices for {ndim} modes")
    return [each if isinstance(each, slice) else operator.index(each) for each in keys]


# Arrays wherever they are


AnyArray = NDArray[Any] | Elsewhere
"""In memory or not: both have a shape and a dtype, and are read in parts by `take`."""


def is_in_memory(array: Any) -> bool:
    """Whether this is an array of NumPy."""
    return isinstance(array, np.ndarray)


def take(array: Any, region: tuple[slice | int, ...]) -> NDArray[Any]:
    """A part of an array, in memory: a view if all of it is there already, else a copy."""
    return np.asarray(array[region or ...])  # a number by itself stays an array


def order_of(array: Any) -> list[int]:
    """The modes from the slowest in memory or in the file to the fastest."""
    strides: Sequence[int] = array.strides
    return sorted(range(len(strides)), key=lambda mode: -abs(strides[mode]))


def cut(
    shape: Sequence[int],
    itemsize: int,
    order: Sequence[int] | None = None,
    blocks: Sequence[int] | None = None,
    most: int | None = None,
) -> Iterator[Region]:
    """Regions of at most so many bytes that make up the whole, the first mode of `order` slowest.

    Cuts are at multiples of the sizes in `blocks`, so that a region can be larger if a block is.
    """
    order = range(len(shape)) if order is None else order
    most = PIECE if most is None else most
    sizes = [max(1, min(size, block)) for size, block in zip(shape, blocks or [1] * len(shape), strict=True)]
    for mode in reversed(order):
        sizes[mode] = min(max(1, shape[mode]), sizes[mode] * max(1, most // (itemsize * prod(sizes))))
        if sizes[mode] < shape[mode]:
            break
    return _blocks(shape, sizes, order)


def _blocks(shape: Sequence[int], sizes: Sequence[int], order: Sequence[int]) -> Iterator[Region]:
    """The whole in blocks of these sizes, the first mode of `order` slowest."""
    starts = [range(0, shape[mode], max(1, sizes[mode])) for mode in order]
    for number in np.ndindex(*map(len, starts)):
        region = [slice(0)] * len(shape)
        for mode, start, index in zip(order, starts, number, strict=True):
            region[mode] = slice(start[index], min(start[index] + sizes[mode], shape[mode]))
        yield tuple(region)


def pieces(array: Any, blocks: Sequence[int] | None = None) -> Iterator[Region]:
    """Regions to go through an array by, of which each lies close together; cuts are at multiples of `blocks`."""
    return cut(array.shape, array.dtype.itemsize, order_of(array), blocks)


def fill_by_pieces(out: Any, make: Callable[[Region], Any], blocks: Sequence[int] | None = None) -> None:
    """Let every region of `out` be what `make` makes of it."""
    for region in pieces(out, blocks):
        out[region] = make(region)
