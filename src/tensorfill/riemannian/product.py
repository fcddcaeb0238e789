"""Products of manifolds: points and tangent vectors are tuples, one member per factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..tensor import Array

Point = tuple[Array, ...]
Tangent = tuple[Array, ...]


class Manifold(Protocol):
    """What a factor of a product must offer."""

    @property
    def dimension(self) -> int: ...
    def inner(self, U: Array, first: Array, second: Array) -> float: ...
    def project(self, U: Array, ambient: Array) -> Array: ...
    def retract(self, U: Array, tangent: Array) -> Array: ...
    def transport(self, U: Array, to: Array, tangent: Array) -> Array: ...
    def gradient(self, U: Array, euclidean_gradient: Array) -> Array: ...
    def hessian(self, U: Array, euclidean_gradient: Array, euclidean_hessian: Array, tangent: Array) -> Array: ...
    def random_point(self, rng: np.random.Generator) -> Array: ...


class Product:
    """The product of several manifolds with the sum of their metrics."""

    def __init__(self, factors: Sequence[Manifold]) -> None:
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


def scaled(factor: float, tangent: Tangent) -> Tangent:
    """A multiple of a tangent vector."""
    return tuple(factor * member for member in tangent)


def plus(first: Tangent, second: Tangent) -> Tangent:
    """The sum of two tangent vectors."""
    return tuple(a + b for a, b in zip(first, second, strict=True))
