"""How TMac changes its ranks on the way: once down to a clear gap, or up in small steps while the fit stands still.

Only Y_k is changed here; X_k = M_k Y_kᵀ follows from it in the next iteration.
"""

from __future__ import annotations

import numpy as np

from ..numerics.unfoldings import cross_product
from ..tensor import Array, fold, mode_product, unfold

_CLEAR_GAP = 10.0  # times the mean of the other ratios, about
_STANDSTILL = 1e-2  # relative change of a residual below which a higher rank is tried


def rank_at_gap(eigenvalues: Array, smallest: int) -> int | None:
    """Where the eigenvalues of X_kᵀ X_k (largest first) drop much more than elsewhere, from position `smallest` on."""
    floor = len(eigenvalues) * np.finfo(float).eps * eigenvalues[0]  # below it there is only rounding
    tail = np.maximum(eigenvalues[smallest - 1 :], floor)
    if len(tail) < 3 or floor <= 0:  # a single ratio has nothing to stand out from
        return None
    ratios = tail[:-1] / tail[1:]
    others = ratios.sum() - ratios.max()
    return smallest + int(ratios.argmax()) if len(ratios) * ratios.max() > _CLEAR_GAP * others else None


def stands_still(residual: float, before: float, tolerance: float) -> bool:
    """Whether ‖X_k Y_k − Y‖ on the known entries hardly changed, and is not zero."""
    return residual > 0 and abs(1 - residual / before) < max(_STANDSTILL, 10 * tolerance)


def shrunken(left: Array, right: Array, mode: int, rank: int) -> Array:
    """Y_k of lower rank: the leading right singular vectors of X_k Y_k."""
    _, triangle = np.linalg.qr(left)
    squares, vectors = np.linalg.eigh(triangle @ cross_product(right, right, mode) @ triangle.T)
    leading = vectors[:, ::-1][:, :rank] / np.sqrt(np.maximum(squares[::-1][:rank], np.finfo(float).tiny))
    return mode_product(right, leading.T @ triangle, mode)


def grown(right: Array, mode: int, more: int, rng: np.random.Generator) -> Array:
    """Y_k of higher rank: with random rows appended, all of them orthonormal."""
    rows = unfold(right, mode)
    basis, _ = np.linalg.qr(np.concatenate([rows, rng.standard_normal((more, rows.shape[1]))]).T)
    shape = (*right.shape[:mode], len(rows) + more, *right.shape[mode + 1 :])
    return np.ascontiguousarray(fold(basis.T, mode, shape), dtype=np.float64)
