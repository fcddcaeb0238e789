"""The fibre operator: K = Σ_k λ_k (· ×_k U_k U_kᵀ) and other products on a sparse support, in O(entries · Σ ranks)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import InvalidInput
from ..tensor import Array, entries
from . import fibre_kernels as kernels
from .linear_operator import LinearOperator
from .threads import cut_groups, share_pieces, sum_pieces

Factors = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class ModeFibres:
    """The support sorted by the fibres of one mode."""

    starts: NDArray[Any]
    entry: NDArray[Any]
    row: NDArray[np.unsignedinteger[Any]]
    """Short where all modes allow it: there are as many as entries."""
    fibre: NDArray[np.int64]
    """For each fibre, its number among all fibres of the mode (the remaining indices, last fastest)."""
    others: tuple[int, ...]
    """The sizes of the other modes."""

    def heads(self) -> tuple[NDArray[np.intp], ...]:
        """For each fibre, its index in each of the other modes."""
        return np.unravel_index(self.fibre, self.others)

    @cached_property
    def pairs(self) -> int:
        """How many pairs of entries share a fibre."""
        return int(np.square(np.diff(self.starts), dtype=np.int64).sum())

    @property
    def where(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """What every kernel begins with."""
        return self.starts, self.entry, self.row

    @cached_property
    def cuts(self) -> list[int]:
        """Where to cut the fibres into pieces with about the same number of entries each."""
        return cut_groups(self.starts)

    def share(self, kernel: Callable[[int, int], Any]) -> None:
        """Call `kernel(first fibre, end)` for every piece, on all cores."""
        share_pieces(kernel, self.cuts)

    def sum(self, kernel: Callable[[Array, int, int], Any], shape: tuple[int, ...]) -> Array:
        """What `kernel(out, first fibre, end)` adds to zeros, over all pieces."""
        return sum_pieces(kernel, self.cuts, shape)


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
        self.modes = tuple(sort_by_fibre(self.shape, positions, mode) for mode in range(len(self.shape)))
        self.calls = calls or CallCount()

    def apply(self, factors: Factors, lam: Sequence[float], x: Array) -> Array:
        """K x = Σ_k λ_k (x ×_k U_k U_kᵀ) on the support."""
        return self._add_sandwiches(factors, factors, lam, x)

    def sandwich(self, left: Factors, right: Factors, lam: Sequence[float]) -> LinearOperator[Array, Array]:
        """x ↦ Σ_k λ_k (x ×_k L_k R_kᵀ) on the support."""
        shape = self.positions.shape, self.positions.shape
        return LinearOperator(
            shape, partial(self._add_sandwiches, left, right, lam), partial(self._add_sandwiches, right, left, lam)
        )

    def _add_sandwiches(self, left: Factors, right: Factors, lam: Sequence[float], x: Array) -> Array:
        self.calls.total += 1
        out = np.zeros_like(x)
        for fibres, L, R, weight in zip(self.modes, left, right, lam, strict=True):
            fibres.share(partial(kernels.add_sandwich, *fibres.where, L, R, weight, x, out))
        return out

    def diagonal(self, factors: Factors, lam: Sequence[float]) -> Array:
        """The diagonal of K: Σ_k λ_k ‖row of U_k‖², for every entry of the support."""
        return self.spread([np.einsum("ir,ir->i", U, U) for U in factors], lam)

    def spread(self, per_row: Sequence[Array], lam: Sequence[float], dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Σ_k λ_k w_k[row in mode k], for every entry of the support."""
        out = np.zeros(len(self.positions), dtype)
        for fibres, weights, weight in zip(self.modes, per_row, lam, strict=True):
            fibres.share(partial(kernels.add_rows, *fibres.where, weight * weights, out))
        return out

    def gram(self, mode: int, x: Array, right: Array, other: Array | None = None) -> Array:
        """X_k O_kᵀ R, with O = X unless `other` is given."""
        fibres, second = self.modes[mode], x if other is None else other
        return fibres.sum(partial(kernels.add_gram, *fibres.where, x, second, right), right.shape)

    def square(self, mode: int, x: Array) -> Array:
        """The lower triangle of X_k X_kᵀ as a whole: n_k² numbers, from all pairs of entries that share a fibre."""
        fibres, n = self.modes[mode], self.shape[mode]
        return fibres.sum(partial(kernels.add_outer, *fibres.where, x), (n, n))

    def fibre_sums(self, mode: int, x: Array, right: Array) -> Array:
        """Rᵀ X_k, one row per fibre that has entries."""
        fibres = self.modes[mode]
        out = np.empty((len(fibres.fibre), right.shape[1]))
        fibres.share(partial(kernels.fill_fibre_sums, *fibres.where, x, right, out))
        return out

    def rows(self, mode: int) -> NDArray[np.int32]:
        """The index of every entry in a mode."""
        after = entries(self.shape[mode + 1 :])
        return ((self.positions // after) % self.shape[mode]).astype(np.int32)


def fibre_numbers(shape: Sequence[int], positions: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """The mode-k fibre that each position lies in: its remaining indices as one number, last fastest."""
    after = entries(shape[mode + 1 :])
    return (positions // (after * shape[mode])) * after + positions % after


def sort_by_fibre(shape: tuple[int, ...], positions: NDArray[np.int64], mode: int) -> ModeFibres:
    """Sorted positions, last mode fastest, by the fibres of one mode."""
    signed, unsigned = ("int32", "uint32") if len(positions) < 2**31 else ("int64", "uint64")
    after = entries(shape[mode + 1 :])
    row = (positions // after) % shape[mode]
    fibre = fibre_numbers(shape, positions, mode)
    if mode == len(shape) - 1:  # positions are sorted along this mode already
        entry = np.arange(len(positions), dtype=unsigned)
    else:
        entry = np.argsort(fibre, kind="stable").astype(unsigned)
        fibre, row = fibre[entry], row[entry]
    begins = np.flatnonzero(np.concatenate(([True], fibre[1:] != fibre[:-1])))
    starts = np.concatenate((begins, [len(positions)])).astype(signed)
    # The same for all modes, so that the kernels are compiled for one kind only.
    short = max(shape) <= np.iinfo(np.uint16).max
    others = (*shape[:mode], *shape[mode + 1 :])
    return ModeFibres(starts, entry, row.astype(np.uint16 if short else np.uint32), fibre[begins], others)
