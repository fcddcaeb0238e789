"""The tensor nuclear norm: the sum of all singular values of the slices of a transformed tensor.

‖X‖ = 1/√N Σ_i ‖X̂_i‖_*, with N slices X̂_i of a transform that keeps norms. The tensor nearest to
X with a small norm, argmin_G t ‖G‖ + ½ ‖G − X‖², has the slices of X with every singular value made smaller by t/√N.

The transform turns a stack of matrices into slices that are independent of each other (the t-product).

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

from ..compiling import compiled
from ..tensor import Array
from .threads import share, thread_count

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


_PIECE = 2**15  # entries that are worth a call of a kernel
_RESOLVED = 2e-3  # share of ‖X‖ below which X Xᴴ in single precision cannot tell singular values apart
_SQUARINGS = 3  # of X Xᴴ, when looking whether any singular value is above the threshold


def slice_pieces(shape: tuple[int, int, int]) -> list[slice]:
    """Slices that are worked on together, always the same ones, whatever the number of threads."""
    count, rows, columns = shape
    step = max(1, _PIECE // (rows * columns))
    return [slice(first, min(first + step, count)) for first in range(0, count, step)]


def shrink_slices(slices: NDArray[Any], threshold: float) -> tuple[NDArray[Any], Array]:
    """Slices with all singular values made smaller by `threshold`, and the nuclear norm of each.

    >>> shrunk, norms = shrink_slices(np.array([np.diag([3.0, 1.0]), np.zeros((2, 2))]), 2.0)
    >>> shrunk[0].round(12) + 0.0
    array([[1., 0.],
           [0., 0.]])
    >>> norms
    array([1., 0.])
    """
    out, norms = np.empty_like(slices), np.zeros(len(slices))
    pieces = slice_pieces(slices.shape)

    def work(piece: int) -> None:
        here = pieces[piece]
        shrink(slices[here], float(threshold), out[here], norms[here])

    share(work, len(pieces))
    return out, norms


@compiled(nogil=True)
def shrink(slices, threshold, out, norms):  # type: ignore[no-untyped-def]
    """Make every singular value of every slice smaller by `threshold`, and those below it zero.

    With X = Σ_j σ_j u_j v_jᴴ, `out` is Σ_j max(σ_j − t, 0) u_j v_jᴴ, and `norms` gets the sums of what remains of the
    singular values. Single precision is left for double where it would not resolve the threshold.
    """
    for i in range(len(slices)):
        X = slices[i]
        norms[i] = 0.0
        out[i] = 0
        squares = _square_sum(X)
        if squares <= threshold**2:
            continue
        if threshold**2 < _RESOLVED**2 * squares:
            fine_left, fine_right, norms[i] = _factors(X * 1.0, threshold)
            left, right = fine_left.astype(X.dtype), fine_right.astype(X.dtype)
        else:
            left, right, norms[i] = _factors(X, threshold)
        wide = X.shape[0] <= X.shape[1]
        size, count = left.shape
        others = X.size // size
        if 2 * others * count >= size * (count + others):
            both = _product(left, right)
            _copy(_product(both, X) if wide else _product(X, both), out[i])
        elif count > 0:
            _copy(_product(left, _product(right, X)) if wide else _product(_product(X, left), right), out[i])


@compiled(nogil=True)
def _factors(X, threshold):  # type: ignore[no-untyped-def]
    """L and R with L R X = Σ_j max(σ_j − t, 0) u_j v_jᴴ, and Σ_j max(σ_j − t, 0); X L R where X is taller than wide.

    R has rows u_jᴴ and L columns (1 − t/σ_j) u_j, or v_j in the place of u_j, from the smaller one of X Xᴴ and Xᴴ X.
    """
    turned = np.ascontiguousarray(np.conj(X).T)
    gram = _product(X, turned) if X.shape[0] <= X.shape[1] else _product(turned, X)
    size, count, total = len(gram), 0, 0.0
    if _no_eigenvalue_above(gram, threshold**2):
        return np.empty((size, 0), X.dtype), np.empty((0, size), X.dtype), total
    squares, directions = np.linalg.eigh(gram)
    while count < size and squares[size - 1 - count] > threshold**2:
        count += 1
    left, right = np.empty((size, count), X.dtype), np.empty((count, size), X.dtype)
    for j in range(count):
        value = np.sqrt(squares[size - count + j])
        kept = 1.0 - threshold / value
        total += value - threshold
        for k in range(size):
            left[k, j] = directions[k, size - count + j] * kept
            right[j, k] = np.conj(directions[k, size - count + j])
    return left, right, total


@compiled(nogil=True)
def _product(a, b):  # type: ignore[no-untyped-def]
    return np.dot(a, b)  # in one place, for every place takes seconds to compile


@compiled(nogil=True)
def _copy(matrix, out):  # type: ignore[no-untyped-def]
    for i in range(len(out)):
        for j in range(out.shape[1]):
            out[i, j] = matrix[i, j]


@compiled(nogil=True)
def _square_sum(matrix):  # type: ignore[no-untyped-def]
    total = 0.0
    for row in matrix:
        for value in row:
            total += value.real * value.real + value.imag * value.imag
    return total


@compiled(nogil=True)
def _no_eigenvalue_above(matrix, bound):  # type: ignore[no-untyped-def]
    """Whether it can be told without eigenvalues λ ≥ 0 that none is above a bound, here taken for 1.

    λ_max^p ≤ ‖B^p‖_F ≤ √n λ_max^p for p = 1, 2, 4, …: there is none if the norm is at most 1, one if it is above √n.
    """
    scaled = matrix * matrix.real.dtype.type(1.0 / bound)
    for _ in range(_SQUARINGS):
        total = _square_sum(scaled)
        if total <= 1.0:
            return True
        if not total <= len(matrix):
            return False
        scaled = _product(scaled, scaled)
    return _square_sum(scaled) <= 1.0
