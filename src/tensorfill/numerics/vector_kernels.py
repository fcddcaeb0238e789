"""Compiled vector steps for iterative solvers: fused, and quiet.

BLAS starts its own threads for long vectors, and they keep spinning for a while after each call; next to kernels that
use all cores themselves, that costs more than the vector operations do.
"""

from ..compiling import compiled


@compiled(nogil=True, fastmath=True)
def dot(a, b):  # type: ignore[no-untyped-def]
    """aᵀb."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@compiled(nogil=True, fastmath=True)
def advance(x, r, p, q, alpha):  # type: ignore[no-untyped-def]
    """x += αp and r −= αq, in place."""
    for i in range(len(x)):
        x[i] += alpha * p[i]
        r[i] -= alpha * q[i]


@compiled(nogil=True, fastmath=True)
def turn(p, z, beta):  # type: ignore[no-untyped-def]
    """p ← z + βp, in place."""
    for i in range(len(p)):
        p[i] = z[i] + beta * p[i]


@compiled(nogil=True, fastmath=True)
def add_diagonal(out, diagonal, x, free):  # type: ignore[no-untyped-def]
    """out += diagonal ∘ x where `free`, and out = 0 elsewhere, in place."""
    for i in range(len(out)):
        out[i] = out[i] + diagonal[i] * x[i] if free[i] else 0.0
