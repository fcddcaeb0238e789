"""A transform that turns a stack of matrices into slices that are independent of each other (the t-product).

Arrays are (n_3, …, n_K, n_1, n_2). The discrete cosine (DCT-II) or Fourier transform is taken along all axes but the
last two, scaled so that norms are kept. Of the Fourier transform of real data only about half of the slices are there:
the others are their complex conjugates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.fft
from numpy.typing import DTypeLike, NDArray

from ..tensor import Array
from .threads import thread_count

Transform = Literal["dct", "fft"]
Numbers = NDArray[Any]


@dataclass(frozen=True)
class SliceTransform:
    """The transform of arrays of one shape, the axes to be transformed first; none of them for a matrix."""

    kind: Transform
    shape: tuple[int, ...]

    @property
    def slices(self) -> tuple[int, int, int]:
        """The shape of what comes out: slices × rows × columns."""
        return len(self.weights), self.shape[-2], self.shape[-1]

    @property
    def scale(self) -> float:
        """√(n_3 ⋯ n_K), by which the transform without scaling would be larger."""
        return math.sqrt(math.prod(self.shape[:-2]))

    def number_type(self, dtype: DTypeLike) -> np.dtype[Any]:
        """What the slices of an array of real numbers consist of."""
        return np.result_type(dtype, *([1j] if self.kind == "fft" and self._axes else []))

    @cached_property
    def weights(self) -> Array:
        """How often each slice counts: twice if a complex conjugate one was left out.

        >>> SliceTransform("fft", (4, 2, 2)).weights
        array([1., 2., 1.])
        """
        lengths = self.shape[:-2]
        if self.kind == "dct" or not lengths:
            return np.ones(math.prod(lengths))
        last = lengths[-1]
        twice = np.full(last // 2 + 1, 2.0)
        twice[0] = 1.0
        if last % 2 == 0:
            twice[-1] = 1.0
        return np.tile(twice, math.prod(lengths[:-1]))

    def forward(self, array: Numbers) -> Numbers:
        """The slices of a real array, one after another; not to be written to, for they may be the array itself."""
        if not self._axes:
            return array.reshape(self.slices)
        workers = thread_count()
        if self.kind == "dct":
            found: Numbers = scipy.fft.dctn(array, axes=self._axes, norm="ortho", workers=workers)
        else:
            found = scipy.fft.rfftn(array, axes=self._axes, norm="ortho", workers=workers)
        return found.reshape(self.slices)

    def backward(self, slices: Numbers) -> Numbers:
        """The array that has these slices; not to be written to, for it may be the slices themselves."""
        if not self._axes:
            return slices.reshape(self.shape)
        lengths, workers = self.shape[:-2], thread_count()
        if self.kind == "dct":
            whole = slices.reshape(self.shape)
            found: Numbers = scipy.fft.idctn(whole, axes=self._axes, norm="ortho", workers=workers)
        else:
            half = slices.reshape(*lengths[:-1], -1, *self.shape[-2:])
            found = scipy.fft.irfftn(half, s=lengths, axes=self._axes, norm="ortho", workers=workers)
        return found

    @property
    def _axes(self) -> tuple[int, ...]:
        return tuple(range(len(self.shape) - 2))
