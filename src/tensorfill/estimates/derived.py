"""Estimates made of others: in other units, of a power of the data, clipped, blended, or side by side."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .estimate import Estimate, OnePart, predicts_unseen

_LARGEST = np.finfo(np.float64).max
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True, eq=False)
class ChangedEstimate(ABC):
    """An estimate whose values are changed one by one."""

    estimate: Estimate

    @property
    def predicts_unseen(self) -> bool:
        """Whether it tells about indices of which nothing was ever known."""
        return predicts_unseen(self.estimate)

    @abstractmethod
    def change(self, values: Array) -> Array:
        """What becomes of values, which may be written over."""

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        return self.change(np.array(self.estimate.at(coordinates), dtype=np.float64))  # a copy

    def dense(self) -> Array:
        return self.change(self.estimate.dense())

    def components(self) -> tuple[Array, ...]:
        """The parts, changed; they add up as long as none of them is cut off at the largest float."""
        return tuple(self.change(part) for part in self.estimate.components())


@dataclass(frozen=True, eq=False)
class AffineEstimate(ChangedEstimate):
    """An estimate of data that was shifted and divided by a number, in the data's own units."""

    scale: float
    shift: float = 0.0

    def change(self, values: Array) -> Array:
        values *= self.scale
        values += self.shift
        return values

    def components(self) -> tuple[Array, ...]:
        """The parts, and one more that is constant if there is a shift."""
        parts = tuple(self.scale * part for part in self.estimate.components())
        return parts if self.shift == 0 else (*parts, np.full(parts[0].shape, self.shift))


@dataclass(frozen=True, eq=False)
class PowerOfTwoEstimate(ChangedEstimate):
    """An estimate of data that was divided by 2^exponent, in the data's own units."""

    exponent: int

    def change(self, values: Array) -> Array:
        return times_power_of_two(values, self.exponent)


@dataclass(frozen=True, eq=False)
class EstimateBySlice(ChangedEstimate):
    """An estimate of data divided by `scales`, index by index of a mode, in the data's own units."""

    scales: Array
    mode: int = -1

    def change(self, values: Array) -> Array:
        return times_along(values, self.scales, self.mode)

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        return times_at(self.estimate.at(coordinates), self.scales, self.mode, coordinates)


@dataclass(frozen=True, eq=False)
class PoweredEstimate(ChangedEstimate):
    """What values are expected to be whose power differs from an estimate with a variance."""

    power: float
    variance: float = 0.0

    def change(self, values: Array) -> Array:
        return expected_root(values, self.power, self.variance)

    def components(self) -> tuple[Array, ...]:
        """One part, for roots of parts do not add up."""
        return (self.dense(),)


@dataclass(frozen=True, eq=False)
class ClippedEstimate(ChangedEstimate):
    """max(W, lower), and at most `upper`, for a tensor W."""

    lower: float = 0.0
    upper: float = math.inf

    def change(self, values: Array) -> Array:
        return np.clip(values, self.lower, self.upper, out=values)

    def components(self) -> tuple[Array, ...]:
        """Those of W, and what clipping adds or takes away."""
        whole = self.estimate.dense()
        return *self.estimate.components(), np.clip(whole, self.lower, self.upper) - whole


@dataclass(frozen=True, eq=False)
class BlendedEstimate:
    """A weighted mean of estimates, none of which counts below a floor; the weights add up to 1.

    Of an index of which nothing was ever known, those that tell about it have all the weight.
    """

    parts: Sequence[Estimate]
    weights: Sequence[float]
    floor: float = 0.0

    @property
    def predicts_unseen(self) -> bool:
        """Whether any of them tells about indices of which nothing was ever known."""
        return any(map(predicts_unseen, self.parts))

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        seen = (coordinates >= 0).all(axis=1)
        if seen.all():
            return self._mean(coordinates, self.parts, self.weights)
        found = np.empty(len(coordinates))
        found[seen] = self._mean(coordinates[seen], self.parts, self.weights)
        telling = [(part, w) for part, w in zip(self.parts, self.weights, strict=True) if predicts_unseen(part)]
        whole = sum(weight for _, weight in telling)
        shares = [weight / whole for _, weight in telling]
        found[~seen] = self._mean(coordinates[~seen], [part for part, _ in telling], shares)
        return found

    def _mean(self, coordinates: NDArray[np.int64], parts: Sequence[Estimate], weights: Sequence[float]) -> Array:
        total = np.zeros(len(coordinates))
        for part, weight in zip(parts, weights, strict=True):
            total += weight * np.maximum(part.at(coordinates), self.floor)
        return total

    def dense(self) -> Array:
        parts = self.components()
        total = parts[0]
        for part in parts[1:]:
            total += part
        return total

    def components(self) -> tuple[Array, ...]:
        """One tensor per estimate, weighted."""
        return tuple(
            weight * np.maximum(part.dense(), self.floor) for part, weight in zip(self.parts, self.weights, strict=True)
        )


@dataclass(frozen=True, eq=False)
class EstimateByPlace:
    """An estimate for some places, such as slices of which nothing is known, and one for the rest."""

    rest: Estimate
    apart: Estimate
    places: NDArray[np.bool_]
    """Where the second one counts, in the shape of the tensor."""

    @property
    def predicts_unseen(self) -> bool:
        """Whether the second one tells about indices of which nothing was ever known."""
        return predicts_unseen(self.apart)

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        apart = self.places[tuple(coordinates.T)] | (coordinates < 0).any(axis=1)
        found: Array = np.empty(len(coordinates))
        found[~apart] = self.rest.at(coordinates[~apart])
        found[apart] = self.apart.at(coordinates[apart])
        return found

    def dense(self) -> Array:
        return np.where(self.places, self.apart.dense(), self.rest.dense())

    def components(self) -> tuple[Array, ...]:
        """What each of the two adds."""
        return np.where(self.places, 0.0, self.rest.dense()), np.where(self.places, self.apart.dense(), 0.0)


def times_power_of_two(values: Array, exponent: int) -> Array:
    """values · 2^exponent, exact where a float can hold it, and finite.

    >>> times_power_of_two(np.array([0.75, -1.5]), 1024)
    array([ 1.34826985e+308, -1.79769313e+308])
    """
    with np.errstate(over="ignore", under="ignore"):
        found = np.asarray(np.ldexp(values, exponent))
    return np.clip(found, -_LARGEST, _LARGEST, out=found)


def times_along(values: Array, scales: Array, mode: int) -> Array:
    """values · scales, index by index of a mode, and finite."""
    return _times(values, scales.reshape([-1 if axis == mode % values.ndim else 1 for axis in range(values.ndim)]))


def times_at(values: Array, scales: Array, mode: int, coordinates: NDArray[np.int64]) -> Array:
    """The same for values at rows of coordinates; an index of which nothing was ever known has the scale 1."""
    indices = coordinates[:, mode]
    return _times(values, np.where(indices < 0, 1.0, scales[indices]))


def _times(values: Array, scales: Array) -> Array:
    with np.errstate(over="ignore", under="ignore"):
        found = np.asarray(values * scales)
    return np.clip(found, -_LARGEST, _LARGEST, out=found)


def expected_root(mean: Array, power: float, variance: Array | float) -> Array:
    """E[x₊^(1/power)] for a normal x, by Gauss–Hermite quadrature; never negative."""
    deviation = np.sqrt(variance)
    if not np.any(deviation):
        return np.asarray(np.maximum(mean, 0) ** (1 / power))
    found = np.zeros(np.shape(mean))
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        found += weight * np.maximum(mean + node * deviation, 0) ** (1 / power)
    return found


def deviation_of_root(mean: Array, power: float, deviation: Array) -> Array:
    """The standard deviation of the same."""
    variance = deviation**2
    squares = expected_root(mean, power / 2, variance)
    return np.sqrt(np.maximum(squares - expected_root(mean, power, variance) ** 2, 0))


@dataclass(frozen=True, eq=False)
class RowsSoFar(OnePart):
    """An array of which the first indices of a mode are filled in, and others will be; those hold a level."""

    array: NDArray[np.floating]
    mode: int
    end: int
    level: float

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        values = np.asarray(self.array[tuple(coordinates.T)], dtype=np.float64)
        return np.where(coordinates[:, self.mode] < self.end, values, self.level)

    def dense(self) -> Array:
        whole: Array = self.array.astype(np.float64)
        np.moveaxis(whole, self.mode, 0)[self.end :] = self.level
        return whole
