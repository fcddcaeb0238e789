"""Recovery of W = B + Σ_k λ_k X ×_k U_k U_kᵀ from the dual solution: whole, in slabs, by entry; where negative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..estimates.additive import AdditiveEstimate
from ..numerics.fibre_operator import Factors, FibreOperator, fibre_numbers
from ..numerics.threads import quiet_blas, share
from ..observed import positions_of
from ..tensor import Array, entries

_SLAB = 2**19  # entries that a thread holds at once when the whole tensor is gone through


@dataclass(frozen=True, eq=False)
class RecoveredTensor:
    """W as factors: U_k and the coordinates U_kᵀ X_k of the fibres that have entries."""

    operator: FibreOperator
    factors: Factors
    lam: tuple[float, ...]
    X: Array
    B: AdditiveEstimate | None = None
    """A fixed part of W; None: zero."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of W."""
        return self.operator.shape

    @cached_property
    def fibre_coordinates(self) -> tuple[Array, ...]:
        """λ_k U_kᵀ X_k for every mode, one row per fibre that has entries."""
        return tuple(
            weight * self.operator.fibre_sums(mode, self.X, U)
            for mode, (U, weight) in enumerate(zip(self.factors, self.lam, strict=True))
        )

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """W at rows of coordinates."""
        positions = positions_of(coordinates, self.shape)
        total = np.zeros(len(coordinates)) if self.B is None else self.B.at(coordinates)
        for mode, (U, rows) in enumerate(zip(self.factors, self.fibre_coordinates, strict=True)):
            known = self.operator.modes[mode].fibre
            wanted = fibre_numbers(self.shape, positions, mode)
            found = np.searchsorted(known, wanted).clip(max=len(known) - 1)
            there = np.flatnonzero(known[found] == wanted)
            total[there] += np.einsum("ir,ir->i", U[coordinates[there, mode]], rows[found[there]])
        return total

    def dense(self) -> Array:
        """W itself."""
        return self._fill()

    def components(self) -> tuple[Array, ...]:
        """W^(1), …, W^(K), and B if there is one."""
        parts = tuple(self._fill((mode,)) for mode in range(len(self.shape)))
        return parts if self.B is None else (*parts, self.B.dense())

    def _fill(self, modes: Sequence[int] | None = None) -> Array:
        full = np.empty(self.shape)
        moved = np.moveaxis(full, slab_axis(self.shape), 0)

        def fill(first: int, slab: Array) -> None:
            moved[first : first + len(slab)] = slab

        self.visit_slabs(fill, modes)
        return full

    def visit_slabs(self, visit: Callable[[int, Array], None], modes: Sequence[int] | None = None) -> None:
        """Call `visit(first index, slab)` for pieces of W along its longest mode, which comes first in a slab.

        On all cores and in no particular order. With `modes`, only those components, without B.
        """
        axis = slab_axis(self.shape)
        rest = tuple(size for mode, size in enumerate(self.shape) if mode != axis)
        chosen = range(len(self.shape)) if modes is None else modes
        parts = [_SlabPart(self, mode, axis, rest) for mode in chosen]
        thickness = max(1, _SLAB // entries(rest))
        firsts = range(0, self.shape[axis], thickness)

        def build(i: int) -> None:
            first = firsts[i]
            last = min(first + thickness, self.shape[axis])
            slab = self._begin_slab(axis, first, last) if modes is None else np.zeros((last - first, *rest))
            for part in parts:
                part.add_to(slab, first, last)
            visit(first, slab)

        with quiet_blas():
            share(build, len(firsts))

    def _begin_slab(self, axis: int, first: int, last: int) -> Array:
        """B, or zero, in a slab, contiguous."""
        if self.B is None:
            return np.zeros((last - first, *(size for mode, size in enumerate(self.shape) if mode != axis)))
        return np.ascontiguousarray(np.moveaxis(self.B.between(axis, first, last).dense(), axis, 0))


def slab_axis(shape: Sequence[int]) -> int:
    """The mode along which slabs are cut: the longest, the first of them in a tie."""
    return int(np.argmax(shape))


class _SlabPart:
    """One component W^(k), added to slabs that are cut along `axis`."""

    def __init__(self, tensor: RecoveredTensor, mode: int, axis: int, rest: tuple[int, ...]) -> None:
        self._U = tensor.factors[mode]
        self._is_axis = mode == axis
        shape = tensor.shape
        rows = tensor.fibre_coordinates[mode]
        fibre = tensor.operator.modes[mode].fibre
        if self._is_axis:
            self._dense = rows
            if len(fibre) < entries(rest):
                self._dense = np.zeros((entries(rest), rows.shape[1]))
                self._dense[fibre] = rows
            return
        # The fibres renumbered so that the slab axis is their slowest index: a slab's fibres are then a run.
        others = [m for m in range(len(shape)) if m != mode]
        indices = np.unravel_index(fibre, [shape[m] for m in others])
        slab_first = sorted(range(len(others)), key=lambda i: others[i] != axis)
        number = np.ravel_multi_index([indices[i] for i in slab_first], [shape[others[i]] for i in slab_first])
        order = np.argsort(number, kind="stable")
        self._number, self._order, self._rows = number[order], order, rows
        place = [m for m in range(len(shape)) if m != axis].index(mode)
        self._before, self._after = entries(rest[:place]), entries(rest[place + 1 :])

    def add_to(self, slab: Array, first: int, last: int) -> None:
        if self._is_axis:
            slab.reshape(last - first, -1)[...] += self._U[first:last] @ self._dense.T
            return
        per_index = self._before * self._after
        begin, end = np.searchsorted(self._number, (first * per_index, last * per_index))
        rank = self._rows.shape[1]
        dense = np.zeros(((last - first) * per_index, rank))
        dense[self._number[begin:end] - first * per_index] = self._rows[self._order[begin:end]]
        if self._after == 1:
            slab.reshape(-1, len(self._U))[...] += dense @ self._U.T
            return
        blocks = dense.reshape(-1, self._after, rank)
        slab.reshape(len(blocks), len(self._U), self._after)[...] += self._U @ blocks.transpose(0, 2, 1)


@dataclass(frozen=True)
class Negatives:
    """The negative entries of W, and the smallest entry of all."""

    positions: NDArray[np.int64]
    values: Array
    smallest: float


def find_negatives(W: RecoveredTensor) -> Negatives:
    """All negative entries of W, by position in the flattened tensor, sorted."""
    shape, lock = W.shape, Lock()
    axis = slab_axis(shape)
    order = [axis, *(mode for mode in range(len(shape)) if mode != axis)]
    strides = np.array([entries(shape[mode + 1 :]) for mode in order])
    lows, positions, values = [], [np.empty(0, np.int64)], [np.empty(0)]

    def look(first: int, slab: Array) -> None:
        lowest = float(slab.min())
        lows.append(lowest)
        if lowest < 0:
            where = np.nonzero(slab < 0)
            at = (where[0] + first) * strides[0] + sum(i * s for i, s in zip(where[1:], strides[1:], strict=True))
            with lock:
                positions.append(at)
                values.append(slab[where])

    W.visit_slabs(look)
    smallest = min(lows)
    found, below = np.concatenate(positions), np.concatenate(values)
    ranks = np.argsort(found)
    return Negatives(found[ranks], below[ranks], smallest)
