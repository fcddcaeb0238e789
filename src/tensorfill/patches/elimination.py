"""Elimination in small positive definite systems.

Indices are unsigned in kernels of this folder: Numba then has no negative ones to look after, so loops are vectorised.
Rows as arrays of their own would do the same, but references to them are counted wherever a loop has branches or calls
a function, which costs as much as the work on a short row. For the same reason innermost kernels call nobody.
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled

index = np.uint64


@compiled(nogil=True, fastmath=True)
def copy_row(target, to, source, which):  # type: ignore[no-untyped-def]
    """A row of one matrix becomes that of another."""
    i, k = index(to), index(which)
    for j in range(index(source.shape[1])):
        target[i, j] = source[k, j]


@compiled(nogil=True, fastmath=True)
def solve_positive(A, count, least, right, wants_inverse, factors, scales):  # type: ignore[no-untyped-def]
    """Solve A z = b in place, for b in `right`; A is positive definite, its first `count` rows and columns.

    A becomes Lᵀ above its diagonal, where L Lᵀ = A, and `scales` has 1/L[i, i]. If `wants_inverse`, all of A has to be
    given and not its upper triangle alone, and below the diagonal it becomes L⁻¹, whose diagonal is `scales`. No pivot
    is below `least`. For that eigenvalues should be about 1 or less.

    Rows of Lᵀ and of L⁻¹ are combined with the same factors, so they share a row. What Lᵀ brings below the diagonal
    of a later row, L[i, k] L[k, k] at k, is taken away by 1/scales[k] on the diagonal of row k.
    """
    end = index(count)
    for i in range(end):
        first = index(0) if wants_inverse else i
        residual = right[i]
        for k in range(i):
            factors[k] = A[k, i]
            residual -= factors[k] * right[k]
        whole = i // index(4) * index(4)
        for k in range(index(0), whole, index(4)):  # four at a time: fewer passes over the row
            k1, k2, k3 = k + index(1), k + index(2), k + index(3)
            factor, factor1, factor2, factor3 = factors[k], factors[k1], factors[k2], factors[k3]
            for j in range(first, end):
                A[i, j] -= factor * A[k, j] + factor1 * A[k1, j] + factor2 * A[k2, j] + factor3 * A[k3, j]
        for k in range(whole, i):
            factor = factors[k]
            for j in range(first, end):
                A[i, j] -= factor * A[k, j]
        root = np.sqrt(max(A[i, i], least))
        scale = np.float32(1) / root
        for j in range(first, end):
            A[i, j] *= scale
        A[i, i] = scale + root
        scales[i] = scale
        right[i] = residual * scale
    for step in range(end):
        row = end - index(1) - step
        total = right[row]
        for j in range(row + index(1), end):
            total -= A[row, j] * right[j]
        right[row] = total * scales[row]
