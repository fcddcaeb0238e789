"""Low rank and smooth at once: what is missing follows its neighbours as well as the patterns of the whole.

Variant I minimises Σ_n α_n ‖Z_(n)‖_* + λ Σ_{n smooth} ‖F_n Z_(n)‖_1 over tensors with Z_Ω = Y; α_n = 1/N, and F_n takes
differences of neighbours along mode n. Variant II has Z = G ×_1 V_1 … ×_N V_N, and Σ_n α_n ‖V_n‖_* + λ_2 ‖G‖² for the
first sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..completion import StopReason
from ..iterating import Solver
from ..method import Stroke, lost_slices_are_in
from ..numerics.singular_values import nuclear_norm, soft_threshold
from ..numerics.threads import share
from ..numerics.unfoldings import cross_product
from ..observed import ObservedTensor
from ..tensor import Array, mode_product
from .admm import grow_penalty, report_small_change
from .baseline import Baseline
from .lrtc_tv_smoothing import SmoothTensor, starting_multiplier
from .setting_checks import Count, Growth, Positive, Tolerance, are_modes, require, resolve_modes

_DEFAULTS: Mapping[str, Mapping[str, float]] = {
    "I": {"tv_weight": 0.02, "penalty": 1e-3, "penalty_growth": 1.05, "tolerance": 1e-6},
    "II": {"tv_weight": 0.5, "penalty": 1e-2, "penalty_growth": 1.1, "tolerance": 0.0},
}
_COLLAPSED = (
    "Stopped because the Tucker tensor has shrunk to zero, where it stays: this tensor is too small for such weights. "
    "A larger penalty (100 times as large, say), a smaller core_weight or variant I may help."
)
_check_modes = require("be different mode numbers, counted from 1, such as (1, 2)", are_modes)


@dataclass(frozen=True)
class Internals:
    """What steers `lrtc-tv` besides its settings."""

    largest_penalty: float = 1e15  # nothing moves by then; further on there would be rounding only, and overflow


@dataclass(frozen=True, kw_only=True)
class LRTCTV(Baseline):
    """Low-rank tensor completion with total variation, by ADMM with a growing penalty.

    Parameters
    ----------
    variant
        "I" (trace norms of the unfoldings) or "II" (a Tucker tensor; better on pictures, and slower).
    tv_weight
        λ, the weight of the total variation (default: 0.02 for variant I, 0.5 for variant II).
    core_weight
        λ_2, the weight of the core's squared norm; variant II only.
    smooth_modes
        The modes along which neighbours should be alike, counted from 1 (default: the first two, (1, 2)). Empty: none.
    penalty
        ρ of the first iteration (default: 0.001 for variant I, 0.01 for variant II).
    penalty_growth
        What ρ is multiplied by after every iteration (default: 1.05 for variant I, 1.1 for variant II).
    tolerance
        Stop when ‖Z_new − Z‖ < tolerance · ‖Z_new‖ (default: 1e-6 for variant I; 0, never, for variant II).
    max_iter
        Most iterations.
    """

    name: ClassVar[str] = "lrtc-tv"
    summary: ClassVar[str] = "Low rank and small total variation: neighbours are alike; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#8a63b8", "<")
    reference: ClassVar[str] = "Li, Ye & Xu, AAAI 2017"
    internals: ClassVar[Internals] = Internals()

    variant: Literal["I", "II"] = "I"
    tv_weight: Tolerance | None = None
    core_weight: Positive = 1000.0
    smooth_modes: Annotated[Sequence[int], _check_modes] | None = None
    penalty: Positive | None = None
    penalty_growth: Growth | None = None
    tolerance: Tolerance | None = None
    max_iter: Count = 301

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        modes = (1, 2) if self.smooth_modes is None else self.smooth_modes
        given = {setting: getattr(self, setting) for setting in _DEFAULTS[self.variant]}
        return {
            **_DEFAULTS[self.variant],
            **{setting: float(value) for setting, value in given.items() if value is not None},
            "smooth_modes": resolve_modes(self.name, "smooth_modes", modes, observed.order),
        }

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return lost_slices_are_in(self.resolve(observed)["smooth_modes"], observed)

    def count_arrays(self, observed: ObservedTensor) -> int:
        copies = 3 * len(self.resolve(observed)["smooth_modes"]) + 8
        if self.variant == "I":
            return copies + observed.order
        factors = 8 * sum(size**2 for size in observed.shape)  # of variant II, square whatever the other modes are
        return copies + 3 + factors // observed.size

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> SmoothSolver:
        return (TraceNormSolver if self.variant == "I" else SmoothTuckerSolver)(data, settings, rng, self.internals)


class SmoothSolver(Solver):
    """What both variants share: the tensor Z with its smooth copies, and a penalty ρ that grows."""

    def __init__(
        self, data: ObservedTensor, settings: Mapping[str, Any], rng: np.random.Generator, internals: Internals
    ) -> None:
        self.tensor = SmoothTensor(data, tuple(mode - 1 for mode in settings["smooth_modes"]), rng)
        self.settings, self.internals = settings, internals
        self.penalty: float = settings["penalty"]
        self.change = np.inf

    def grow(self) -> None:
        """The penalty of the next iteration."""
        self.penalty = grow_penalty(self.penalty, self.settings["penalty_growth"], self.internals.largest_penalty)

    def estimate(self) -> Any:
        return self.tensor.estimate()

    def finished(self) -> StopReason | None:
        return report_small_change(self.change) if self.change < self.settings["tolerance"] else None


class TraceNormSolver(SmoothSolver):
    """Variant I: unfoldings of small trace norm and small total variation.

        minimise   Σ_n α_n ‖M_n‖_* + λ Σ_{n smooth} ‖Q_n‖_1
        subject to M_n = Z_(n), R_n = Z_(n), Q_n = F_n R_n, Z_Ω = Y

    by ADMM: every block in turn, then the multipliers Γ_n (`multipliers`, one per axis), Φ_n and Λ_n. The cost of the
    start is that with M_n = R_n = Z_(n).
    """

    def __init__(
        self, data: ObservedTensor, settings: Mapping[str, Any], rng: np.random.Generator, internals: Internals
    ) -> None:
        super().__init__(data, settings, rng, internals)
        self.multipliers = np.zeros((data.order, *self.tensor.values.shape))
        self._alpha = 1.0 / data.order
        norms = sum(nuclear_norm(self.tensor.values, axis) for axis in range(data.order))
        self.cost = self._alpha * norms + settings["tv_weight"] * self.tensor.total_variation()
        self._under_way = False  # no M_n is zero any more: while the penalty is small they are, and Z may stand still

    def step(self) -> None:
        """One iteration: M_n and Γ_n + ρM_n, then Q_n, R_n, Λ_n, then Z, Φ_n and Γ_n + ρM_n − ρZ."""
        norms = np.zeros(len(self.multipliers))

        def work(axis: int) -> None:
            norms[axis] = self._shrink(axis)

        share(work, len(norms))
        jumps = self.tensor.smooth(self.settings["tv_weight"], self.penalty)
        self.change = self.tensor.agree(self.multipliers, self.penalty)
        self._under_way = bool(norms.all())
        self.cost = float(self._alpha * norms.sum() + self.settings["tv_weight"] * jumps)
        self.grow()

    def finished(self) -> StopReason | None:
        """Whether Z hardly changed, and not because the penalty is still small."""
        return super().finished() if self._under_way else None

    def _shrink(self, axis: int) -> float:
        """Γ_n += ρ M_n with M_n = SVT_{α_n/ρ}(Z_(n) − Γ_n/ρ); returns ‖M_n‖_*."""
        multiplier = self.multipliers[axis]
        target = multiplier * (-1.0 / self.penalty)
        target += self.tensor.values
        shrunk, norm = soft_threshold(target, self._alpha / self.penalty, axis)
        shrunk *= self.penalty
        multiplier += shrunk
        return norm


class SmoothTuckerSolver(SmoothSolver):
    """Variant II: a Tucker tensor with factors of small trace norm, and small total variation.

        minimise   Σ_n α_n ‖U_n‖_* + λ Σ_{n smooth} ‖Q_n‖_1 + λ_2 ‖G‖²
        subject to Z = G ×_1 V_1 … ×_N V_N, U_n = V_n, R_n = Z_(n), Q_n = F_n R_n, Z_Ω = Y

    with square V_n, by ADMM: every block in turn, then the multipliers W, Γ_n, Φ_n and Λ_n. Factors are listed by axis
    of the tensor's layout, and updated in the order of modes.

    G and V_n are only determined up to rotations, G ×_n Eᵀ and V_n E: nothing in the problem or in a step changes when
    they are turned together with U_n and Γ_n. So after every step they are turned to where V_nᵀV_n is diagonal; there
    the linear system for G is diagonal, and its solution need not be turned back.
    """

    def __init__(
        self, data: ObservedTensor, settings: Mapping[str, Any], rng: np.random.Generator, internals: Internals
    ) -> None:
        super().__init__(data, settings, rng, internals)
        shape = self.tensor.values.shape
        self.core = self.tensor.values
        self.factors = [rng.random((size, size)) for size in shape]
        self.factor_multipliers = [starting_multiplier(rng.random((size, size))) for size in shape]
        self.multiplier = np.zeros(shape)
        self.model = _multiply_all(self.core, self.factors)
        self._norms = np.array([nuclear_norm(factor) for factor in self.factors])
        self.cost = self._objective(self.tensor.total_variation())

    def step(self) -> None:
        penalty, tensor = self.penalty, self.tensor
        jumps = tensor.smooth(self.settings["tv_weight"], penalty)
        shrunk = self._shrink_factors()
        fitted = self._update_factors(shrunk)
        pull = fitted * penalty
        pull -= self.multiplier
        self.change = tensor.agree(pull[None], penalty)
        squares = self._diagonalise(shrunk)
        self._update_core(squares)
        self.model = _multiply_all(self.core, self.factors)
        self.multiplier += penalty * (tensor.values - self.model)
        for multiplier, factor, copy in zip(self.factor_multipliers, self.factors, shrunk, strict=True):
            multiplier += penalty * (factor - copy)
        self.cost = self._objective(jumps)
        self.grow()

    def finished(self) -> StopReason | None:
        """Whether Z hardly changed, or the model has collapsed."""
        return super().finished() if self.model.any() else StopReason("stalled", _COLLAPSED)

    def _objective(self, jumps: float) -> float:
        core = float(np.vdot(self.core, self.core))
        return float(self._norms.mean() + self.settings["tv_weight"] * jumps + self.settings["core_weight"] * core)

    def _shrink_factors(self) -> list[Array]:
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
        waiting = list(self.tensor.order.axis)
        while waiting:
            axis = waiting.pop(0)
            T = reduce(lambda tensor, other: mode_product(tensor, self.factors[other], other), waiting, done)
            right = cross_product(target, T, axis)
            right += shrunk[axis] - self.factor_multipliers[axis] / self.penalty
            self.factors[axis] = _solve_from_the_right(right, cross_product(T, T, axis))
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
        core = _multiply_all(target, [factor.T for factor in self.factors])
        diagonal = np.asarray(reduce(np.multiply.outer, squares))
        diagonal += 2.0 * self.settings["core_weight"] / self.penalty
        core /= diagonal
        self.core = core


def _multiply_all(tensor: Array, matrices: list[Array]) -> Array:
    for axis, matrix in enumerate(matrices):
        tensor = mode_product(tensor, matrix, axis)
    return tensor


def _solve_from_the_right(right: Array, gram: Array) -> Array:
    """right (I + gram)⁻¹, for a positive semidefinite gram."""
    system = gram + np.eye(len(gram))
    try:
        return np.asarray(cho_solve(cho_factor(system, check_finite=False), right.T, check_finite=False).T)
    except LinAlgError:  # rounding of a huge gram matrix hides the identity
        values, vectors = np.linalg.eigh(gram)
        return np.asarray((right @ vectors) / (1.0 + np.maximum(values, 0.0)) @ vectors.T)
