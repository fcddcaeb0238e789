"""A Tucker tensor at some of its entries: their values, and the gradient of what is computed from them.

Entries that share all indices but the last form a fibre. On a fibre the tensor is U_K times one short vector, found
from the matrix T that the core becomes when all but its last two modes are multiplied by their rows of U. So an entry
costs r_K multiplications, whatever the size of the core; what is shared is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..tensor import Array
from .linear_operator import LinearOperator
from .threads import cut_groups, share

Factors = tuple[Array, ...]

_AT_ONCE = 2**21  # numbers that a piece may hold for its matrices T


@dataclass(frozen=True, eq=False)
class _Piece:
    """Consecutive fibres: where their entries start, their second-to-last index, and their matrix T."""

    starts: NDArray[np.int64]
    row: NDArray[np.int64]
    node: NDArray[np.int64]
    leading: tuple[NDArray[np.int64], ...]
    """For every matrix T, its index in each of the leading modes."""

    def matrices(self, core: Array, factors: Factors) -> list[Array]:
        """The core, and what it becomes as one leading mode after another is multiplied by the rows of the nodes."""
        parts = [core.reshape(1, -1)]
        for factor, index in zip(factors, self.leading, strict=False):
            weights = factor[index]
            if len(parts) == 1:
                parts.append(weights @ core.reshape(len(core), -1))
            else:
                parts.append(_contract(weights, parts[-1].reshape(*weights.shape, -1)))
        return parts


def _contract(weights: Array, part: Array) -> Array:
    return np.asarray(np.matmul(weights[:, None, :], part)[:, 0, :])


class SampledTucker:
    """The entries at sorted `positions` of the flattened tensor, last mode fastest; two modes or more."""

    def __init__(self, shape: Sequence[int], positions: NDArray[np.int64]) -> None:
        self.shape = tuple(shape)
        self.count = len(positions)
        rest, last = np.divmod(positions, self.shape[-1])
        self._last = last.astype(np.int32)
        begins = np.flatnonzero(np.diff(rest, prepend=-1))
        self._starts = np.append(begins, self.count)
        self._prefix, self._row = np.divmod(rest[begins], self.shape[-2])

    def values(self, core: Array, factors: Factors) -> Array:
        """The tensor at the entries."""
        out = np.empty(self.count)
        widest = core.shape[-2:]
        second, last = factors[-2], factors[-1]

        def work(number: int) -> None:
            piece = pieces[number]
            T = piece.matrices(core, factors)[-1].reshape(-1, *widest)
            fill_values(piece.starts, piece.row, piece.node, self._last, T, second, last, out)

        pieces = self._pieces(core.size // core.shape[0])
        share(work, len(pieces))
        return out

    def tangent(self, core: Array, factors: Factors) -> LinearOperator[tuple[Array, Factors], Array]:
        """How the entries change to first order with core and factors, and the gradient by them as the adjoint.

        Forward: Ġ ×_j U_j + Σ_k G ×_k U̇_k ×_{j≠k} U_j at the entries. Adjoint: with R the sparse tensor of residuals,
        R ×_1 U_1ᵀ … ×_K U_Kᵀ, and (R ×_{j≠k} U_jᵀ)_k G_kᵀ.
        """

        def forward(change: tuple[Array, Factors]) -> Array:
            core_change, factor_changes = change
            total = self.values(core_change, factors)
            for mode, one in enumerate(factor_changes):
                total += self.values(core, (*factors[:mode], one, *factors[mode + 1 :]))
            return total

        shapes = core.shape, tuple(factor.shape for factor in factors)
        return LinearOperator(
            ((self.count,), shapes), forward, lambda residual: self._gradient(residual, core, factors)
        )

    def _gradient(self, residual: Array, core: Array, factors: Factors) -> tuple[Array, Factors]:
        pieces = self._pieces(core.size // core.shape[0])
        found: list[tuple[Array, Factors] | None] = [None] * len(pieces)

        def work(number: int) -> None:
            found[number] = self._piece_gradient(pieces[number], residual, core, factors)

        share(work, len(pieces))
        parts = [part for part in found if part is not None]
        whole = np.sum([part[0] for part in parts], axis=0)
        return whole, tuple(np.sum(members, axis=0) for members in zip(*(part[1] for part in parts), strict=True))

    def _piece_gradient(self, piece: _Piece, residual: Array, core: Array, factors: Factors) -> tuple[Array, Factors]:
        parts = piece.matrices(core, factors)
        T = parts[-1].reshape(-1, *core.shape[-2:])
        into = [np.zeros_like(factor) for factor in factors]
        into_T = np.zeros_like(T)
        where = piece.starts, piece.row, piece.node, self._last
        add_gradient(*where, T, factors[-2], factors[-1], residual, into[-2], into[-1], into_T)
        flowing = into_T.reshape(len(into_T), -1)
        for mode in range(len(piece.leading) - 1, 0, -1):
            weights = factors[mode][piece.leading[mode]]
            before = parts[mode].reshape(*weights.shape, -1)
            np.add.at(into[mode], piece.leading[mode], np.matmul(before, flowing[:, :, None])[:, :, 0])
            flowing = (weights[:, :, None] * flowing[:, None, :]).reshape(len(weights), -1)
        if not piece.leading:
            return flowing.reshape(core.shape), tuple(into)
        first = piece.leading[0]
        by_row = np.zeros((self.shape[0], flowing.shape[1]))
        np.add.at(by_row, first, flowing)
        into[0] += by_row @ core.reshape(len(core), -1).T
        return (factors[0].T @ by_row).reshape(core.shape), tuple(into)

    @lru_cache(maxsize=2)  # the sizes of the core rarely change
    def _pieces(self, width: int) -> list[_Piece]:
        """The fibres in pieces of about the same number of entries, none with more than its share of matrices T."""
        at_most = max(1, _AT_ONCE // width)
        pieces = []
        for first, end in pairwise(cut_groups(self._starts)):
            for begin in range(first, end, at_most):
                pieces.append(self._piece(begin, min(begin + at_most, end)))
        return pieces

    def _piece(self, first: int, end: int) -> _Piece:
        prefix = self._prefix[first:end]
        begins = np.flatnonzero(np.diff(prefix, prepend=-1))
        node = np.zeros(len(prefix), dtype=np.int64)
        node[begins[1:]] = 1
        leading = np.unravel_index(prefix[begins], self.shape[:-2]) if len(self.shape) > 2 else ()
        return _Piece(self._starts[first : end + 1], self._row[first:end], np.cumsum(node), tuple(leading))


# Compiled loops over the fibres of a piece.


@compiled(nogil=True, fastmath=True)
def fill_values(starts, row, node, last, T, second, factor, out):  # type: ignore[no-untyped-def]
    """out = Σ_ab second[row, a] T[node, a, b] factor[last, b] for every entry of the fibres."""
    rows, columns = T.shape[1], T.shape[2]
    along = np.empty(columns)
    for f in range(len(row)):
        along[:] = 0.0
        for a in range(rows):
            weight = second[row[f], a]
            for b in range(columns):
                along[b] += weight * T[node[f], a, b]
        for e in range(starts[f], starts[f + 1]):
            total = 0.0
            for b in range(columns):
                total += along[b] * factor[last[e], b]
            out[e] = total


@compiled(nogil=True, fastmath=True)
def add_gradient(starts, row, node, last, T, second, factor, residual, into_second, into_factor, into_T):  # type: ignore[no-untyped-def]
    """Add the derivatives of Σ residual · value with respect to `second`, `factor` and T."""
    rows, columns = T.shape[1], T.shape[2]
    along = np.empty(columns)
    pull = np.empty(columns)
    for f in range(len(row)):
        along[:] = 0.0
        for a in range(rows):
            weight = second[row[f], a]
            for b in range(columns):
                along[b] += weight * T[node[f], a, b]
        pull[:] = 0.0
        for e in range(starts[f], starts[f + 1]):
            r, k = residual[e], last[e]
            for b in range(columns):
                pull[b] += r * factor[k, b]
                into_factor[k, b] += r * along[b]
        for a in range(rows):
            weight = second[row[f], a]
            total = 0.0
            for b in range(columns):
                total += T[node[f], a, b] * pull[b]
                into_T[node[f], a, b] += weight * pull[b]
            into_second[row[f], a] += total
