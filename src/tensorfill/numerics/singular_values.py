"""Singular values of wide matrices, through the eigenvalues of the small X Xᵀ: soft and hard limits, bases.

With the mode-k unfolding X = Σ_i σ_i u_i v_iᵀ, the nearest point of the ball {‖D‖ ≤ t} of the spectral norm is
Σ_i min(σ_i, t) u_i v_iᵀ = B X with B = Σ_i min(1, t/σ_i) u_i u_iᵀ. Soft-thresholding leaves the rest, X − D. If the
largest r singular values are to be left as they are, that rest has all of them, and B begins with the (r + 1)-th.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array, blocks, entries, mode_product
from .threads import PIECES, cut, share
from .unfoldings import cross_product

_RESOLVED = 1e-5  # σ² below the square of this share of the largest has lost half of its digits or more to rounding
_DEPENDENT = 1e-10  # of a unit vector: what is left of it beyond the others when it lies in their span


class Shrunk(NamedTuple):
    """An array after its singular values were made smaller, and their sum."""

    array: Array
    nuclear_norm: float


def soft_threshold(tensor: Array, threshold: float, mode: int = 0) -> Shrunk:
    """Make every singular value of an unfolding smaller by `threshold`, and those below it zero.

    With the singular value decomposition X = Σ_i σ_i u_i v_iᵀ of the mode-k unfolding, the result is
    Σ_i max(σ_i − t, 0) u_i v_iᵀ, folded back: the minimiser of t ‖M‖_* + ½ ‖M − X‖². A matrix is its own unfolding.

    >>> soft_threshold(np.diag([3.0, 1.0]), 2.0).array + 0.0
    array([[1., 0.],
           [0., 0.]])
    """
    size = tensor.shape[mode]
    others = entries(tensor.shape) // size
    if size > others:
        turned = soft_threshold(_transpose_unfolding(tensor, mode), threshold)
        rest = [*tensor.shape[:mode], *tensor.shape[mode + 1 :], size]
        return Shrunk(np.ascontiguousarray(np.moveaxis(turned.array.reshape(rest), -1, mode)), turned.nuclear_norm)
    left, right, nuclear_norm = _factors(blocks(tensor, mode), threshold)
    if left.shape[1] == 0:
        return Shrunk(np.zeros(tensor.shape), 0.0)
    if 2 * left.shape[1] < size:
        return Shrunk(mode_product(mode_product(tensor, right, mode), left, mode), nuclear_norm)
    return Shrunk(mode_product(tensor, left @ right, mode), nuclear_norm)


def nuclear_norm(tensor: Array, mode: int = 0) -> float:
    """The sum of the singular values of an unfolding."""
    return float(_singular_values(tensor, mode).sum())


def spectral_norm(tensor: Array, mode: int = 0) -> float:
    """The largest singular value of an unfolding."""
    return float(_singular_values(tensor, mode)[-1])


def _singular_values(tensor: Array, mode: int) -> Array:
    """The singular values of an unfolding, ascending; small ones as well as the eigenvalues of X Xᵀ have them."""
    if tensor.shape[mode] > entries(tensor.shape) // tensor.shape[mode]:
        tensor, mode = _transpose_unfolding(tensor, mode), 0
    squares = np.linalg.eigvalsh(cross_product(tensor, tensor, mode))
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)), dtype=np.float64)


def _transpose_unfolding(tensor: Array, mode: int) -> Array:
    """The transpose of the mode-k unfolding."""
    return np.ascontiguousarray(np.moveaxis(tensor, mode, -1)).reshape(-1, tensor.shape[mode])


def _factors(parts: Array, threshold: float) -> tuple[Array, Array, float]:
    """L, R and the nuclear norm of L R X, where L R X is the soft-thresholded X = [parts side by side].

    L R = Σ_i max(1 − t/σ_i, 0) u_i u_iᵀ. The eigenvalues of X Xᵀ are σ_i² up to rounding of the largest one. Where that
    is not enough, the small ones are found again, with rounding of their own size, from X without its large directions.
    """
    squares, directions = np.linalg.eigh(cross_product(parts, parts, 1))
    values = np.sqrt(np.maximum(squares, 0.0))
    resolution = _RESOLVED * values[-1]
    kept = values > max(threshold, resolution)
    factors = 1.0 - threshold / values[kept]
    left, right = directions[:, kept] * factors, directions[:, kept].T
    total = float(values[kept] @ factors)
    small = values <= resolution
    if threshold >= resolution or not small.any():
        return left, right, total
    basis = directions[:, small]
    small_left, small_right, small_total = _factors(mode_product(parts, basis.T, 1), threshold)
    left = np.concatenate([left, basis @ small_left], axis=1)
    right = np.concatenate([right, small_right @ basis.T])
    return left, right, total + small_total


def project_onto_l1_ball(values: Array, radius: float) -> Array:
    """The point with Σ|x_i| ≤ radius nearest to nonnegative values: all lowered alike, none below zero.

    >>> project_onto_l1_ball(np.array([3.0, 2.0, 0.5]), 3.0)
    array([2., 1., 0.])
    """
    if values.sum() <= radius:
        return values
    descending = np.sort(values)[::-1]
    lowered = (np.cumsum(descending) - radius) / np.arange(1, len(values) + 1)
    # What stays above zero are the largest values: as many as exceed the amount they would all be lowered by.
    amount = lowered[np.flatnonzero(descending > lowered)[-1]] if radius > 0 else descending[0]
    return np.asarray(np.maximum(values - amount, 0.0))


def extend_basis(basis: Array, vector: Array) -> tuple[Array, Array]:
    """Orthonormal columns that span a basis and a unit vector, and the coordinates of the vector in them.

    Gram-Schmidt, twice, which is as good as Householder's way. A vector in the span of the basis adds no column.
    """
    rest, coordinates = vector, np.zeros(basis.shape[1])
    for _ in range(2):
        along = rest @ basis
        rest = rest - basis @ along
        coordinates += along
    length = float(np.linalg.norm(rest))
    if length <= _DEPENDENT or basis.shape[1] >= len(vector):
        return basis, coordinates
    return np.column_stack((basis, rest / length)), np.append(coordinates, length)


Floats = NDArray[np.floating[Any]]

_WIDTH = 512  # columns of an unfolding that are multiplied at a time: they fit into the cache
_TOLD_APART = {"float64": 1e-7, "float32": 5e-5}  # share of the largest singular value below which X Xᵀ knows no other


class _Stretch(NamedTuple):
    """A part of an array (before) × n × (after) that holds some columns of the unfolding."""

    block: slice
    columns: slice


def project_onto_balls(
    tensors: Sequence[Floats], limits: Sequence[float] | Array, free: Sequence[int] | None = None
) -> Array:
    """Move the k-th tensor, in place, to the nearest one whose mode-k unfolding has no singular value above limit k.

    The largest free[k] singular values, none by default, are taken away as a whole, and not counted: returns the
    nuclear norms of what else was taken away, Σ_i max(σ_i − t, 0), one per tensor. The modes must be in the order of
    their sizes, the largest last, and the last index must vary fastest. Single precision is multiplied as such, and
    added up in double precision.

    >>> tensors = [np.diag([1.0, 3.0]), np.diag([1.0, 3.0])]
    >>> project_onto_balls(tensors, [2.0, 0.5])
    array([1., 3.])
    >>> tensors[0].round(12) + 0.0
    array([[1., 0.],
           [0., 2.]])
    >>> project_onto_balls(tensors, [0.25, 0.25], free=[1, 0])
    array([0.75, 0.5 ])
    """
    leading = [0] * len(tensors) if free is None else free
    views = [_wide(tensor, mode) for mode, tensor in enumerate(tensors)]
    pieces = [_pieces(view.shape) for view in views]
    work = [(mode, number) for mode, parts in enumerate(pieces) for number in range(len(parts))]
    squares = [np.empty((len(parts), view.shape[1], view.shape[1])) for view, parts in zip(views, pieces, strict=True)]
    factors: list[Floats] = [np.empty(0)] * len(views)
    taken = np.zeros(len(views))

    def multiply_out(task: int) -> None:
        mode, number = work[task]
        _add_squares(views[mode], pieces[mode][number], squares[mode][number])

    def decompose(mode: int) -> None:
        total = squares[mode].sum(axis=0)
        factor, taken[mode] = _factor(total, limits[mode], leading[mode], _TOLD_APART[views[mode].dtype.name])
        factors[mode] = factor.astype(views[mode].dtype)

    def move(task: int) -> None:
        mode, number = work[task]
        _multiply(views[mode], pieces[mode][number], factors[mode])

    share(multiply_out, len(work))
    share(decompose, len(views))
    share(move, len(work))
    return taken


def _wide(tensor: Floats, mode: int) -> Floats:
    """The tensor as (before) × n × (after), a view in which the unfolding has no more rows than columns.

    With the largest mode last, only that one can be larger than all the others together; then the others are taken for
    its columns: a matrix and its transpose have the same singular values.
    """
    size = tensor.shape[mode]
    if size * size > entries(tensor.shape):
        return tensor.reshape(1, -1, size)
    return blocks(tensor, mode)


def _pieces(shape: tuple[int, ...]) -> list[list[_Stretch]]:
    """All columns of an unfolding, in pieces of about the same size; few if each would have few columns per row."""
    before, size, after = shape
    if after == 1:
        stretches = [_Stretch(slice(i, min(i + _WIDTH, before)), slice(0, 1)) for i in range(0, before, _WIDTH)]
    else:
        stretches = [
            _Stretch(slice(i, i + 1), slice(j, min(j + _WIDTH, after)))
            for i in range(before)
            for j in range(0, after, _WIDTH)
        ]
    number = max(1, min(PIECES, before * after // (2 * size), len(stretches)))
    return [stretches[first:end] for first, end in pairwise(cut(len(stretches), number))]


def _matrix(view: Floats, stretch: _Stretch) -> Floats:
    """Columns of the unfolding, n × (some)."""
    part = view[stretch.block, :, stretch.columns]
    return part[:, :, 0].T if view.shape[2] == 1 else part[0]


def _add_squares(view: Floats, stretches: Sequence[_Stretch], out: Array) -> None:
    """out = X Xᵀ over some columns of the unfolding."""
    out[...] = 0.0
    waiting, columns = np.zeros(out.shape, view.dtype), 0
    for stretch in stretches:
        part = _matrix(view, stretch)
        waiting += part @ part.T
        columns += part.shape[1]
        if columns >= _WIDTH:
            out += waiting
            waiting[...], columns = 0.0, 0
    out += waiting


def _factor(squares: Array, limit: float, free: int, resolved: float) -> tuple[Array, float]:
    """B, and the nuclear norm of X − B X without its `free` largest singular values, from X Xᵀ.

    Singular values that are too small to be told from rounding are treated as if they were as large as can be told.
    """
    values, directions = np.linalg.eigh(squares)
    values = np.sqrt(np.maximum(values, 0.0))
    counted = len(values) - free
    taken = float(np.maximum(values[:counted] - limit, 0.0).sum())
    least = max(limit, resolved * values[-1])
    shares = np.divide(limit, np.maximum(values, least), out=np.ones_like(values), where=least > 0)
    shares[counted:] = 0.0
    return (directions * shares) @ directions.T, taken


def _multiply(view: Floats, stretches: Sequence[_Stretch], factor: Floats) -> None:
    """Some columns of the unfolding times a symmetric matrix, in place."""
    for stretch in stretches:
        part = _matrix(view, stretch)
        if view.shape[2] == 1:
            part.T[...] = part.T @ factor
        else:
            part[...] = factor @ part
