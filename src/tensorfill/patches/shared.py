"""Groups for the tiles of a large tensor: which ones, and how often, was learned on a few windows.

Nothing is held out in a tile, so all that is known of it tells from the first round on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..completion import StopReason
from ..estimates.estimate import DenseEstimate
from ..iterating import NoFurtherStep, Solver
from ..selection.variance_law import Evidence, VarianceLaw
from ..telling import tell_round
from .layout import Floats, Layout
from .planning import GroupModel, fit_model
from .settings import PatchSettings
from .solver import GroupSolver, Use, draw_shift
from .start import Start
from .uncertainty import GroupUncertainty, fit_scattered
from .view import View


@dataclass(frozen=True, eq=False)
class GroupLesson:
    """What was found in a window, in units that all windows share."""

    use: Use | None
    """None if groups are of no use there."""
    rounds: int
    """So many were made until they brought nothing more."""
    error: float
    first_error: float
    """That of the start."""
    evidence: Evidence | None
    """Errors where entries are missing one by one, with what is around them."""

    @classmethod
    def of(cls, solver: GroupSolver, entries: Floats) -> GroupLesson:
        """That of a solver which has come to its end; `entries` is what it found."""
        found = solver.improvement()
        evidence = None
        if found.uncertainty is not None and found.uncertainty.scattered:
            errors = found.predictions - solver.start.values[solver.start.held]
            evidence = found.uncertainty.evidence(entries, errors.astype(np.float64))
        return cls(found.use, solver.best_round, found.error, found.first_error, evidence)


@dataclass(frozen=True, eq=False)
class SharedGroups:
    """What is learned once."""

    searched: tuple[int, ...]
    """Modes along which patches extend."""
    model: GroupModel
    rounds: int
    share: float
    """How much of what groups say counts, the rest being what the start says."""
    error: float
    first_error: float
    law: VarianceLaw | None
    """Of deviations, where entries are missing one by one."""
    factor: float = 1.0
    """What these are multiplied by."""

    def uncertainty(self, tile: GroupUncertainty, entries: Floats) -> Floats:
        """The standard deviations of a tile."""
        assert self.law is not None
        return tile.by_law(self.law, self.factor, entries)


def pool_lessons(lessons: Sequence[GroupLesson]) -> SharedGroups | None:
    """What most windows say; None if groups are of no use in most of them."""
    uses = [(lesson.use, lesson) for lesson in lessons if lesson.use is not None]
    if 2 * len(uses) < len(lessons) or not uses:
        return None
    kinds = [(use.layout.searched, replace(use.model, noise=0.0)) for use, _ in uses]
    kind = Counter(kinds).most_common(1)[0][0]
    chosen = [pair for pair, other in zip(uses, kinds, strict=True) if other == kind]
    noise = math.exp(float(np.mean([math.log(use.model.noise) for use, _ in chosen])))
    law, factor = fit_scattered([lesson.evidence for _, lesson in uses if lesson.evidence is not None])
    return SharedGroups(
        searched=kind[0],
        model=replace(kind[1], noise=noise),
        rounds=max(1, round(float(np.mean([lesson.rounds for _, lesson in chosen])))),
        share=float(np.mean([use.share for use, _ in chosen])),
        error=math.sqrt(float(np.mean([lesson.error**2 for lesson in lessons]))),
        first_error=math.sqrt(float(np.mean([lesson.first_error**2 for lesson in lessons]))),
        law=law,
        factor=factor,
    )


class SharedGroupSolver(Solver):
    """Improves the start of a tile by rounds of groups that windows have chosen."""

    def __init__(self, start: Start, shared: SharedGroups, settings: PatchSettings, seed: int) -> None:
        self.start, self.shared = start, shared
        self.cost = shared.first_error
        self._settings, self._seed = settings, seed
        self._rng = np.random.default_rng([seed, 2])
        self._left = shared.rounds + settings.last_rounds_in_tiles
        self._shown = np.maximum(start.after, np.float32(start.floor))
        self._after = self._shown
        self._view: View | None = None
        self._x: Floats | None = None
        self._variance: Floats | None = None
        self._stop: StopReason | None = None

    def estimate(self) -> DenseEstimate:
        return DenseEstimate(self._shown)

    def finished(self) -> StopReason | None:
        return self._stop

    def step(self) -> None:
        if self._stop is not None:
            raise NoFurtherStep
        view = self._view or self._look()
        x = view.x if self._x is None else self._x
        mask, shared = self.start.mask, self.shared
        tell_round(self._left)
        average = view.average(x, mask, draw_shift(view.model, self._rng))
        self._left -= 1
        self._x = x + average.change if self._left == 0 else view.moved(x, mask, average, view.model.relaxation)
        self._variance = view.layout.tensor(view.bands.variance(average.variance))
        said = view.entries(~np.isnan(average.variance[0]))
        blend = self._after + np.float32(shared.share) * (view.tensor(self._x) - self._after)
        self._shown = np.where(said, blend, self._after)
        self.cost = shared.error
        if self._left == 0:
            self._stop = StopReason("done", "Done: groups of similar patches, as windows have chosen them.")

    def _look(self) -> View:
        layout = Layout(self.start.mask.shape, self.shared.searched)
        model = fit_model(self.shared.model, layout.extent)
        self._view = View.of(self.start, layout, model, self._settings, self._seed)
        return self._view

    def uncertainty(self) -> GroupUncertainty | None:
        """What it takes to tell how sure to be, once there was a round."""
        if self._variance is None or self.shared.law is None:
            return None
        start = self.start
        return GroupUncertainty(
            start.mask, start.held, start.values, start.before, self._variance, self.shared.model.noise, scattered=True
        )
