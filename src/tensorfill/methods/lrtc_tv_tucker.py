"""Variant II of `lrtc-tv`: a Tucker tensor with factors of small trace norm, and small total variation.

    minimise   Σ_n α_n ‖U_n‖_* + λ Σ_{n smooth} ‖Q_n‖_1 + λ_2 ‖G‖²
    subject to Z = G ×_1 V_1 … ×_N V_N, U_n = V_n, R_n = Z_(n), Q_n = F_n R_n, Z_Ω = Y

with square V_n, by ADMM: every block in turn, then the multipliers W, Γ_n, Φ_n and Λ_n, under a penalty ρ that grows.

G and V_n are only determined up to rotations, G ×_n Eᵀ and V_n E: nothing in the problem or in a step changes when they
are turned together with U_n and Γ_n. So after every step they are turned to where V_nᵀV_n is diagonal; there the linear
system for G is diagonal, and its solution need not be turned back.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..completion import StopReason
from ..iterating import Progress
from ..numerics.singular_values import nuclear_norm, soft_threshold
from ..numerics.threads import share
from ..numerics.unfoldings import cross_product
from ..observed import ObservedTensor
from ..tensor import Array, mode_product
from .lrtc_tv_smoothing import SmoothTensor, Weighting, starting_multiplier

_COLLAPSED = (
    "Stopped because the Tucker tensor has shrunk to zero, where it stays: this tensor is too small for such weights. "
    "A larger penalty (100 times as large, say), a smaller core_weight or variant I may help."
)


class SmoothTucker:
    """Where variant II stands. Factors are listed by axis of the tensor's layout, and updated in the order of modes."""

    def __init__(self, data: ObservedTensor, weighting: Weighting, rng: np.random.Generator) -> None:
        self.tensor = SmoothTensor(data, weighting.smooth_modes, rng)
        self.weighting = weighting
        self.penalty = weighting.penalty
        shape = self.tensor.values.shape
        self.core = self.tensor.values
        self.factors = [rng.random((size, size)) for size in shape]
        self.factor_multipliers = [starting_multiplier(rng.random((size, size))) for size in shape]
        self.multiplier = np.zeros(shape)
        self.model = _product(self.core, self.factors)
        self.change = np.inf
        self._norms = np.array([nuclear_norm(factor) for factor in self.factors])
        self.cost = self._objective(self.tensor.total_variation())

    def step(self) -> None:
        """One iteration."""
        penalty, tensor = self.penalty, self.tensor
        jumps = tensor.smooth(self.weighting.tv_weight, penalty)
        shrunk = self._shrunk_factors()
        fitted = self._update_factors(shrunk)
        pull = fitted * penalty
        pull -= self.multiplier
        self.change = tensor.agree(pull[None], penalty)
        squares = self._diagonalise(shrunk)
        self._update_core(squares)
        self.model = _product(self.core, self.factors)
        self.multiplier += penalty * (tensor.values - self.model)
        for multiplier, factor, copy in zip(self.factor_multipliers, self.factors, shrunk, strict=True):
            multiplier += penalty * (factor - copy)
        self.cost = self._objective(jumps)
        self.penalty = self.weighting.grown(penalty)

    def _objective(self, jumps: float) -> float:
        core = float(np.vdot(self.core, self.core))
        return float(self._norms.mean() + self.weighting.tv_weight * jumps + self.weighting.core_weight * core)

    def _shrunk_factors(self) -> list[Array]:
        """U_n = SVT_{α_n/ρ}(V_n + Γ_n/ρ)."""
        shrunk = [np.empty(0)] * len(self.factors)

        def work(axis: int) -> None:
            target = self.factors[axis] + self.factor_multipliers[axis] / self.penalty
            shrunk[axis], self._norms[axis] = soft_threshold(target, 1.0 / (len(shrunk) * self.penalty))

        share(work, len(shrunk))
        return shrunk

    def _update_factors(self, shrunk: list[Array]) -> Array:
        """V_n = (U_n − Γ_n/ρ + (Z + W/ρ)_(n) Tᵀ)(I + T Tᵀ)⁻¹ with T = (G ×_{m≠n} V_m)_(n), one n after the other.

        Returns G ×_1 V_1 … ×_N V_N.
        """
        target = self.multiplier / self.penalty
        target += self.tensor.values
        done = self.core  # multiplied by the factors that are new
        waiting = list(self.tensor.axis)
        while waiting:
            axis = waiting.pop(0)
            T = reduce(lambda tensor, other: mode_product(tensor, self.factors[other], other), waiting, done)
            right = cross_product(target, T, axis)
            right += shrunk[axis] - self.factor_multipliers[axis] / self.penalty
            self.factors[axis] = _solved_from_the_right(right, cross_product(T, T, axis))
            done = mode_product(done, self.factors[axis], axis)
        return done

    def _diagonalise(self, shrunk: list[Array]) -> list[Array]:
        """Turn V_n, U_n and Γ_n, in place of the old ones, so that V_nᵀV_n is diagonal; returns the diagonals."""
        squares = [np.empty(0)] * len(self.factors)

        def work(axis: int) -> None:
            factor = self.factors[axis]
            values, turn = np.linalg.eigh(factor.T @ factor)
            squares[axis] = np.maximum(values, 0.0)
            for matrices in (self.factors, self.factor_multipliers, shrunk):
                matrices[axis] = matrices[axis] @ turn

        share(work, len(squares))
        return squares

    def _update_core(self, squares: list[Array]) -> None:
        """G = (V_1ᵀV_1 ⊗ … ⊗ V_NᵀV_N + 2λ_2/ρ)⁻¹ (Z + W/ρ) ×_n V_nᵀ, where every V_nᵀV_n is diagonal."""
        target = self.multiplier / self.penalty
        target += self.tensor.values
        core = _product(target, [factor.T for factor in self.factors])
        diagonal = np.asarray(reduce(np.multiply.outer, squares))
        diagonal += 2.0 * self.weighting.core_weight / self.penalty
        core /= diagonal
        self.core = core


def _product(tensor: Array, matrices: list[Array]) -> Array:
    for axis, matrix in enumerate(matrices):
        tensor = mode_product(tensor, matrix, axis)
    return tensor


def _solved_from_the_right(right: Array, gram: Array) -> Array:
    """right (I + gram)⁻¹, for a positive semidefinite gram."""
    system = gram + np.eye(len(gram))
    try:
        return np.asarray(cho_solve(cho_factor(system, check_finite=False), right.T, check_finite=False).T)
    except LinAlgError:  # rounding of a huge gram matrix hides the identity
        values, vectors = np.linalg.eigh(gram)
        return np.asarray((right @ vectors) / (1.0 + np.maximum(values, 0.0)) @ vectors.T)


def by_smooth_tucker(
    data: ObservedTensor, weighting: Weighting, tolerance: float, rng: np.random.Generator
) -> Iterator[Progress]:
    """The states of variant II; the cost is Σ α_n ‖U_n‖_* + λ Σ ‖Q_n‖_1 + λ_2 ‖G‖²."""
    state = SmoothTucker(data, weighting, rng)
    stop: StopReason | None = None
    while True:
        yield Progress(state.cost, state.tensor.estimate(), stop=stop)
        state.step()
        if not state.model.any():
            stop = StopReason("stalled", _COLLAPSED)
        elif state.change < tolerance:
            stop = StopReason(
                "change", f"Converged: the last iteration changed the tensor by a share of {state.change:.1e}."
            )
