"""MendingSolver: patches around strokes are mended in rounds, with larger and smaller ones, and averaged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..iterating import NoFurtherStep
from ..telling import tell_round
from ..tensor import SHORT
from .layout import Floats, Layout, Mask
from .mending import Mended, mend
from .planning import (
    GroupModel,
    common_covariance,
    mending_model,
    mending_sides,
    possible_layouts,
    with_side,
)
from .solver import PatchSolver, Task, draw_shift
from .view import touching


class MendingSolver(PatchSolver):
    """Every patch by itself: first with some noise, then in rounds of several sizes."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._model: GroupModel | None = None
        self._x: Floats = np.zeros((0, 0), np.float32)  # coefficients of sites
        self._average = _RunningAverage()
        self._sides = mending_sides(task.wishes, self.settings)
        self._most = min(task.rounds, self.settings.mending.first_rounds + len(self._sides))
        # With all that is known, a round for each size; more of the same size made pictures looked at a little worse.
        sizes = len(set(self._sides))
        self._last = self._sides[: sizes if task.rounds > 1 else min(sizes, 2)]
        self._made = 0  # of the last rounds

    @staticmethod
    def suits(task: Task) -> bool:
        """Whether strokes are in a picture with few bands, the one case that this was made for."""
        start = task.start
        layouts = possible_layouts(start.mask.shape, start.places, task.wishes, task.settings)
        if not start.strokes or len(layouts) != 1:
            return False
        return frozenset(layouts[0].searched) == start.places and layouts[0].band_count <= SHORT

    def step(self) -> None:
        if self._stop is not None:
            raise NoFurtherStep
        model = self._model
        if model is None:
            model = self._begin()
            if self.task.choosing and self.task.wishes.noise is None:
                self._model = self._with_noise(model)
                return
            self._model = model
        if self._rounds < self._most:
            self._improve(model)
        else:
            self._end(model)

    def _begin(self) -> GroupModel:
        start = self.start
        if not start.held.any():
            raise NoFurtherStep
        self._x = np.maximum(self._layout.planar(start.before), np.float32(start.floor))
        return mending_model(self._layout, start.noise, self.task.wishes, self.settings)

    def _improve(self, model: GroupModel) -> None:
        """One round without what is held out."""
        tell_round(self._most - self._rounds + len(self._last))
        later = self._rounds - self.settings.mending.first_rounds
        mended = self._round(with_side(self._layout, model, self._sides[max(later, 0)]), self._x, self._hidden)
        if later > 0:
            self._average.add(mended.means)
        else:
            self._average = _RunningAverage(mended.means)
        self._x = self._with(self._x, mended.sites, mended.means)
        self._judge(self._with(self._x, mended.sites, self._average.value), mended)
        self._shown = self._layout.tensor(self._x)
        self._rounds += 1

    def _is_useful(self) -> bool:
        return self.start.odds(self.predictions, self._first) < self.settings.mending.useful

    def _end(self, model: GroupModel) -> None:
        """One round with all that is known."""
        layout, missing = self._layout, np.flatnonzero(self._missing)
        after = layout.planar(self._after)
        if self._use is None:
            first = with_side(layout, model, self._sides[0])
            one_size = self.task.wishes.side is not None
            self._accept(layout, first, touching(self._missing, first.patch), one_size=one_size)
            places = np.searchsorted(np.flatnonzero(self._hidden), missing)
            self._x = self._with(after, missing, self._x[:, missing])
            self._average = _RunningAverage(self._average.value[:, places], self._average.count)
        left = len(self._last) - self._made
        tell_round(left)
        mended = self._round(with_side(layout, model, self._last[self._made]), self._x, self._missing)
        self._average.add(mended.means)
        self._x = self._with(self._x, missing, mended.means)
        blended = self._with(self._x, missing, self._blend(after[:, missing], self._average.value))
        self._shown = layout.tensor(blended)
        self._made += 1
        if left == 1:
            self._finish("patches around strokes")

    @cached_property
    def _layout(self) -> Layout:
        return possible_layouts(self.start.mask.shape, self.start.places, self.task.wishes, self.settings)[0]

    @cached_property
    def _missing(self) -> Mask:
        return self._sites(~self.start.mask)

    @cached_property
    def _hidden(self) -> Mask:
        """What is missing or held out."""
        return self._sites(~self.start.mask | self.start.held)

    def _sites(self, entries: Mask) -> Mask:
        return np.ascontiguousarray(self._layout.planar(entries)[0]).reshape(self._layout.extent)

    def _with_noise(self, model: GroupModel) -> GroupModel:
        """The model with the noise that held-out entries like best after a round on them alone."""
        held = self._sites(self.start.held)
        tried = []
        for noise in (model.noise, self.settings.mending.more_noise * model.noise):
            other = replace(model, noise=noise)
            mended = self._mend(other, self._x, self._hidden, np.random.default_rng([self.task.seed, 3]), held)
            found = self._layout.tensor(self._with(self._x, mended.sites, mended.means))[self.start.held]
            tried.append((other, found))
        (first, found), (second, other_found) = tried
        return second if self.start.odds(other_found, found) < self.settings.better else first

    def _round(self, model: GroupModel, x: Floats, missing: Mask) -> Mended:
        return self._mend(model, x, missing, self._rng)

    def _mend(
        self, model: GroupModel, x: Floats, missing: Mask, rng: np.random.Generator, where: Mask | None = None
    ) -> Mended:
        common = common_covariance(x, model, self._layout.extent, rng)
        return mend(x, missing, model, common, draw_shift(model, rng), where, self.settings)

    def _with(self, x: Floats, sites: NDArray[np.intp], means: Floats) -> Floats:
        changed = x.copy()
        changed[:, sites] = np.maximum(means, np.float32(self.start.floor))
        return changed

    def _judge(self, x: Floats, mended: Mended) -> None:
        self.predictions = self._layout.tensor(x)[self.start.held]
        self.cost = self.start.error(self.predictions)
        variance = np.full(x.shape, np.nan, np.float32)
        variance[:, mended.sites] = mended.variance
        self._variance = self._layout.tensor(variance)


@dataclass(eq=False)
class _RunningAverage:
    value: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    count: int = 1

    def add(self, more: Floats) -> None:
        self.count += 1
        self.value = self.value + (more - self.value) / np.float32(self.count)
