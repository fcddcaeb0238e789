"""Compiled steps on long vectors for iterative solvers: fused, quiet, and summed in double precision.

BLAS starts its own threads for long vectors, and they keep spinning for a while after each call; next to kernels that
use all cores themselves, that costs more than the vector operations do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..compiling import compiled
from .threads import count_pieces, cut, share


class Run(Protocol):
    """How a kernel goes over vectors of one size; returns the sum of what it returns."""

    def __call__(self, kernel: Callable[..., Any], *arrays: NDArray[Any], numbers: tuple[float, ...] = ()) -> float: ...


def at_once(kernel: Callable[..., Any], *arrays: NDArray[Any], numbers: tuple[float, ...] = ()) -> float:
    """Call a kernel on whole vectors, on this thread."""
    return float(kernel(*arrays, *numbers))


def in_pieces(kernel: Callable[..., Any], *arrays: NDArray[Any], numbers: tuple[float, ...] = ()) -> float:
    """Call a kernel on pieces of contiguous arrays of one size and any shape, on all cores."""
    flat = [array.reshape(-1) for array in arrays]
    pieces = count_pieces(len(flat[0]))
    if pieces == 1:
        return at_once(kernel, *flat, numbers=numbers)
    cuts, sums = cut(len(flat[0]), pieces), np.zeros(pieces)

    def work(piece: int) -> None:
        part = slice(cuts[piece], cuts[piece + 1])
        sums[piece] = kernel(*(array[part] for array in flat), *numbers)

    share(work, pieces)
    return float(sums.sum())


def standard_normal(shape: tuple[int, ...], dtype: DTypeLike, *seed: int) -> NDArray[Any]:
    """Standard normal numbers, drawn on all cores; every piece has a stream of its own."""
    found: NDArray[Any] = np.empty(shape, dtype)
    flat = found.reshape(-1)
    cuts = cut(flat.size, count_pieces(flat.size))

    def draw(piece: int) -> None:
        part = flat[cuts[piece] : cuts[piece + 1]]
        np.random.default_rng([*seed, piece]).standard_normal(dtype=part.dtype, out=part)

    share(draw, len(cuts) - 1)
    return found


@compiled(nogil=True, fastmath=True)
def dot(a, b):  # type: ignore[no-untyped-def]
    """aᵀb."""
    total = 0.0
    for i in range(len(a)):
        total += np.float64(a[i]) * b[i]
    return total


@compiled(nogil=True, fastmath=True)
def advance(x, r, p, q, alpha):  # type: ignore[no-untyped-def]
    """x += αp and r −= αq, in place."""
    a = x.dtype.type(alpha)
    for i in range(len(x)):
        x[i] += a * p[i]
        r[i] -= a * q[i]
    return 0.0


@compiled(nogil=True, fastmath=True)
def turn(p, z, beta):  # type: ignore[no-untyped-def]
    """p ← z + βp, in place."""
    b = p.dtype.type(beta)
    for i in range(len(p)):
        p[i] = z[i] + b * p[i]
    return 0.0
