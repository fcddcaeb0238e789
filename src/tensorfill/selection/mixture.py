"""Mixture: how sure to be of a blend of which nobody knows the errors, from how sure its methods are.

If each of them may be the one that is right, with probability p_i, the mean square error of their weighted mean w is
Σ p_i (s_i² + (w − w_i)²): what each gives itself, s_i, and how far it is from what is returned. Methods that do not say
how sure they are count by what they move w.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Estimate
from ..errors import InvalidSetting
from ..estimates.estimate import evaluate_everywhere, predicts_unseen
from ..tensor import Array


@dataclass(frozen=True, eq=False)
class Mixture:
    """A blend, and the completions in it that tell their deviations, with their weights. It can be pickled."""

    parts: Sequence[tuple[float, Completion]]
    blend: Estimate
    floor: float

    @classmethod
    def of(
        cls, weights: Mapping[str, float], done: Mapping[str, Completion], blend: Estimate, floor: float
    ) -> Mixture | None:
        """None if none of the completions tells how sure it is."""
        named = [(weight, done[name]) for name, weight in weights.items()]
        telling = [(w, part) for w, part in named if part.deviations is not None or part.deviations_at is not None]
        return cls(telling, blend, floor) if telling else None

    @property
    def tells_at(self) -> bool:
        """Whether all of them tell their deviations without building the full tensor."""
        return all(part.deviations_at is not None for _, part in self.parts)

    def deviations(self) -> Array:
        """Of the blend, everywhere."""
        told = ((_deviations(part), part.estimate.dense()) for _, part in self.parts)
        return self._combine(self.blend.dense(), told, self.parts)

    def deviations_at(self, coordinates: NDArray[np.int64]) -> Array:
        """Of the blend, at rows of coordinates."""
        parts = self.parts
        if (coordinates < 0).any():
            parts = [(weight, part) for weight, part in parts if predicts_unseen(part.estimate)]
            if not parts:
                raise InvalidSetting("This completion does not tell how sure it is of what is not in the data.")
        told = ((_deviations_at(part, coordinates), part.estimate.at(coordinates)) for _, part in parts)
        return self._combine(self.blend.at(coordinates), told, parts)

    def _combine(
        self, blend: Array, told: Iterable[tuple[Array, Array]], parts: Sequence[tuple[float, Completion]]
    ) -> Array:
        """From what each part tells, made when it is its turn: all of them would not fit where one does."""
        entries = np.maximum(blend, self.floor)
        squares = np.zeros_like(entries)
        for (weight, _), (deviations, estimate) in zip(parts, told, strict=True):
            squares += weight * (deviations**2 + (entries - np.maximum(estimate, self.floor)) ** 2)
        return np.asarray(np.sqrt(squares / sum(weight for weight, _ in parts)))


def _deviations(part: Completion) -> Array:
    if part.deviations is not None:
        return part.deviations()
    assert part.deviations_at is not None
    return evaluate_everywhere(part.deviations_at, part.observed.shape)


def _deviations_at(part: Completion, coordinates: NDArray[np.int64]) -> Array:
    assert part.deviations_at is not None
    return part.deviations_at(coordinates)
