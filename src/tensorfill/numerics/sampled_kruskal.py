"""A Kruskal tensor looked at where entries are known: its values there, and products with a sparse tensor there.

Factors are kept one below the other in one matrix, n_1 + … + n_K rows and one column per component, so that the same
compiled loops serve tensors of any order. Known entries are in the order of `ObservedTensor`; those that differ in
the last index only, a fibre, follow each other, and what their other indices contribute is computed once for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..tensor import Array
from .fibre_operator import sort_by_fibre
from .threads import PIECES, cut_groups, share_pieces, sum_pieces

_ENTRIES_PER_ROW = 8  # a piece of its own pays, in time and memory, if it has so many entries per row of the result


class SampledKruskal:
    """The known positions of a tensor (sorted, last mode fastest), ready for work with Kruskal tensors of its shape."""

    def __init__(self, shape: Sequence[int], positions: NDArray[np.int64]) -> None:
        self.shape = tuple(shape)
        self.first_row = np.concatenate(([0], np.cumsum(self.shape, dtype=np.int64)))
        fibres = sort_by_fibre(self.shape, positions, len(self.shape) - 1)
        kind = np.int32 if self.first_row[-1] < 2**31 else np.int64
        heads = np.stack(fibres.heads(), axis=1) + self.first_row[:-2]
        last = fibres.row + self.first_row[-2]
        # Where each fibre starts, the rows of its leading indices, and the row of every entry's last index.
        self._fibres = fibres.starts, heads.astype(kind), last.astype(kind)

    def blocks(self, factors: Array) -> tuple[Array, ...]:
        """The factor of each mode, a view of its rows."""
        return tuple(factors[first:end] for first, end in pairwise(self.first_row))

    def values(self, factors: Array) -> Array:
        """[[A_1, …, A_K]] at the known positions."""
        out = np.empty(len(self._fibres[2]))
        share_pieces(partial(fill_values, *self._fibres, factors, out), cut_groups(self._fibres[0]))
        return out

    def times_khatri_rao(self, x: Array, factors: Array, mode: int) -> Array:
        """X_k (A_K ⊙ … ⊙ A_1 without A_k), n_k × r, for the tensor with values x at the known positions, else zero."""
        kernel = add_last_products if mode == len(self.shape) - 1 else add_products
        most = len(x) // (_ENTRIES_PER_ROW * self.shape[mode])
        cuts = cut_groups(self._fibres[0], min(max(1, most), PIECES))
        add = partial(kernel, *self._fibres, x, factors, mode, self.first_row[mode])
        return sum_pieces(add, cuts, (self.shape[mode], factors.shape[1]))


# Compiled loops; each call works on fibres `first` … `end` − 1 and releases the GIL.


@compiled(nogil=True, fastmath=True)
def fill_values(starts, heads, last, factors, out, first, end):  # type: ignore[no-untyped-def]
    """out = the Kruskal tensor at the entries."""
    rank = factors.shape[1]
    product = np.empty(rank)
    for f in range(first, end):
        product[:] = 1.0
        for m in range(heads.shape[1]):
            row = heads[f, m]
            for c in range(rank):
                product[c] *= factors[row, c]
        for e in range(starts[f], starts[f + 1]):
            row = last[e]
            total = 0.0
            for c in range(rank):
                total += product[c] * factors[row, c]
            out[e] = total


@compiled(nogil=True, fastmath=True)
def add_products(starts, heads, last, x, factors, mode, first_row, out, first, end):  # type: ignore[no-untyped-def]
    """out += X_k (Khatri–Rao product of the other factors), for a mode that is not the last."""
    rank = factors.shape[1]
    product = np.empty(rank)
    for f in range(first, end):
        product[:] = 0.0
        for e in range(starts[f], starts[f + 1]):
            row = last[e]
            value = x[e]
            for c in range(rank):
                product[c] += value * factors[row, c]
        for m in range(heads.shape[1]):
            if m != mode:
                row = heads[f, m]
                for c in range(rank):
                    product[c] *= factors[row, c]
        row = heads[f, mode] - first_row
        for c in range(rank):
            out[row, c] += product[c]


@compiled(nogil=True, fastmath=True)
def add_last_products(starts, heads, last, x, factors, mode, first_row, out, first, end):  # type: ignore[no-untyped-def]
    """out += X_K (Khatri–Rao product of the other factors), for the last mode."""
    rank = factors.shape[1]
    product = np.empty(rank)
    for f in range(first, end):
        product[:] = 1.0
        for m in range(heads.shape[1]):
            row = heads[f, m]
            for c in range(rank):
                product[c] *= factors[row, c]
        for e in range(starts[f], starts[f + 1]):
            row = last[e] - first_row
            value = x[e]
            for c in range(rank):
                out[row, c] += value * product[c]
