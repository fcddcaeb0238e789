"""What is around an entry, as numbers that errors may depend on: how much is known there, and how well it is met.

Neighbours count by a bell curve of some width, along modes whose order means something. All are logarithms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from ..tensor import SHORT, Array
from .bases import Basis, Numbers
from .data import KnownData

_NEAR_AND_FAR = (1.0, 3.0, 8.0)  # widths in which known entries are counted, in entries
_ALONG = 2.0  # the same along one mode alone
_MET, _STEEP = 3.0, 1.0  # widths in which misfits and slopes are averaged
_LITTLE = 0.02  # of what is usual is added before logarithms are taken
_SOME = 0.3  # the same for misfits: as many of usual size join those of a neighbourhood, as a share of the usual number
_FEW = 10.0  # and so many those of a slice
_FLAT = 0.1  # the same for slopes

Mask = NDArray[np.bool_]


class Surroundings:
    """Looks around the entries of a tensor."""

    def __init__(self, bases: Sequence[Basis]) -> None:
        self._ordered = tuple(basis.size > SHORT and basis.kind != "identity" for basis in bases)

    def smoothed(self, values: Numbers, width: float) -> Numbers:
        """A weighted mean over neighbours."""
        widths = [width if ordered else 0.0 for ordered in self._ordered]
        return np.asarray(gaussian_filter(values, widths, mode="nearest"))

    def slopes(self, entries: Numbers) -> Numbers:
        """The squared length of the gradient."""
        total: Numbers = np.zeros_like(entries)
        for mode, ordered in enumerate(self._ordered):
            if ordered:
                total += np.gradient(entries, axis=mode) ** 2
        return total

    def count_known_around(self, mask: Mask, dtype: np.dtype[np.floating]) -> Iterator[Numbers]:
        """How much is known near and far, with products of the two, along every mode, and in all channels together."""
        whole = mask.astype(dtype)
        usual = max(float(mask.mean()), float(np.finfo(dtype).tiny))

        def counted(counts: Numbers) -> Numbers:
            return np.asarray(np.log(counts / dtype.type(usual) + dtype.type(_LITTLE)))

        wide = [counted(self.smoothed(whole, width)) for width in _NEAR_AND_FAR]
        yield from wide
        for first in range(len(wide)):
            for second in range(first, len(wide)):
                yield wide[first] * wide[second]
        del wide
        for mode, ordered in enumerate(self._ordered):
            if ordered:
                widths = [_ALONG if mode == other else 0.0 for other in range(mask.ndim)]
                yield counted(gaussian_filter(whole, widths, mode="nearest"))
        channels = tuple(mode for mode, ordered in enumerate(self._ordered) if not ordered)
        if channels and len(channels) < mask.ndim:
            together = self.smoothed(whole, _NEAR_AND_FAR[0]).mean(axis=channels, keepdims=True)
            yield np.broadcast_to(counted(together), mask.shape)

    def fit_around(self, known: KnownData, entries: Numbers, expected: Numbers) -> Iterator[Numbers]:
        """How badly known values are met around an entry and in its slices, how much steeper than expected the estimate
        is, and how large. Estimate and values are as they are, not less their mean; slopes are squared.
        """
        dtype = entries.dtype
        misfit = per_mean(known.filled((known.values - entries[known.mask]) ** 2), known.mask)
        usual = known.mask.astype(dtype)
        some = dtype.type(_SOME * known.share)
        yield np.asarray(np.log((self.smoothed(misfit, _MET) + some) / (self.smoothed(usual, _MET) + some)))
        yield from slices(misfit, usual, known.mask, _FEW)
        del misfit, usual
        flat = dtype.type(max(_FLAT * float(expected.mean(dtype=np.float64)), float(np.finfo(dtype).tiny)))
        found = self.smoothed(self.slopes(entries), _STEEP)
        yield np.asarray(np.log((found + flat) / (self.smoothed(expected, _STEEP) + flat)))
        del found
        little = max(_LITTLE * float(entries.mean(dtype=np.float64)), float(np.finfo(dtype).tiny))
        yield np.asarray(np.log(entries + dtype.type(little)))


def per_mean(values: Numbers, where: Mask) -> Numbers:
    """Values divided by their mean in `where`."""
    total = float(values.sum(where=where, dtype=np.float64))
    mean = max(total / max(int(np.count_nonzero(where)), 1), float(np.finfo(values.dtype).tiny))
    return np.asarray(values / values.dtype.type(mean))


def slices(values: Numbers, usual: Numbers, where: Mask, few: float) -> Iterator[Numbers]:
    """Sums over all entries in `where` with the same index, next to what is usual, for every mode; `few` join both."""
    for mode in range(values.ndim):
        others = tuple(other for other in range(values.ndim) if other != mode)
        sums, counts = (part.sum(axis=others, keepdims=True, where=where, dtype=np.float64) for part in (values, usual))
        yield np.broadcast_to(np.log((sums + few) / (counts + few)).astype(values.dtype), values.shape)


def at(parts: Iterable[Numbers], positions: NDArray[np.intp]) -> Array:
    """Rows of the properties of some entries."""
    return np.stack([part.reshape(-1)[positions] for part in parts], axis=1).astype(np.float64)
