"""Tiny random problems beside a general convex solver: every optimizer with every inner solver finds the optimum.

    python benchmarks/convex.py [--problems 70] [--first 0] [--starts spectral] [--worst 10]

Needs cvxpy (with Clarabel). Every problem is solved at full rank, where the fixed-rank problem has no other minima than
the convex one, with tight tolerances and within about a minute. Printed for every run: how far the value found is above
the optimum, as a share of it (`above`), the gap of our own certificate, and why the run stopped; then the worst runs.
Ends with 1 if a value or a certificate is off by more than 1e-4.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tensorfill
from tensorfill.errors import UnrecoverableSlice

ALLOWED = 1e-4
OPTIMIZERS = ("quasi-newton", "conjugate-gradient", "trust-region")
INNER = ("active-set", "alternating")
TIGHT: dict[str, Any] = {"gradient_tolerance": 1e-9, "gap_tolerance": 1e-6, "max_iter": 2000, "time_limit": 60.0}
NONNEGATIVE: dict[str, Any] = {"negativity_tolerance": 1e-7}


@dataclass(frozen=True, eq=False)
class TinyProblem:
    """Data, what of it is known, and the weights of C‖W_Ω − Y_Ω‖² + Σ_k ‖W^(k)_k‖_*²/(2λ_k)."""

    seed: int
    data: NDArray[np.float64]
    known: NDArray[np.bool_]
    C: float
    lam: tuple[float, ...]


@dataclass(frozen=True)
class Run:
    """One way to solve one problem, and how far it came."""

    seed: int
    method: str
    settings: dict[str, Any]
    above: float
    gap: float
    stop: str
    iterations: int
    seconds: float

    @property
    def off(self) -> float:
        """The larger of both, by which runs are judged."""
        return max(self.above, -self.above, self.gap)

    def __str__(self) -> str:
        way = " ".join((self.method, *map(str, self.settings.values())))
        return (
            f"{self.seed:4d}  {way:52s}  above {self.above:8.1e}  gap {self.gap:8.1e}  "
            f"{self.iterations:4d} iterations  {self.seconds:6.2f} s  {self.stop}"
        )


def tiny_problem(seed: int) -> TinyProblem:
    """Orders 2 to 4, sizes 2 to 6, from full data to mostly zeros, known densely or sparsely, C and λ over decades."""
    rng = np.random.default_rng([20, seed])
    order = 2 + seed % 3
    shape = tuple(int(n) for n in rng.integers(2, (7, 7, 5)[seed % 3], size=order))
    data = np.maximum(rng.standard_normal(shape) + rng.choice([-0.7, 0.0, 0.5, 2.0]), 0.0)
    data *= rng.lognormal(0.0, rng.choice([0.0, 0.5, 1.0]), shape)
    known = rng.random(shape) < rng.uniform(0.2, 0.9)
    known.flat[rng.integers(known.size)] = True
    if not data[known].any():
        data[known] = rng.random(int(known.sum())) + 0.1
    C = float(10.0 ** rng.uniform(-1.0, 1.2))
    lam = tuple(float(n) for n in shape) if rng.random() < 0.5 else tuple(10.0 ** rng.uniform(-0.3, 1.0, order))
    return TinyProblem(seed, data, known, C, tuple(map(float, lam)))


def optimum(problem: TinyProblem, *, nonnegative: bool) -> float:
    """The optimal value, by the general solver."""
    cp: Any = import_module("cvxpy")  # for tests and this only
    scale = float(problem.data[problem.known].max())
    data, shape = problem.data / scale, problem.data.shape
    parts = [cp.Variable(data.size) for _ in shape]
    W: Any = sum(parts)
    numbers = np.arange(data.size).reshape(shape)
    penalty: Any = 0
    for mode, (part, weight) in enumerate(zip(parts, problem.lam, strict=True)):
        unfolded = np.moveaxis(numbers, mode, 0).reshape(shape[mode], -1)
        matrix = cp.reshape(part[unfolded.ravel(order="F")], unfolded.shape, order="F")
        penalty = penalty + cp.square(cp.normNuc(matrix)) / (2 * weight)
    misfit = problem.C * cp.sum_squares(W[np.flatnonzero(problem.known)] - data[problem.known])
    task = cp.Problem(cp.Minimize(misfit + penalty), [W >= 0] if nonnegative else [])
    task.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return float(task.value) * scale**2


def ways(starts: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every method and combination of settings that solves the problem."""
    for optimizer, inner, start in itertools.product(OPTIMIZERS, INNER, starts):
        yield "nonneg-dual", {"optimizer": optimizer, "inner": inner, "start": start}
    for optimizer, start in itertools.product(OPTIMIZERS, starts):
        yield "dual", {"optimizer": optimizer, "start": start}


def solved(problem: TinyProblem, method: str, settings: dict[str, Any], value: float) -> Run:
    """One run, compared with the optimal value."""
    exact: dict[str, Any] = {**TIGHT, **(NONNEGATIVE if method == "nonneg-dual" else {})}
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrecoverableSlice)
        done = tensorfill.complete(
            problem.data,
            problem.known,
            method,
            rank=problem.data.shape,
            C=problem.C,
            lam=problem.lam,
            **exact,
            **settings,
        )
    seconds = time.perf_counter() - began
    certificate = done.certificate
    assert certificate is not None
    above = (certificate.upper - value) / value
    return Run(
        problem.seed, method, settings, above, certificate.relative_gap, done.stop.kind, done.iterations, seconds
    )


def main() -> None:
    """Run them all, print each and then the worst."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=70)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--starts", default="spectral")
    parser.add_argument("--worst", type=int, default=10)
    chosen = parser.parse_args()
    runs = []
    for seed in range(chosen.first, chosen.first + chosen.problems):
        problem = tiny_problem(seed)
        values = {
            "nonneg-dual": optimum(problem, nonnegative=True),
            "dual": optimum(problem, nonnegative=False),
        }
        for method, settings in ways(chosen.starts.split(",")):
            runs.append(solved(problem, method, settings, values[method]))
            print(runs[-1], flush=True)
    too_far = sum(run.off > ALLOWED for run in runs)
    print(f"\n{len(runs)} runs, {too_far} off by more than {ALLOWED:g}. The worst:")
    for run in sorted(runs, key=lambda run: -run.off)[: chosen.worst]:
        print(run)
    sys.exit(1 if too_far else 0)


if __name__ == "__main__":
    main()
