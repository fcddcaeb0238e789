"""Compiled loops over the fibres of a sparse tensor; each call works on fibres `first` … `last` − 1.

Fibre f of a mode holds the slots `starts[f]` … `starts[f + 1]` − 1; slot j is entry `entry[j]` of the support, in row
`row[j]` of the mode. Entries and rows are unsigned and fibres are slices: so the compiler need not ask for every index
whether it counts from the end, which takes half of the time. Kernels release the GIL.
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


# With matrices of low rank. `x` may hold one value per slot: that is quicker to go through many times.


@compiled(nogil=True)
def fill_slots(starts, entry, values, out, first, last):  # type: ignore[no-untyped-def]
    """out = the values of the entries, in the order of the slots."""
    begin, end = starts[first], starts[last]
    entries, slots = entry[begin:end], out[begin:end]
    for j in range(len(entries)):
        slots[j] = values[entries[j]]


@compiled(nogil=True, fastmath=True)
def add_power_step(starts, row, x, u, out, first, last):  # type: ignore[no-untyped-def]
    """out += X_k X_kᵀ u, in one go: no temporary with one number per fibre."""
    for f in range(first, last):
        rows, slots = row[starts[f] : starts[f + 1]], x[starts[f] : starts[f + 1]]
        total = 0.0
        for j in range(len(rows)):
            total += slots[j] * u[rows[j]]
        for j in range(len(rows)):
            out[rows[j]] += slots[j] * total


@compiled(nogil=True, fastmath=True)
def fill_fibre_dots(starts, row, x, u, out, first, last):  # type: ignore[no-untyped-def]
    """out = X_kᵀ u, one number per fibre."""
    for f in range(first, last):
        rows, slots = row[starts[f] : starts[f + 1]], x[starts[f] : starts[f + 1]]
        total = 0.0
        for j in range(len(rows)):
            total += slots[j] * u[rows[j]]
        out[f] = total


@compiled(nogil=True)
def fill_outer(starts, entry, row, u, v, out, first, last):  # type: ignore[no-untyped-def]
    """out = u vᵀ on the support."""
    for f in range(first, last):
        rows, entries = row[starts[f] : starts[f + 1]], entry[starts[f] : starts[f + 1]]
        for j in range(len(rows)):
            out[entries[j]] = v[f] * u[rows[j]]


@compiled(nogil=True, fastmath=True)
def subtract_product(starts, entry, row, left, right, out, first, last):  # type: ignore[no-untyped-def]
    """out −= left rightᵀ on the support; left has a row per index of the mode, right one per fibre."""
    for f in range(first, last):
        rows, entries, ours = row[starts[f] : starts[f + 1]], entry[starts[f] : starts[f + 1]], right[f]
        for j in range(len(rows)):
            theirs = left[rows[j]]
            total = 0.0
            for c in range(len(ours)):
                total += theirs[c] * ours[c]
            out[entries[j]] -= total


@compiled(nogil=True, fastmath=True)
def add_right_product(starts, entry, row, x, right, out, first, last):  # type: ignore[no-untyped-def]
    """out += X_k right, for a tensor x given on the support; right has a row per fibre."""
    for f in range(first, last):
        rows, entries, ours = row[starts[f] : starts[f + 1]], entry[starts[f] : starts[f + 1]], right[f]
        for j in range(len(rows)):
            value, sums = x[entries[j]], out[rows[j]]
            for c in range(len(ours)):
                sums[c] += value * ours[c]
