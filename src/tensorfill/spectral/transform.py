"""From the coefficients of a whole tensor to its entries and back, and the bins in which coefficients share a variance.

A transform is a product of bases, and its bins are boxes in a grid over all modes. Several may be added up: entries are
then the sum of what each gives, and coefficients are strung together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from ..tensor import SHORT, Array
from .bases import Basis, Cosines, CosinesWithin, Numbers, analyse_cosines, synthesise_cosines


class Transform:
    """Q = Q_1 ⊗ … ⊗ Q_K, with orthonormal columns. All modes with fast cosines are done at once."""

    def __init__(self, bases: Sequence[Basis]) -> None:
        self.bases = tuple(bases)
        self.coefficient_shape = tuple(basis.size for basis in self.bases)
        self._fast = tuple(mode for mode, basis in enumerate(self.bases) if isinstance(basis, Cosines) and basis.fast)
        # What leaves most of its mode out comes first in one direction and last in the other: less is left to do.
        others = sorted(set(range(len(self.bases))) - set(self._fast), key=lambda mode: self.bases[mode].kept)
        self._shrinking = [mode for mode in others if self.bases[mode].kept < 1]
        self._square = [mode for mode in others if self.bases[mode].kept >= 1]

    def to_coefficients(self, x: Numbers, *, overwrite: bool = False) -> Numbers:
        """Qᵀ x, as a new array; with `overwrite` maybe in place of x, which is not needed any more."""
        c = x
        for mode in self._shrinking:
            c = self.bases[mode].analyse(c, mode, overwrite=overwrite or c is not x)
        if self._fast:
            c = analyse_cosines(c, self._fast, overwrite=overwrite or c is not x)
        for mode in self._square:
            c = self.bases[mode].analyse(c, mode, overwrite=overwrite or c is not x)
        return c.copy() if c is x and not overwrite else np.ascontiguousarray(c)

    def coefficients_of(self, x: Numbers) -> Numbers:
        """Coefficients c with Q c = x, which may be written over."""
        return self.to_coefficients(x, overwrite=True)

    def separate(self, c: Numbers) -> list[Numbers]:
        """What each part of the prior adds to the entries; there is one."""
        return [self.to_entries(c)]

    def to_entries(self, c: Numbers, *, overwrite: bool = False) -> Numbers:
        """Q c, as a new array; with `overwrite` maybe in place of c, which is not needed any more."""
        x = c
        for mode in reversed(self._square):
            x = self.bases[mode].synthesise(x, mode, overwrite=overwrite or x is not c)
        if self._fast:
            x = synthesise_cosines(x, self._fast, overwrite=overwrite or x is not c)
        for mode in reversed(self._shrinking):
            x = self.bases[mode].synthesise(x, mode, overwrite=overwrite or x is not c)
        return x.copy() if x is c and not overwrite else np.ascontiguousarray(x)


class Bins:
    """A grid of bins, from where they begin in every mode."""

    def __init__(self, bases: Sequence[Basis]) -> None:
        self._starts = tuple(basis.bin_starts() for basis in bases)
        ends = [np.append(starts[1:], basis.size) for starts, basis in zip(self._starts, bases, strict=True)]
        self._lengths = tuple(end - start for start, end in zip(self._starts, ends, strict=True))
        self.coefficient_shape = tuple(basis.size for basis in bases)
        self.shape = tuple(len(starts) for starts in self._starts)
        self._alone = tuple(basis.alone if isinstance(basis, CosinesWithin) else 0 for basis in bases)
        counts: Array = np.ones(())
        for lengths in self._lengths:
            counts = np.multiply.outer(counts, lengths.astype(np.float64))
        self.counts: NDArray[np.float64] = counts

    def ranges(self, mode: int) -> list[tuple[int, int]]:
        """Where bins begin and end in one mode."""
        return [
            (int(start), int(start + length))
            for start, length in zip(self._starts[mode], self._lengths[mode], strict=True)
        ]

    def sums(self, values: Numbers) -> Array:
        """The sum of a full array over every bin, in double precision."""
        found: Array = np.empty(self.shape)
        # Slab by slab: a copy of the whole in double precision would be large.
        for row, (start, length) in enumerate(zip(self._starts[0], self._lengths[0], strict=True)):
            slab = values[start : start + length].sum(axis=0, dtype=np.float64)
            for mode in range(1, len(self._starts)):
                slab = np.add.reduceat(slab, self._starts[mode], axis=mode - 1)
            found[row] = slab
        return found

    def spread(self, values: Array, dtype: np.dtype[np.floating]) -> Numbers:
        """A full array with the value of its bin everywhere."""
        whole: Numbers = values.astype(dtype)
        for mode, lengths in enumerate(self._lengths):
            whole = np.repeat(whole, lengths, axis=mode)
        return whole

    def smoothed(self, values: Array, width: float) -> Array:
        """A weighted mean over neighbouring bins, about `width` bins to either side, in modes that have an order.

        What belongs to a border has no neighbour along its mode.
        """
        found: Array = np.array(values)
        for mode, (size, alone) in enumerate(zip(self.shape, self._alone, strict=True)):
            if size > SHORT:
                along = np.moveaxis(found, mode, 0)[: size - alone]
                along[:] = gaussian_filter1d(along, width, axis=0, mode="nearest")
        return found

    def with_borders(self, variances: Array) -> Array:
        """A slice of a border varies as any other does, on average: it is too small to learn from it how."""
        found: Array = np.array(variances)
        for mode, alone in enumerate(self._alone):
            if alone:
                along = np.moveaxis(found, mode, 0)
                along[-alone:] = np.average(along[:-alone], axis=0, weights=self._lengths[mode][:-alone])
        return found


class SummedTransform:
    """Q = (Q^(1), Q^(2), …) side by side; no longer orthonormal."""

    def __init__(self, parts: Sequence[Transform]) -> None:
        self.parts = tuple(parts)
        self.bases = self.parts[0].bases
        ends = np.cumsum([int(np.prod(part.coefficient_shape)) for part in parts])
        self.coefficient_shape = (int(ends[-1]),)
        self._cuts = ends[:-1]

    def to_coefficients(self, x: Numbers, *, overwrite: bool = False) -> Numbers:
        """Qᵀ x, as a new array; x is left as it is, for every part needs it."""
        return np.concatenate([part.to_coefficients(x).reshape(-1) for part in self.parts])

    def to_entries(self, c: Numbers, *, overwrite: bool = False) -> Numbers:
        """Q c, as a new array; c is left as it is."""
        first, *others = self.separate(c)
        for other in others:
            first += other
        return first

    def coefficients_of(self, x: Numbers) -> Numbers:
        """Some coefficients of x: those of the first part."""
        found = np.zeros(self.coefficient_shape, x.dtype)
        first = self.parts[0].to_coefficients(x).reshape(-1)
        found[: len(first)] = first
        return found

    def separate(self, c: Numbers) -> list[Numbers]:
        """What each part adds to the entries."""
        return [
            part.to_entries(piece.reshape(part.coefficient_shape))
            for part, piece in zip(self.parts, np.split(c, self._cuts), strict=True)
        ]


class SummedBins:
    """The bins of all parts, in a row."""

    def __init__(self, parts: Sequence[Bins]) -> None:
        self._parts = tuple(parts)
        self._cuts = np.cumsum([int(np.prod(part.coefficient_shape)) for part in parts])[:-1]
        self._bin_cuts = np.cumsum([part.counts.size for part in parts])[:-1]
        self.counts: Array = np.concatenate([part.counts.reshape(-1) for part in parts])
        self.shape = self.counts.shape

    def sums(self, values: Numbers) -> Array:
        """The sum of a full array over every bin, in double precision."""
        pieces = zip(self._parts, np.split(values, self._cuts), strict=True)
        return np.concatenate([part.sums(piece.reshape(part.coefficient_shape)).reshape(-1) for part, piece in pieces])

    def spread(self, values: Array, dtype: np.dtype[np.floating]) -> Numbers:
        """A full array with the value of its bin everywhere."""
        pieces = zip(self._parts, np.split(values, self._bin_cuts), strict=True)
        return np.concatenate([part.spread(piece.reshape(part.shape), dtype).reshape(-1) for part, piece in pieces])

    def smoothed(self, values: Array, width: float) -> Array:
        """A weighted mean over neighbouring bins of the same part."""
        pieces = zip(self._parts, np.split(values, self._bin_cuts), strict=True)
        return np.concatenate([part.smoothed(piece.reshape(part.shape), width).reshape(-1) for part, piece in pieces])

    def with_borders(self, variances: Array) -> Array:
        """As they are: no border stands alone here."""
        return variances


@dataclass(frozen=True, eq=False)
class SpectralEstimate:
    """constant + Q c. Entries come all at once, so that they are kept once they were asked for one by one."""

    transform: Transform | SummedTransform
    coefficients: Numbers
    constant: float

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        values: Array = self._entries[tuple(coordinates.T)].astype(np.float64)
        return values + self.constant

    def dense(self) -> Array:
        """The full tensor."""
        whole = self.transform.to_entries(self.coefficients).astype(np.float64)
        whole += self.constant
        return whole

    def components(self) -> tuple[Array, ...]:
        """What varies, by part of the prior, and the constant."""
        varying = [part.astype(np.float64) for part in self.transform.separate(self.coefficients)]
        return *varying, np.full(varying[0].shape, self.constant)

    @cached_property
    def _entries(self) -> Numbers:
        return self.transform.to_entries(self.coefficients)
