"""One run on strokes: patches around holes are mended in rounds, with larger and smaller ones, and averaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..completion import StopReason
from ..estimates.estimate import DenseEstimate
from ..iterating import Progress
from ..telling import tell_round
from ..tensor import SHORT
from .improving import Floats, ImprovingRun, Mask, draw_shift
from .layout import Layout
from .mending_rounds import Mended, mend
from .model import GroupModel, common_covariance
from .planning import Wishes, mending_model, mending_sides, possible_layouts, with_side
from .references import touching
from .start import Start


class MendingRun(ImprovingRun):
    """Every patch by itself, on strokes."""

    @property
    def one_size(self) -> bool:
        """Whether all patches have the size of the model's."""
        return self.wishes.side is not None

    @staticmethod
    def suits(start: Start, wishes: Wishes) -> bool:
        """Whether strokes are in a picture with few bands, the one case that this was made for."""
        layouts = possible_layouts(start.mask.shape, start.places, wishes)
        if not start.strokes or len(layouts) != 1:
            return False
        return frozenset(layouts[0].searched) == start.places and layouts[0].band_count <= SHORT

    def states(self) -> Iterator[Progress]:
        """With some noise, then in rounds of several sizes."""
        start, layout = self.start, self._layout
        if not start.held.any():
            return
        model = mending_model(layout, start.noise, self.wishes)
        rng = np.random.default_rng([self.seed, 2])
        x = np.maximum(layout.planar(start.before), np.float32(start.floor))
        if self.choosing and self.wishes.noise is None:
            model = self._with_noise(model, x)
            yield self._standing
        sides = mending_sides(self.wishes)
        average = _RunningAverage()
        last = sides if self.rounds > 1 else sides[:2]
        most = min(self.rounds, self.settings.first_rounds + len(sides))
        for number in range(most):
            tell_round(most - number + len(last))
            later = number - self.settings.first_rounds
            mended = self._round(with_side(layout, model, sides[max(later, 0)]), x, self._hidden, rng)
            if later > 0:
                average.add(mended.means)
            else:
                average = _RunningAverage(mended.means)
            x = self._with(x, mended.sites, mended.means)
            self._judge(self._with(x, mended.sites, average.value), mended)
            yield Progress(self.error, DenseEstimate(layout.tensor(x)))
        if not start.odds(self.predictions, self._first) < self.settings.mended:
            return
        first_model = with_side(layout, model, sides[0])
        self._accept(layout, first_model, touching(self._missing, first_model.patch))
        after = layout.planar(self._after)
        hidden, missing = np.flatnonzero(self._hidden), np.flatnonzero(self._missing)
        x = self._with(after, missing, x[:, missing])
        average = _RunningAverage(average.value[:, np.searchsorted(hidden, missing)], average.count)
        for number, side in enumerate(last):
            tell_round(len(last) - number)
            mended = self._round(with_side(layout, model, side), x, self._missing, rng)
            average.add(mended.means)
            x = self._with(x, missing, mended.means)
            sentence = f"Done: patches around strokes, to an error of {self.error:.2g} at held-out entries."
            stop = StopReason("done", sentence) if side == last[-1] else None
            shown = self._with(x, missing, self._blend(after[:, missing], average.value))
            yield Progress(self.error, DenseEstimate(layout.tensor(shown)), stop=stop)

    @cached_property
    def _layout(self) -> Layout:
        return possible_layouts(self.start.mask.shape, self.start.places, self.wishes)[0]

    @cached_property
    def _missing(self) -> Mask:
        return self._sites(~self.start.mask)

    @cached_property
    def _hidden(self) -> Mask:
        """What is missing or held out."""
        return self._sites(~self.start.mask | self.start.held)

    def _sites(self, entries: Mask) -> Mask:
        return np.ascontiguousarray(self._layout.planar(entries)[0]).reshape(self._layout.extent)

    def _with_noise(self, model: GroupModel, x: Floats) -> GroupModel:
        """The model with the noise that held-out entries like best after a round on them alone."""
        held = self._sites(self.start.held)
        tried = []
        for noise in (model.noise, self.settings.more_noise * model.noise):
            other = replace(model, noise=noise)
            mended = self._round(other, x, self._hidden, np.random.default_rng([self.seed, 3]), held)
            found = self._layout.tensor(self._with(x, mended.sites, mended.means))[self.start.held]
            tried.append((other, found))
        (first, found), (second, other_found) = tried
        return second if self.start.odds(other_found, found) < self.settings.better else first

    def _round(
        self,
        model: GroupModel,
        x: Floats,
        missing: Mask,
        rng: np.random.Generator,
        where: Mask | None = None,
    ) -> Mended:
        common = common_covariance(x, model, self._layout.extent, rng)
        return mend(x, missing, model, common, draw_shift(model, rng), where)

    def _with(self, x: Floats, sites: NDArray[np.intp], means: Floats) -> Floats:
        changed = x.copy()
        changed[:, sites] = np.maximum(means, np.float32(self.start.floor))
        return changed

    def _judge(self, x: Floats, mended: Mended) -> None:
        self.predictions = self._layout.tensor(x)[self.start.held]
        self.error = self.start.error(self.predictions)
        variance = np.full(x.shape, np.nan, np.float32)
        variance[:, mended.sites] = mended.variance
        self.variance = self._layout.tensor(variance)


@dataclass(eq=False)
class _RunningAverage:
    value: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    count: int = 1

    def add(self, more: Floats) -> None:
        self.count += 1
        self.value = self.value + (more - self.value) / np.float32(self.count)
