"""One run of groups of similar patches: choose how, improve round by round, keep what held-out entries like best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..completion import StopReason
from ..estimates.dense import DenseEstimate
from ..iterating import Progress
from ..selection.judge import Judge
from .bands import Bands
from .layout import Layout
from .model import GroupModel, Triple, common_covariance
from .planning import Wishes, first_model, other_groups, other_noises, possible_layouts
from .references import local_misfit, patches_around, sampled_tiles, touching, worst
from .rounds import Average, PatchData, average_groups
from .uncertainty import GroupUncertainty

# The share of the start's squared error that lies where groups are solved for; in clips and volumes groups cost more.
_COVERED, _COVERED_IN_VOLUMES = 0.95, 0.92
# Squared errors at held-out entries are compared in pairs; differences are told in standard errors of their mean.
_PROGRESS = -1.0  # below which a round was one
_PATIENCE = 2  # rounds without progress
_WORSE = 2.0  # from which on a round did harm
_BETTER = -2.0  # below which other settings are taken

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

    def error(self, predicted: Floats) -> float:
        """Of predictions of held-out entries, in order."""
        return self.judge.error(np.maximum(predicted, self.floor) - self.values[self.held])

    def odds(self, predicted: Floats, others: Floats) -> float:
        """By how many standard errors the squared errors of predictions are larger than those of others."""
        truth = self.values[self.held].astype(np.float64)
        more = (predicted - truth) ** 2 - (others - truth) ** 2
        if self.judge.shaped or self.judge.mixed:  # errors within a hole are alike
            more = np.asarray(np.bincount(self.judge.holes, more), dtype=np.float64)
        deviation = float(more.std())
        return float(more.mean()) / deviation * np.sqrt(len(more)) if deviation > 0 else 0.0


@dataclass(frozen=True, eq=False)
class _View:
    """The start as sites with bands, and the groups that are worth solving for."""

    layout: Layout
    model: GroupModel
    bands: Bands
    x: Floats
    """Coefficients to start with."""
    common: Floats
    active: Mask
    """First sites of reference patches."""
    tiles: Mask
    """Those of them on which settings are compared."""


@dataclass(eq=False)
class PatchesRun:
    """Follow `states`; afterwards the rest tells how it ended."""

    start: Start
    wishes: Wishes
    rounds: int
    seed: int
    error: float = field(init=False)
    """Of what would be returned, at held-out entries."""
    first_error: float = field(init=False)
    predictions: Floats = field(init=False)
    """What was predicted at held-out entries, in order."""
    variance: Floats | None = None
    """Of every entry, before held-out ones were given back; NaN where groups said nothing."""
    layout: Layout | None = None
    model: GroupModel | None = None
    useful: bool = False
    """Whether groups predict held-out entries better than the start."""
    active_share: float = 0.0

    def __post_init__(self) -> None:
        self.predictions = np.maximum(self.start.before[self.start.held], self.start.floor)
        self.error = self.first_error = self.start.error(self.predictions)

    def states(self) -> Iterator[Progress]:
        """States after the start, which is the estimate with all that is known."""
        layouts = possible_layouts(self.start.mask.shape, self.start.places, self.wishes)
        if not layouts or not self.start.held.any():
            return
        standing = Progress(self.error, DenseEstimate(np.maximum(self.start.after, self.start.floor)))
        views = [self._view(layout, self._model(layout)) for layout in layouts]
        view = views[0]
        tried: Floats | None = None  # what the best so far predicts after a round in some tiles
        for others in (views[1:], other_noises, other_groups):
            for other in others if isinstance(others, list) else self._variants(view, others):
                if tried is None:
                    tried = self._tried(view)
                    yield standing
                found = self._tried(other)
                yield standing
                if self.start.odds(found, tried) < _BETTER:
                    view, tried = other, found
        yield from self._improve(view)

    def _variants(self, view: _View, others: Callable[[GroupModel, Wishes], Iterator[GroupModel]]) -> list[_View]:
        """The view with other models."""
        return [replace(view, model=model) for model in others(view.model, self.wishes)]

    @cached_property
    def _tiles(self) -> Mask:
        """Where settings are compared; one index along all modes but the two of places."""
        start = self.start
        others = tuple(mode for mode in range(start.mask.ndim) if mode not in start.places)
        known = start.mask & ~start.held
        squares = np.square(start.before - start.values, where=known, out=np.zeros_like(start.before))
        return np.expand_dims(sampled_tiles(squares.sum(axis=others)), others)

    def _model(self, layout: Layout) -> GroupModel:
        return first_model(layout, float(self.start.mask.mean()), self.start.noise, self.wishes)

    def _view(self, layout: Layout, model: GroupModel) -> _View:
        start = self.start
        before = np.maximum(layout.planar(start.before), np.float32(start.floor))
        known = layout.planar(start.mask & ~start.held)
        values = layout.planar(start.values)
        bands = Bands.of(before)
        x = bands.coefficients(before)
        if bands.plain:
            x = np.where(known, values, x)
        squares = np.where(known, (values - before) ** 2, np.float32(0)).sum(axis=0).reshape(layout.extent)
        misfit = local_misfit(squares, known.sum(axis=0).astype(np.float32).reshape(layout.extent))
        missing = np.asarray((~known).any(axis=0)).reshape(layout.extent)
        covered = _COVERED if len(layout.searched) == 2 else _COVERED_IN_VOLUMES
        active = touching(missing, model.patch) & patches_around(worst(misfit, covered), model.patch)
        common = common_covariance(x, model, layout.extent, np.random.default_rng([self.seed, 1]))
        tiles = layout.planar(np.broadcast_to(self._tiles, start.mask.shape))[0]
        return _View(layout, model, bands, x, common, active.reshape(-1), tiles)

    def uncertainty(self) -> GroupUncertainty:
        """What it takes to tell how sure to be of the result, after groups were of use."""
        start = self.start
        assert self.variance is not None
        assert self.model is not None
        scattered = not (start.judge.shaped or start.judge.mixed)
        return GroupUncertainty(
            start.mask, start.held, start.values, start.before, self.variance, self.model.noise, scattered
        )

    def _average(self, view: _View, x: Floats, known: Mask, shift: Triple, active: Mask) -> Average:
        layout = view.layout
        values = view.bands.less_rest(layout.planar(self.start.values))
        data = PatchData(layout.extent, values, layout.planar(known), view.bands.basis, view.bands.plain)
        return average_groups(x, data, view.model, view.common, shift, active)

    def _moved(self, view: _View, x: Floats, known: Mask, average: Average, relaxation: float) -> Floats:
        moved = x + np.float32(relaxation) * average.change
        if view.bands.plain:
            np.maximum(moved, np.float32(self.start.floor), out=moved)
            moved = np.where(view.layout.planar(known), view.layout.planar(self.start.values), moved)
        return moved

    def _tensor(self, view: _View, x: Floats) -> Floats:
        return np.asarray(np.maximum(view.layout.tensor(view.bands.bands(x)), np.float32(self.start.floor)))

    def _tried(self, view: _View) -> Floats:
        """Predictions of held-out entries after a round in some tiles; those of the start elsewhere."""
        start = self.start
        known = start.mask & ~start.held
        average = self._average(view, view.x, known, (0, 0, 0), view.active & view.tiles)
        moved = self._tensor(view, self._moved(view, view.x, known, average, view.model.relaxation))[start.held]
        before = np.maximum(start.before[start.held], np.float32(start.floor))
        return np.where(np.broadcast_to(self._tiles, start.mask.shape)[start.held], moved, before)

    def _improve(self, view: _View) -> Iterator[Progress]:
        start, model = self.start, view.model
        known = start.mask & ~start.held
        rng = np.random.default_rng([self.seed, 2])
        x = best = view.x
        stalled = 0
        for _ in range(self.rounds):
            average = self._average(view, x, known, self._shift(model, rng), view.active)
            x = self._moved(view, x, known, average, model.relaxation)
            tensor = self._tensor(view, x)
            predictions = tensor[start.held]
            odds = start.odds(predictions, self.predictions)
            if odds < _WORSE:
                self.error, self.predictions, best = start.error(predictions), predictions, x
                self.variance = view.layout.tensor(view.bands.variance(average.variance))
            yield Progress(self.error, DenseEstimate(tensor))
            stalled = stalled + 1 if odds > _PROGRESS else 0
            if stalled == _PATIENCE or odds >= _WORSE:
                break
        first = np.maximum(start.before[start.held], np.float32(start.floor))
        self.useful = start.odds(self.predictions, first) < 0
        if not self.useful:
            return
        self.layout, self.model = view.layout, model
        self.active_share = float(view.active.mean())
        x = best
        if view.bands.plain:
            x = np.where(view.layout.planar(start.mask), view.layout.planar(start.values), x)
        for last in (False, True):
            average = self._average(view, x, start.mask, self._shift(model, rng), view.active)
            if not last:
                x = self._moved(view, x, start.mask, average, 1.0)
                yield Progress(self.error, DenseEstimate(self._finished(view, x, average)))
        x = x + average.change
        sentence = f"Done: groups of similar patches, to an error of {self.error:.2g} at held-out entries."
        yield Progress(self.error, DenseEstimate(self._finished(view, x, average)), stop=StopReason("done", sentence))

    @staticmethod
    def _shift(model: GroupModel, rng: np.random.Generator) -> Triple:
        """Where the grid of reference patches begins: elsewhere in every round."""
        a, b, c = (int(rng.integers(stride)) for stride in model.stride)
        return a, b, c

    def _finished(self, view: _View, x: Floats, average: Average) -> Floats:
        """Groups where there are any; elsewhere what the start says with all that is known."""
        somewhere = np.broadcast_to(~np.isnan(average.variance[0]), (view.layout.band_count, x.shape[1]))
        elsewhere = np.maximum(self.start.after, np.float32(self.start.floor))
        return np.where(view.layout.tensor(somewhere), self._tensor(view, x), elsewhere)
