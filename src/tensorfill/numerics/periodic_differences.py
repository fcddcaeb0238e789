"""Differences of neighbours in a circle: each entry is taken from the next one, and the last from the first.

(∇x)_i = x_{i+1} − x_i with x_{n+1} = x_1. Its adjoint is (∇ᵀy)_i = y_{i−1} − y_i. Waves are eigenvectors of ∇ᵀ∇, so
I + Σ_k ∇_kᵀ∇_k is inverted by dividing in the frequency domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import DTypeLike, NDArray

from .threads import thread_count

Numbers = NDArray[Any]
"""Real or complex numbers, in single or double precision."""


def add_differences(array: Numbers, axis: int, out: Numbers) -> None:
    """out += ∇x along an axis.

    >>> out = np.zeros(3)
    >>> add_differences(np.array([1.0, 2.0, 5.0]), 0, out)
    >>> out
    array([ 1.,  3., -4.])
    """
    x, y = np.moveaxis(array, axis, 0), np.moveaxis(out, axis, 0)
    y -= x
    y[:-1] += x[1:]
    y[-1] += x[0]


def add_adjoint(array: Numbers, axis: int, out: Numbers) -> None:
    """out += ∇ᵀy along an axis.

    >>> out = np.zeros(3)
    >>> add_adjoint(np.array([1.0, 2.0, 5.0]), 0, out)
    >>> out
    array([ 4., -1., -3.])
    """
    y, x = np.moveaxis(array, axis, 0), np.moveaxis(out, axis, 0)
    x -= y
    x[1:] += y[:-1]
    x[0] += y[-1]


class Smoother:
    """Solves (I + Σ_k ∇_kᵀ∇_k) x = b, with the sum over some axes of arrays of one shape."""

    def __init__(self, shape: Sequence[int], axes: Sequence[int], dtype: DTypeLike) -> None:
        self._axes = tuple(axes)
        self._sizes = [shape[axis] for axis in self._axes]
        total: Numbers = np.ones((1,) * len(shape))
        for axis in self._axes:
            size = shape[axis]
            waves = np.arange(size // 2 + 1 if axis == self._axes[-1] else size)  # the transform of real data
            total = total + np.expand_dims(
                2.0 - 2.0 * np.cos(2.0 * np.pi * waves / size), [k for k in range(len(shape)) if k != axis]
            )
        self._shares: Numbers = (1.0 / total).astype(dtype)

    def solve(self, array: Numbers) -> Numbers:
        """x for one b, which is left as it is."""
        waves: Numbers = scipy.fft.rfftn(array, axes=self._axes, workers=thread_count())
        waves *= self._shares
        solved: Numbers = scipy.fft.irfftn(
            waves, s=self._sizes, axes=self._axes, overwrite_x=True, workers=thread_count()
        )
        return solved
