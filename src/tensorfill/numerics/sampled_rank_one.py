"""One rank-one tensor looked at where entries are known: products of a sparse tensor with vectors of all modes but one.

The vectors of a rank-one tensor, one per mode, are kept one behind the other in a single array. Known entries are
sorted into fibres along the longest mode. What the other modes contribute is the same for a whole fibre, and one
product with all fibres serves all of these modes: so there are only two plain loops over the entries, whatever the
order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..tensor import Array
from .fibre_kernels import fill_fibre_dots
from .fibre_operator import sort_by_fibre
from .threads import PIECES, cut_groups, share_pieces, sum_pieces

_PIECE = 100_000  # entries that are worth asking a thread for, as each loop takes half a nanosecond for one


class SampledRankOne:
    """The known positions of a tensor (sorted, last mode fastest), ready for rank-one tensors of its shape."""

    def __init__(self, shape: Sequence[int], positions: NDArray[np.int64]) -> None:
        self.shape = tuple(shape)
        self.first_row = np.concatenate(([0], np.cumsum(self.shape, dtype=np.int64)))
        self.fibre_mode = int(np.argmax(self.shape))
        fibres = sort_by_fibre(self.shape, positions, self.fibre_mode)
        self.order = fibres.entry
        """Which known entry comes when, fibre after fibre. Values of entries are expected and given in this order."""
        self._starts, self._rows = fibres.starts, fibres.row
        self.heads = np.zeros((len(fibres.fibre), len(self.shape)), np.uint32)
        """Where the entry of each mode's vector for each fibre is; not used for the mode of the fibres."""
        others = [mode for mode in range(len(self.shape)) if mode != self.fibre_mode]
        for mode, index in zip(others, fibres.heads(), strict=True):
            self.heads[:, mode] = index + self.first_row[mode]
        self._cuts = cut_groups(self._starts, int(np.clip(len(positions) // _PIECE, 1, PIECES)))

    def block(self, vectors: Array, mode: int) -> Array:
        """The vector of one mode, a view."""
        return vectors[self.first_row[mode] : self.first_row[mode + 1]]

    def fibre_dots(self, x: Array, vectors: Array) -> Array:
        """One number per fibre: x times the vector of its mode."""
        out = np.empty(len(self.heads))
        vector = self.block(vectors, self.fibre_mode)
        share_pieces(partial(fill_fibre_dots, self._starts, self._rows, x, vector, out), self._cuts)
        return out

    def along_fibres(self, x: Array, scales: Array) -> Array:
        """x times the vectors of all modes but that of the fibres; `scales` has their product for every fibre."""
        add = partial(add_fibres, self._starts, self._rows, x, scales)
        return sum_pieces(add, self._cuts, (self.shape[self.fibre_mode],))

    def exchange(self, x: Array, new: tuple[Array, Array], old: tuple[Array, Array]) -> None:
        """Changes x: one rank-one tensor is taken from it, another one given back.

        Each comes as its vectors and, for every fibre, the product of its weight with the vectors of the other modes.
        """
        taken, given = self.block(new[0], self.fibre_mode), self.block(old[0], self.fibre_mode)
        change = partial(subtract_change, self._starts, self._rows, x, new[1], taken, old[1], given)
        share_pieces(change, self._cuts)


# Compiled loops; those with `first` and `end` work on fibres `first` … `end` − 1. Indices are unsigned and fibres are
# slices: so the compiler need not ask for every index whether it counts from the end.


@compiled(nogil=True, fastmath=True)
def add_fibres(starts, rows, x, scales, out, first, end):  # type: ignore[no-untyped-def]
    """out += the sum of all fibres, each times its scale."""
    for f in range(first, end):
        row, values = rows[starts[f] : starts[f + 1]], x[starts[f] : starts[f + 1]]
        scale = scales[f]
        for j in range(len(row)):
            out[row[j]] += scale * values[j]


@compiled(nogil=True, fastmath=True)
def subtract_change(starts, rows, x, new, taken, old, given, first, end):  # type: ignore[no-untyped-def]
    """x −= new ∘ taken − old ∘ given at the known entries."""
    for f in range(first, end):
        row, values = rows[starts[f] : starts[f + 1]], x[starts[f] : starts[f + 1]]
        take, give = new[f], old[f]
        for j in range(len(row)):
            values[j] -= take * taken[row[j]] - give * given[row[j]]


@compiled(nogil=True, fastmath=True)
def fill_scales(heads, vectors, fibre_mode, weight, out):  # type: ignore[no-untyped-def]
    """out = weight times the product of all vectors but that of the fibres, at every fibre."""
    for f in range(len(out)):
        product = weight
        for mode in range(heads.shape[1]):
            if mode != fibre_mode:
                product *= vectors[heads[f, mode]]
        out[f] = product


@compiled(nogil=True, fastmath=True)
def add_along_head(heads, dots, vectors, fibre_mode, mode, first_row, out):  # type: ignore[no-untyped-def]
    """out += the tensor times the vectors of all modes but one, `mode`, from its products with the fibres."""
    for f in range(len(dots)):
        product = dots[f]
        for other in range(heads.shape[1]):
            if other not in (mode, fibre_mode):
                product *= vectors[heads[f, other]]
        out[heads[f, mode] - first_row] += product
