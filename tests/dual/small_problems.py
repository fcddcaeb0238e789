"""Small problems for the tests of the dual, and dense versions of what the fibre operator does."""

from __future__ import annotations

import numpy as np

from tensorfill.dual.problem import DualProblem, Enforced
from tensorfill.numerics.fibre_operator import Factors
from tensorfill.riemannian.spectrahedron import Product, Spectrahedron
from tensorfill.tensor import mode_product

SHAPES = {2: (6, 7), 3: (4, 5, 6), 4: (3, 4, 3, 4), 5: (3, 2, 4, 2, 3)}


def data_with_zeros(shape: tuple[int, ...], keep: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Nonnegative data with many zeros and a mask of what is observed: W ≥ 0 matters for these."""
    rng = np.random.default_rng(seed)
    return np.maximum(0.5 * rng.standard_normal(shape) + 0.3, 0.0), rng.random(shape) < keep


def problem_of(
    data: np.ndarray, observed: np.ndarray, C: float = 5.0, enforced: Enforced = "everywhere"
) -> DualProblem:
    """The paper's problem for this data, with λ_k = n_k."""
    lam = tuple(float(n) for n in data.shape)
    return DualProblem(data.shape, np.flatnonzero(observed), data[observed].astype(float), C, lam, enforced)


def manifold_of(shape: tuple[int, ...], ranks: tuple[int, ...]) -> Product:
    """The product of spectrahedra that U lives on."""
    return Product([Spectrahedron(n, r) for n, r in zip(shape, ranks, strict=True)])


def random_factors(shape: tuple[int, ...], ranks: tuple[int, ...], seed: int = 0) -> Factors:
    """A random U."""
    return manifold_of(shape, ranks).random_point(np.random.default_rng(seed))


def dense_K(X: np.ndarray, factors: Factors, lam: tuple[float, ...]) -> np.ndarray:
    """Σ_k λ_k X ×_k U_k U_kᵀ, by dense tensor algebra."""
    return sum(
        weight * mode_product(X, U @ U.T, mode) for mode, (U, weight) in enumerate(zip(factors, lam, strict=True))
    )
