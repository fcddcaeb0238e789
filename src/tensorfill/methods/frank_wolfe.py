"""Frank-Wolfe over the ball of the scaled latent nuclear norm: one rank-one matrix along one mode at a time.

    minimise   1/2 ‖X_Ω − Y_Ω‖²   over   X = Σ_k X^(k),   Σ_k ‖X^(k)_k‖_* / √n_k ≤ τ

The residual E = Y − X lives on Ω, and X in factors: X^(k)_k = Σ_i σ_i u_i v_iᵀ. A v has one number per fibre with
known entries; in all other fibres it is zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..estimates.factored import MatrixPairs, Pair
from ..numerics import fibre_kernels as kernels
from ..numerics.fibre_operator import FibreOperator
from ..numerics.singular_values import extend_basis, project_onto_l1_ball
from ..numerics.threads import sum_pieces
from ..observed import ObservedTensor
from ..tensor import Array

_ROUNDING = 1e-13  # a singular value is zero below this share of the largest
_LARGEST_PARTS = 2**20  # numbers up to which every piece of the work gets a matrix of its own to add up in


@dataclass(frozen=True)
class Internals:
    """What steers `ffw` besides its settings."""

    power_steps: int = 3  # of the power method in every mode, to find the mode with the best atom
    refining_steps: int = 8  # further ones in that mode
    exact: float = 1e-12  # share of ‖Y‖ below which the residual is rounding
    held_out: float = 0.1  # share of the known entries that a choice of tau is judged by
    tried: tuple[float, ...] = tuple(2.0 ** (half / 2) for half in range(-2, 8))
    """Values of tau that are tried, as multiples of a flat tensor's norm."""
    finalists: int = 3  # how many of them are tried again, for longer


@dataclass(frozen=True, eq=False)
class Component:
    """The matrix X^(k)_k = Σ_i σ_i u_i v_iᵀ of one mode, as U C Vᵀ with orthonormal columns and a small core."""

    U: Array
    core: Array
    V: Array
    count: int
    """How many atoms it has."""

    @classmethod
    def zero(cls, rows: int, columns: int) -> Component:
        """The matrix without atoms."""
        return cls(np.empty((rows, 0)), np.empty((0, 0)), np.empty((columns, 0)), 0)

    def shrink(self, share: float) -> Component:
        """The matrix times a number."""
        return replace(self, core=share * self.core)

    def join(self, weight: float, u: Array, v: Array) -> Component:
        """The matrix with one more atom, weight · u vᵀ."""
        U, along_u = extend_basis(self.U, u)
        V, along_v = extend_basis(self.V, v)
        core = weight * np.outer(along_u, along_v)
        core[: self.core.shape[0], : self.core.shape[1]] += self.core
        return Component(U, core, V, self.count + 1)


@dataclass(frozen=True, eq=False)
class KnownValues:
    """Y on Ω, and the unfoldings along the modes that carry atoms."""

    shape: tuple[int, ...]
    values: Array
    unfoldings: Mapping[int, SparseUnfolding]

    @classmethod
    def of(cls, data: ObservedTensor, modes: Sequence[int]) -> KnownValues:
        """Modes count from 0. The values may be negative here: they may have been standardized."""
        operator = FibreOperator(data.shape, data.positions)
        return cls(data.shape, data.values, {mode: SparseUnfolding(operator, mode) for mode in modes})


class LatentFrankWolfe:
    """Where an iteration with some τ stands, from X = 0 on; `step` and `reduce` move it."""

    def __init__(self, known: KnownValues, tau: float, internals: Internals) -> None:
        self.tau, self.internals = tau, internals
        self.residual = known.values.copy()
        self.components = {
            mode: Component.zero(known.shape[mode], len(unfolding.columns))
            for mode, unfolding in known.unfoldings.items()
        }
        self._known = known

    @property
    def cost(self) -> float:
        """1/2 ‖X_Ω − Y_Ω‖²."""
        return 0.5 * float(self.residual @ self.residual)

    @property
    def count(self) -> int:
        """How many atoms X has."""
        return sum(part.count for part in self.components.values())

    def estimate(self) -> MatrixPairs:
        """X as it stands; nothing in it is written to again."""
        return MatrixPairs(
            self._known.shape,
            tuple(
                Pair(mode, part.U @ part.core, part.V.T, columns=self._known.unfoldings[mode].columns)
                for mode, part in self.components.items()
            ),
        )

    def step(self, rng: np.random.Generator) -> None:
        """Go from X towards the best atom τ√n_k u vᵀ, to where the cost is smallest; stay if it only grows."""
        mode, u, v = self._best_atom(rng)
        size = self.tau * math.sqrt(self._known.shape[mode])
        way = self._known.unfoldings[mode].outer(u, size * v)  # from X to the atom, on Ω
        way -= self._known.values
        way += self.residual
        length = float(way @ way)
        gamma = min(float(self.residual @ way) / length, 1.0) if length > 0 else 0.0
        if not gamma > 0:
            return
        way *= gamma
        self.residual -= way
        self.components = {k: part.shrink(1 - gamma) for k, part in self.components.items()}
        self.components[mode] = self.components[mode].join(gamma * size, u, v)

    def _best_atom(self, rng: np.random.Generator) -> tuple[int, Array, Array]:
        """The mode and the unit vectors with the largest √n_k uᵀ E_k v, nearly."""
        candidates: list[tuple[float, int, Array, Array]] = []
        for mode, unfolding in self._known.unfoldings.items():
            n, slots = self._known.shape[mode], unfolding.slots(self.residual)
            u, sigma = _power_method(unfolding, slots, rng.standard_normal(n), self.internals.power_steps)
            candidates.append((sigma * math.sqrt(n), mode, slots, u))
        _, mode, slots, u = max(candidates, key=lambda candidate: candidate[0])
        unfolding = self._known.unfoldings[mode]
        u, _ = _power_method(unfolding, slots, u, self.internals.refining_steps)
        v = unfolding.fibre_dots(slots, u)
        return mode, u, v / (np.linalg.norm(v) or 1.0)

    def reduce(self, step: float) -> None:
        """Lower the cost within the span of the atoms, mode by mode, and let go of atoms that are not needed.

        In the bases of a mode its matrix is a small one, the core, and so is the gradient: one projected gradient
        step, onto the matrices whose nuclear norm is not larger than it was.
        """
        for mode, part in self.components.items():
            if part.count:
                self.components[mode] = self._reduce_mode(self._known.unfoldings[mode], part, step)

    def _reduce_mode(self, unfolding: SparseUnfolding, part: Component, step: float) -> Component:
        downhill = part.U.T @ unfolding.right_product(self.residual, part.V)
        P, sigma, Qt = np.linalg.svd(part.core + step * downhill, full_matrices=False)
        sigma = project_onto_l1_ball(sigma, float(np.linalg.svd(part.core, compute_uv=False).sum()))
        kept = sigma > _ROUNDING * sigma.max()
        P, sigma, Qt = P[:, kept], sigma[kept], Qt[kept]
        core = (P * sigma) @ Qt
        unfolding.subtract_product(self.residual, part.U @ (core - part.core), part.V)
        if len(sigma) == max(core.shape):  # the bases stay: turning the long one is the most expensive part
            return Component(part.U, core, part.V, len(sigma))
        return Component(part.U @ P, np.diag(sigma), part.V @ Qt.T, len(sigma))


def _power_method(unfolding: SparseUnfolding, slots: Array, u: Array, steps: int) -> tuple[Array, float]:
    """u ← E_k E_kᵀ u, normalized, some times over; and the singular value that the last step saw."""
    sigma = 0.0
    for _ in range(steps):
        new = unfolding.power_step(slots, u)
        length, square = float(np.linalg.norm(new)), float(u @ new)  # ‖E_k E_kᵀ u‖ and ‖E_kᵀ u‖²
        if not min(length, square) > 0:  # nothing is left but what is too small to be squared
            return u / np.linalg.norm(u), 0.0
        u, sigma = new / length, length / math.sqrt(square)
    return u, sigma


class SparseUnfolding:
    """One mode of a support. A tensor is its values on Ω, or in the order of the mode's fibres: its `slots`."""

    def __init__(self, operator: FibreOperator, mode: int) -> None:
        self._size = operator.shape[mode]
        self._fibres = operator.modes[mode]
        self._row = self._fibres.row

    @property
    def columns(self) -> NDArray[np.int64]:
        """The numbers of the fibres that have entries, among all columns of the unfolding."""
        return self._fibres.fibre

    def slots(self, x: Array) -> Array:
        """A tensor on Ω in the order of the fibres: quicker to go through many times."""
        out = np.empty_like(x)
        self._fibres.share(partial(kernels.fill_slots, self._fibres.starts, self._fibres.entry, x, out))
        return out

    def power_step(self, slots: Array, u: Array) -> Array:
        """X_k X_kᵀ u."""
        return self._fibres.sum(partial(kernels.add_power_step, self._fibres.starts, self._row, slots, u), u.shape)

    def fibre_dots(self, slots: Array, u: Array) -> Array:
        """X_kᵀ u, one number per fibre."""
        out = np.empty(len(self.columns))
        self._fibres.share(partial(kernels.fill_fibre_dots, self._fibres.starts, self._row, slots, u, out))
        return out

    def right_product(self, x: Array, right: Array) -> Array:
        """X_k R."""
        cuts = self._fibres.cuts
        if len(cuts) * self._size * right.shape[1] > _LARGEST_PARTS:
            cuts = [0, len(self.columns)]
        add = partial(kernels.add_right_product, *self._fibres.where, x, right)
        return sum_pieces(add, cuts, (self._size, right.shape[1]))

    def outer(self, u: Array, v: Array) -> Array:
        """u vᵀ on Ω."""
        out = np.empty(len(self._row))
        self._fibres.share(partial(kernels.fill_outer, *self._fibres.where, u, v, out))
        return out

    def subtract_product(self, x: Array, left: Array, right: Array) -> None:
        """X_k −= L Rᵀ on Ω, in place."""
        self._fibres.share(partial(kernels.subtract_product, *self._fibres.where, left, right, x))
