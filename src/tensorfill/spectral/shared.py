"""What tiles of a large tensor share: learned once, on a few windows; and the solver of a tile, which starts with it.

The spectrum in cosines is that of any part. Principal directions are those of one place, and as long as its modes, so
that a tile finds its own where windows say that they are of use: with them it adapts to its place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..completion import Estimate
from ..missingness import Missingness
from ..tensor import SHORT
from .data import KnownData
from .learning import Learner
from .nonnegative import ConstraintSettings
from .prior import Prior, fit_to, resize, without_borders
from .run import Modes, Plan, SpectralRun
from .shared_uncertainty import SharedLaw, learn_law
from .spectral_solver import SpectralSolver
from .uncertainty import Uncertainty


@dataclass(frozen=True, eq=False)
class SharedPrior:
    """What is learned once. Values are such that the largest of all windows is 1."""

    prior: Prior
    """Of the first window, with the spectrum of all."""
    errors: Mapping[Modes, float]
    """Held-out errors in all windows, by the modes where bases were learned."""
    learned: Modes
    """Where bases are learned by each tile."""
    constrained: bool
    """Whether W ≥ 0 is part of the problem."""
    constraint_pays: bool
    """Whether it made errors in windows smaller, so that it is worth any time."""
    bound: float | None
    """The best of the solver for holes."""
    law: SharedLaw | None
    """How sure to be."""

    @property
    def error(self) -> float:
        """At held-out entries of windows."""
        return self.errors.get(self.learned, math.nan)


def pool_runs(runs: Sequence[SpectralRun]) -> SharedPrior:
    """What several windows tell together, all of them in the same units."""
    first = _cosines(runs[0])
    alike = [resize(_cosines(run), first.transform.coefficient_shape) for run in runs]
    errors = _pool_errors(runs)
    bounds = [run.bound for run in runs if run.bound is not None]
    uncertainties = [(_uncertainty(run), run.estimate_before()) for run in runs if run.held is not None]
    return SharedPrior(
        prior=replace(
            first,
            variances=np.mean([prior.variances for prior in alike], axis=0),
            noise=float(np.mean([prior.noise for prior in alike])),
        ),
        errors=errors,
        learned=_choose_modes(errors, runs[0]),
        constrained=all(run.constrained for run in runs),
        constraint_pays=constraint_pays(runs),
        bound=sorted(bounds)[len(bounds) // 2] if bounds else None,
        law=learn_law(uncertainties),
    )


def _cosines(run: SpectralRun) -> Prior:
    """The best prior in the bases that it was given, or the last one, if no others were tried.

    Strange borders are those of the window, and no others.
    """
    return without_borders(run.seen[0] if run.at_first is None else run.at_first)


def _uncertainty(run: SpectralRun) -> Uncertainty:
    assert run.held is not None
    return Uncertainty(run.seen[0], run.data, run.pattern, run.mean, run.held, run.holes, run.seed)


def _pool_errors(runs: Sequence[SpectralRun]) -> dict[Modes, float]:
    """Root mean square errors over all windows, of what all have tried."""
    tried = [modes for modes in runs[0].errors if all(modes in run.errors for run in runs)]
    return {modes: math.sqrt(sum(run.errors[modes] ** 2 for run in runs) / len(runs)) for modes in tried}


def constraint_pays(runs: Sequence[SpectralRun]) -> bool:
    """Whether W ≥ 0 brought anything in the windows where it could have."""
    compared = [run.constraint_errors for run in runs if run.constraint_errors is not None]
    without, within = (math.fsum(errors[side] ** 2 for errors in compared) for side in (0, 1))
    return within < runs[0].plan.settings.tile.constraint_pays ** 2 * without


def _choose_modes(errors: Mapping[Modes, float], run: SpectralRun) -> Modes:
    """Those with the smallest error; none, if that is about as small."""
    able = {modes: error for modes, error in errors.items() if modes in run.plan.candidates}
    if not able:
        return ()
    settings = run.plan.settings
    tile = settings.structured_tile if run.holes else settings.tile
    best = min(able, key=lambda modes: able[modes])
    return () if able.get((), math.inf) <= tile.better * able[best] else best


class SharedSolver(SpectralSolver):
    """Solves a tile: nothing is held out, for all that is chosen by it is chosen already."""

    def __init__(
        self,
        data: KnownData,
        pattern: Missingness,
        mean: float,
        plan: Plan,
        rng: np.random.Generator,
        at_first: Estimate,
        shared: SharedPrior,
    ) -> None:
        super().__init__(data, pattern, mean, plan, rng, at_first)
        self._shared = shared
        learned = self._able(shared.learned)
        self.run = replace(
            self.run,
            constrained=plan.constrained is not False and shared.constrained,
            errors={learned: shared.error},
            learned=learned,
            law=shared.law,
        )
        self.cost = shared.error
        self._settings = plan.settings.structured_tile if self.run.holes else plan.settings.tile
        long = [mode for mode in learned if data.shape[mode] > SHORT]
        self._most = self._settings.rounds if len(long) > 1 else self._settings.rounds_along_one
        self._rounds_made = 0

    def _able(self, modes: Modes) -> Modes:
        """An index of which nothing is ever seen would teach a basis its own interpolation."""
        lost, shape, settings = self.run.pattern.lost_indices, self.run.data.shape, self.run.plan.settings
        return tuple(mode for mode in modes if not len(lost[mode]) and shape[mode] <= settings.longest_learned)

    @property
    def _constraint(self) -> ConstraintSettings:
        settings = self.run.plan.settings
        return settings.constraint if self._shared.constraint_pays else self._settings.constraint

    def step(self) -> None:
        if self._stage == "hold_out":
            self._recall()
        elif self._stage == "learn":
            self._refine()
        elif self._stage == "know":
            self._know_all()
        elif self._stage == "constrain":
            self._constrain()

    def _recall(self) -> None:
        """The posterior mean under what was learned elsewhere; from it, bases of its own."""
        settings = self.run.plan.settings
        self.run = run = replace(self.run, seed=int(self._rng.integers(2**31)))
        self._learner = learner = Learner(
            fit_to(self._shared.prior, run.plan.bases),
            run.data,
            holes=run.holes,
            smoothing=run.smoothing,
            seed=run.seed,
            bound=self._shared.bound,
            settings=settings.learning,
        )
        self._stage = "know"
        if not run.learned:
            self._know_all()
            return
        tile = self._settings
        tolerance = self._tolerance if run.holes else settings.after_window * self._tolerance
        for _ in range(tile.before):
            learner.round(max(tolerance, self._tolerance))
            tolerance *= settings.sharper
        (start,) = learner.rebased([run.learned])
        learner.forget_probe()
        self._learner = learner.moved(start)
        self._stage = "learn"
        self._show(self.cost, start, self._learner.coefficients)

    def _refine(self) -> None:
        """A round in bases of its own."""
        before = self._learner.prior
        self._learner.round(self._tolerance)
        self._rounds_made += 1
        tile, settled = self._settings, self._learner.prior.noise > self._settings.settled * before.noise
        over = self._rounds_made >= self._most or (settled and self._rounds_made >= tile.fewest)
        self._stage = "know" if over else "learn"
        self._show(self.cost, before, self._learner.coefficients)

    def _know_all(self) -> None:
        """The posterior mean, as exactly as it is wanted."""
        learner, settings = self._learner, self.run.plan.settings
        learner.forget_probe()
        mean = learner.solve(settings.final * self._tolerance, settings.most_final_steps)
        self.run = replace(self.run, seen=(learner.prior, mean))
        self._stage = "constrain"
        self._show(self.cost, learner.prior, mean)
