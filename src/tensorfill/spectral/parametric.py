"""Spectra with a few parameters: correlations that fall with distance, at a rate per mode.

A learned spectrum is free; one of these is the most likely of its family if coefficients have those variances, each bin
weighted by how many of its coefficients the data determines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from ..tensor import SHORT, Array
from .bases import Basis
from .bins import Bins
from .start import cosine_variances

Family = Literal["matern-1/2", "matern-3/2", "squared-exponential", "constant+local"]

CORRELATIONS: dict[str, Callable[[Array], Array]] = {
    "matern-1/2": lambda r: np.exp(-r),
    "matern-3/2": lambda r: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
    "squared-exponential": lambda r: np.exp(-0.5 * r**2),
    "constant+local": lambda r: (2 + np.exp(-r)) / 3,
}
"""The correlation of two entries whose distance is r lengths."""

_LENGTHS = 30  # tried for a mode, from half an entry to the whole mode
_SWEEPS = 3
_LEAST = 1e-9  # of the largest variance along a mode


class ParametricSpectrum:
    """One family, with lengths per mode that are given or found."""

    def __init__(self, family: Family, bases: Sequence[Basis], lengths: Sequence[float] | None) -> None:
        self._bases = tuple(bases)
        self._bins = [Bins([basis]) for basis in bases]
        self._lengths = None if lengths is None else tuple(map(float, lengths))
        self._tables = [self._table(mode, CORRELATIONS[family]) for mode in range(len(self._bases))]

    def nearest(self, variances: Array, weights: Array) -> Array:
        """Variances v of the family, per bin, with the least Σ weights (log v + variances/v)."""
        parts = [table[len(table) // 2] for table in self._tables]
        for _ in range(_SWEEPS):
            for mode, table in enumerate(self._tables):
                others = _product([part if m != mode else np.ones_like(part) for m, part in enumerate(parts)])
                axes = tuple(axis for axis in range(variances.ndim) if axis != mode)
                total = weights.sum(axis=axes) + 1e-12 * weights.sum()
                mean = (weights * variances / others).sum(axis=axes) / total
                if self._bases[mode].size <= SHORT:
                    parts[mode] = np.maximum(mean, _LEAST * mean.max())  # channels: whatever they are
                else:
                    levels = (mean / table) @ total / total.sum()
                    costs = (np.log(levels[:, None] * table) + 1) @ total
                    best = int(np.argmin(costs))
                    parts[mode] = levels[best] * table[best]
        return _product(parts)

    def _table(self, mode: int, correlation: Callable[[Array], Array]) -> Array:
        """The variances along a mode, per bin, one row per length that may be taken."""
        basis, bins = self._bases[mode], self._bins[mode]
        if basis.kind == "identity" or basis.size == 1:
            return np.ones((1, *bins.shape))
        if self._lengths is None:
            lengths = np.geomspace(0.5, max(basis.size, 2), _LENGTHS)
        else:
            lengths = np.array([self._lengths[mode]])
        rows = []
        for length in lengths:
            along = cosine_variances(basis.size, correlation(np.arange(basis.size) / length))
            averaged = bins.sums(along) / bins.counts
            rows.append(np.maximum(averaged, _LEAST * averaged.max()))
        return np.stack(rows)


def _product(parts: Sequence[Array]) -> Array:
    total: Array = np.ones(())
    for part in parts:
        total = np.multiply.outer(total, part)
    return total
