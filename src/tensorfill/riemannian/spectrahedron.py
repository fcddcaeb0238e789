"""The spectrahedron {U Uᵀ : U ∈ R^{n×r}, ‖U‖_F = 1}: symmetric, positive semidefinite, trace one, rank r.

Points are represented by U, which is unique up to rotations U → U Q. The metric is Euclidean; the horizontal
space at U holds the tangent vectors orthogonal to those rotations (Journée, Bach, Absil & Sepulchre 2010).
The geometry breaks down where U loses rank: there the horizontal projection uses a pseudo-inverse.
"""

import numpy as np

from ..tensor import Array


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
