"""What tiles of a large tensor share: learned once, on a few windows; and the solver of a tile, which starts with it.

The spectrum in cosines is that of any part. Principal directions are of one place, and of a mode as long as it is, so
that a tile finds its own, where windows say that they are of use; with them it adapts to its place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..completion import Estimate
from ..missingness import Missingness
from .data import KnownData
from .learning import Learner
from .prior import Prior, fit_to, resize
from .run import Modes, Plan, SpectralRun
from .spectral_solver import SpectralSolver


@dataclass(frozen=True, eq=False)
class SharedPrior:
    """What is learned once. Values are such that the largest of all windows is 1."""

    prior: Prior
    """Of one of the windows, with the spectrum of all."""
    learned: Modes
    """Where bases are learned by each tile."""
    constrained: bool
    """Whether W ≥ 0 is part of the problem."""
    error: float
    """At held-out entries of windows."""
    bound: float | None = None
    """The best of the solver for holes."""


def pool_runs(runs: Sequence[SpectralRun], scales: Sequence[float]) -> SharedPrior:
    """What several windows tell together; `scales` are the largest values there, next to that of all."""
    priors = [replace(found, variances=scale**2 * found.variances, noise=scale**2 * found.noise)
              for found, scale in zip(map(_cosines, runs), scales, strict=True)]  # fmt: skip
    first = priors[0]
    alike = [resize(prior, first.transform.coefficient_shape) for prior in priors]
    variances = np.mean([prior.variances for prior in alike], axis=0)
    noise = float(np.mean([prior.noise for prior in alike]))
    learned, error = _choose_modes(runs, scales)
    return SharedPrior(
        replace(first, variances=variances, noise=noise),
        learned,
        all(run.constrained for run in runs),
        error,
    )


def _cosines(run: SpectralRun) -> Prior:
    """The best prior in cosines, or the last, if nothing else was tried."""
    return run.seen[0] if run.at_first is None else run.at_first


def _choose_modes(runs: Sequence[SpectralRun], scales: Sequence[float]) -> tuple[Modes, float]:
    """The bases with the smallest errors in all windows that tried them; of about equal ones those less learned."""
    pooled: dict[Modes, float] = {}
    for modes in dict.fromkeys(modes for run in runs for modes in run.errors):
        found = [scale * run.errors[modes] for run, scale in zip(runs, scales, strict=True) if modes in run.errors]
        if len(found) == len(runs):
            pooled[modes] = math.sqrt(sum(error**2 for error in found) / len(found))
    tie = runs[0].plan.settings.tie
    if not pooled:
        return (), math.nan
    best = min(pooled.values())
    chosen = min((modes for modes, error in pooled.items() if error <= tie * best), key=len)
    return chosen, pooled[chosen]


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
        self.shared = shared
        self.run = replace(self.run, constrained=plan.constrained is not False and shared.constrained)
        self.cost = shared.error
        self._learned = self._can_be_learned(shared.learned)
        self._left = self.run.plan.settings.tile_rounds if self._learned else 0

    def _can_be_learned(self, modes: Modes) -> Modes:
        """Principal directions of places of which nothing is known would be those of their interpolation."""
        lost = self.run.pattern.lost_indices
        shape, longest = self.run.data.shape, self.run.plan.settings.longest_learned
        return tuple(mode for mode in modes if not len(lost[mode]) and shape[mode] <= longest)

    def step(self) -> None:
        if self._stage == "hold_out":
            self._recall()
        elif self._stage == "learn":
            self._refine()
        elif self._stage == "know":
            self._know()
        elif self._stage == "constrain":
            self._constrain()

    def _recall(self) -> None:
        """The posterior mean under what was learned, and learned bases."""
        run, plan, settings = self.run, self.run.plan, self.run.plan.settings
        self.run = run = replace(
            run, seed=int(self._rng.integers(2**31)), errors={self._learned: self.shared.error}, learned=self._learned
        )
        self._learner = learner = Learner(
            fit_to(self.shared.prior, plan.bases),
            run.data,
            holes=run.holes,
            smoothing=run.smoothing,
            seed=run.seed,
            bound=self.shared.bound,
            settings=settings.learning,
        )
        if not self._learned:
            self._stage = "know"
            return self._know()
        first = settings.after_window * self._tolerance
        learner.round(first if not run.holes else self._tolerance)
        self._learner = learner.moved(learner.rebased([self._learned])[0])
        self._stage = "learn" if self._left else "know"
        self._show(self.cost, self._learner.prior, self._learner.coefficients)

    def _refine(self) -> None:
        """A round in the tile's own bases."""
        before = self._learner.prior
        self._learner.round(self._tolerance)
        self._left -= 1
        self._stage = "learn" if self._left else "know"
        self._show(self.cost, before, self._learner.coefficients)

    def _know(self) -> None:
        """The posterior mean, as exactly as it is wanted."""
        learner, settings = self._learner, self.run.plan.settings
        learner.forget_probe()
        mean = learner.solve(settings.final * self._tolerance, settings.most_final_steps)
        self.run = replace(self.run, seen=(learner.prior, mean))
        self._stage = "constrain"
        self._show(self.cost, learner.prior, mean)
