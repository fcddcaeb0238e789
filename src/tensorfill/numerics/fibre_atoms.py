"""Compiled loops with matrices of low rank on the fibres of a sparse tensor; each works on fibres `first` … `last` − 1.

Fibre f of a mode holds the slots `starts[f]` … `starts[f + 1]` − 1; slot j is entry `entry[j]` of the support, in row
`row[j]` of the mode. `x` holds one value per slot. Entries and rows are unsigned and fibres are slices: so the
compiler need not ask for every index whether it counts from the end, which takes half of the time.
"""

from ..compiling import compiled


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
