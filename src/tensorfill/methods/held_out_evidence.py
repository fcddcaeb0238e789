"""What methods predicted at held-out entries: their errors, and the weights that follow, for each kind of hole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..spectral.held_out import Judge
from ..tensor import Array
from .blending import blend_weights

_ENOUGH_ENTRIES, _ENOUGH_HOLES, _ENOUGH_SLICES = 200, 8, 4  # to tell methods apart where trying again costs little

_OF_ALL = 0.5  # of the largest held-out value, and
_NOBODY, _USUAL = 30.0, 0.9  # times the error that so many entries stay below, of whoever is nearest to each


@dataclass(frozen=True, eq=False)
class HeldOutEvidence:
    """Predictions by name next to the truth."""

    judge: Judge
    truth: Array
    predictions: Mapping[str, Array]

    def joined(self, other: HeldOutEvidence) -> HeldOutEvidence:
        """That of both, for methods that were asked both times."""
        both = {
            name: np.append(found, other.predictions[name])
            for name, found in self.predictions.items()
            if name in other.predictions
        }
        return HeldOutEvidence(self.judge.joined(other.judge), np.append(self.truth, other.truth), both)

    def of(self, names: Sequence[str]) -> HeldOutEvidence:
        """That of some methods."""
        return replace(self, predictions={name: self.predictions[name] for name in names})

    def errors(self) -> dict[str, float]:
        """How far methods are off."""
        return {name: self.judge.error(found - self.truth) for name, found in self.predictions.items()}

    def weights(self) -> dict[str, float]:
        """Those with the smallest error, apart from lost slices."""
        rest = ~self.judge.lost
        return self._weights_where(rest if rest.any() else self.judge.lost, shaped=self.judge.shaped)

    def lost_weights(self) -> dict[str, float] | None:
        """The same for lost slices, where they are a kind of their own and some were held out."""
        return self._weights_where(self.judge.lost, shaped=True) if self.judge.lost.any() else None

    def mixed(self, weights: Mapping[str, float], lost_weights: Mapping[str, float] | None) -> Array:
        """What a blend with these weights would have predicted."""
        rest = _sum(weights, self.predictions)
        return rest if lost_weights is None else np.where(self.judge.lost, _sum(lost_weights, self.predictions), rest)

    def is_little(self) -> bool:
        """Whether luck decides."""
        lost, holes = self.judge.lost, self.judge.holes
        scattered = not self.judge.shaped and int(np.count_nonzero(~lost)) < _ENOUGH_ENTRIES
        few_holes = self.judge.shaped and len(np.unique(holes[~lost])) < _ENOUGH_HOLES
        few_slices = bool(lost.any()) and len(np.unique(holes[lost])) < _ENOUGH_SLICES
        return scattered or few_holes or few_slices

    def _weights_where(self, where: NDArray[np.bool_], *, shaped: bool) -> dict[str, float]:
        if not shaped:
            where = where & ~self._hopeless(where)
        predictions = {name: found[where] for name, found in self.predictions.items()}
        return blend_weights(predictions, self.truth[where], self.judge.holes[where] if shaped else None)

    def _hopeless(self, where: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Single entries that nobody comes near to, such as an outlier: they are no reason to choose anybody."""
        nearest = np.min([np.abs(found - self.truth) for found in self.predictions.values()], axis=0)
        far = max(_NOBODY * float(np.quantile(nearest[where], _USUAL)), _OF_ALL * float(self.truth.max()))
        return np.asarray(nearest > far)


def _sum(weights: Mapping[str, float], predictions: Mapping[str, Array]) -> Array:
    return np.asarray(sum(weight * predictions[name] for name, weight in weights.items()))
