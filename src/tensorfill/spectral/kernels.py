"""Compiled passes over long vectors for the spectral solvers: fused, in pieces, summed in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..numerics.threads import share

_SMALL = 2**15  # entries that are not worth sharing
_PIECES = 8  # whatever the number of threads, so that sums have the same bits


def in_pieces(kernel: Callable[..., Any], *arrays: NDArray[Any], numbers: tuple[float, ...] = ()) -> float:
    """Call a kernel on pieces of contiguous arrays of one size, on all threads; the sum of what it gives back."""
    flat = [array.reshape(-1) for array in arrays]
    if len(flat[0]) < _SMALL:
        return float(kernel(*flat, *numbers))
    cuts = np.linspace(0, len(flat[0]), _PIECES + 1).astype(np.int64)
    sums = np.zeros(_PIECES)

    def work(piece: int) -> None:
        part = slice(cuts[piece], cuts[piece + 1])
        sums[piece] = kernel(*(array[part] for array in flat), *numbers)

    share(work, _PIECES)
    return float(sums.sum())


@compiled(nogil=True, fastmath=True)
def dot(a, b):  # type: ignore[no-untyped-def]
    """aᵀb."""
    total = 0.0
    for i in range(len(a)):
        total += np.float64(a[i]) * b[i]
    return total


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
def step(x, r, d, q, alpha):  # type: ignore[no-untyped-def]
    """x += αd and r −= αq, in place."""
    a = x.dtype.type(alpha)
    for i in range(len(x)):
        x[i] += a * d[i]
        r[i] -= a * q[i]
    return 0.0


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
def turn(d, z, beta):  # type: ignore[no-untyped-def]
    """d ← z + βd, in place."""
    b = d.dtype.type(beta)
    for i in range(len(d)):
        d[i] = z[i] + b * d[i]
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
