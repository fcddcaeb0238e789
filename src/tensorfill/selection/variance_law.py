"""A law for the size of errors: how large they are on average, given some properties of an entry.

log d² = log p + w_0 + Σ_k w_k f_k, with p a first guess of the variance and properties f. The weights make errors that
are known as likely as possible under N(0, d²). `factor` is the number to multiply d by, so that about 68 % of these
errors are below d and 95 % below 2d, even if they are not quite normal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label
from scipy.special import ndtri

from ..tensor import Array

Numbers = NDArray[np.floating]


@dataclass(frozen=True, kw_only=True)
class Calibrating:
    """How a law is fitted, and its factor."""

    within: tuple[tuple[float, float], ...] = ((1.0, 0.6827), (2.0, 0.9545))  # shares of a normal distribution
    made_up: int = 20  # errors of just the size guessed join the real ones, so that few of those do not say too much
    ridge: float = 10.0  # per squared weight of a property that varies by 1: what it costs to differ from the guess
    largest_step: float = 2.0  # of Newton's method
    most_steps: int = 50
    least: float = 0.7  # of the root mean square of errors: that of deviations
    least_power: float = 0.25  # of p in d²: where the guess is larger, so is d
    range_of_factors: float = 2.0  # largest logarithm of one, either way


CALIBRATING = Calibrating()


@dataclass(frozen=True, eq=False)
class Evidence:
    """Errors with what is known about each: the guess of its variance as a logarithm, and a row of properties."""

    guess: Array
    properties: Array
    squares: Array
    """The errors, squared."""
    independent: float = 1.0
    """As which share of their number they count, if they come in groups that are alike."""

    def where(self, chosen: NDArray[np.bool_]) -> Evidence:
        """Some of the errors."""
        return replace(self, guess=self.guess[chosen], properties=self.properties[chosen], squares=self.squares[chosen])

    @property
    def columns(self) -> Array:
        """The guess and the properties."""
        return np.column_stack([self.guess, self.properties]).astype(np.float64)


def join_evidence(parts: Sequence[Evidence]) -> Evidence:
    """All errors of several parts of a tensor."""
    return Evidence(
        np.concatenate([part.guess for part in parts]),
        np.concatenate([part.properties for part in parts]),
        np.concatenate([part.squares for part in parts]),
        float(np.average([part.independent for part in parts], weights=[len(part.squares) for part in parts])),
    )


@dataclass(frozen=True, eq=False)
class VarianceLaw:
    """The law with its weights."""

    constant: float
    weights: Array
    """One for log p itself and one for each property, of differences from the middle."""
    middle: Array
    lowest: Array
    highest: Array
    """What was seen of each; further out counts as this."""

    @classmethod
    def fitted(cls, seen: Evidence, ridge: float = CALIBRATING.ridge) -> VarianceLaw:
        """The most likely weights."""
        columns = seen.columns
        if len(columns) == 0:
            none = np.zeros(columns.shape[1])
            return cls(0.0, none, none, none, none)
        middle, spread = columns.mean(axis=0), columns.std(axis=0)
        unit = np.where(spread > 1e-9, spread, np.inf)
        rows = np.column_stack([np.ones(len(columns)), (columns - middle) / unit])
        found = _most_likely(rows, seen, ridge)
        weights = found[1:] / unit
        weights[0] = max(weights[0], CALIBRATING.least_power - 1)
        return cls(float(found[0]), weights, middle, columns.min(axis=0), columns.max(axis=0))

    def factor(self, seen: Evidence, tails: float = 1.0) -> float:
        """By what to multiply deviations, so that the right shares of errors are within one and two of them.

        Where a few errors are far larger than the others, that would make deviations far too small on average: they
        stay at least 0.7 times as large, root mean square. `tails` is how much the share within two deviations counts,
        next to that within one.
        """
        guessed = np.exp(0.5 * self.logarithms(seen.guess, seen.properties.T))
        least = CALIBRATING.least * np.sqrt(seen.squares.sum() / np.square(guessed).sum())
        return max(_factor(np.sqrt(seen.squares) / guessed, seen.independent, tails), float(least))

    def logarithms(self, guess: Numbers, properties: Iterable[Numbers]) -> Numbers:
        """log d² at any number of entries; the properties come one after the other."""
        total: Numbers = guess + guess.dtype.type(self.constant)
        total += self._share(0, guess)
        for number, values in enumerate(properties, start=1):
            total += self._share(number, values)
        return total

    def _share(self, number: int, values: Numbers) -> Numbers:
        part: Numbers = np.clip(values, self.lowest[number], self.highest[number]).astype(values.dtype, copy=False)
        part -= values.dtype.type(self.middle[number])
        part *= values.dtype.type(self.weights[number])
        return part


def independent_share(held: NDArray[np.bool_]) -> float:
    """As which share of their number errors at held-out entries count: a hole, in which they are alike, as the root of
    its size.
    """
    sizes = np.bincount(label(held)[0].reshape(-1))[1:]
    return float(np.sqrt(sizes).sum() / sizes.sum()) if len(sizes) else 1.0


def _most_likely(rows: Array, seen: Evidence, ridge: float) -> Array:
    """argmin ½ Σ (t + e²/p exp(−t)) + ½ ridge ‖w‖² with t = rows · w, by Newton's method; convex."""
    penalties = np.full(rows.shape[1], ridge)
    penalties[0] = 0.0
    squares = seen.squares * np.exp(-seen.guess)
    count = seen.independent
    weights = np.zeros(rows.shape[1])
    weights[0] = np.log((count * squares.sum() + CALIBRATING.made_up) / (count * len(squares) + CALIBRATING.made_up))
    for _ in range(CALIBRATING.most_steps):
        left = squares * np.exp(-(rows @ weights))
        made_up = CALIBRATING.made_up * np.exp(-weights[0])
        gradient = 0.5 * count * (rows.T @ (1 - left)) + penalties * weights
        gradient[0] += 0.5 * (CALIBRATING.made_up - made_up)
        hessian = 0.5 * count * ((rows * left[:, None]).T @ rows) + np.diag(penalties)
        hessian[0, 0] += 0.5 * made_up
        step = np.linalg.lstsq(hessian, gradient)[0]  # errors that are all zero leave it singular
        largest = float(np.abs(step).max())
        if largest < 1e-9:
            break
        weights -= step * min(1.0, CALIBRATING.largest_step / largest)
    return weights


def _factor(sizes: Array, independent: float, tails: float) -> float:
    """By what to multiply deviations, given errors in units of them."""
    ideal = np.abs(ndtri((np.arange(CALIBRATING.made_up) + 0.5) / CALIBRATING.made_up))
    factors = np.exp(np.linspace(-CALIBRATING.range_of_factors, CALIBRATING.range_of_factors, 401))
    off = np.zeros(len(factors))
    for (deviations, share), importance in zip(CALIBRATING.within, (1.0, tails), strict=True):
        below = [np.searchsorted(np.sort(group), deviations * factors, side="right") for group in (sizes, ideal)]
        within = (independent * below[0] + below[1]) / (independent * len(sizes) + CALIBRATING.made_up)
        off += importance * (within - share) ** 2
    return float(factors[np.argmin(off)])
