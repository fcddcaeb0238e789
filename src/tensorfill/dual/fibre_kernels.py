"""Compiled loops over the fibres of a sparse tensor; each call works on fibres `first` … `last` − 1.

A mode's fibres are stored one after another: fibre f holds the slots `starts[f]` … `starts[f + 1]` − 1; slot j
is entry `entry[j]` of the support, in row `row[j]` of the mode. Entries and rows are unsigned and fibres are slices, so
that the compiler need not ask for every index whether it counts from the end. Kernels release the GIL; numerics.threads
runs them on several cores.
"""

import numpy as np

from ..compiling import compiled


@compiled(nogil=True, fastmath=True)
def add_sandwich(starts, entry, row, left, right, weight, x, out, first, last):  # type: ignore[no-untyped-def]
    """out += weight · (left rightᵀ X_k) on the support. Fused per fibre: no temporary of the size of X."""
    rank = left.shape[1]
    t = np.empty(rank, left.dtype)
    for f in range(first, last):
        rows, entries = row[starts[f] : starts[f + 1]], entry[starts[f] : starts[f + 1]]
        t[:] = 0.0
        for j in range(len(rows)):
            value, theirs = x[entries[j]], right[rows[j]]
            for c in range(rank):
                t[c] += value * theirs[c]
        for j in range(len(rows)):
            ours = left[rows[j]]
            total = 0.0
            for c in range(rank):
                total += ours[c] * t[c]
            out[entries[j]] += weight * total


@compiled(nogil=True, fastmath=True)
def add_gram(starts, entry, row, x, other, right, out, first, last):  # type: ignore[no-untyped-def]
    """out += X_k O_kᵀ right, for two tensors x and o on the same support."""
    rank = right.shape[1]
    t = np.empty(rank, right.dtype)
    for f in range(first, last):
        t[:] = 0.0
        for j in range(starts[f], starts[f + 1]):
            value = other[entry[j]]
            i = row[j]
            for c in range(rank):
                t[c] += value * right[i, c]
        for j in range(starts[f], starts[f + 1]):
            value = x[entry[j]]
            i = row[j]
            for c in range(rank):
                out[i, c] += value * t[c]


@compiled(nogil=True, fastmath=True)
def add_outer(starts, entry, row, x, out, first, last):  # type: ignore[no-untyped-def]
    """out += the lower triangle of X_k X_kᵀ; rows ascend within a fibre."""
    for f in range(first, last):
        for j in range(starts[f], starts[f + 1]):
            value = x[entry[j]]
            i = row[j]
            for other in range(starts[f], j + 1):
                out[i, row[other]] += value * x[entry[other]]


@compiled(nogil=True, fastmath=True)
def fill_fibre_sums(starts, entry, row, x, right, out, first, last):  # type: ignore[no-untyped-def]
    """out[f] = rightᵀ X_k[:, f] for every fibre: the coordinates of the fibres in the basis `right`."""
    rank = right.shape[1]
    for f in range(first, last):
        for c in range(rank):
            out[f, c] = 0.0
        for j in range(starts[f], starts[f + 1]):
            value = x[entry[j]]
            i = row[j]
            for c in range(rank):
                out[f, c] += value * right[i, c]


@compiled(nogil=True)
def add_rows(starts, entry, row, weights, out, first, last):  # type: ignore[no-untyped-def]
    """out[entry] += weights[row of the entry]."""
    for j in range(starts[first], starts[last]):
        out[entry[j]] += weights[row[j]]


@compiled(nogil=True, fastmath=True)
def fill_rank_one(starts, entry, row, u, inverse, to_root, to_inverse, first, last):  # type: ignore[no-untyped-def]
    """g per fibre such that I + g v vᵀ is (I + v vᵀ)^-½, or (I + v vᵀ)⁻¹, for v = u ∘ √inverse."""
    for f in range(first, last):
        rows, entries = row[starts[f] : starts[f + 1]], entry[starts[f] : starts[f + 1]]
        square = 0.0
        for j in range(len(rows)):
            value = u[rows[j]]
            square += value * value * inverse[entries[j]]
        stretch = np.sqrt(1.0 + square)
        to_root[f] = -1.0 / (stretch * (1.0 + stretch))  # (1/stretch − 1)/square, without cancellation
        to_inverse[f] = -1.0 / (1.0 + square)


@compiled(nogil=True, fastmath=True)
def add_rank_one(starts, entry, row, u, inverse, g, x, first, last):  # type: ignore[no-untyped-def]
    """x += g_f (u ∘ inverse) (uᵀx) on every fibre, in place."""
    for f in range(first, last):
        rows, entries = row[starts[f] : starts[f + 1]], entry[starts[f] : starts[f + 1]]
        total = 0.0
        for j in range(len(rows)):
            total += u[rows[j]] * x[entries[j]]
        total *= g[f]
        for j in range(len(rows)):
            i = entries[j]
            x[i] += total * u[rows[j]] * inverse[i]
