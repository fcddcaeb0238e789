"""Largest eigenvalues of X_k X_kᵀ, from products with the fibres only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from ..tensor import Array
from .fibre_operator import FibreOperator

_DENSE = 64  # matrices up to this size are built and decomposed
_TOLERANCE = 1e-10

BlockProduct = Callable[[Array], Array]


def top_eigenpairs(apply: BlockProduct, n: int, count: int, tolerance: float) -> tuple[Array, Array]:
    """The `count` largest eigenvalues, ascending, and eigenvectors of a symmetric n×n matrix given by its products.

    Where the iteration does not converge, what it has found is filled up with random directions.
    """
    if n <= _DENSE or count > n // 2:
        matrix = apply(np.eye(n))
        weights, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        return weights[-count:], vectors[:, -count:]
    operator = LinearOperator(
        (n, n), matvec=lambda v: apply(np.ascontiguousarray(v).reshape(-1, 1)).ravel(), dtype=np.float64
    )
    rng = np.random.default_rng(0)
    try:
        weights, vectors = eigsh(operator, k=count, which="LA", v0=rng.standard_normal(n), tol=tolerance)
    except ArpackNoConvergence as stopped:
        found = stopped.eigenvectors
        fill = rng.standard_normal((n, count - found.shape[1]))
        vectors = np.linalg.qr(np.hstack([found, fill]))[0]
        weights = np.einsum("ir,ir->r", vectors, apply(vectors))
    order = np.argsort(weights)
    return weights[order], np.ascontiguousarray(vectors[:, order])


def largest_eigenvalue(operator: FibreOperator, mode: int, X: Array) -> float:
    """σ_max(X_k)²."""
    weights, _ = top_eigenpairs(lambda V: operator.gram(mode, X, V), operator.shape[mode], 1, _TOLERANCE)
    return float(weights[-1])
