"""NCPC: a sum of a few nonnegative rank-one tensors, fitted to what is known one factor after the other.

minimise  ½ ‖[[A_1, …, A_K]]_Ω − Y_Ω‖²      over A_k ≥ 0, each n_k × r
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..completion import Completion, StopReason, Watch
from ..cost import Cost
from ..estimates.kruskal import KruskalTensor
from ..iterating import Progress
from ..memory import physical_memory
from ..method import Question, Stroke
from ..numerics.sampled_kruskal import SampledKruskal
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import complete_by
from .setting_checks import check_count, check_flag, check_tolerance

_QUIET_ITERATIONS = 3  # this many in a row with hardly any change are the end
_COPIES = 6  # matrices of the size of all factors that are held at a time


@dataclass(frozen=True, kw_only=True)
class NCPC:
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
    stroke: ClassVar[Stroke] = Stroke("#e69f00", "P")
    summary: ClassVar[str] = "Sum of a few nonnegative rank-one tensors (CP)"
    reference: ClassVar[str] = "Xu & Yin, SIAM J. Imaging Sciences 2013"
    nonnegative: ClassVar[bool] = True
    needs_known_only: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(250, 4.5), Cost(250, 4.5)

    rank: int = 10
    tolerance: float = 1e-4
    max_iter: int = 500
    extrapolation: bool = True

    def __post_init__(self) -> None:
        check_count(self.name, "rank", self.rank)
        check_tolerance(self.name, "tolerance", self.tolerance)
        check_count(self.name, "max_iter", self.max_iter)
        check_flag(self.name, "extrapolation", self.extrapolation)

    def candidate(self, question: Question) -> int | None:
        """Among the few that small tensors are tried with."""
        return question.place(70, when=question.small)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses data without a lower bound, for its factors are nonnegative, and what does not fit into memory."""
        if observed.floor != 0:
            return (
                f"{self.name} is a sum of nonnegative parts and needs a lower bound: give one, such as lower=0, or "
                "take a method that can do without, such as auto, spectral, dual or t-ctv."
            )
        needed = sum(observed.shape) * self.rank * 8 * _COPIES
        there = physical_memory()
        if there is None or needed <= there:
            return None
        return (
            f"{self.name} with rank {self.rank} would need {needed / 2**30:,.0f} GiB for the factors of a tensor of "
            f"shape {observed.shape} and this machine has {there / 2**30:,.0f}; a smaller rank needs less."
        )

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = {
            "rank": int(self.rank),
            "tolerance": float(self.tolerance),
            "max_iter": int(self.max_iter),
            "extrapolation": bool(self.extrapolation),
        }
        return complete_by(
            self,
            observed,
            lambda data: _descend(data, int(self.rank), float(self.tolerance), bool(self.extrapolation), rng),
            settings,
            watch=watch,
        )


def _descend(
    data: ObservedTensor, rank: int, tolerance: float, extrapolation: bool, rng: np.random.Generator
) -> Iterator[Progress]:
    """The iteration. Its unknown entries are imputed: M = [[base]] + residual on Ω, which is never built."""
    sampled = SampledKruskal(data.shape, data.positions)
    norm = float(np.linalg.norm(data.values))
    factors = _random_factors(data.shape, rank, norm, rng)
    cost = _half_square(data.values - sampled.values(factors))
    yield Progress(cost, KruskalTensor(sampled.blocks(factors)))

    base, residual = np.zeros_like(factors), data.values  # M starts as the data, and zero where nothing is known
    ahead, is_ahead = factors, False
    momentum, steepness = 1.0, np.ones(data.order)
    quiet, first = 0, True
    while True:
        new, new_steepness = _sweep(sampled, base, residual, factors, ahead)
        new_residual = data.values - sampled.values(new)
        new_cost = _half_square(new_residual)
        quiet = quiet + 1 if abs(new_cost - cost) < tolerance * (cost + 1) else 0
        lower = first or new_cost < cost
        stuck = not lower and not is_ahead  # the same again would give the same
        if lower:
            new_momentum = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
            weights = np.minimum((momentum - 1) / new_momentum, np.sqrt(steepness / new_steepness))
            is_ahead = extrapolation and bool(weights.any())
            ahead = new + np.repeat(weights, data.shape)[:, None] * (new - factors) if is_ahead else new
            factors, base, residual, cost = new, new, new_residual, new_cost
            momentum, steepness, first = new_momentum, new_steepness, False
        else:
            ahead, is_ahead = factors, False  # went too far: the same iteration again, from where we stood
        yield Progress(cost, KruskalTensor(sampled.blocks(factors)), stop=_reason(cost, norm, quiet, stuck, tolerance))


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


def _reason(cost: float, norm: float, quiet: int, stuck: bool, tolerance: float) -> StopReason | None:
    if math.sqrt(2 * cost) < tolerance * norm:
        return StopReason("fit", f"The known entries are met: the residual is below {tolerance:g} of the data.")
    if quiet >= _QUIET_ITERATIONS:
        return StopReason(
            "change",
            f"The cost has hardly changed in {_QUIET_ITERATIONS} iterations in a row; a tolerance below {tolerance:g} "
            "goes on.",
        )
    if stuck:
        return StopReason("stalled", "No step lowers the cost any further: this is as far as rounding allows.")
    return None
