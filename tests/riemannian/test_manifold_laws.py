"""Laws that every manifold obeys, written once."""

import numpy as np
import pytest

from tensorfill.riemannian.spectrahedron import Point, Product, Spectrahedron, Tangent, add, scale

MANIFOLDS = {
    "one spectrahedron": Product([Spectrahedron(7, 3)]),
    "rank one": Product([Spectrahedron(6, 1)]),
    "full rank": Product([Spectrahedron(4, 4)]),
    "a product": Product([Spectrahedron(7, 3), Spectrahedron(5, 2), Spectrahedron(3, 3)]),
}


@pytest.fixture(params=MANIFOLDS, scope="module")
def manifold(request: pytest.FixtureRequest) -> Product:
    return MANIFOLDS[request.param]


def ambient(manifold: Product, rng: np.random.Generator) -> Tangent:
    return tuple(rng.standard_normal((factor.n, factor.r)) for factor in manifold.factors)


def setting(manifold: Product) -> tuple[Point, Tangent, Tangent]:
    rng = np.random.default_rng(0)
    point = manifold.random_point(rng)
    return point, manifold.project(point, ambient(manifold, rng)), ambient(manifold, rng)


def test_points_have_norm_one_in_every_factor(manifold: Product) -> None:
    point, tangent, _ = setting(manifold)
    for U in (*point, *manifold.retract(point, tangent)):
        assert np.linalg.norm(U) == pytest.approx(1)


def test_projecting_twice_changes_nothing(manifold: Product) -> None:
    point, tangent, _ = setting(manifold)
    again = manifold.project(point, tangent)
    for a, b in zip(again, tangent, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_the_projection_is_orthogonal(manifold: Product) -> None:
    point, tangent, other = setting(manifold)
    left = manifold.inner(point, tangent, other)
    assert left == pytest.approx(manifold.inner(point, tangent, manifold.project(point, other)), abs=1e-12)


def test_tangent_vectors_are_horizontal(manifold: Product) -> None:
    point, tangent, _ = setting(manifold)
    for U, eta in zip(point, tangent, strict=True):
        assert abs(np.vdot(U, eta)) < 1e-12
        np.testing.assert_allclose(U.T @ eta, eta.T @ U, atol=1e-12)


def test_the_retraction_agrees_with_the_manifold_to_second_order(manifold: Product) -> None:
    point, tangent, _ = setting(manifold)

    def distance(t: float) -> float:
        moved = manifold.retract(point, scale(t, tangent))
        straight = add(point, scale(t, tangent))
        return float(np.sqrt(sum(np.linalg.norm(a - b) ** 2 for a, b in zip(moved, straight, strict=True))))

    assert distance(1e-3) / distance(1e-4) == pytest.approx(100, rel=0.01)


def test_transport_gives_tangent_vectors_at_the_new_point(manifold: Product) -> None:
    point, tangent, _ = setting(manifold)
    to = manifold.retract(point, scale(0.3, tangent))
    moved = manifold.transport(point, to, tangent)
    for a, b in zip(moved, manifold.project(to, moved), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_the_projection_law_catches_a_projection_that_forgets_the_rotations() -> None:
    class Careless(Spectrahedron):
        def project(self, U: np.ndarray, ambient: np.ndarray) -> np.ndarray:
            return ambient - np.vdot(ambient, U) * U

    with pytest.raises(AssertionError):
        test_tangent_vectors_are_horizontal(Product([Careless(7, 3)]))


def test_dimension_counts_what_is_left_after_trace_and_rotations() -> None:
    assert Spectrahedron(7, 3).dimension == 7 * 3 - 1 - 3
    assert MANIFOLDS["a product"].dimension == (21 - 1 - 3) + (10 - 1 - 1) + (9 - 1 - 3)
