"""Solvers that improve a start: what those by groups and by mending share, and groups of similar patches themselves.

A `PatchSolver` stands at the start when it is made, and nothing is computed before its first step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..completion import StopReason
from ..estimates.estimate import DenseEstimate
from ..iterating import NoFurtherStep, Solver
from ..telling import tell_round
from .layout import Floats, Layout, Mask, Triple
from .planning import GroupModel, Wishes, first_model, other_groups, other_noises, possible_layouts
from .settings import PatchSettings
from .start import Start
from .uncertainty import GroupUncertainty
from .view import Average, View, sample_tiles


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What a solver is to do."""

    start: Start
    wishes: Wishes
    rounds: int
    """Most of them, with the held-out entries left out."""
    seed: int
    choosing: bool = True
    """Whether other models than the first are tried."""
    settings: PatchSettings = field(default_factory=PatchSettings)


@dataclass(frozen=True, eq=False)
class Use:
    """How patches were of use: by which model, and how much."""

    layout: Layout
    model: GroupModel
    one_size: bool
    """Whether all patches have the size of the model's."""
    active_share: float
    """Of all places, those where patches were worked on."""
    share: float
    """How much of what patches say is better than the start counts."""


@dataclass(frozen=True, eq=False)
class Improvement:
    """What a solver has made of a start so far."""

    error: float
    """Of what would be returned, at held-out entries."""
    first_error: float
    """That of the start."""
    predictions: Floats
    """What was predicted at held-out entries, in order."""
    use: Use | None
    """None if patches predict held-out entries no better than the start, or that is not known yet."""
    uncertainty: GroupUncertainty | None
    """What it takes to tell how sure to be of the result, if patches are of use."""


class PatchSolver(Solver):
    """Rounds without the held-out entries, then, if patches are of use, some with all that is known.

    The cost is the error at held-out entries. Where patches are of no use, there is no further step.
    """

    def __init__(self, task: Task) -> None:
        self.task, self.start, self.settings = task, task.start, task.settings
        self.predictions = self._first
        self.cost = self._first_error = self.start.error(self.predictions)
        self._rng = np.random.default_rng([task.seed, 2])
        self._shown: Floats | None = None  # the start
        self._stop: StopReason | None = None
        self._variance: Floats | None = None  # of every entry, before held-out ones were given back
        self._use: Use | None = None
        self._rounds = 0  # so many were made
        self.best_round = 0
        """After so many nothing became better."""

    def estimate(self) -> DenseEstimate:
        return DenseEstimate(self._after if self._shown is None else self._shown)

    def finished(self) -> StopReason | None:
        return self._stop

    def improvement(self) -> Improvement:
        """What has come of it."""
        sure = None if self._use is None else self._uncertainty(self._use)
        return Improvement(self.cost, self._first_error, self.predictions, self._use, sure)

    @cached_property
    def _first(self) -> Floats:
        """What the start predicts at held-out entries."""
        return np.asarray(np.maximum(self.start.before[self.start.held], np.float32(self.start.floor)))

    @cached_property
    def _after(self) -> Floats:
        """The start with all that is known."""
        return np.asarray(np.maximum(self.start.after, np.float32(self.start.floor)))

    @abstractmethod
    def _is_useful(self) -> bool:
        """Whether patches predict held-out entries better than the start."""

    def _accept(self, layout: Layout, model: GroupModel, active: Mask, *, one_size: bool = True) -> None:
        """Patches have to be of use; as much of what they say counts as held-out entries like."""
        if not self._is_useful():
            raise NoFurtherStep
        share = self.start.share(self.predictions, self._first, self.settings)
        self._use = Use(layout, model, one_size, float(active.mean()), share)
        self.predictions = self._blend(self._first, self.predictions)
        self.cost = self.start.error(self.predictions)

    def _blend(self, start: Floats, said: Floats) -> Floats:
        """The share of what patches say, and the rest of the start."""
        share = 1.0 if self._use is None else self._use.share
        return start + np.float32(share) * (said - start)

    def _finish(self, what: str) -> None:
        self._stop = StopReason("done", f"Done: {what}, to an error of {self.cost:.2g} at held-out entries.")

    def _uncertainty(self, use: Use) -> GroupUncertainty:
        start = self.start
        scattered = not (start.strokes or start.judge.structured or start.judge.mixed)
        assert self._variance is not None
        return GroupUncertainty(
            start.mask, start.held, start.values, start.before, self._variance, use.model.noise, scattered
        )


def draw_shift(model: GroupModel, rng: np.random.Generator) -> Triple:
    """Where the grid of reference patches begins: elsewhere in every round."""
    a, b, c = (int(rng.integers(stride)) for stride in model.stride)
    return a, b, c


Question = Callable[[GroupModel, Wishes, PatchSettings], Iterator[GroupModel]]
"""Other models than this one."""


class GroupSolver(PatchSolver):
    """Groups of similar patches, each with its own Gaussian.

    First, other ways to see the tensor and other models are compared with the first, then come rounds.
    """

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._view: View | None = None  # the best so far
        self._tried: Floats | None = None  # what it predicts after a round in some tiles
        self._others: list[View] = []  # to be compared with it
        self._questions: list[Question] = []  # that bring more to be compared
        if task.choosing:
            self._questions = [other_noises] if self.start.strokes else [other_noises, other_groups]
        self._x: Floats | None = None  # coefficients of sites
        self._best: Floats | None = None  # those of the last round that did no harm
        # The best of all rounds, for those to come may be as good as it by chance
        self._leading, self._smallest = self.predictions, self.cost
        self._stalled = 0  # rounds, one after the other, that were no progress
        self._over = False  # no more rounds without the held-out entries
        self._left = 2 if task.rounds > 1 else 1  # rounds with them

    def step(self) -> None:
        if self._stop is not None:
            raise NoFurtherStep
        view = self._begin() if self._view is None else self._view
        if self._ask(view):
            self._compare(view)
        elif not self._over:
            self._improve(view)
        else:
            self._end(view)

    def _begin(self) -> View:
        task, start = self.task, self.start
        layouts = possible_layouts(start.mask.shape, start.places, task.wishes, self.settings)
        if not layouts or not start.held.any():
            raise NoFurtherStep
        self._view, *self._others = [self._view_along(layout) for layout in layouts]
        return self._view

    def _view_along(self, layout: Layout) -> View:
        start, task = self.start, self.task
        known = float(start.mask.mean())
        model = first_model(layout, known, start.noise, task.wishes, self.settings, strokes=start.strokes)
        return View.of(start, layout, model, self.settings, task.seed)

    def _ask(self, view: View) -> bool:
        """Whether there is something to compare with the best view so far."""
        while not self._others and self._questions:
            models = self._questions.pop(0)(view.model, self.task.wishes, self.settings)
            self._others = [replace(view, model=model) for model in models]
        return bool(self._others)

    def _compare(self, view: View) -> None:
        """Try the best view so far, or, if that was done, the next one."""
        if self._tried is None:
            self._tried = self._try(view)
            return
        other = self._others.pop(0)
        found = self._try(other)
        if self.start.odds(found, self._tried) < self.settings.better:
            self._view, self._tried = other, found

    @cached_property
    def _tiles(self) -> Mask:
        """Where settings are compared; one index along all modes but the two of places."""
        start = self.start
        others = tuple(mode for mode in range(start.mask.ndim) if mode not in start.places)
        squares = np.square(start.before - start.values, where=start.held, out=np.zeros_like(start.before))
        return np.expand_dims(sample_tiles(squares.sum(axis=others), self.settings), others)

    def _try(self, view: View) -> Floats:
        """Predictions of held-out entries after a round in some tiles; those of the start elsewhere."""
        start = self.start
        known = start.mask & ~start.held
        tiles = np.broadcast_to(self._tiles, start.mask.shape)
        average = view.average(view.x, known, (0, 0, 0), view.layout.planar(tiles)[0])
        moved = view.tensor(view.moved(view.x, known, average, view.model.relaxation))[start.held]
        return np.where(tiles[start.held], moved, self._first)

    def _improve(self, view: View) -> None:
        """One round without the held-out entries."""
        start, model, settings, rounds = self.start, view.model, self.settings, self.task.rounds
        most = min(rounds, settings.rounds_on_strokes) if start.strokes else rounds
        x = view.x if self._x is None else self._x
        known = start.mask & ~start.held
        tell_round(self._rounds_left(most) + self._left)
        average = view.average(x, known, draw_shift(model, self._rng))
        said = view.tensor(x + average.change)
        self._x = view.moved(x, known, average, model.relaxation)
        predictions = said[start.held]
        odds, error_before = start.odds(predictions, self.predictions), self.cost
        self._best = x if self._best is None else self._best
        if odds < settings.worse:
            self.cost, self.predictions, self._best = start.error(predictions), predictions, self._x
            if self.cost < self._smallest:
                self._leading, self._smallest = predictions, self.cost
                self.best_round = self._rounds + 1
            self._variance = view.layout.tensor(view.bands.variance(average.variance))
        self._shown = said
        self._rounds += 1
        stagnates = odds > settings.progress or self.cost > settings.little * error_before
        self._stalled = self._stalled + 1 if stagnates else 0
        self._over = self._rounds == most or self._stalled == settings.patience or odds >= settings.worse

    def _rounds_left(self, most: int) -> int:
        """About how many rounds there will be: the usual number, or as many as patience asks for."""
        usual, patience = self.settings.usual_rounds, self.settings.patience
        return min(most - self._rounds, max(usual - self._rounds, patience - self._stalled))

    def _is_useful(self) -> bool:
        start, settings = self.start, self.settings
        enough = settings.useful_in_large_holes if start.judge.divides_holes else settings.useful
        return start.odds(self.predictions, self._first) < 0 and start.odds(self._leading, self._first) < enough

    def _end(self, view: View) -> None:
        """One round with all that is known, from the best one without."""
        mask, x = self.start.mask, self._x
        if self._use is None:
            assert self._best is not None
            self._accept(view.layout, view.model, view.active)
            x = view.kept(self._best, mask)
        assert x is not None
        tell_round(self._left)
        average = view.average(x, mask, draw_shift(view.model, self._rng))
        last = self._left == 1
        self._x = x + average.change if last else view.moved(x, mask, average, 1.0)
        self._shown = self._tensor(view, self._x, average)
        self._left -= 1
        if last:
            self._finish("groups of similar patches")

    def _tensor(self, view: View, x: Floats, average: Average) -> Floats:
        """Groups where there are any; elsewhere what the start says with all that is known."""
        said = view.entries(~np.isnan(average.variance[0]))
        return np.where(said, self._blend(self._after, view.tensor(x)), self._after)
