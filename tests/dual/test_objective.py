"""The gradient and the Hessian of g against Taylor's formula: the error falls with the right slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from small_problems import SHAPES, data_with_zeros, manifold_of, problem_of

from tensorfill.dual.active_set import ActiveSet
from tensorfill.dual.inner import begin_at_zero
from tensorfill.dual.objective import DualObjective, Evaluation
from tensorfill.riemannian.spectrahedron import Tangent, scale

EXACT = 1e-15


@dataclass(frozen=True, eq=False)
class Setting:
    objective: DualObjective
    at: Evaluation
    direction: Tangent

    def moved(self, t: float) -> Evaluation:
        manifold = self.objective.manifold
        return self.objective.evaluate(manifold.retract(self.at.point, scale(t, self.direction)), self.at.dual, EXACT)

    def slope_of(self, remainder: dict[float, float]) -> float:
        sizes, errors = np.array(list(remainder)), np.array([abs(e) for e in remainder.values()])
        return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


@pytest.fixture(params=[(order, enforced) for order in (2, 3, 4) for enforced in ("nowhere", "everywhere")], ids=str)
def setting(request: pytest.FixtureRequest) -> Setting:
    order, enforced = request.param
    shape = SHAPES[order]
    problem = problem_of(*data_with_zeros(shape, 0.5, seed=3), enforced=enforced)
    manifold = manifold_of(shape, tuple(min(3, n) for n in shape))
    rng = np.random.default_rng(2)
    objective = DualObjective(problem, manifold, ActiveSet(problem, 1 / (2 * problem.C)))
    point = manifold.random_point(rng)
    at = objective.evaluate(point, begin_at_zero(problem), EXACT)
    assert (at.dual.active > 0) == (enforced == "everywhere")
    ambient = tuple(rng.standard_normal(U.shape) for U in point)
    direction = manifold.project(point, ambient)
    return Setting(objective, at, scale(1 / manifold.norm(point, direction), direction))


def first_order(setting: Setting, gradient: Tangent, steps: np.ndarray) -> dict[float, float]:
    slope = setting.objective.manifold.inner(setting.at.point, gradient, setting.direction)
    return {t: setting.moved(t).value - setting.at.value - t * slope for t in steps}


def test_the_gradient_has_a_remainder_of_second_order(setting: Setting) -> None:
    remainder = first_order(setting, setting.at.gradient, np.geomspace(1e-4, 1e-3, 5))
    assert setting.slope_of(remainder) == pytest.approx(2, abs=0.1)


def test_the_hessian_has_a_remainder_of_third_order(setting: Setting) -> None:
    manifold, at, d = setting.objective.manifold, setting.at, setting.direction
    slope = manifold.inner(at.point, at.gradient, d)
    bend = manifold.inner(at.point, d, setting.objective.hessian(at, d))
    remainder = {
        t: setting.moved(t).value - at.value - t * slope - t * t * bend / 2 for t in np.geomspace(5e-4, 4e-3, 5)
    }
    assert setting.slope_of(remainder) == pytest.approx(3, abs=0.35)


def test_the_hessian_is_self_adjoint(setting: Setting) -> None:
    manifold, at, d = setting.objective.manifold, setting.at, setting.direction
    rng = np.random.default_rng(5)
    other = manifold.project(at.point, tuple(rng.standard_normal(U.shape) for U in at.point))
    left = manifold.inner(at.point, other, setting.objective.hessian(at, d))
    right = manifold.inner(at.point, setting.objective.hessian(at, other), d)
    assert left == pytest.approx(right, rel=1e-3)


def test_a_wrong_gradient_is_caught(setting: Setting) -> None:
    wrong = (1.01 * setting.at.gradient[0], *setting.at.gradient[1:])
    remainder = first_order(setting, wrong, np.geomspace(1e-5, 1e-4, 5))
    assert setting.slope_of(remainder) < 1.5


def test_the_gradient_is_tangent(setting: Setting) -> None:
    manifold, at = setting.objective.manifold, setting.at
    for a, b in zip(manifold.project(at.point, at.gradient), at.gradient, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9 * max(1, np.abs(b).max()))
