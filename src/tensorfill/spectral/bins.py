"""Bins of coefficients that share one variance: boxes in a grid over all modes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from ..tensor import SHORT, Array
from .bases import Basis, Numbers
from .borders import CosinesWithin


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
