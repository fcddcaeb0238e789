"""A plain implementation of the objective of `dual`: SciPy sparse products, linear CG, pymanopt's conjugate gradients.

What one would write in an afternoon with good tools, to measure against. It minimises

    g(U) = max over Z on Ω of   <Z, Y> − ‖Z‖²/(4C) − Σ_k λ_k/2 ‖U_kᵀ Z_k‖² ,     ‖U_k‖_F = 1 ,

whose maximum solves Z/(2C) + K Z = Y, K = Σ_k λ_k B_kᵀ B_k, with one sparse matrix B_k per mode (fibres·r_k × |Ω|).
Every solve starts from the one before; cost and gradient share one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymanopt
from numpy.typing import NDArray
from pymanopt.manifolds import Product, Sphere
from pymanopt.optimizers import ConjugateGradient
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, cg

Array = NDArray[np.float64]
Factors = Sequence[Array]

_INNER_TOLERANCE = 1e-6  # residual of the linear systems, relative to ‖Y‖


@dataclass(frozen=True)
class Step:
    """One outer iteration; seconds exclude the time spent watching."""

    seconds: float
    cost: float
    gradient_norm: float
    operator_calls: int


@dataclass(frozen=True, eq=False)
class _Mode:
    """One mode's unfolding of a sparse tensor: the row and the column (fibre) of every entry."""

    row: NDArray[np.int64]
    fibre: NDArray[np.int64]
    fibres: int

    def basis(self, U: Array) -> csr_array:
        """B_kᵀ: entry e has row U[row of e] at the columns of its fibre, so that B_k z = U_kᵀ Z_k, flattened."""
        count, rank = len(self.row), U.shape[1]
        columns = (rank * self.fibre)[:, None] + np.arange(rank)
        starts = rank * np.arange(count + 1)
        return csr_array((U[self.row].ravel(), columns.ravel(), starts), shape=(count, rank * self.fibres))

    def gram(self, z: Array, U: Array) -> Array:
        """Z_k Z_kᵀ U_k."""
        unfolded = csr_array((z, (self.row, self.fibre)), shape=(U.shape[0], self.fibres))
        return np.asarray(unfolded @ (unfolded.T @ U))


class OutOfTime(Exception):
    """The time limit has passed."""


class Satisfied(Exception):
    """The watcher has seen enough."""


class PlainDual:
    """The objective with the work it took so far: seconds, operator calls, and the last solution."""

    def __init__(
        self, shape: tuple[int, ...], positions: NDArray[np.int64], values: Array, lam: Sequence[float], C: float
    ) -> None:
        self._modes = [_unfold(shape, positions, mode) for mode in range(len(shape))]
        self._shape, self._positions, self._values, self._lam, self._C = shape, positions, values, lam, C
        self._point: list[Array] = []
        self._cost = 0.0
        self.Z = np.zeros_like(values)
        self.operator_calls = 0

    def cost(self, point: Factors, check_time: Callable[[], None]) -> float:
        """g(U), by linear CG from the last Z; nothing is done again for the point evaluated last."""
        if self._point and all(np.array_equal(old, new) for old, new in zip(self._point, point, strict=True)):
            return self._cost
        bases = [mode.basis(U) for mode, U in zip(self._modes, point, strict=True)]

        def apply(z: Array) -> Array:
            self.operator_calls += 1
            check_time()
            total = z / (2 * self._C)
            for weight, basis in zip(self._lam, bases, strict=True):
                total += weight * (basis @ (basis.T @ z))
            return total

        count = len(self._values)
        system = LinearOperator((count, count), matvec=apply, dtype=np.float64)
        self.Z, _ = cg(system, self._values, x0=self.Z, rtol=_INNER_TOLERANCE)
        self._point = [U.copy() for U in point]
        self._cost = float(self.Z @ self._values - self.Z @ apply(self.Z) / 2)
        return self._cost

    def gradient(self, point: Factors) -> list[Array]:
        """−λ_k Z_k Z_kᵀ U_k."""
        return [
            -weight * mode.gram(self.Z, U) for mode, U, weight in zip(self._modes, point, self._lam, strict=True)
        ]

    def model(self, point: Factors) -> Array:
        """W = Σ_k λ_k Z ×_k U_k U_kᵀ, whole."""
        Z = np.zeros(self._shape)
        Z.reshape(-1)[self._positions] = self.Z
        parts = zip(range(len(self._shape)), point, self._lam, strict=True)
        return np.asarray(
            sum(np.moveaxis(weight * np.tensordot(U @ U.T, Z, (1, mode)), 0, mode) for mode, U, weight in parts)
        )


def minimise(
    problem: PlainDual,
    start: Factors,
    watch: Callable[[Step, Callable[[], Array]], bool],
    limit: float,
) -> float:
    """Conjugate gradients of pymanopt until `watch(step, model)` says so or `limit` seconds have passed.

    Returns the seconds it took, without those spent watching.
    """
    paused, began = 0.0, time.perf_counter()

    def seconds() -> float:
        return time.perf_counter() - began - paused

    def check_time() -> None:
        if seconds() > limit:
            raise OutOfTime

    manifold = Product([Sphere(*U.shape) for U in start])

    @pymanopt.function.numpy(manifold)
    def cost(*point: Array) -> float:
        return problem.cost(point, check_time)

    @pymanopt.function.numpy(manifold)
    def gradient(*point: Array) -> list[Array]:
        nonlocal paused
        value = problem.cost(point, check_time)
        slopes = problem.gradient(point)
        tangent = manifold.projection(list(point), slopes)
        step = Step(seconds(), value, float(manifold.norm(point, tangent)), problem.operator_calls)
        before = time.perf_counter()
        enough = watch(step, lambda: problem.model(point))
        paused += time.perf_counter() - before
        if enough:
            raise Satisfied
        return slopes

    optimizer: Any = ConjugateGradient(
        max_time=np.inf, max_iterations=10**6, min_gradient_norm=0.0, max_cost_evaluations=10**9, verbosity=0
    )
    try:
        optimizer.run(pymanopt.Problem(manifold, cost, euclidean_gradient=gradient), initial_point=list(start))
    except (OutOfTime, Satisfied):
        pass
    return seconds()


def _unfold(shape: tuple[int, ...], positions: NDArray[np.int64], mode: int) -> _Mode:
    indices = np.unravel_index(positions, shape)
    rest = [k for k in range(len(shape)) if k != mode]
    column = np.ravel_multi_index([indices[k] for k in rest], [shape[k] for k in rest])
    used, fibre = np.unique(column, return_inverse=True)
    return _Mode(indices[mode], fibre, len(used))
