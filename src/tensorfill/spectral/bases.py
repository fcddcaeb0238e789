"""Orthonormal bases of one mode: cosines, waves in a circle, a matrix, or the entries themselves.

Borders do not always belong: cameras, scanners and conversions leave rows, columns or frames that are nothing like
those beside them. A smooth prior would ring along them, and learn from the jump that neighbours are less alike than
they are. So they may stand alone, and cosines go over the other indices.
"""

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

Borders = tuple[tuple[int, int], ...]
"""For every mode, how many indices stand alone at its beginning and at its end."""


@dataclass(frozen=True)
class Binning:
    """Which columns share a variance."""

    alone: int = 5  # the lowest frequencies have most of the variance, and little in common: a bin each
    groups: int = 24  # about as many for all others: enough for a smooth curve, few enough to be learned

    def starts(self, size: int) -> NDArray[np.int64]:
        """Beginnings of bins that are about equally wide on a logarithmic scale, for spectra fall as powers do."""
        if size <= self.alone:
            return np.arange(size)
        wide = np.round(np.geomspace(self.alone, size, self.groups + 1)).astype(np.int64)
        starts = np.unique(np.concatenate([np.arange(self.alone), wide]))
        return starts[starts < size]


BINNING = Binning()


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
    binning: Binning = BINNING
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
        return self.binning.starts(self.size)


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
class CosinesWithin:
    """Cosines over the indices between the borders; each index of a border is a column of its own, after them."""

    size: int
    first: int
    last: int
    binning: Binning = BINNING
    kind: BasisKind = "dct"
    kept: float = 1.0

    @property
    def alone(self) -> int:
        """How many columns belong to a border."""
        return self.first + self.last

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a fast cosine transform between the borders."""
        start, inner, end = self._parts(x, axis, self.first, self.size - self.last)
        return np.concatenate([analyse_cosines(inner, (axis,)), start, end], axis=axis)

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a fast cosine transform between the borders."""
        inner, start, end = self._parts(c, axis, self.size - self.alone, self.size - self.last)
        return np.concatenate([start, synthesise_cosines(inner, (axis,)), end], axis=axis)

    def bin_starts(self) -> NDArray[np.int64]:
        """As for cosines, and one bin for every index of a border."""
        inner = self.size - self.alone
        return np.concatenate([self.binning.starts(inner), np.arange(inner, self.size)])

    @staticmethod
    def _parts(x: Numbers, axis: int, one: int, two: int) -> tuple[Numbers, Numbers, Numbers]:
        before = (slice(None),) * axis
        return x[(*before, slice(None, one))], x[(*before, slice(one, two))], x[(*before, slice(two, None))]


@dataclass(frozen=True)
class Waves:
    """Real Fourier waves, cos + sin (Hartley's): for modes that close in a circle, such as hours of the day."""

    size: int
    binning: Binning = BINNING
    kind: BasisKind = "fourier"
    kept: float = 1.0

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        return np.take(self._transform(x, axis), self._by_frequency(), axis)

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By the same transform: it is its own inverse."""
        return self._transform(np.take(c, np.argsort(self._by_frequency()), axis), axis)

    def bin_starts(self) -> NDArray[np.int64]:
        """A wave and its counterpart of the same frequency are never apart."""
        frequency = np.minimum(np.arange(self.size), self.size - np.arange(self.size))[self._by_frequency()]
        return np.searchsorted(frequency, self.binning.starts(self.size // 2 + 1))

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
        return x

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        return c

    def bin_starts(self) -> NDArray[np.int64]:
        """All in one."""
        return np.zeros(1, dtype=np.int64)


class Columns:
    """The columns of an orthonormal matrix, maybe fewer than rows: learned from the data, or the user's own."""

    def __init__(
        self, matrix: ArrayLike, kind: BasisKind, dtype: DTypeLike = np.float32, binning: Binning = BINNING
    ) -> None:
        self.kind: BasisKind = kind
        self.binning = binning
        self._matrix: Numbers = np.ascontiguousarray(matrix, dtype=dtype)
        self._transposed: Numbers = np.ascontiguousarray(self._matrix.T)
        self.size = self._matrix.shape[1]
        self.kept = self.size / max(len(self._matrix), 1)

    def first(self, count: int) -> Columns:
        """The first columns alone."""
        if count == self.size:
            return self
        return Columns(self._matrix[:, :count], self.kind, self._matrix.dtype, self.binning)

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        return share_mode_product(x, self._transposed, axis, overwrite=overwrite)

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        return share_mode_product(c, self._matrix, axis, overwrite=overwrite)

    def bin_starts(self) -> NDArray[np.int64]:
        """The first columns alone, then growing groups."""
        return self.binning.starts(self.size)
