"""Largest eigenvalues of X_k X_kᵀ and the like, from products with the fibres only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from ..tensor import Array
from .fibre_operator import FibreOperator

_DENSE = 64  # matrices up to this size are built and decomposed
_SMALL = 600  # matrices up to this size are built for their largest eigenvalue,
_FEW_PAIRS = 100  # if there are no more pairs of entries in a fibre than this, per entry
_ROUNDS = 8  # of subspace iteration
_SPARE = 8  # directions carried along beyond those wanted

BlockProduct = Callable[[Array], Array]
"""V ↦ A V for a symmetric matrix A."""


def leading_eigenpairs(apply: BlockProduct, n: int, count: int) -> tuple[Array, Array]:
    """About the `count` largest eigenvalues, ascending, and their eigenvectors, of an n×n matrix.

    Exact for small matrices; else a fixed number of rounds of subspace iteration, whatever the spectrum.
    """
    width = min(count + _SPARE, n)
    if n <= _DENSE or width > n // 2:
        matrix = apply(np.eye(n))
        weights, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    else:
        basis = np.random.default_rng(0).standard_normal((n, width))
        for _ in range(_ROUNDS):
            basis = np.linalg.qr(apply(np.linalg.qr(basis).Q)).Q
        small = basis.T @ apply(basis)
        weights, turn = np.linalg.eigh((small + small.T) / 2)
        vectors = basis @ turn
    return weights[-count:], np.ascontiguousarray(vectors[:, -count:])


def largest_eigenvalue(operator: FibreOperator, mode: int, X: Array, tolerance: float) -> float:
    """σ_max(X_k)², not too small: what the iteration finds plus the residual it leaves, about `tolerance` of it."""
    n = operator.shape[mode]

    def apply(V: Array) -> Array:
        return operator.gram(mode, X, V)

    if n <= _SMALL and operator.modes[mode].pairs <= _FEW_PAIRS * len(X):
        return float(eigh(operator.square(mode, X), eigvals_only=True, subset_by_index=[n - 1, n - 1])[0])
    matrix = LinearOperator((n, n), matvec=lambda v: apply(np.ascontiguousarray(v).reshape(-1, 1)).ravel(), dtype=float)
    v0 = np.random.default_rng(0).standard_normal(n)
    try:
        weights, vectors = eigsh(matrix, k=1, which="LA", v0=v0, tol=tolerance)
    except ArpackError:  # no convergence, or nothing to start from because all but a few entries are next to zero
        # A matrix's largest absolute row sum is never below its largest eigenvalue.
        return float(operator.gram(mode, np.abs(X), np.ones((n, 1))).max())
    vector = np.ascontiguousarray(vectors[:, :1])
    residual = apply(vector) - weights[0] * vector
    return float(weights[0] + np.linalg.norm(residual))
