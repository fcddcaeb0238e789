"""Bins of coefficients that share one variance: boxes in a grid over all modes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from ..tensor import Array
from .bases import SHORT, Basis, Numbers


class Bins:
    """A grid of bins, from where they begin in every mode."""

    def __init__(self, bases: Sequence[Basis]) -> None:
        self._starts = tuple(basis.bin_starts() for basis in bases)
        ends = [np.append(starts[1:], basis.size) for starts, basis in zip(self._starts, bases, strict=True)]
        self._lengths = tuple(end - start for start, end in zip(self._starts, ends, strict=True))
        self.coefficient_shape = tuple(basis.size for basis in bases)
        self.shape = tuple(len(starts) for starts in self._starts)
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
        """A weighted mean over neighbouring bins, about `width` bins to either side, in modes that have an order."""
        widths = [width if size > SHORT else 0.0 for size in self.shape]
        return np.asarray(gaussian_filter(values, widths, mode="nearest"))
