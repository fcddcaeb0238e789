"""The nearest tensors whose unfoldings have no singular value above a limit.

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

from ..tensor import Array, blocks, entries
from .pieces import PIECES, cut
from .threads import share

Floats = NDArray[np.floating[Any]]

_WIDTH = 512  # columns of an unfolding that are multiplied at a time: they fit into the cache
_RESOLVED = {"float64": 1e-7, "float32": 5e-5}  # share of the largest singular value below which X Xᵀ knows no other


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
        factor, taken[mode] = _factor(total, limits[mode], leading[mode], _RESOLVED[views[mode].dtype.name])
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
