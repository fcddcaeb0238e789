"""Drawing the rows of one factor: each is Gaussian, given the other factors and what is left of its slice's entries.

With features f_e, the entrywise product of the other factors' rows at entry e, and residuals r_e, row u of a slice has

    precision  P = Λ + τ Σ f fᵀ ,     mean  P⁻¹ (Λ m + τ Σ f (r + f · u₀))

where u₀ is the row that the residuals were computed with, and N(m, Λ⁻¹) its prior.
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled

_BLOCK = 64  # entries whose features are gathered at a time, so that sums run along them


@compiled(nogil=True, fastmath=True, error_model="numpy")
def draw_rows(  # type: ignore[no-untyped-def]
    first, end, starts, order, indices, offsets, mode, others, factor, residuals, precision, noise, pulls, normals
):
    """New rows first … end of a factor, drawn with these standard normals; what is left of the entries follows.

    `factor` has the rows of all modes of the term, one mode after the other; `pulls` is Λm for every row.
    """
    rank = factor.shape[1]
    F = np.empty((rank, _BLOCK), dtype=np.float32)
    left = np.empty(_BLOCK, dtype=np.float32)
    P = np.empty((rank, rank))
    b = np.empty(rank)
    change = np.empty(rank, dtype=np.float32)
    base = offsets[mode]
    for row in range(first, end):
        u = factor[base + row]
        for a in range(rank):
            b[a] = 0.0
            for c in range(a + 1):
                P[a, c] = 0.0
        for begin in range(starts[row], starts[row + 1], _BLOCK):
            width = min(_BLOCK, starts[row + 1] - begin)
            gather(begin, width, order, indices, offsets, others, factor, F)
            for e in range(width):
                left[e] = residuals[order[begin + e]]
            for a in range(rank):
                total = np.float32(0.0)
                for e in range(width):
                    total += F[a, e] * left[e]
                b[a] += total
                for c in range(a + 1):
                    total = np.float32(0.0)
                    for e in range(width):
                        total += F[a, e] * F[c, e]
                    P[a, c] += total
        for a in range(rank):
            for c in range(rank):
                b[a] += (P[a, c] if c <= a else P[c, a]) * u[c]
        for a in range(rank):
            b[a] = noise * b[a] + pulls[row, a]
            for c in range(a + 1):
                P[a, c] = noise * P[a, c] + precision[a, c]
        draw(P, b, normals[row])
        for a in range(rank):
            change[a] = np.float32(b[a]) - u[a]
            u[a] = np.float32(b[a])
        for begin in range(starts[row], starts[row + 1], _BLOCK):
            width = min(_BLOCK, starts[row + 1] - begin)
            gather(begin, width, order, indices, offsets, others, factor, F)
            left[:width] = 0.0
            for a in range(rank):
                for e in range(width):
                    left[e] += F[a, e] * change[a]
            for e in range(width):
                residuals[order[begin + e]] -= left[e]


@compiled(nogil=True, fastmath=True, error_model="numpy")
def gather(begin, width, order, indices, offsets, others, factor, F):  # type: ignore[no-untyped-def]
    """The features of some entries, as columns: products of the other factors' rows, or 1 if there are none."""
    rank = len(F)
    for e in range(width):
        entry = order[begin + e]
        if len(others) == 0:
            for a in range(rank):
                F[a, e] = 1.0
        else:
            where = offsets[others[0]] + indices[others[0], entry]
            for a in range(rank):
                F[a, e] = factor[where, a]
            for o in range(1, len(others)):
                where = offsets[others[o]] + indices[others[o], entry]
                for a in range(rank):
                    F[a, e] *= factor[where, a]


@compiled(nogil=True, fastmath=True, error_model="numpy")
def draw(P, b, normals):  # type: ignore[no-untyped-def]
    """b becomes P⁻¹ b + L⁻ᵀ z, with P = L Lᵀ, whose lower triangle is written over by L."""
    rank = len(b)
    for a in range(rank):
        for c in range(a):
            for k in range(c):
                P[a, c] -= P[a, k] * P[c, k]
            P[a, c] /= P[c, c]
            P[a, a] -= P[a, c] * P[a, c]
        P[a, a] = np.sqrt(P[a, a])
        for k in range(a):
            b[a] -= P[a, k] * b[k]
        b[a] /= P[a, a]
    for a in range(rank):
        b[a] += normals[a]
    for a in range(rank - 1, -1, -1):
        for k in range(a + 1, rank):
            b[a] -= P[k, a] * b[k]
        b[a] /= P[a, a]
