"""SMF-LRTC: low-rank factors of every unfolding, with smooth pictures and smooth profiles along the third mode."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..compiling import compiled
from ..completion import StopReason
from ..estimates.estimate import DenseEstimate
from ..iterating import NoFurtherStep, Solver
from ..method import Stroke
from ..observed import ObservedTensor
from .baseline import Baseline
from .setting_checks import Count, Positive, Rank, Tolerance, resolve_rank, wrong
from .smf_pairs import FRAMES, FactorPair, PicturePair, ProximalPair, Sparsity

_ADVICE = {2: "give a single picture as rows × columns × 1"}
_ADVICE_FOR_MORE = "merge modes by reshaping it, or take a method for any number of modes, such as nonneg-dual"
_SHARE = 1 / 3  # α_n, the weight of each unfolding


@dataclass(frozen=True)
class Internals:
    """What steers `smf-lrtc` besides its settings."""

    steady: float = 0.01  # relative change of what a pair says off Ω below which its rank may grow


@dataclass(frozen=True, kw_only=True)
class SMFLRTC(Baseline):
    """Smooth matrix factorisation of every unfolding, for videos and other stacks of pictures.

    Minimises Σ_n α/2 ‖Y_(n)ᵀ − X_n A_n‖² + α/μ_X ‖W X_3‖_1 + α/μ_A ‖D A_3‖_1 over the factors and over tensors Y that
    have the known entries, with α = 1/3, W a Haar frame of the pictures X_3 (modes 1 and 2) and D the differences along
    mode 3. The cost in the history is this objective.

    Parameters
    ----------
    rank
        r_n to start with, one per mode or one for all (default: 10, or the mode's size if smaller).
    rank_max
        Up to where ranks may grow, one per mode or one for all (default: they don't). The last growth may exceed it by
        up to rank_step − 1.
    rank_step
        By how much a rank grows at a time.
    proximal_weight
        ρ: how much each update stays near the last one.
    image_fit
        μ_X: weight of the data against the sparsity of W X_3.
    image_penalty
        β of the inner ADMM iteration for X_3.
    profile_fit
        μ_A: weight of the data against the sparsity of D A_3.
    profile_penalty
        β of the inner ADMM iteration for A_3.
    inner_iterations
        ADMM iterations for X_3, and for A_3, in every iteration.
    tolerance
        Stop when ‖Y − Y_last‖ ≤ tolerance · ‖Y_last‖.
    max_iter
        Most iterations.
    """

    name: ClassVar[str] = "smf-lrtc"
    summary: ClassVar[str] = (
        "Low-rank unfoldings with smooth pictures and profiles, for stacks of pictures; may go negative"
    )
    stroke: ClassVar[Stroke] = Stroke("#44aa99", ">")
    reference: ClassVar[str] = "Zheng et al., Applied Mathematical Modelling 2019"
    internals: ClassVar[Internals] = Internals()

    rank: Rank = None
    rank_max: Rank = None
    rank_step: Count = 5
    proximal_weight: Positive = 0.01
    image_fit: Positive = 10.0
    image_penalty: Positive = 1000.0
    profile_fit: Positive = 100.0
    profile_penalty: Positive = 1.0
    inner_iterations: Count = 5
    tolerance: Tolerance = 2e-4
    max_iter: Count = 500

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """The ranks to start with, and those up to which they may grow."""
        start = resolve_rank(self.name, self.rank, observed.shape)
        if self.rank_max is None:
            return {"rank": start, "rank_max": start}
        largest = resolve_rank(self.name, self.rank_max, observed.shape, setting="rank_max")
        if any(most < first for most, first in zip(largest, start, strict=True)):
            raise wrong(self.name, "rank_max", f"not be smaller than the ranks it starts with, {start}", self.rank_max)
        return {"rank": start, "rank_max": largest}

    def count_arrays(self, observed: ObservedTensor) -> int:
        """Two tensors, three products, the factors, and for the pictures four bands and two right-hand sides."""
        largest: tuple[int, ...] = self.resolve(observed)["rank_max"]
        shares = [rank / size for rank, size in zip(largest, observed.shape, strict=True)]
        return math.ceil(5 + sum(shares) + 7 * shares[2])

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses what is not a stack of pictures, and what does not fit into memory."""
        if observed.order != 3:
            return (
                f"{self.name} completes stacks of pictures, tensors with 3 modes (rows × columns × frames), and this "
                f"one has {observed.order}: {_ADVICE.get(observed.order, _ADVICE_FOR_MORE)}."
            )
        return super().refuses(observed)

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> SMFSolver:
        return SMFSolver(data, settings, rng, self.internals)


class SMFSolver(Solver):
    """All pairs fit the last tensor, and the next tensor is what they agree on.

    Y ← Σ_n α_n (X_n A_n + ρ_n Y)/(1 + ρ_n), all ρ_n being ρ/α_n with the same α_n.
    """

    def __init__(
        self, data: ObservedTensor, settings: Mapping[str, Any], rng: np.random.Generator, internals: Internals
    ) -> None:
        self._settings, self._rng, self._internals = settings, rng, internals
        self._known = FRAMES.mask(data)
        self.frames = FRAMES.fill(data, 0.0)
        self.pairs = draw_pairs(data.shape, settings, rng)
        self._products = tuple(np.empty_like(self.frames) for _ in self.pairs)
        self._before: tuple[float, ...] = ()
        self._steady = False
        self._agree(step=0.0)

    def step(self) -> None:
        """Grow pairs that stand still, fit all of them, then take a step towards their mean."""
        if self._before:
            self._grow()
        try:
            for pair in self.pairs:
                pair.fit(self.frames)
        except np.linalg.LinAlgError:  # a weight so small that a system is singular: here ends what can be done
            raise NoFurtherStep from None
        self._before, size = self._unknown, self._size
        self._agree(step=1 / (1 + self._settings["proximal_weight"] / _SHARE))
        self._steady = bool(self._change <= self._settings["tolerance"] * size)

    def estimate(self) -> DenseEstimate:
        """Y with the modes in the order of the data; the array is never written to again."""
        return DenseEstimate(FRAMES.restore(self.frames))

    def finished(self) -> StopReason | None:
        share = f"{self._settings['tolerance']:g}"
        sentence = f"Stopped because the tensor changed by no more than {share} of its size."
        return StopReason("change", sentence) if self._steady else None

    def _grow(self) -> None:
        for pair, most, now, before in zip(
            self.pairs, self._settings["rank_max"], self._unknown, self._before, strict=True
        ):
            if pair.rank < most and abs(now - before) < self._internals.steady * before:
                pair.grow(self._settings["rank_step"], self._rng)

    def _agree(self, step: float) -> None:
        """The tensor after a step towards the mean of the pairs, known entries kept; and what it is like."""
        for pair, product in zip(self.pairs, self._products, strict=True):
            pair.write_product(product)
        new = np.empty_like(self.frames)
        products = (product.reshape(-1) for product in self._products)
        sums = _blend(*products, self.frames.reshape(-1), self._known.reshape(-1), step, new.reshape(-1))
        size, change, misfit, *unknown = sums
        self.frames, self._size, self._change = new, np.sqrt(size), np.sqrt(change)
        self._unknown = tuple(np.sqrt(unknown))  # the norm of X_n A_n where nothing is known, for every n
        self.cost = _SHARE * (misfit / 2 + sum(pair.penalty() for pair in self.pairs))


def draw_pairs(
    shape: tuple[int, ...], settings: Mapping[str, Any], rng: np.random.Generator
) -> tuple[FactorPair, FactorPair, FactorPair]:
    """The pairs to start with, uniformly random."""
    rows, columns, frames = shape
    r1, r2, r3 = settings["rank"]
    rho = settings["proximal_weight"] / _SHARE
    fit_X, fit_A = settings["image_fit"], settings["profile_fit"]
    return (
        ProximalPair(1, rng.random((frames, r1, columns)), rng.random((r1, rows)), rho),
        ProximalPair(2, rng.random((frames, rows, r2)), rng.random((r2, columns)), rho),
        PicturePair(
            0,
            rng.random((r3, rows, columns)),
            rng.random((r3, frames)),
            pictures=Sparsity(fit_X, settings["image_penalty"], rho * fit_X),
            profiles=Sparsity(fit_A, settings["profile_penalty"], rho * fit_A),
            inner_iterations=settings["inner_iterations"],
        ),
    )


@compiled(nogil=True, fastmath=True)
def _blend(first, second, third, last, known, step, out):  # type: ignore[no-untyped-def]
    """out ← last + step·(mean of three − last) where unknown, last elsewhere; and sums of squares.

    Those of out, of out − last, of what all three miss, and of each of the three where nothing is known.
    """
    size = change = misfit = off_first = off_second = off_third = 0.0
    for i in range(len(out)):
        a, b, c, y = first[i], second[i], third[i], last[i]
        move = 0.0 if known[i] else step * ((a + b + c) / 3.0 - y)
        y += move
        out[i] = y
        size += y * y
        change += move * move
        misfit += (y - a) ** 2 + (y - b) ** 2 + (y - c) ** 2
        off = 0.0 if known[i] else 1.0
        off_first += off * a * a
        off_second += off * b * b
        off_third += off * c * c
    return size, change, misfit, off_first, off_second, off_third
