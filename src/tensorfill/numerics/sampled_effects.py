"""Main effects: a mean and an effect of every index of every mode, shrunk towards zero, from the known entries.

The model is that of random effects, such as statisticians fit to crossed factors,

    y_e = μ + Σ_k b_k[i_k(e)] + noise ,     b_k[i] of variance s_k ,     noise of variance s ,

and for given ratios λ_k = s / s_k the estimate of μ and b is the solution of a ridge regression,

    minimise  Σ_e (y_e − μ − Σ_k b_k[i_k(e)])² + Σ_k λ_k ‖b_k‖² .

λ_k is the number of known entries at which an index is trusted by half: with c of them, and all else known, its effect
is the mean of what is left there times c / (c + λ_k). An index with nothing known has effect 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..tensor import Array
from .conjugate_gradients import NearWithin, PreconditionedSystem, conjugate_gradients
from .linear_operator import LinearOperator
from .threads import count_pieces, cut, share_pieces, sum_pieces

Rows = NDArray[np.integer]


@dataclass(frozen=True)
class ShrinkageSettings:
    """What steers `choose_shrinkage`."""

    start: float = 5.0  # λ, in entries
    least: float = 1e-6  # of λ: data without noise
    most: float = 1e9  # of λ: a mode without effects
    most_rounds: int = 100
    settled: float = 0.001  # change of how many effects the data determines, as a share of all of a mode


SHRINKAGE = ShrinkageSettings()
_PRECISE = 1e-16
"""Of the squared residual of the ridge regression, relative to its first, in the norm of the preconditioner."""
_MOST_STEPS = 1000


class SampledEffects:
    """The known positions of a tensor (sorted, last mode fastest), ready for additive models of its shape.

    Effects of all modes are one vector, mode after mode, and the mean is its last number.
    """

    def __init__(self, shape: Sequence[int], positions: NDArray[np.int64]) -> None:
        self.shape = tuple(shape)
        self.count = len(positions)
        self.first = np.concatenate(([0], np.cumsum(self.shape)))
        """Where the effects of each mode begin, and where the mean is."""
        self.length = int(self.first[-1]) + 1
        kind = np.uint32 if self.length < 2**32 else np.uint64
        self.rows: Rows = np.empty((self.count, len(self.shape)), kind)
        """Where the effects of every known entry are in that vector."""
        rest = positions
        for mode in reversed(range(len(self.shape))):
            rest, index = np.divmod(rest, self.shape[mode])
            self.rows[:, mode] = index + self.first[mode]
        self._cuts = cut(self.count, count_pieces(self.count))
        self.counts = self.sums(np.ones(self.count))
        """How many known entries each effect is part of."""

    def block(self, effects: Array, mode: int) -> Array:
        """The effects of one mode, a view."""
        return effects[self.first[mode] : self.first[mode + 1]]

    def values(self, effects: Array) -> Array:
        """The additive model at the known entries."""
        out = np.empty(self.count)
        share_pieces(lambda first, end: fill_values(self.rows, effects, out, first, end), self._cuts)
        return out

    def sums(self, values: Array) -> Array:
        """The adjoint: for every effect, the sum of the values that it is part of."""
        return sum_pieces(
            lambda out, first, end: add_values(self.rows, values, out, first, end), self._cuts, (self.length,)
        )

    def gram(self, effects: Array) -> Array:
        """The sums of the values of an additive model, in one pass over the known entries."""
        return sum_pieces(
            lambda out, first, end: add_gram(self.rows, effects, out, first, end), self._cuts, (self.length,)
        )

    def exchange(self, left: Array, mode: int, change: Array, following: int) -> Array:
        """Subtract a change of the effects of one mode from what is left of the values, in place; sums for another.

        `change` is a vector of all effects; that of `following` is what is returned.
        """
        return sum_pieces(
            lambda out, first, end: exchange(self.rows, left, mode, change, following, out, first, end),
            self._cuts,
            (self.length,),
        )

    def operator(self) -> LinearOperator[Array, Array]:
        """From effects to values."""
        return LinearOperator(((self.count,), (self.length,)), self.values, self.sums)


@dataclass(frozen=True, eq=False)
class MainEffects:
    """A fitted additive model, and the λ of every mode that it was fitted with."""

    mean: float
    effects: tuple[Array, ...]
    shrinkage: tuple[float, ...]


def fit_effects(sampled: SampledEffects, values: Array, shrinkage: Sequence[float]) -> MainEffects:
    """The ridge regression with these λ, by conjugate gradients, preconditioned by the diagonal."""
    penalties = np.concatenate((np.repeat(shrinkage, sampled.shape), [0.0]))
    diagonal = sampled.counts + penalties
    diagonal[diagonal == 0] = 1.0  # of an index with nothing known, if λ is so small that it vanishes
    middle = float(values.mean())  # the residual of the mean is 0 then, and rounding does not depend on a shift
    residual = sampled.sums(values - middle)
    start = float(np.sum(residual**2 / diagonal))
    system = PreconditionedSystem(lambda x: sampled.gram(x) + penalties * x, lambda r: r / diagonal)
    stop = NearWithin(_PRECISE, start=0.0, scale=start, most=_MOST_STEPS)
    found = conjugate_gradients(system, np.zeros(sampled.length), residual, stop).x
    mean = middle + float(found[-1])
    blocks = []
    for mode in range(len(sampled.shape)):
        block, seen = sampled.block(found, mode).copy(), sampled.block(sampled.counts, mode) > 0
        # At the optimum the effects of a mode add up to 0; where λ is tiny, that is what iterations find last.
        level = float(block[seen].mean())
        block[seen] -= level
        mean += level
        blocks.append(block)
    return MainEffects(mean, tuple(blocks), tuple(map(float, shrinkage)))


def choose_shrinkage(
    sampled: SampledEffects, values: Array, settings: ShrinkageSettings = SHRINKAGE
) -> tuple[float, ...]:
    """λ of every mode by the marginal likelihood of the random-effects model, to a good approximation.

    The posterior of all effects is approximated by one in which they are independent: the variance of b_k[i] is then
    s / (c_i + λ_k), and the lower bound of the marginal likelihood has its maximum where (MacKay 1992)

        s_k = ‖b_k‖² / γ_k ,     s = Σ_e (what is left of y_e)² / (N − 1 − Σ_k γ_k) ,     γ_k = Σ_i c_i / (c_i + λ_k) ,

    so that γ_k is how many effects of mode k the data determines. Every round updates the effects of all modes, each
    with the others held, and then the variances.
    """
    modes = range(len(sampled.shape))
    shrinkage = np.full(len(sampled.shape), settings.start)
    left = values - values.mean()
    effects = np.zeros(sampled.length)
    sums = sampled.sums(left)
    last = len(sampled.shape) - 1
    for _ in range(settings.most_rounds):
        for mode in modes:
            counts, block = sampled.block(sampled.counts, mode), sampled.block(effects, mode)
            change = np.zeros(sampled.length)
            own = sampled.block(change, mode)
            own[:] = (sampled.block(sums, mode) + counts * block) / np.maximum(counts + shrinkage[mode], 1e-300) - block
            block += own
            change[-1] = -float(counts @ own) / sampled.count  # the mean moves so that nothing is left on average
            effects[-1] += change[-1]
            sums = sampled.exchange(left, mode, change, 0 if mode == last else mode + 1)
        before, shrinkage = shrinkage, _update(sampled, effects, left, shrinkage, settings)
        if _matters(sampled, before, shrinkage) <= settings.settled:
            break
    return tuple(map(float, shrinkage))


def _update(
    sampled: SampledEffects, effects: Array, left: Array, shrinkage: Array, settings: ShrinkageSettings
) -> Array:
    """λ from the variances that the effects and what is left of the values ask for."""
    determined = _determined(sampled, shrinkage)
    noise = float(left @ left) / max(sampled.count - 1 - float(determined.sum()), 1.0)
    squares = np.array([float(np.sum(sampled.block(effects, mode) ** 2)) for mode in range(len(determined))])
    with np.errstate(divide="ignore", invalid="ignore"):
        found = noise * determined / squares
    found = np.nan_to_num(found, nan=settings.most, posinf=settings.most)
    return np.asarray(np.clip(found, settings.least, settings.most))


def _determined(sampled: SampledEffects, shrinkage: Array) -> Array:
    """γ of every mode."""
    found = []
    for mode, penalty in enumerate(shrinkage):
        counts = sampled.block(sampled.counts, mode)
        found.append(float(np.sum(counts / (counts + penalty))))
    return np.array(found)


def _matters(sampled: SampledEffects, before: Array, after: Array) -> float:
    """By how much, as a share of all indices of its mode, λ changes how many effects are determined, at most."""
    seen = [max(1, int(np.count_nonzero(sampled.block(sampled.counts, mode)))) for mode in range(len(before))]
    return float(np.max(np.abs(_determined(sampled, after) - _determined(sampled, before)) / seen))


# Compiled loops over the known entries first … end − 1


@compiled(nogil=True, fastmath=True)
def fill_values(rows, effects, out, first, end):  # type: ignore[no-untyped-def]
    """out = the additive model."""
    mean = effects[len(effects) - 1]
    for e in range(first, end):
        total = mean
        for mode in range(rows.shape[1]):
            total += effects[rows[e, mode]]
        out[e] = total


@compiled(nogil=True, fastmath=True)
def add_values(rows, values, out, first, end):  # type: ignore[no-untyped-def]
    """out += its adjoint."""
    whole = 0.0
    for e in range(first, end):
        value = values[e]
        whole += value
        for mode in range(rows.shape[1]):
            out[rows[e, mode]] += value
    out[len(out) - 1] += whole


@compiled(nogil=True, fastmath=True)
def add_gram(rows, effects, out, first, end):  # type: ignore[no-untyped-def]
    """out += the adjoint of the model."""
    mean, whole = effects[len(effects) - 1], 0.0
    for e in range(first, end):
        total = mean
        for mode in range(rows.shape[1]):
            total += effects[rows[e, mode]]
        whole += total
        for mode in range(rows.shape[1]):
            out[rows[e, mode]] += total
    out[len(out) - 1] += whole


@compiled(nogil=True, fastmath=True)
def exchange(rows, left, mode, change, following, out, first, end):  # type: ignore[no-untyped-def]
    """left −= change at a mode and of the mean; out += the sums of what is left, at another mode."""
    mean = change[len(change) - 1]
    for e in range(first, end):
        value = left[e] - change[rows[e, mode]] - mean
        left[e] = value
        out[rows[e, following]] += value
