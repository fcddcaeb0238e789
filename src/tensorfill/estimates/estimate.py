"""Estimate: a fitted tensor in the form its method found it; and the simplest of these forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array, entries

_BLOCK = 2**20  # entries that are evaluated together


class Estimate(Protocol):
    """A fitted tensor that can be evaluated entry by entry or as a whole; values are the method's raw ones."""

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates, without building the full tensor."""
        ...

    def dense(self) -> Array:
        """The full tensor, as a new array."""
        ...

    def components(self) -> tuple[Array, ...]:
        """The tensors whose sum is `dense()`."""
        ...


def predicts_unseen(estimate: Estimate) -> bool:
    """Whether `at` takes -1 for an index of which nothing was ever known, not even that it is there.

    An estimate for which that is so has an attribute of this name that is true. In others, -1 must not be asked for.
    """
    return bool(getattr(estimate, "predicts_unseen", False))


class OnePart(ABC):
    """An estimate that is no sum of parts."""

    @abstractmethod
    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""

    @abstractmethod
    def dense(self) -> Array:
        """The full tensor."""

    def components(self) -> tuple[Array, ...]:
        """The full tensor: there is only one part."""
        return (self.dense(),)


@dataclass(frozen=True, eq=False)
class ConstantEstimate:
    """The same value everywhere, at no cost in memory."""

    shape: tuple[int, ...]
    value: float
    predicts_unseen: ClassVar[bool] = True

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """The value, once per row."""
        return np.full(len(coordinates), self.value)

    def dense(self) -> Array:
        """The value everywhere."""
        return np.full(self.shape, self.value)

    def components(self) -> tuple[Array, ...]:
        """As many equal parts as there are modes."""
        parts = len(self.shape)
        return tuple(np.full(self.shape, self.value / parts) for _ in range(parts))


@dataclass(frozen=True, eq=False)
class DenseEstimate(OnePart):
    """An array that holds every entry; it must not be written to any more."""

    array: NDArray[np.floating]

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        return np.asarray(self.array[tuple(coordinates.T)], dtype=np.float64)

    def dense(self) -> Array:
        """A copy of the array."""
        return self.array.astype(np.float64, order="C")


@dataclass(frozen=True, eq=False)
class RefilledEstimate(OnePart):
    """Known values at sorted positions of the flattened tensor, another estimate elsewhere."""

    estimate: Estimate
    shape: tuple[int, ...]
    positions: NDArray[np.int64]
    values: Array

    @property
    def predicts_unseen(self) -> bool:
        """Whether the other one tells about indices of which nothing was ever known."""
        return predicts_unseen(self.estimate)

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        wanted = np.ravel_multi_index(tuple(np.maximum(coordinates, 0).T), self.shape)
        nearest = np.searchsorted(self.positions, wanted).clip(max=len(self.positions) - 1)
        known = (self.positions[nearest] == wanted) & (coordinates >= 0).all(axis=1)
        return np.where(known, self.values[nearest], self.estimate.at(coordinates))

    def dense(self) -> Array:
        whole = self.estimate.dense()
        whole.reshape(-1)[self.positions] = self.values
        return whole


def evaluate_everywhere(at: Callable[[NDArray[np.int64]], Array], shape: tuple[int, ...]) -> Array:
    """The full tensor of what can be evaluated at rows of coordinates."""
    full = np.empty(entries(shape))
    for start in range(0, len(full), _BLOCK):
        positions = np.arange(start, min(start + _BLOCK, len(full)))
        full[positions] = at(np.column_stack(np.unravel_index(positions, shape)))
    return full.reshape(shape)
