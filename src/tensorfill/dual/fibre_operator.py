"""The fibre operator: the paper's K = Σ_k λ_k (· ×_k U_k U_kᵀ) on a sparse support, in O(entries · Σ ranks)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import InvalidInput
from ..numerics.threads import share
from ..tensor import Array, entries
from . import fibre_kernels as kernels

Factors = tuple[Array, ...]

_PIECES = 8  # work is always cut in the same pieces, so the result does not depend on the number of threads
_SMALL = 20_000  # entries below which threads cost more than they bring


@dataclass(frozen=True, eq=False)
class ModeFibres:
    """The support sorted by the fibres of one mode."""

    starts: NDArray[np.int32]
    entry: NDArray[np.uint32]
    row: NDArray[np.unsignedinteger[Any]]
    """Short where all modes allow it: there are as many as entries."""
    fibre: NDArray[np.int64]
    """For each fibre, its number among all fibres of the mode (the remaining indices, last fastest)."""

    @cached_property
    def pairs(self) -> int:
        """How many pairs of entries share a fibre."""
        return int(np.square(np.diff(self.starts), dtype=np.int64).sum())

    @cached_property
    def cuts(self) -> list[int]:
        """Where to cut the fibres into pieces with about the same number of entries each."""
        pieces = _PIECES if len(self.entry) > _SMALL else 1
        wanted = np.linspace(0, len(self.entry), pieces + 1)
        cuts = np.searchsorted(self.starts, wanted)
        cuts[-1] = len(self.starts) - 1
        return [int(cut) for cut in cuts]

    def share(self, kernel: Callable[[int, int], None]) -> None:
        """Call `kernel(first fibre, end)` for every piece, on all cores."""
        cuts = self.cuts
        share(lambda i: kernel(cuts[i], cuts[i + 1]), len(cuts) - 1)


@dataclass
class CallCount:
    """How often operators were applied, the unit in which solvers are compared; shared by related operators."""

    total: int = 0


class FibreOperator:
    """Products with a sparse tensor's unfoldings; `positions` are sorted, last mode fastest."""

    def __init__(self, shape: Sequence[int], positions: NDArray[np.int64], calls: CallCount | None = None) -> None:
        if len(positions) >= 2**31:
            raise InvalidInput(f"At most 2³¹ − 1 entries can be worked on at once. Got {len(positions)} instead.")
        self.shape = tuple(shape)
        self.positions = positions
        self.modes = tuple(_sort_by_fibre(self.shape, positions, mode) for mode in range(len(self.shape)))
        self.calls = calls or CallCount()

    def apply(self, factors: Factors, lam: Sequence[float], x: Array) -> Array:
        """K x = Σ_k λ_k (x ×_k U_k U_kᵀ) on the support."""
        return self.sandwich(factors, factors, lam, x)

    def sandwich(self, left: Factors, right: Factors, lam: Sequence[float], x: Array) -> Array:
        """Σ_k λ_k (x ×_k L_k R_kᵀ) on the support."""
        self.calls.total += 1
        out = np.zeros_like(x)
        for fibres, L, R, weight in zip(self.modes, left, right, lam, strict=True):
            fibres.share(partial(kernels.add_sandwich, fibres.starts, fibres.entry, fibres.row, L, R, weight, x, out))
        return out

    def diagonal(self, factors: Factors, lam: Sequence[float]) -> Array:
        """The diagonal of K: Σ_k λ_k ‖row of U_k‖², for every entry of the support."""
        return self.spread([np.einsum("ir,ir->i", U, U) for U in factors], lam)

    def spread(self, per_row: Sequence[Array], lam: Sequence[float], dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Σ_k λ_k w_k[row in mode k], for every entry of the support."""
        out = np.zeros(len(self.positions), dtype)
        for fibres, weights, weight in zip(self.modes, per_row, lam, strict=True):
            fibres.share(partial(kernels.add_rows, fibres.starts, fibres.entry, fibres.row, weight * weights, out))
        return out

    def gram(self, mode: int, x: Array, right: Array, other: Array | None = None) -> Array:
        """X_k O_kᵀ R, with O = X unless `other` is given."""
        fibres, cuts = self.modes[mode], self.modes[mode].cuts
        second = x if other is None else other
        parts = np.zeros((len(cuts) - 1, *right.shape))
        share(
            lambda i: kernels.add_gram(
                fibres.starts, fibres.entry, fibres.row, x, second, right, parts[i], cuts[i], cuts[i + 1]
            ),
            len(parts),
        )
        return np.asarray(parts.sum(axis=0))

    def square(self, mode: int, x: Array) -> Array:
        """The lower triangle of X_k X_kᵀ as a whole: n_k² numbers, from all pairs of entries that share a fibre."""
        fibres, n = self.modes[mode], self.shape[mode]
        cuts = fibres.cuts
        parts = np.zeros((len(cuts) - 1, n, n))
        share(
            lambda i: kernels.add_outer(fibres.starts, fibres.entry, fibres.row, x, parts[i], cuts[i], cuts[i + 1]),
            len(parts),
        )
        return np.asarray(parts.sum(axis=0))

    def fibre_sums(self, mode: int, x: Array, right: Array) -> Array:
        """Rᵀ X_k, one row per fibre that has entries."""
        fibres = self.modes[mode]
        out = np.empty((len(fibres.fibre), right.shape[1]))

        fibres.share(partial(kernels.fill_fibre_sums, fibres.starts, fibres.entry, fibres.row, x, right, out))
        return out

    def rows(self, mode: int) -> NDArray[np.int32]:
        """The index of every entry in a mode."""
        after = entries(self.shape[mode + 1 :])
        return ((self.positions // after) % self.shape[mode]).astype(np.int32)


def fibre_numbers(shape: Sequence[int], positions: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """The mode-k fibre that each position lies in: its remaining indices as one number, last fastest."""
    after = entries(shape[mode + 1 :])
    return (positions // (after * shape[mode])) * after + positions % after


def _sort_by_fibre(shape: tuple[int, ...], positions: NDArray[np.int64], mode: int) -> ModeFibres:
    after = entries(shape[mode + 1 :])
    row = (positions // after) % shape[mode]
    fibre = fibre_numbers(shape, positions, mode)
    if mode == len(shape) - 1:  # positions are sorted along this mode already
        entry = np.arange(len(positions), dtype=np.uint32)
    else:
        entry = np.argsort(fibre, kind="stable").astype(np.uint32)
        fibre, row = fibre[entry], row[entry]
    begins = np.flatnonzero(np.concatenate(([True], fibre[1:] != fibre[:-1])))
    starts = np.concatenate((begins, [len(positions)])).astype(np.int32)
    # The same for all modes, so that the kernels are compiled for one kind only.
    short = max(shape) <= np.iinfo(np.uint16).max
    return ModeFibres(starts, entry, row.astype(np.uint16 if short else np.uint32), fibre[begins])
