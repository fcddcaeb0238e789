"""What methods predicted at held-out entries: their errors, and the weights that follow, for each kind of hole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .blending import blend_weights
from .judge import Judge

_ENOUGH_ENTRIES, _ENOUGH_HOLES, _ENOUGH_SLICES = 200, 8, 4  # to tell methods apart where trying again costs little
_MOST_IMPORTANT = 10.0  # times as much as an entry of the usual sort, that one may count

_OF_ALL = 0.5  # of the largest held-out value, and
_NOBODY, _USUAL = 30.0, 0.9  # times the error that so many entries stay below, of whoever is nearest to each


@dataclass(frozen=True, eq=False)
class HeldOutEvidence:
    """Predictions by name next to the truth."""

    judge: Judge
    truth: Array
    predictions: Mapping[str, Array]
    positions: NDArray[np.int64] | None = None
    """Where the held-out entries are; default: each somewhere else."""
    strata: NDArray[np.intp] | None = None
    """How each was to be predicted, as a number (default: all alike), and"""
    missing_shares: Array | None = None
    """which share of what is missing is to be predicted in each of these ways."""

    def joined(self, other: HeldOutEvidence) -> HeldOutEvidence:
        """That of both, for methods that were asked both times."""
        both = {
            name: np.append(found, other.predictions[name])
            for name, found in self.predictions.items()
            if name in other.predictions
        }
        return replace(
            self,
            judge=self.judge.joined(other.judge),
            truth=np.append(self.truth, other.truth),
            predictions=both,
            positions=_append(self.positions, other.positions),
            strata=_append(self.strata, other.strata),
        )

    def of(self, names: Sequence[str]) -> HeldOutEvidence:
        """That of some methods, as far as they were asked."""
        return replace(self, predictions={name: self.predictions[name] for name in names if name in self.predictions})

    def errors(self) -> dict[str, float]:
        """How far methods are off."""
        return {name: self.error(found) for name, found in self.predictions.items()}

    def error(self, prediction: Array) -> float:
        """How far a prediction is off."""
        return self.judge.error(self._roots() * (prediction - self.truth))

    def mean_square(self, prediction: Array, scale: float) -> float:
        """Of its errors, in these units."""
        return float(np.mean((self._roots() * (prediction - self.truth) / scale) ** 2))

    def weights(self, favourite: str | None = None) -> dict[str, float]:
        """Those with the smallest error, but for entries that are judged apart."""
        rest = ~self.judge.apart
        return self._weights_where(
            rest if rest.any() else self.judge.apart, structured=self.judge.structured, favourite=favourite
        )

    def apart_weights(self, favourite: str | None = None) -> dict[str, float] | None:
        """The same for those, such as lost slices, if some were held out."""
        if not self.judge.apart.any():
            return None
        return self._weights_where(self.judge.apart, structured=True, favourite=favourite)

    def mixed(self, weights: Mapping[str, float], apart_weights: Mapping[str, float] | None) -> Array:
        """What a blend with these weights would have predicted."""
        rest = _sum(weights, self.predictions)
        if apart_weights is None:
            return rest
        return np.where(self.judge.apart, _sum(apart_weights, self.predictions), rest)

    def is_little(self) -> bool:
        """Whether luck decides."""
        rest = ~self.judge.apart
        scattered = not self.judge.structured and self._pieces(rest, structured=False) < _ENOUGH_ENTRIES
        few_holes = self.judge.structured and self._pieces(rest, structured=True) < _ENOUGH_HOLES
        return scattered or few_holes or self.is_little_apart()

    def is_little_apart(self) -> bool:
        """Whether luck decides about entries that are judged apart."""
        return bool(self.judge.apart.any()) and self._pieces(self.judge.apart, structured=True) < _ENOUGH_SLICES

    def _pieces(self, where: NDArray[np.bool_], *, structured: bool) -> int:
        """How many independent things were held out; one that was so several times is still one."""
        if structured:
            return len(np.unique(self.judge.holes[where]))
        return int(where.sum()) if self.positions is None else len(np.unique(self.positions[where]))

    def _weights_where(self, where: NDArray[np.bool_], *, structured: bool, favourite: str | None) -> dict[str, float]:
        where = where & ~self._hopeless(where)
        roots = self._roots()[where]
        return blend_weights(
            {name: roots * found[where] for name, found in self.predictions.items()},
            roots * self.truth[where],
            self.judge.holes[where] if structured else None,
            pieces=self._pieces(where, structured=structured),
            favourite=favourite,
        )

    def _roots(self) -> Array:
        """The root of how much each entry counts, so that what was held out counts as much as there is like it."""
        if self.strata is None or self.missing_shares is None:
            return np.ones(len(self.truth))
        rest = ~self.judge.apart
        held = np.bincount(self.strata[rest], minlength=len(self.missing_shares)) / max(1, int(rest.sum()))
        counts = np.divide(self.missing_shares, held, out=np.zeros_like(held), where=held > 0)
        importance = np.where(rest, np.minimum(counts, _MOST_IMPORTANT)[self.strata], 1.0)
        mean = importance[rest].mean() if rest.any() else 1.0
        importance[rest] = importance[rest] / mean if mean > 0 else 1.0
        return np.sqrt(importance)

    def _hopeless(self, where: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Single entries that nobody comes near to, such as an outlier: they are no reason to choose anybody."""
        nearest = np.min([np.abs(found - self.truth) for found in self.predictions.values()], axis=0)
        far = max(_NOBODY * float(np.quantile(nearest[where], _USUAL)), _OF_ALL * float(self.truth.max()))
        return np.asarray(nearest > far)


def _sum(weights: Mapping[str, float], predictions: Mapping[str, Array]) -> Array:
    return np.asarray(sum(weight * predictions[name] for name, weight in weights.items()))


def _append(one: NDArray[Any] | None, other: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if one is None or other is None else np.append(one, other)
