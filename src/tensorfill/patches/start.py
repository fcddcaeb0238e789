"""What groups start from: an estimate without some entries that are held out, and one with all that is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..selection.judge import Judge
from .settings import PatchSettings

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Start:
    """What groups start from, in units in which the largest known value is 1."""

    mask: Mask
    values: Floats
    """Known values; anything elsewhere."""
    held: Mask
    judge: Judge
    before: Floats
    """An estimate that has not seen the held-out entries."""
    after: Floats
    """The same with all that is known."""
    noise: float
    places: frozenset[int]
    floor: float
    strokes: bool = False
    """Whether only a few narrow holes are missing, and the rest is known."""

    def error(self, predicted: Floats) -> float:
        """Of predictions of held-out entries, in order."""
        return self.judge.error(np.maximum(predicted, self.floor) - self.values[self.held])

    def share(self, predicted: Floats, others: Floats, settings: PatchSettings) -> float:
        """How much of predictions, and the rest of others, makes the smallest squared error."""
        change = (predicted - others).astype(np.float64)
        squares = float(np.sum(change**2))
        if len(change) < settings.enough_for_share or squares == 0:
            return 1.0
        best = np.sum((self.values[self.held] - others) * change) / squares
        return float(np.clip(best, settings.least_share, 1.0))

    def odds(self, predicted: Floats, others: Floats) -> float:
        """By how many standard errors the squared errors of predictions are larger than those of others."""
        truth = self.values[self.held].astype(np.float64)
        return self.judge.odds(predicted - truth, others - truth)
