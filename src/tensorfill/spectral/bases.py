"""Orthonormal bases of one mode: cosines, waves in a circle, a matrix, or the entries themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import fft

from ..numerics.threads import threads_here
from ..numerics.unfoldings import share_mode_product

Numbers = NDArray[Any]
BasisKind = Literal["dct", "fourier", "identity", "learned", "own"]

_BY_MATRIX = 64  # up to this many indices a matrix product is quicker than a fast transform


class Basis(Protocol):
    """Columns q_0, q_1, …, from what is common to what is rare: frequencies rise, variances fall."""

    @property
    def kind(self) -> BasisKind:
        """What it is called."""
        ...

    @property
    def size(self) -> int:
        """How many columns there are."""
        ...

    @property
    def kept(self) -> float:
        """How many columns there are for every row."""
        ...

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """Coefficients, Qᵀx along an axis; `overwrite` says that x is not needed any more."""
        ...

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """Entries, Q c along an axis; `overwrite` says that c is not needed any more."""
        ...

    def bin_starts(self) -> NDArray[np.int64]:
        """Where groups of columns begin that share their variance."""
        ...


@dataclass(frozen=True)
class Cosines:
    """DCT-II: for modes with an order, such as space, time and wavelength."""

    size: int
    kind: BasisKind = "dct"
    kept: float = 1.0

    @property
    def fast(self) -> bool:
        """Whether a fast transform is worth it, which can do several modes at once."""
        return self.size > _BY_MATRIX

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a fast cosine transform, or a matrix product if that is quicker."""
        if self.fast:
            return analyse_cosines(x, (axis,), overwrite=overwrite)
        return share_mode_product(x, _cosine_matrix(self.size, x.dtype), axis, overwrite=overwrite)

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a fast cosine transform, or a matrix product if that is quicker."""
        if self.fast:
            return synthesise_cosines(c, (axis,), overwrite=overwrite)
        return share_mode_product(c, _cosine_matrix(self.size, c.dtype).T, axis, overwrite=overwrite)

    def bin_starts(self) -> NDArray[np.int64]:
        """Low frequencies alone, then growing groups."""
        return growing_starts(self.size)


@lru_cache(maxsize=64)
def _cosine_matrix(size: int, dtype: np.dtype[Any]) -> Numbers:
    matrix: Numbers = fft.dct(np.eye(size), axis=0, norm="ortho").astype(dtype)
    matrix.flags.writeable = False  # one for all
    return matrix


def analyse_cosines(x: Numbers, axes: tuple[int, ...], *, overwrite: bool = False) -> Numbers:
    """Cosine coefficients along several axes at once; `overwrite` says that x is not needed any more."""
    return np.asarray(fft.dctn(x, axes=axes, norm="ortho", workers=threads_here(), overwrite_x=overwrite))


def synthesise_cosines(c: Numbers, axes: tuple[int, ...], *, overwrite: bool = False) -> Numbers:
    """Entries from cosine coefficients along several axes at once; `overwrite` says that c is not needed any more."""
    return np.asarray(fft.idctn(c, axes=axes, norm="ortho", workers=threads_here(), overwrite_x=overwrite))


@dataclass(frozen=True)
class Waves:
    """Real Fourier waves, cos + sin (Hartley's): for modes that close in a circle, such as hours of the day."""

    size: int
    kind: BasisKind = "fourier"
    kept: float = 1.0

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a fast Fourier transform."""
        return np.take(self._transform(x, axis), self._by_frequency(), axis)

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By the same transform: it is its own inverse."""
        return self._transform(np.take(c, np.argsort(self._by_frequency()), axis), axis)

    def bin_starts(self) -> NDArray[np.int64]:
        """A wave and its counterpart of the same frequency are never apart."""
        frequency = np.minimum(np.arange(self.size), self.size - np.arange(self.size))[self._by_frequency()]
        return np.searchsorted(frequency, growing_starts(self.size // 2 + 1))

    def _transform(self, x: Numbers, axis: int) -> Numbers:
        waves = fft.fft(x, axis=axis, norm="ortho", workers=threads_here())
        return np.asarray(waves.real - waves.imag)

    def _by_frequency(self) -> NDArray[np.int64]:
        index = np.arange(self.size)
        return np.argsort(np.minimum(index, self.size - index), kind="stable")


@dataclass(frozen=True)
class Entries:
    """No transform: entries along this mode share nothing but their variance."""

    size: int
    kind: BasisKind = "identity"
    kept: float = 1.0

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """What is given."""
        return x

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """What is given."""
        return c

    def bin_starts(self) -> NDArray[np.int64]:
        """All in one."""
        return np.zeros(1, dtype=np.int64)


class Columns:
    """The columns of an orthonormal matrix, maybe fewer than rows: learned from the data, or the user's own."""

    def __init__(self, matrix: ArrayLike, kind: BasisKind, dtype: DTypeLike = np.float32) -> None:
        self.kind: BasisKind = kind
        self._matrix: Numbers = np.ascontiguousarray(matrix, dtype=dtype)
        self._transposed: Numbers = np.ascontiguousarray(self._matrix.T)
        self.size = self._matrix.shape[1]
        self.kept = self.size / max(len(self._matrix), 1)

    def first(self, count: int) -> Columns:
        """The first columns alone."""
        return self if count == self.size else Columns(self._matrix[:, :count], self.kind, self._matrix.dtype)

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a matrix product."""
        return share_mode_product(x, self._transposed, axis, overwrite=overwrite)

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a matrix product."""
        return share_mode_product(c, self._matrix, axis, overwrite=overwrite)

    def bin_starts(self) -> NDArray[np.int64]:
        """The first columns alone, then growing groups."""
        return growing_starts(self.size)


_ALONE = 5  # the lowest frequencies have a bin each
_GROWING = 24  # and all others about so many together


def growing_starts(size: int) -> NDArray[np.int64]:
    """Beginnings of bins that are about equally wide on a logarithmic scale."""
    if size <= _ALONE:
        return np.arange(size)
    wide = np.round(np.geomspace(_ALONE, size, _GROWING + 1)).astype(np.int64)
    starts = np.unique(np.concatenate([np.arange(_ALONE), wide]))
    return starts[starts < size]
