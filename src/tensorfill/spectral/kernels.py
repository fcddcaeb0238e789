"""Compiled passes over long vectors for the spectral solvers: fused, and summed in double precision."""

import numpy as np

from ..compiling import compiled


@compiled(nogil=True, fastmath=True)
def weighted_square(a, weight):  # type: ignore[no-untyped-def]
    """Σ weight a²."""
    total = 0.0
    for i in range(len(a)):
        total += np.float64(a[i]) * a[i] * weight[i]
    return total


@compiled(nogil=True, fastmath=True)
def logarithms(a):  # type: ignore[no-untyped-def]
    """Σ log a."""
    total = 0.0
    for i in range(len(a)):
        total += np.log(a[i])
    return total


@compiled(nogil=True, fastmath=True)
def keep(x, where):  # type: ignore[no-untyped-def]
    """x = 0 outside of `where`, in place."""
    for i in range(len(x)):
        if not where[i]:
            x[i] = 0
    return 0.0


@compiled(nogil=True, fastmath=True)
def drop(x, where):  # type: ignore[no-untyped-def]
    """x = 0 in `where`, in place."""
    for i in range(len(x)):
        if where[i]:
            x[i] = 0
    return 0.0


@compiled(nogil=True, fastmath=True)
def multiply(x, factor):  # type: ignore[no-untyped-def]
    """x *= factor, in place."""
    for i in range(len(x)):
        x[i] *= factor[i]
    return 0.0


@compiled(nogil=True, fastmath=True)
def divide(x, by, more):  # type: ignore[no-untyped-def]
    """x /= by + more, in place."""
    for i in range(len(x)):
        x[i] /= by[i] + x.dtype.type(more)
    return 0.0


@compiled(nogil=True, fastmath=True)
def add_flat(z, depth, r, flat):  # type: ignore[no-untyped-def]
    """z ← depth ∘ z + (1 − depth²) · flat · r where there is depth, and 0 elsewhere, in place."""
    f = z.dtype.type(flat)
    for i in range(len(z)):
        if depth[i] > 0:
            z[i] = depth[i] * z[i] + (1 - depth[i] * depth[i]) * f * r[i]
        else:
            z[i] = 0
    return 0.0


@compiled(nogil=True, fastmath=True)
def add_ridge(q, ratio, d):  # type: ignore[no-untyped-def]
    """q += ratio ∘ d, in place; qᵀd."""
    total = 0.0
    for i in range(len(q)):
        q[i] += ratio[i] * d[i]
        total += np.float64(q[i]) * d[i]
    return total


@compiled(nogil=True, fastmath=True)
def divided_square(r, ratio, share_known):  # type: ignore[no-untyped-def]
    """Σ r²/(share + ratio)."""
    total = 0.0
    for i in range(len(r)):
        total += np.float64(r[i]) * r[i] / (ratio[i] + share_known)
    return total


@compiled(nogil=True, fastmath=True)
def turn_divided(d, r, ratio, share_known, beta):  # type: ignore[no-untyped-def]
    """d ← r/(share + ratio) + βd, in place."""
    p, b = d.dtype.type(share_known), d.dtype.type(beta)
    for i in range(len(d)):
        d[i] = r[i] / (p + ratio[i]) + b * d[i]
    return 0.0


@compiled(nogil=True, fastmath=True)
def below_along(x, d, length, order):  # type: ignore[no-untyped-def]
    """The first or second derivative of ½ Σ min(x + t d, 0)² by t, at t = length."""
    total = 0.0
    for i in range(len(x)):
        there = np.float64(x[i]) + length * d[i]
        if there < 0:
            total += np.float64(d[i]) * (there if order == 1 else d[i])
    return total
