"""NCPC: a sum of a few nonnegative rank-one tensors, fitted to what is known one factor after the other.

minimise  ½ ‖[[A_1, …, A_K]]_Ω − Y_Ω‖²      over A_k ≥ 0, each n_k × r
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..completion import StopReason
from ..estimates.factored import KruskalTensor
from ..iterating import Solver
from ..method import Cost, Stroke
from ..numerics.sampled_kruskal import SampledKruskal
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import Baseline, refuse_memory
from .setting_checks import Count, Flag, Tolerance

_COPIES = 6  # matrices of the size of all factors that are held at a time


@dataclass(frozen=True)
class Internals:
    """What steers `ncpc` besides its settings."""

    quiet_iterations: int = 3  # this many in a row with hardly any change are the end


@dataclass(frozen=True, kw_only=True)
class NCPC(Baseline):
    """Nonnegative CP completion by block coordinate descent, the method of Xu and Yin.

    The cost in the history is the objective, on data scaled to a largest value of 1.

    Parameters
    ----------
    rank
        How many rank-one tensors: one whole number (a CP rank, not a rank per mode).
    tolerance
        Stop when the cost f changes by less than tolerance · (f + 1) in three iterations in a row, or when
        ‖residual‖ < tolerance · ‖Y‖.
    max_iter
        Most iterations, each one step for every factor.
    extrapolation
        Step from a point beyond the last one, in the direction of the last change, as long as that pays. False:
        plain block coordinate descent, slower.
    """

    name: ClassVar[str] = "ncpc"
    summary: ClassVar[str] = "Sum of a few nonnegative rank-one tensors (CP)"
    stroke: ClassVar[Stroke] = Stroke("#e69f00", "P")
    reference: ClassVar[str] = "Xu & Yin, SIAM J. Imaging Sciences 2013"
    nonnegative: ClassVar[bool] = True
    needs_known_only: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(250, 4.5), Cost(250, 4.5)
    place_if_small: ClassVar[int | None] = 70
    internals: ClassVar[Internals] = Internals()

    rank: Count = 10
    tolerance: Tolerance = 1e-4
    max_iter: Count = 500
    extrapolation: Flag = True

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses data without a lower bound, for its factors are nonnegative, and what does not fit into memory."""
        if observed.floor != 0:
            return (
                f"{self.name} is a sum of nonnegative parts and needs a lower bound: give one, such as lower=0, or "
                "take a method that can do without, such as auto, spectral, dual or t-ctv."
            )
        return refuse_memory(
            sum(observed.shape) * self.rank * 8 * _COPIES,
            f"{self.name} with rank {self.rank} would need {{needed}} GiB for the factors of a tensor of shape "
            f"{observed.shape} and this machine has {{there}}; a smaller rank needs less.",
        )

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> NCPCSolver:
        return NCPCSolver(data, settings, rng, self.internals)


class NCPCSolver(Solver):
    """Block coordinate descent. Unknown entries are imputed: M = [[base]] + residual on Ω, which is never built."""

    def __init__(
        self, data: ObservedTensor, settings: Mapping[str, Any], rng: np.random.Generator, internals: Internals
    ) -> None:
        self._sampled = SampledKruskal(data.shape, data.positions)
        self._data, self._settings, self._internals = data, settings, internals
        self._norm = float(np.linalg.norm(data.values))
        self.factors = _random_factors(data.shape, settings["rank"], self._norm, rng)
        self.cost = _half_square(data.values - self._sampled.values(self.factors))
        self._base, self._residual = np.zeros_like(self.factors), data.values  # M is the data, and zero elsewhere
        self._ahead, self._is_ahead = self.factors, False
        self._momentum, self._steepness = 1.0, np.ones(data.order)
        self._quiet, self._first, self._stuck = 0, True, False

    def step(self) -> None:
        """A step for every factor; undone if the cost is higher than before, which costs the extrapolation."""
        new, steepness = _sweep(self._sampled, self._base, self._residual, self.factors, self._ahead)
        residual = self._data.values - self._sampled.values(new)
        cost = _half_square(residual)
        hardly = abs(cost - self.cost) < self._settings["tolerance"] * (self.cost + 1)
        self._quiet = self._quiet + 1 if hardly else 0
        if self._first or cost < self.cost:
            self._stuck = False
            self._extrapolate(new, steepness)
            self.factors, self._base, self._residual, self.cost = new, new, residual, cost
            self._first = False
        else:
            self._stuck = not self._is_ahead  # the same again would give the same
            self._ahead, self._is_ahead = self.factors, False  # went too far: the same again, from where we stood

    def estimate(self) -> KruskalTensor:
        return KruskalTensor(self._sampled.blocks(self.factors))

    def finished(self) -> StopReason | None:
        tolerance, most = self._settings["tolerance"], self._internals.quiet_iterations
        if self._first:
            return None
        if math.sqrt(2 * self.cost) < tolerance * self._norm:
            return StopReason("fit", f"The known entries are met: the residual is below {tolerance:g} of the data.")
        if self._quiet >= most:
            return StopReason(
                "change",
                f"The cost has hardly changed in {most} iterations in a row; a tolerance below {tolerance:g} goes on.",
            )
        if self._stuck:
            return StopReason("stalled", "No step lowers the cost any further: this is as far as rounding allows.")
        return None

    def _extrapolate(self, new: Array, steepness: Array) -> None:
        momentum = (1 + math.sqrt(1 + 4 * self._momentum**2)) / 2
        weights = np.minimum((self._momentum - 1) / momentum, np.sqrt(self._steepness / steepness))
        self._is_ahead = self._settings["extrapolation"] and bool(weights.any())
        further = np.repeat(weights, self._data.shape)[:, None]
        self._ahead = new + further * (new - self.factors) if self._is_ahead else new
        self._momentum, self._steepness = momentum, steepness


def _sweep(sampled: SampledKruskal, base: Array, residual: Array, factors: Array, ahead: Array) -> tuple[Array, Array]:
    """One projected gradient step of ½ ‖[[A]] − M‖² from `ahead` for every factor in turn; also 1/step lengths.

    A_k ← [Â_k − (Â_k B_k − M_k KR_k) / ‖B_k‖]₊, with KR_k the Khatri–Rao product of the other factors, B_k = KR_kᵀ KR_k
    """
    factors = factors.copy()
    blocks, bases = sampled.blocks(factors), sampled.blocks(base)
    grams = [block.T @ block for block in blocks]
    crossed = [old.T @ block for old, block in zip(bases, blocks, strict=True)]
    steepness = np.empty(len(blocks))
    for mode, start in enumerate(sampled.blocks(ahead)):
        B = _product_without(grams, mode)
        steepness[mode] = max(float(np.linalg.eigvalsh(B)[-1]), np.finfo(float).tiny)
        towards = sampled.times_khatri_rao(residual, factors, mode)
        towards += bases[mode] @ _product_without(crossed, mode)
        blocks[mode][:] = np.maximum(start - (start @ B - towards) / steepness[mode], 0.0)
        grams[mode] = blocks[mode].T @ blocks[mode]
        crossed[mode] = bases[mode].T @ blocks[mode]
    return factors, steepness


def _product_without(matrices: list[Array], mode: int) -> Array:
    """The entrywise product of all matrices but one."""
    product = np.ones_like(matrices[mode])
    for other, matrix in enumerate(matrices):
        if other != mode:
            product *= matrix
    return product


def _random_factors(shape: tuple[int, ...], rank: int, norm: float, rng: np.random.Generator) -> Array:
    """Nonnegative factors one below the other, all of the same norm; their product is as large as the data."""
    blocks = []
    for size in shape:
        drawn = rng.standard_normal((size, rank))
        block = np.maximum(drawn, 0.0) if drawn.max() > 0 else np.abs(drawn)  # a factor of zeros would stay zero
        blocks.append(block * (norm ** (1 / len(shape)) / np.linalg.norm(block)))
    return np.concatenate(blocks)


def _half_square(residual: Array) -> float:
    return 0.5 * float(residual @ residual)
