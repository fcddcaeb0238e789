"""What all runs that improve a start by patches have in common: how they are judged, and what they tell afterwards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..estimates.estimate import DenseEstimate
from ..iterating import Progress
from .layout import Layout
from .model import GroupModel, Triple
from .planning import Wishes
from .settings import PatchSettings
from .start import Start
from .uncertainty import GroupUncertainty

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(eq=False)
class ImprovingRun(ABC):
    """Follow `states`; afterwards the rest tells how it ended."""

    start: Start
    wishes: Wishes
    rounds: int
    seed: int
    choosing: bool = True
    """Whether other models than the first are tried."""
    settings: PatchSettings = field(default_factory=PatchSettings)
    error: float = field(init=False)
    """Of what would be returned, at held-out entries."""
    first_error: float = field(init=False)
    predictions: Floats = field(init=False)
    """What was predicted at held-out entries, in order."""
    variance: Floats | None = None
    """Of every entry, before held-out ones were given back; NaN where patches said nothing."""
    layout: Layout | None = None
    model: GroupModel | None = None
    useful: bool = False
    """Whether patches predict held-out entries better than the start."""
    active_share: float = 0.0
    share: float = 1.0
    """How much of what patches say is better than the start counts."""

    def __post_init__(self) -> None:
        self.predictions = self._first
        self.error = self.first_error = self.start.error(self.predictions)

    @abstractmethod
    def states(self) -> Iterator[Progress]:
        """States after the start, which is the estimate with all that is known."""

    @property
    def one_size(self) -> bool:
        """Whether all patches have the size of the model's."""
        return True

    @cached_property
    def _first(self) -> Floats:
        """What the start predicts at held-out entries."""
        return np.asarray(np.maximum(self.start.before[self.start.held], np.float32(self.start.floor)))

    @cached_property
    def _after(self) -> Floats:
        """The start with all that is known."""
        return np.asarray(np.maximum(self.start.after, np.float32(self.start.floor)))

    @property
    def _standing(self) -> Progress:
        """Nothing has changed yet."""
        return Progress(self.error, DenseEstimate(self._after))

    def _accept(self, layout: Layout, model: GroupModel, active: Mask) -> None:
        """Patches are of use: as much of what they say counts as held-out entries like."""
        self.useful, self.layout, self.model = True, layout, model
        self.active_share = float(active.mean())
        self.share = self.start.share(self.predictions, self._first, self.settings)
        self.predictions = self._blend(self._first, self.predictions)
        self.error = self.start.error(self.predictions)

    def _blend(self, start: Floats, said: Floats) -> Floats:
        """The share of what patches say, and the rest of the start."""
        return start + np.float32(self.share) * (said - start)

    def uncertainty(self) -> GroupUncertainty:
        """What it takes to tell how sure to be of the result, after patches were of use."""
        start = self.start
        scattered = not (start.strokes or start.judge.structured or start.judge.mixed)
        assert self.variance is not None
        assert self.model is not None
        return GroupUncertainty(
            start.mask, start.held, start.values, start.before, self.variance, self.model.noise, scattered
        )


def draw_shift(model: GroupModel, rng: np.random.Generator) -> Triple:
    """Where the grid of reference patches begins: elsewhere in every round."""
    a, b, c = (int(rng.integers(stride)) for stride in model.stride)
    return a, b, c
