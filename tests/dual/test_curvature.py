"""The model of the Hessian of g: positive definite, and close where its assumptions hold."""

import numpy as np
import pytest
from small_problems import random_factors

from tensorfill.dual.active_set import ActiveSet
from tensorfill.dual.inner import begin_at_zero
from tensorfill.dual.objective import CurvatureModel, DualObjective
from tensorfill.dual.problem import DualProblem
from tensorfill.riemannian.spectrahedron import Product, Spectrahedron


def evaluated(shape: tuple[int, ...], rank: int, lam: tuple[float, ...]):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    size = int(np.prod(shape))
    positions = np.flatnonzero(rng.random(size) < 0.5)
    problem = DualProblem(shape, positions, rng.random(len(positions)), 10.0, lam, "nowhere")
    manifold = Product([Spectrahedron(n, rank) for n in shape])
    objective = DualObjective(problem, manifold, ActiveSet(problem, 0.05))
    at = objective.evaluate(random_factors(shape, (rank,) * len(shape)), begin_at_zero(problem), 1e-12)
    return problem, objective, at


@pytest.mark.parametrize("shape", [(8, 9), (6, 5, 7)], ids=str)
def test_its_inverse_is_symmetric_and_positive_definite(shape: tuple[int, ...]) -> None:
    problem, _, at = evaluated(shape, 2, tuple(map(float, shape)))
    model = CurvatureModel(problem, at)
    rng = np.random.default_rng(1)
    a, b = (tuple(rng.standard_normal(U.shape) for U in at.point) for _ in range(2))

    def inner(first: tuple[np.ndarray, ...], second: tuple[np.ndarray, ...]) -> float:
        return sum(float(np.vdot(x, y)) for x, y in zip(first, second, strict=True))

    assert inner(a, model.solve(b)) == pytest.approx(inner(b, model.solve(a)))
    assert inner(a, model.solve(a)) > 0


def test_it_does_not_depend_on_how_U_is_rotated() -> None:
    problem, objective, at = evaluated((8, 9), 2, (8.0, 9.0))
    turn = np.linalg.qr(np.random.default_rng(2).standard_normal((2, 2))).Q
    turned = objective.evaluate(tuple(U @ turn for U in at.point), at.dual, 1e-12)
    tangent = at.gradient
    expected = tuple(t @ turn for t in CurvatureModel(problem, at).solve(tangent))
    found = CurvatureModel(problem, turned).solve(tuple(t @ turn for t in tangent))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-8 * np.abs(other).max())
