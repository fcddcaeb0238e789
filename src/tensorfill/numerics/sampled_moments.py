"""Second moments of the factors of a Kruskal tensor, multiplied and added up over the known entries of a slice.

If row i of factor m has the second moment S_m(i) = E[a aᵀ], r × r and symmetric, the normal equations for row i of
factor k have the matrix Q_k(i) = Σ over known entries in slice i of the entrywise product of S_m(i_m) over all m ≠ k.
Symmetric matrices are packed: the entries on and above the diagonal, row by row, r(r+1)/2 of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..tensor import Array
from .threads import share

Floats = NDArray[np.floating[Any]]
Indices = NDArray[np.signedinteger[Any]]

_PIECE = 16  # rows that are worth a call of a kernel
_BLOCK = 1024  # packed entries that are gone through together, so that those of a whole mode stay in the cache


def pack(matrices: Array) -> Array:
    """Symmetric matrices (… × r × r) as rows of r(r+1)/2 numbers.

    >>> pack(np.array([[1.0, 2.0], [2.0, 3.0]]))
    array([1., 2., 3.])
    """
    rows, columns = np.triu_indices(matrices.shape[-1])
    return np.ascontiguousarray(matrices[..., rows, columns])  # what indexing gives has the rows the other way round


def unpack(packed: Floats) -> Array:
    """The inverse of `pack`, in double precision.

    >>> unpack(np.array([1.0, 2.0, 3.0]))
    array([[1., 2.],
           [2., 3.]])
    """
    rank = int(np.sqrt(2 * packed.shape[-1]))
    rows, columns = np.triu_indices(rank)
    matrices = np.empty((*packed.shape[:-1], rank, rank))
    matrices[..., rows, columns] = packed
    matrices[..., columns, rows] = packed
    return matrices


class _Slices(NamedTuple):
    """Known entries sorted by their index in one mode, then in groups that differ in the index of `inner` only."""

    inner: int
    heads: tuple[int, ...]
    groups: Indices
    """Where the groups of each slice start, and one more number for the end."""
    starts: Indices
    """Where the entries of each group start, and one more number for the end."""
    head_indices: Indices
    """The indices that the entries of a group share, one row per group."""
    inner_indices: Indices


class SampledMoments:
    """The known entries of a tensor, ready for sums of products of second moments.

    `indices` has one array per mode with the index of every known entry.
    """

    def __init__(self, shape: Sequence[int], indices: Sequence[Indices]) -> None:
        self._shape = tuple(shape)
        self._slices = [_sort_slices(self._shape, indices, mode) for mode in range(len(self._shape))]

    def sums(self, moments: Sequence[Floats], mode: int) -> Floats:
        """Q_k, one packed matrix per row, from the packed second moments of all modes, one array each."""
        slices = self._slices[mode]
        inner = moments[slices.inner]
        # Numba wants one array for all; where there are two modes no other is looked at.
        heads = np.concatenate([moments[head] for head in slices.heads]) if slices.heads else inner[:1]
        offsets = np.concatenate(([0], np.cumsum([self._shape[head] for head in slices.heads], dtype=np.int64)))[:-1]
        head_rows = slices.head_indices + offsets[: len(slices.heads)]
        out = np.empty((self._shape[mode], inner.shape[1]), inner.dtype)

        def work(piece: int) -> None:
            here = piece * _PIECE, min((piece + 1) * _PIECE, len(out))
            add_products(slices.groups, slices.starts, head_rows, slices.inner_indices, heads, inner, out, *here)

        share(work, -(-len(out) // _PIECE))
        return out


def _sort_slices(shape: tuple[int, ...], indices: Sequence[Indices], mode: int) -> _Slices:
    others = sorted((other for other in range(len(shape)) if other != mode), key=lambda other: shape[other])
    *heads, inner = others  # the largest makes the fewest groups
    order = np.lexsort([indices[m] for m in (inner, *reversed(heads), mode)])
    shared = np.stack([indices[m][order] for m in (mode, *heads)], axis=1)
    new = np.concatenate(([True], (shared[1:] != shared[:-1]).any(axis=1)))
    first = np.flatnonzero(new)
    groups = np.searchsorted(shared[first, 0], np.arange(shape[mode] + 1))
    return _Slices(
        inner,
        tuple(heads),
        groups,
        np.concatenate((first, [len(order)])),
        np.ascontiguousarray(shared[first, 1:]),
        indices[inner][order],
    )


@compiled(nogil=True, fastmath=True)
def add_products(groups, starts, head_rows, inner_indices, heads, inner, out, first, end):  # type: ignore[no-untyped-def]
    """out = Σ over the groups of a slice of (entrywise product of `heads`) ∘ (Σ of `inner`), for some slices."""
    width = inner.shape[1]
    block = min(_BLOCK, width)
    total = np.empty(block, inner.dtype)
    for low in range(0, width, block):
        here = slice(low, min(low + block, width))
        for row in range(first, end):
            result = out[row, here]
            count = len(result)
            for c in range(count):
                result[c] = 0.0
            for g in range(groups[row], groups[row + 1]):
                for c in range(count):
                    total[c] = 0.0
                for e in range(starts[g], starts[g + 1]):
                    part = inner[inner_indices[e], here]
                    for c in range(count):
                        total[c] += part[c]
                for m in range(head_rows.shape[1]):
                    part = heads[head_rows[g, m], here]
                    for c in range(count):
                        total[c] *= part[c]
                for c in range(count):
                    result[c] += total[c]
