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
from .improving import Floats, ImprovingRun, Mask, draw_shift
from .layout import Layout
from .model import GroupModel
from .planning import Wishes, first_model, other_groups, other_noises, possible_layouts
from .references import sample_tiles
from .rounds import Average
from .view import View


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
                    tried = self._try(view)
                    yield self._standing
                found = self._try(other)
                yield self._standing
                if self.start.odds(found, tried) < self.settings.better:
                    view, tried = other, found
        yield from self._improve(view)

    def _view(self, layout: Layout) -> View:
        start = self.start
        model = first_model(
            layout, float(start.mask.mean()), start.noise, self.wishes, self.settings, strokes=start.strokes
        )
        return View.of(start, layout, model, self.settings, self.seed)

    def _variants(self, view: View, others: Callable[[GroupModel, Wishes], Iterator[GroupModel]]) -> list[View]:
        """The view with other models."""
        return [replace(view, model=model) for model in others(view.model, self.wishes)] if self.choosing else []

    @cached_property
    def _tiles(self) -> Mask:
        """Where settings are compared; one index along all modes but the two of places."""
        start = self.start
        others = tuple(mode for mode in range(start.mask.ndim) if mode not in start.places)
        squares = np.square(start.before - start.values, where=start.held, out=np.zeros_like(start.before))
        return np.expand_dims(sample_tiles(squares.sum(axis=others)), others)

    def _try(self, view: View) -> Floats:
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
        most = min(self.rounds, self.settings.rounds_on_strokes) if start.strokes else self.rounds
        for number in range(most):
            tell_round(self._rounds_left(number, most, stalled) + self._last_rounds)
            average = view.average(x, known, draw_shift(model, rng))
            said = view.tensor(x + average.change)
            x = view.moved(x, known, average, model.relaxation)
            predictions = said[start.held]
            odds, error_before = start.odds(predictions, self.predictions), self.error
            if odds < self.settings.worse:
                self.error, self.predictions, best = start.error(predictions), predictions, x
                if self.error < smallest:
                    leading, smallest = predictions, self.error
                self.variance = view.layout.tensor(view.bands.variance(average.variance))
            yield Progress(self.error, DenseEstimate(said))
            stagnates = odds > self.settings.progress or self.error > self.settings.little * error_before
            stalled = stalled + 1 if stagnates else 0
            if stalled == self.settings.patience or odds >= self.settings.worse:
                break
        enough = self.settings.useful_in_large_holes if start.judge.divides_holes else self.settings.useful
        if not (start.odds(self.predictions, self._first) < 0 and start.odds(leading, self._first) < enough):
            return
        self._accept(view.layout, model, view.active)
        x = view.kept(best, start.mask)
        for left in range(self._last_rounds, 0, -1):
            tell_round(left)
            last = left == 1
            average = view.average(x, start.mask, draw_shift(model, rng))
            x = x + average.change if last else view.moved(x, start.mask, average, 1.0)
            sentence = f"Done: groups of similar patches, to an error of {self.error:.2g} at held-out entries."
            stop = StopReason("done", sentence) if last else None
            yield Progress(self.error, DenseEstimate(self._finish(view, x, average)), stop=stop)

    @property
    def _last_rounds(self) -> int:
        """With the held-out entries given back."""
        return 2 if self.rounds > 1 else 1

    def _rounds_left(self, number: int, most: int, stalled: int) -> int:
        """About how many rounds there will be, after so many: the usual number, or as many as patience asks for."""
        usual, patience = self.settings.usual_rounds, self.settings.patience
        return min(most - number, max(usual - number, patience - stalled))

    def _finish(self, view: View, x: Floats, average: Average) -> Floats:
        """Groups where there are any; elsewhere what the start says with all that is known."""
        said = view.entries(~np.isnan(average.variance[0]))
        return np.where(said, self._blend(self._after, view.tensor(x)), self._after)
