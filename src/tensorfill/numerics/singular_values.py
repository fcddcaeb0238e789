"""Singular values of wide matrices, through the eigenvalues of the small X Xᵀ; their ℓ1 ball; bases that grow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..tensor import Array, blocks, entries, mode_product
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
