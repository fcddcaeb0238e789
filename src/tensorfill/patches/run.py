"""One run of groups of similar patches: choose how, improve round by round, keep what held-out entries like best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..completion import StopReason
from ..estimates.estimate import DenseEstimate
from ..iterating import Progress
from ..telling import tell_round
from .improving import Floats, ImprovingRun, Mask, drawn_shift
from .layout import Layout
from .model import GroupModel
from .planning import Wishes, first_model, other_groups, other_noises, possible_layouts
from .references import sampled_tiles
from .rounds import Average
from .view import View

# Squared errors at held-out entries are compared in pairs; differences are told in standard errors of their mean.
_PROGRESS = -1.0  # below which a round was one
_LITTLE = 0.995  # error, relative to the one before, from which on a round was none even so
_PATIENCE = 2  # rounds without progress
_USUAL_ROUNDS = 4  # until then
_ROUNDS_ON_STROKES = 3  # nearly all of every patch is known: more bring next to nothing
_USEFUL = -0.5  # below which the best round was better than the start
_USEFUL_IN_LARGE_HOLES = -2.0  # the same where there are few holes, such as lost frames, and their pieces are compared
_WORSE = 2.0  # from which on a round did harm
_BETTER = -2.0  # below which other settings are taken


class PatchesRun(ImprovingRun):
    """Groups of similar patches, each with its own Gaussian."""

    def states(self) -> Iterator[Progress]:
        """Choose among some models, then round by round."""
        layouts = possible_layouts(self.start.mask.shape, self.start.places, self.wishes)
        if not layouts or not self.start.held.any():
            return
        views = [self._view(layout) for layout in layouts]
        view = views[0]
        tried: Floats | None = None  # what the best so far predicts after a round in some tiles
        questions = (views[1:], other_noises) if self.start.strokes else (views[1:], other_noises, other_groups)
        for others in questions:
            for other in others if isinstance(others, list) else self._variants(view, others):
                if tried is None:
                    tried = self._tried(view)
                    yield self._standing
                found = self._tried(other)
                yield self._standing
                if self.start.odds(found, tried) < _BETTER:
                    view, tried = other, found
        yield from self._improve(view)

    def _view(self, layout: Layout) -> View:
        start = self.start
        model = first_model(layout, float(start.mask.mean()), start.noise, self.wishes, strokes=start.strokes)
        return View.of(self.start, layout, model, self.seed)

    def _variants(self, view: View, others: Callable[[GroupModel, Wishes], Iterator[GroupModel]]) -> list[View]:
        """The view with other models."""
        return [replace(view, model=model) for model in others(view.model, self.wishes)] if self.choosing else []

    @cached_property
    def _tiles(self) -> Mask:
        """Where settings are compared; one index along all modes but the two of places."""
        start = self.start
        others = tuple(mode for mode in range(start.mask.ndim) if mode not in start.places)
        squares = np.square(start.before - start.values, where=start.held, out=np.zeros_like(start.before))
        return np.expand_dims(sampled_tiles(squares.sum(axis=others)), others)

    def _tried(self, view: View) -> Floats:
        """Predictions of held-out entries after a round in some tiles; those of the start elsewhere."""
        start = self.start
        known = start.mask & ~start.held
        tiles = np.broadcast_to(self._tiles, start.mask.shape)
        average = view.average(view.x, known, (0, 0, 0), view.layout.planar(tiles)[0])
        moved = view.tensor(view.moved(view.x, known, average, view.model.relaxation))[start.held]
        return np.where(tiles[start.held], moved, self._first)

    def _improve(self, view: View) -> Iterator[Progress]:
        start, model = self.start, view.model
        known = start.mask & ~start.held
        rng = np.random.default_rng([self.seed, 2])
        x = best = view.x
        leading, smallest = self._first, self.error  # of all rounds, for those to come may be as good as it by chance
        stalled = 0
        most = min(self.rounds, _ROUNDS_ON_STROKES) if start.strokes else self.rounds
        for number in range(most):
            tell_round(_rounds_left(number, most, stalled) + self._last_rounds)
            average = view.average(x, known, drawn_shift(model, rng))
            said = view.tensor(x + average.change)
            x = view.moved(x, known, average, model.relaxation)
            predictions = said[start.held]
            odds, error_before = start.odds(predictions, self.predictions), self.error
            if odds < _WORSE:
                self.error, self.predictions, best = start.error(predictions), predictions, x
                if self.error < smallest:
                    leading, smallest = predictions, self.error
                self.variance = view.layout.tensor(view.bands.variance(average.variance))
            yield Progress(self.error, DenseEstimate(said))
            stalled = stalled + 1 if odds > _PROGRESS or self.error > _LITTLE * error_before else 0
            if stalled == _PATIENCE or odds >= _WORSE:
                break
        enough = _USEFUL_IN_LARGE_HOLES if start.judge.divides_holes else _USEFUL
        if not (start.odds(self.predictions, self._first) < 0 and start.odds(leading, self._first) < enough):
            return
        self._accept(view.layout, model, view.active)
        x = view.kept(best, start.mask)
        for left in range(self._last_rounds, 0, -1):
            tell_round(left)
            last = left == 1
            average = view.average(x, start.mask, drawn_shift(model, rng))
            x = x + average.change if last else view.moved(x, start.mask, average, 1.0)
            sentence = f"Done: groups of similar patches, to an error of {self.error:.2g} at held-out entries."
            stop = StopReason("done", sentence) if last else None
            yield Progress(self.error, DenseEstimate(self._finished(view, x, average)), stop=stop)

    @property
    def _last_rounds(self) -> int:
        """With the held-out entries given back."""
        return 2 if self.rounds > 1 else 1

    def _finished(self, view: View, x: Floats, average: Average) -> Floats:
        """Groups where there are any; elsewhere what the start says with all that is known."""
        said = view.entries(~np.isnan(average.variance[0]))
        return np.where(said, self._blended(self._after, view.tensor(x)), self._after)


def _rounds_left(number: int, most: int, stalled: int) -> int:
    """About how many rounds there will be, after so many: four, or as many as it takes to lose patience."""
    return min(most - number, max(_USUAL_ROUNDS - number, _PATIENCE - stalled))
