"""All optimizers on a problem with a known answer: the top eigenspace of a symmetric matrix.

Over {U Uᵀ : ‖U‖_F = 1}, the smallest value of −trace(UᵀAU)/2 is −λ_max(A)/2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import pytest

from tensorfill.riemannian.descent import ConjugateGradient, Descent, HessianModel, QuasiNewton, line_search
from tensorfill.riemannian.spectrahedron import Point, Product, Spectrahedron, Tangent, scale
from tensorfill.riemannian.trust_region import TrustRegion


@dataclass(frozen=True, eq=False)
class Seen:
    point: Point
    value: float
    gradient: Tangent
    euclidean: Tangent
    value_error: float = 0.0


class Eigenproblem:
    def __init__(self, noise: float = 0.0) -> None:
        rng = np.random.default_rng(0)
        Q, _ = np.linalg.qr(rng.standard_normal((12, 12)))
        self.A = Q @ np.diag(np.linspace(1, 12, 12)) @ Q.T
        self.manifold = Product([Spectrahedron(12, 2)])
        self.noise = noise
        self.rng = rng
        self.start = self.look(self.manifold.random_point(rng))
        self.looks = 0

    def look(self, point: Point, near: Seen | None = None, tolerance: float = 0.0) -> Seen:
        self.looks = getattr(self, "looks", 0) + 1
        (U,) = point
        euclidean = (-self.A @ U,)
        # An inexact inner maximisation finds values that are too low, by at most its tolerance.
        error = self.noise * tolerance * self.rng.random()
        value = 20 - 0.5 * float(np.vdot(U, self.A @ U)) - error
        return Seen(point, value, self.manifold.gradient(point, euclidean), euclidean, error)

    def hessian(self, at: Seen, tangent: Tangent) -> Tangent:
        return self.manifold.hessian(at.point, at.euclidean, (-self.A @ tangent[0],), tangent)


def points(descent: Descent[Seen]) -> Iterator[Seen]:
    """All that a search finds, until it ends."""
    while (found := descent.step()) is not None:
        yield found


def by_conjugate_gradient(problem: Eigenproblem) -> Iterator[Seen]:
    return points(ConjugateGradient(problem.manifold, problem.look, problem.start))


def by_trust_region(problem: Eigenproblem) -> Iterator[Seen]:
    return points(TrustRegion(problem.manifold, problem.look, problem.hessian, problem.start))


class NoModel:
    def __init__(self, at: Seen) -> None:
        pass

    def solve(self, tangent: Tangent) -> Tangent:
        return scale(0.1, tangent)


def by_quasi_newton(problem: Eigenproblem, model: Callable[[Seen], HessianModel] = NoModel) -> Iterator[Seen]:
    return points(QuasiNewton(problem.manifold, problem.look, model, problem.start))


OPTIMIZERS = {
    "quasi-Newton": (by_quasi_newton, 80),
    "conjugate gradient": (by_conjugate_gradient, 150),
    "trust region": (by_trust_region, 25),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("noise", [0.0, 1.0], ids=["exact values", "inexact values"])
def test_finds_the_top_eigenvalue(name: str, noise: float) -> None:
    optimizer, steps = OPTIMIZERS[name]
    problem = Eigenproblem(noise)
    *_, last = islice(optimizer(problem), steps)
    assert problem.look(last.point).value == pytest.approx(20 - 6, abs=1e-6)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_value_whose_error_was_underestimated_does_not_end_the_search(name: str) -> None:
    class Misled(Eigenproblem):
        """Its start claims to be better than the minimum, and to be nearly exact."""

        def __init__(self) -> None:
            super().__init__()
            self.start = replace(self.start, value=13.0, value_error=0.1)

    problem = Misled()
    optimizer, steps = OPTIMIZERS[name]
    *_, last = islice(optimizer(problem), steps)
    assert problem.look(last.point).value == pytest.approx(20 - 6, abs=1e-6)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_point_that_was_seen_too_coarsely_does_not_end_the_search(name: str) -> None:
    class Blurred(Eigenproblem):
        """Its start is as far off as it says, and with the value its gradient: no step along it helps."""

        def __init__(self) -> None:
            super().__init__()
            self.start = replace(
                self.start,
                value=self.start.value - 0.1,
                value_error=0.1,
                gradient=scale(-1.0, self.start.gradient),
                euclidean=scale(-1.0, self.start.euclidean),
            )

    problem = Blurred()
    optimizer, steps = OPTIMIZERS[name]
    *_, last = islice(optimizer(problem), steps)
    assert problem.look(last.point).value == pytest.approx(20 - 6, abs=1e-6)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_search_ends_where_there_is_nothing_more_to_be_seen(name: str) -> None:
    optimizer, _ = OPTIMIZERS[name]
    problem = Eigenproblem(noise=1.0)
    assert len(list(islice(optimizer(problem), 2000))) < 2000


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_never_goes_up(name: str) -> None:
    optimizer, steps = OPTIMIZERS[name]
    problem = Eigenproblem()
    values = [problem.start.value, *(seen.value for seen in islice(optimizer(problem), steps))]
    assert (np.diff(values) <= 1e-12).all()


def test_trust_regions_end_faster_than_linearly() -> None:
    problem = Eigenproblem()
    norms = [problem.manifold.norm(s.point, s.gradient) for s in islice(by_trust_region(problem), 25)]
    small = next(i for i, norm in enumerate(norms) if norm < 1e-3)
    assert norms[small + 1] < 1e-3 * norms[small]


def test_a_good_model_of_the_hessian_saves_steps() -> None:
    class Exact:
        """−A + 12, the Hessian at the minimum, on the sphere's tangent space; a little more where it is singular."""

        def __init__(self, at: Seen) -> None:
            self.H = 12.1 * np.eye(12) - badly_scaled.A

        def solve(self, tangent: Tangent) -> Tangent:
            return (np.linalg.solve(self.H, tangent[0]),)

    badly_scaled = Eigenproblem()

    def steps(model: Callable[[Seen], HessianModel]) -> int:
        run = by_quasi_newton(badly_scaled, model)
        return next(i for i, seen in enumerate(run) if seen.value < 14 + 1e-6)

    assert steps(Exact) < steps(NoModel)


def test_a_stack_of_tangent_vectors_is_projected_like_each_of_them() -> None:
    rng = np.random.default_rng(3)
    sphere = Spectrahedron(9, 3)
    U = sphere.random_point(rng)
    stack = rng.standard_normal((4, 9, 3))
    np.testing.assert_allclose(sphere.project(U, stack), [sphere.project(U, one) for one in stack], atol=1e-14)


def test_one_trial_point_is_one_evaluation() -> None:
    problem = Eigenproblem()
    steps = len(list(islice(by_conjugate_gradient(problem), 30)))
    assert steps <= problem.looks <= 2 * steps


def test_a_refreshed_point_takes_the_place_of_the_accepted_one() -> None:
    problem = Eigenproblem()
    seen: list[float] = []

    def refresh(at: Seen, decrease: float) -> Seen:
        seen.append(decrease)
        return at

    list(islice(points(ConjugateGradient(problem.manifold, problem.look, problem.start, refresh)), 5))
    assert len(seen) == 5
    assert min(seen) > 0


def search(problem: Eigenproblem, look: Callable[..., Seen], first: float):  # type: ignore[no-untyped-def]
    at = problem.start
    direction = scale(-1.0, at.gradient)
    slope = problem.manifold.inner(at.point, at.gradient, direction)
    return line_search(problem.manifold, look, at, direction, slope, first)


@pytest.mark.parametrize("first", [1e-6, 1e-2, 1.0, 100.0])
def test_the_line_search_copes_with_any_first_guess(first: float) -> None:
    problem = Eigenproblem()
    step = search(problem, problem.look, first)
    assert step is not None
    assert step.end.value < problem.start.value


def test_the_line_search_says_when_there_is_no_decrease() -> None:
    problem = Eigenproblem()

    def uphill(point: Point, near: Seen, tolerance: float) -> Seen:
        seen = problem.look(point)
        return Seen(point, problem.start.value + 1, seen.gradient, seen.euclidean)

    assert search(problem, uphill, 1.0) is None
