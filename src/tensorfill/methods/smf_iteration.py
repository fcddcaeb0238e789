"""The iteration of SMF-LRTC: all pairs fit the last tensor, and the next tensor is what they agree on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..completion import StopReason
from ..estimates.dense import DenseEstimate
from ..iterating import Progress
from ..observed import ObservedTensor
from ..tensor import Array
from .smf_pairs import FRAME_ORDER, FactorPair, PicturePair, ProximalPair, Sparsity

_SHARE = 1 / 3  # α_n, the weight of each unfolding
_STEADY = 0.01  # relative change of what a pair says off Ω below which its rank may grow


def iterations(data: ObservedTensor, settings: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Progress]:
    """From data whose largest value is 1 to the states of the method, the start first."""
    known = np.ascontiguousarray(data.mask().transpose(FRAME_ORDER))
    frames = zero_filled(data)
    pairs = random_pairs(data.shape, settings, rng)
    products = tuple(np.empty_like(frames) for _ in pairs)
    at = _next(frames, known, pairs, products, step=0.0)
    yield at.progress(pairs, None)
    while True:
        last = at
        try:
            for pair in pairs:
                pair.fit(last.frames)
        except np.linalg.LinAlgError:  # a weight so small that a system is singular: here ends what can be done
            return
        # Y ← Σ_n α_n (X_n A_n + ρ_n Y)/(1 + ρ_n), all ρ_n being ρ/α_n with the same α_n.
        at = _next(last.frames, known, pairs, products, step=1 / (1 + settings["proximal_weight"] / _SHARE))
        small = at.change <= settings["tolerance"] * last.size
        yield at.progress(pairs, _small_change(settings["tolerance"]) if small else None)
        for pair, most, now, before in zip(pairs, settings["rank_max"], at.unknown, last.unknown, strict=True):
            if pair.rank < most and abs(now - before) < _STEADY * before:
                pair.grow(settings["rank_step"], rng)


def _small_change(tolerance: float) -> StopReason:
    return StopReason("change", f"Stopped because the tensor changed by no more than {tolerance:g} of its size.")


def random_pairs(
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
            rng.random((r3, rows, columns)),
            rng.random((r3, frames)),
            pictures=Sparsity(fit_X, settings["image_penalty"], rho * fit_X),
            profiles=Sparsity(fit_A, settings["profile_penalty"], rho * fit_A),
            inner_iterations=settings["inner_iterations"],
        ),
    )


def zero_filled(data: ObservedTensor) -> Array:
    """The known entries, and zero elsewhere, as frames."""
    whole = np.zeros(data.shape)
    whole.reshape(-1)[data.positions] = data.values
    return np.ascontiguousarray(whole.transpose(FRAME_ORDER))


@dataclass(frozen=True, eq=False)
class _State:
    """A tensor, and what the pairs that led to it are like."""

    frames: Array
    size: float
    """‖Y‖."""
    change: float
    """‖Y − Y_last‖."""
    misfit: float
    """Σ_n ‖Y_(n)ᵀ − X_n A_n‖²."""
    unknown: tuple[float, ...]
    """The norm of X_n A_n where nothing is known, for every n."""

    def progress(self, pairs: tuple[FactorPair, ...], stop: StopReason | None) -> Progress:
        cost = _SHARE * (self.misfit / 2 + sum(pair.penalty() for pair in pairs))
        return Progress(cost, DenseEstimate(self.frames.transpose(np.argsort(FRAME_ORDER))), stop=stop)


def _next(
    frames: Array,
    known: NDArray[np.bool_],
    pairs: tuple[FactorPair, ...],
    products: tuple[Array, ...],
    step: float,
) -> _State:
    """The tensor after a step towards the mean of the pairs, known entries kept; `products` is working space."""
    for pair, product in zip(pairs, products, strict=True):
        pair.product(product)
    new = np.empty_like(frames)
    first, second, third = (product.reshape(-1) for product in products)
    sums = _blend(first, second, third, frames.reshape(-1), known.reshape(-1), step, new.reshape(-1))
    size, change, misfit, *unknown = sums
    return _State(new, np.sqrt(size), np.sqrt(change), misfit, tuple(np.sqrt(unknown)))


@compiled(nogil=True, fastmath=True)
def _blend(first, second, third, last, known, step, out):  # type: ignore[no-untyped-def]
    """out ← last + step·(mean of three − last) where unknown, last elsewhere; the sums of squares `_State` is about."""
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
