"""A plain implementation of the objective of `dual`: SciPy sparse products, linear CG, pymanopt's conjugate gradients.

What one would write in an afternoon with good tools, to measure against. It minimises

    g(U) = max over Z on Ω of   <Z, Y> − ‖Z‖²/(4C) − Σ_k λ_k/2 ‖U_kᵀ Z_k‖² ,     ‖U_k‖_F = 1 ,

whose maximum solves Z/(2C) + K Z = Y, K = Σ_k λ_k B_kᵀ B_k, with one sparse matrix B_k per mode (fibres·r_k × |Ω|).
Every solve starts from the one before; cost and gradient share one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pymanopt
from numpy.typing import NDArray
from pymanopt.manifolds import Product, Sphere
from pymanopt.optimizers import ConjugateGradient
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, cg
from threadpoolctl import threadpool_limits

Array = NDArray[np.float64]
Indices = NDArray[np.int32]
Factors = Sequence[Array]


@dataclass(frozen=True)
class Step:
    """One outer iteration; seconds exclude the time spent watching."""

    seconds: float
    cost: float
    gradient_norm: float
    operator_calls: int


Watch = Callable[[Step, Callable[[], Array]], bool]
"""Called with every step and a function that builds its model W; says whether that is enough."""


class _OutOfTime(Exception):
    pass


class _Enough(Exception):
    pass


@dataclass(frozen=True, eq=False)
class _Mode:
    """One mode's unfolding of a sparse tensor: the row and the column (fibre) of every entry."""

    row: Indices
    fibre: Indices
    fibres: int

    def basis(self, U: Array) -> csr_array:
        """B_kᵀ: in the row of entry e stands U[row of e], in the columns of e's fibre. B_k z is U_kᵀ Z_k, flattened."""
        count, rank = len(self.row), U.shape[1]
        columns = (rank * self.fibre)[:, None] + np.arange(rank, dtype=np.int32)
        starts = rank * np.arange(count + 1, dtype=np.int32)
        return csr_array((U[self.row].ravel(), columns.ravel(), starts), shape=(count, rank * self.fibres))

    def gram(self, z: Array, U: Array) -> Array:
        """Z_k Z_kᵀ U_k."""
        unfolded = csr_array((z, (self.row, self.fibre)), shape=(U.shape[0], self.fibres))
        return np.asarray(unfolded @ (unfolded.T @ U))


class PlainDual:
    """g(U) with its gradient. `tolerance` is the residual of the linear systems, relative to ‖Y‖."""

    def __init__(
        self,
        shape: tuple[int, ...],
        positions: NDArray[np.int64],
        values: Array,
        lam: Sequence[float],
        C: float,
        tolerance: float,
    ) -> None:
        self._shape, self._positions, self._values = shape, positions, values
        self._lam, self._C, self._tolerance = lam, C, tolerance
        self._modes = [_unfolding(shape, positions, mode) for mode in range(len(shape))]
        self._point: list[Array] = []
        self._value = 0.0
        self._Z = np.zeros_like(values)
        self.operator_calls = 0

    def value(self, point: Factors, check_time: Callable[[], None]) -> float:
        """g(U), by linear CG from the last Z; nothing is done again for the point evaluated last."""
        if self._point and all(map(np.array_equal, self._point, point)):
            return self._value
        bases = [mode.basis(U) for mode, U in zip(self._modes, point, strict=True)]

        def apply(z: Array) -> Array:
            check_time()
            self.operator_calls += 1
            total = z / (2 * self._C)
            for weight, basis in zip(self._lam, bases, strict=True):
                total += weight * (basis @ (basis.T @ z))
            return total

        count = len(self._values)
        system = LinearOperator((count, count), matvec=apply, dtype=np.float64)
        self._Z, _ = cg(system, self._values, x0=self._Z, rtol=self._tolerance)
        self._value = float(self._Z @ self._values - self._Z @ apply(self._Z) / 2)
        self._point = [U.copy() for U in point]
        return self._value

    def gradient(self, point: Factors) -> list[Array]:
        """−λ_k Z_k Z_kᵀ U_k, at the point evaluated last."""
        modes = zip(self._lam, self._modes, point, strict=True)
        return [-weight * mode.gram(self._Z, U) for weight, mode, U in modes]

    def model(self, point: Factors) -> Array:
        """W = Σ_k λ_k Z ×_k U_k U_kᵀ, whole, at the point evaluated last."""
        Z = np.zeros(self._shape)
        Z.reshape(-1)[self._positions] = self._Z
        total = np.zeros(self._shape)
        for mode, (weight, U) in enumerate(zip(self._lam, point, strict=True)):
            total += np.moveaxis(np.tensordot(weight * U @ U.T, Z, (1, mode)), 0, mode)
        return total


def minimise(problem: PlainDual, start: Factors, watch: Watch, limit: float, began: float) -> float:
    """pymanopt's conjugate gradients until `watch` has enough or `limit` seconds have passed since `began`.

    Gives back the seconds it took; the time spent in `watch` is not counted.
    """
    paused = 0.0

    def seconds() -> float:
        return time.perf_counter() - began - paused

    def check_time() -> None:
        if seconds() > limit:
            raise _OutOfTime

    manifold = Product([Sphere(*U.shape) for U in start])

    def value(*point: Array) -> float:
        return problem.value(point, check_time)

    def gradient(*point: Array) -> list[Array]:
        """The gradient, which pymanopt asks for once per iteration."""
        nonlocal paused
        reached = problem.value(point, check_time)
        slopes = problem.gradient(point)
        norm = float(manifold.norm(point, manifold.projection(point, slopes)))
        step = Step(seconds(), reached, norm, problem.operator_calls)
        before = time.perf_counter()
        enough = watch(step, partial(problem.model, point))
        paused += time.perf_counter() - before
        if enough:
            raise _Enough
        return slopes

    numpy_function: Any = pymanopt.function.numpy(manifold)
    optimizer: Any = ConjugateGradient(
        max_time=np.inf, max_iterations=10**9, max_cost_evaluations=10**9, min_gradient_norm=0.0, verbosity=0
    )
    outer = pymanopt.Problem(manifold, numpy_function(value), euclidean_gradient=numpy_function(gradient))
    # What SciPy and pymanopt leave to BLAS is too small for its threads; on a busy machine they slow it down a lot.
    with threadpool_limits(1, "blas"), suppress(_OutOfTime, _Enough):
        optimizer.run(outer, initial_point=list(start))
    return seconds()


def _unfolding(shape: tuple[int, ...], positions: NDArray[np.int64], mode: int) -> _Mode:
    indices = np.unravel_index(positions, shape)
    rest = [other for other in range(len(shape)) if other != mode]
    columns = np.ravel_multi_index([indices[other] for other in rest], [shape[other] for other in rest])
    used, fibre = np.unique(columns, return_inverse=True)
    return _Mode(indices[mode].astype(np.int32), fibre.astype(np.int32), len(used))
