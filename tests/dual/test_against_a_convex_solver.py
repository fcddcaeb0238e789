"""Tiny problems at full rank, where a general-purpose convex solver is the judge."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from small_problems import SHAPES, data_with_zeros

import tensorfill

C = 5.0
KEEP = 0.5
EXACT = {"gradient_tolerance": 1e-9, "gap_tolerance": 1e-8, "max_iter": 1000}
WAYS = {
    "active set": {},
    "the paper's alternation": {"inner": "alternating"},
    "trust regions": {"optimizer": "trust-region"},
    "random start": {"start": "random"},
    "as published": {"inner": "alternating", "optimizer": "conjugate-gradient", "two_stages": False},
}


@cache
def judged(order: int, nonnegative: bool) -> tuple[float, np.ndarray]:
    """The optimal value and W of the problem in math: C‖W_Ω − Y‖² + Σ_k ‖W^(k)_k‖_*²/(2λ_k), W ≥ 0."""
    shape = SHAPES[order]
    data, observed = data_with_zeros(shape, KEEP)
    parts = [cp.Variable(data.size) for _ in shape]
    W = sum(parts)
    numbers = np.arange(data.size).reshape(shape)
    penalty = 0
    for mode, part in enumerate(parts):
        unfolded = np.moveaxis(numbers, mode, 0).reshape(shape[mode], -1)
        matrix = cp.reshape(part[unfolded.ravel(order="F")], unfolded.shape, order="F")
        penalty = penalty + cp.square(cp.normNuc(matrix)) / (2 * shape[mode])
    misfit = C * cp.sum_squares(W[np.flatnonzero(observed)] - data[observed])
    problem = cp.Problem(cp.Minimize(misfit + penalty), [W >= 0] if nonnegative else [])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return float(problem.value), W.value.reshape(shape)


def complete(order: int, method: str, **settings: object) -> tensorfill.Completion:
    data, observed = data_with_zeros(SHAPES[order], KEEP)
    return tensorfill.complete(data, observed, method, rank=SHAPES[order], C=C, **EXACT, **settings)


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("way", WAYS)
def test_nonneg_dual_finds_the_same_optimum(order: int, way: str) -> None:
    value, W = judged(order, nonnegative=True)
    done = complete(order, "nonneg-dual", negativity_tolerance=1e-8, **WAYS[way])
    certificate = done.certificate
    assert certificate is not None
    assert certificate.upper == pytest.approx(value, rel=1e-6)
    assert np.linalg.norm(done.model - W) <= 1e-5 * np.linalg.norm(W)
    assert certificate.relative_gap <= 1e-5
    assert certificate.lower <= value * (1 + 1e-7)
    assert certificate.negativity <= 1e-7
    assert certificate.complementarity <= 1e-7
    assert certificate.stationarity <= 1e-7


@pytest.mark.parametrize("order", [2, 3, 4])
def test_dual_finds_the_optimum_without_the_constraint(order: int) -> None:
    value, W = judged(order, nonnegative=False)
    done = complete(order, "dual")
    assert done.certificate is not None
    assert done.certificate.upper == pytest.approx(value, rel=1e-6)
    assert np.linalg.norm(done.model - W) <= 1e-5 * np.linalg.norm(W)
    assert done.certificate.relative_gap <= 1e-5


@pytest.mark.parametrize("order", [2, 3, 4])
def test_nonnegativity_matters_in_these_problems(order: int) -> None:
    free, W_free = judged(order, nonnegative=False)
    bound, W_bound = judged(order, nonnegative=True)
    assert W_free.min() < -1e-3
    assert W_bound.min() > -1e-7
    assert bound > free * 1.0001


# A part of benchmarks/convex.py, which has 70 random problems


def load_program() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "convex.py"
    spec = importlib.util.spec_from_file_location("convex_program", path)
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = program  # where its dataclasses look for their names
    spec.loader.exec_module(program)
    return program


convex = load_program()


@cache
def random_problem(seed: int, nonnegative: bool) -> tuple[Any, float]:
    problem = convex.tiny_problem(seed)
    return problem, convex.optimum(problem, nonnegative=nonnegative)


@pytest.mark.parametrize(("method", "settings"), list(convex.ways(["spectral"])), ids=str)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_every_way_to_solve_a_random_problem_ends_at_its_optimum(
    seed: int, method: str, settings: dict[str, Any]
) -> None:
    problem, value = random_problem(seed, method == "nonneg-dual")
    run = convex.solved(problem, method, settings, value)
    assert run.off <= convex.ALLOWED, run


@pytest.mark.parametrize("optimizer", convex.OPTIMIZERS)
def test_a_gap_is_not_closed_while_the_tensor_is_negative(optimizer: str) -> None:
    """At the U that is found first, W ≥ 0 takes multipliers that ruin both bounds."""
    problem, value = random_problem(49, True)
    run = convex.solved(problem, "nonneg-dual", {"optimizer": optimizer, "inner": "active-set"}, value)
    assert run.off <= 1e-5, run
