"""The spectrahedron {U Uᵀ : U ∈ R^{n×r}, ‖U‖_F = 1}: symmetric, positive semidefinite, trace one, rank r; and products.

Points are represented by U, which is unique up to rotations U → U Q. The metric is Euclidean; the horizontal
space at U holds the tangent vectors orthogonal to those rotations (Journée, Bach, Absil & Sepulchre 2010).
The geometry breaks down where U loses rank: there the horizontal projection uses a pseudo-inverse.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tensor import Array

Point = tuple[Array, ...]
Tangent = tuple[Array, ...]
"""Of a product: one member per factor."""


class Spectrahedron:
    """Geometry of unit-trace positive semidefinite n×n matrices of rank r."""

    def __init__(self, n: int, r: int) -> None:
        self.n = n
        self.r = r

    @property
    def dimension(self) -> int:
        """Degrees of freedom."""
        return self.n * self.r - 1 - self.r * (self.r - 1) // 2

    def inner(self, U: Array, first: Array, second: Array) -> float:
        """The Euclidean metric."""
        return float(np.vdot(first, second))

    def project(self, U: Array, ambient: Array) -> Array:
        """Orthogonal projection on the horizontal space: η − <η,U>U − UΩ, for one η or a stack of them.

        Ω is antisymmetric with (UᵀU)Ω + Ω(UᵀU) = Uᵀη − ηᵀU.
        """
        along = np.tensordot(ambient, U, 2)[..., None, None]
        tangent = ambient - along * U
        weights, basis = np.linalg.eigh(U.T @ U)
        twist = basis.T @ (U.T @ tangent) @ basis
        twist = twist - twist.swapaxes(-1, -2)
        sums = weights[:, None] + weights[None, :]
        usable = sums > 1e-14 * weights[-1]
        rotation = np.where(usable, twist / np.where(usable, sums, 1.0), 0.0)
        return np.asarray(tangent - U @ (basis @ rotation @ basis.T))

    def retract(self, U: Array, tangent: Array) -> Array:
        """(U + η)/‖U + η‖_F, a second-order retraction."""
        moved = U + tangent
        return np.asarray(moved / np.linalg.norm(moved))

    def transport(self, U: Array, to: Array, tangent: Array) -> Array:
        """Vector transport by projection at the new point."""
        return self.project(to, tangent)

    def gradient(self, U: Array, euclidean_gradient: Array) -> Array:
        """Riemannian gradient of a rotation-invariant function from its Euclidean one."""
        return np.asarray(euclidean_gradient - np.vdot(euclidean_gradient, U) * U)

    def hessian(self, U: Array, euclidean_gradient: Array, euclidean_hessian: Array, tangent: Array) -> Array:
        """Riemannian Hessian along a tangent vector from the Euclidean gradient and Hessian."""
        return self.project(U, euclidean_hessian - np.vdot(euclidean_gradient, U) * tangent)

    def random_point(self, rng: np.random.Generator) -> Array:
        """A point from the uniform distribution on the sphere of U."""
        U = rng.standard_normal((self.n, self.r))
        return np.asarray(U / np.linalg.norm(U))


class Product:
    """The product of several manifolds with the sum of their metrics."""

    def __init__(self, factors: Sequence[Spectrahedron]) -> None:
        self.factors = tuple(factors)

    @property
    def dimension(self) -> int:
        """Degrees of freedom."""
        return sum(factor.dimension for factor in self.factors)

    def inner(self, point: Point, first: Tangent, second: Tangent) -> float:
        """Sum of the factors' inner products."""
        return float(sum(f.inner(*members) for f, *members in self._each(point, first, second)))

    def norm(self, point: Point, tangent: Tangent) -> float:
        """Length of a tangent vector."""
        return float(np.sqrt(max(self.inner(point, tangent, tangent), 0.0)))

    def project(self, point: Point, ambient: Tangent) -> Tangent:
        """Orthogonal projection on the (horizontal) tangent space."""
        return tuple(f.project(*members) for f, *members in self._each(point, ambient))

    def retract(self, point: Point, tangent: Tangent) -> Point:
        """Move along a tangent vector and come back to the manifold."""
        return tuple(f.retract(*members) for f, *members in self._each(point, tangent))

    def transport(self, point: Point, to: Point, tangent: Tangent) -> Tangent:
        """Carry a tangent vector to another point."""
        return tuple(f.transport(*members) for f, *members in self._each(point, to, tangent))

    def gradient(self, point: Point, euclidean_gradient: Tangent) -> Tangent:
        """Riemannian gradient from the Euclidean one."""
        return tuple(f.gradient(*members) for f, *members in self._each(point, euclidean_gradient))

    def hessian(
        self, point: Point, euclidean_gradient: Tangent, euclidean_hessian: Tangent, tangent: Tangent
    ) -> Tangent:
        """Riemannian Hessian along a tangent vector."""
        members = self._each(point, euclidean_gradient, euclidean_hessian, tangent)
        return tuple(f.hessian(*member) for f, *member in members)

    def random_point(self, rng: np.random.Generator) -> Point:
        """A random point of every factor."""
        return tuple(factor.random_point(rng) for factor in self.factors)

    def _each(self, *tuples: Sequence[Array]) -> zip:  # type: ignore[type-arg]
        return zip(self.factors, *tuples, strict=True)


def scale(factor: float, tangent: Tangent) -> Tangent:
    """A multiple of a tangent vector."""
    return tuple(factor * member for member in tangent)


def add(first: Tangent, second: Tangent) -> Tangent:
    """The sum of two tangent vectors."""
    return tuple(a + b for a, b in zip(first, second, strict=True))
