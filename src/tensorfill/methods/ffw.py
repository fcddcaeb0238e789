"""FFW: Frank-Wolfe for tensors that are sums of low-rank unfoldings (Guo, Yao and Kwok 2017)."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from ..completion import Estimate, StopReason
from ..estimates.derived import AffineEstimate
from ..iterating import Solver
from ..method import Stroke
from ..observed import ObservedTensor
from .baseline import Baseline
from .frank_wolfe import Internals, KnownValues, LatentFrankWolfe
from .setting_checks import Count, Flag, Positive, are_modes, check_positive, require

_check_modes = require("be one or more different modes, counted from 1", partial(are_modes, least=1))
_check_at_most_one = require("be a number above 0 and at most 1", lambda value: value <= 1)


@dataclass(frozen=True, kw_only=True)
class FFW(Baseline):
    """Builds the tensor from rank-one matrices along its modes, adding the one that helps most, one per iteration.

        minimise   1/2 ‖X_Ω − Y_Ω‖²   over   X = Σ_k X^(k),   Σ_k ‖X^(k)_k‖_* / √n_k ≤ τ

    The cost in the history is 1/2 ‖X_Ω − Y_Ω‖² of the data divided by its largest value (and standardized, if so).

    Parameters
    ----------
    tau
        τ, the size of the tensor: the larger, the closer it follows the observed values. In units of the largest
        known value, or of the standard deviation with `standardize`. Default: chosen by held-out entries.
    standardize
        Subtract the mean of the known values and divide by their standard deviation first; undone in the end.
    modes
        The modes that carry components, counted from 1 (default: all).
    max_iter
        Most iterations.
    shrink_after
        With more atoms than this, every iteration also improves their weights and lets go of superfluous ones.
    max_atoms
        Most atoms, over all modes; stops when there are as many.
    step
        ρ, the step of that improvement, at most 1.
    """

    name: ClassVar[str] = "ffw"
    summary: ClassVar[str] = "Rank-one matrices along the modes, added one at a time (Frank-Wolfe); may go negative"
    stroke: ClassVar[Stroke] = Stroke("#b2446a", "p")
    reference: ClassVar[str] = "Guo, Yao & Kwok, AAAI 2017"
    needs_known_only: ClassVar[bool] = True
    internals: ClassVar[Internals] = Internals()

    tau: Positive | None = None
    standardize: Flag = False
    modes: Annotated[Sequence[int], _check_modes] | None = None
    max_iter: Count = 200
    shrink_after: Count = 50
    max_atoms: Count = 200
    step: Annotated[float, check_positive, _check_at_most_one] = 0.4

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        modes = range(1, observed.order + 1) if self.modes is None else self.modes
        return {"modes": tuple(int(mode) for mode in modes)}

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses modes that the tensor does not have."""
        if self.modes is None or max(self.modes) <= observed.order:
            return None
        return f"The 'modes' of {self.name} must not go beyond {observed.order}, as many as the tensor has."

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> FFWSolver:
        """From zero, with a τ that is chosen here if it is left open: so its time is counted."""
        mean, deviation = 0.0, 1.0
        if self.standardize:
            mean, deviation = float(data.values.mean()), float(data.values.std()) or 1.0
        data = replace(data, known=(data.values - mean) / deviation)
        modes = [mode - 1 for mode in settings["modes"]]
        if self.tau is None:
            logging.getLogger(__name__).info("Choosing tau by held-out entries: about as long as the completion.")
            settings["tau"] = choose_tau(data, modes, settings, rng, self.internals)
        work = LatentFrankWolfe(KnownValues.of(data, modes), settings["tau"], self.internals)
        return FFWSolver(work, settings, rng, (deviation, mean) if self.standardize else None)


class FFWSolver(Solver):
    """One more atom in every iteration, with the weights of all of them improved if there are many."""

    def __init__(
        self,
        work: LatentFrankWolfe,
        settings: Mapping[str, Any],
        rng: np.random.Generator,
        units: tuple[float, float] | None = None,
    ) -> None:
        self.work, self._settings, self._rng, self._units = work, settings, rng, units
        self.cost, self._iteration = work.cost, 0
        self._enough = work.internals.exact**2 * work.cost

    def step(self) -> None:
        if self.work.count < self._settings["max_atoms"]:
            self.work.step(self._rng)
            if self.work.count > min(self._settings["shrink_after"], self._settings["max_atoms"] - 1):
                self.work.reduce(self._settings["step"])
        self.cost = self.work.cost
        self._iteration += 1

    def estimate(self) -> Estimate:
        """X, in the units of the data if that was standardized."""
        found = self.work.estimate()
        return found if self._units is None else AffineEstimate(found, *self._units)

    def finished(self) -> StopReason | None:
        most = self._settings["max_atoms"]
        if self.cost <= self._enough:
            return StopReason("fit", "Stopped because the known values are met exactly.")
        if self.work.count >= most and self._iteration < self._settings["max_iter"]:
            return StopReason("stalled", f"Stopped at max_atoms={most}; raise it to go on.")
        return None


def choose_tau(
    data: ObservedTensor,
    modes: Sequence[int],
    settings: Mapping[str, Any],
    rng: np.random.Generator,
    internals: Internals,
) -> float:
    """The τ that predicts held-out entries best: short runs with all, longer ones with the best of them.

    They begin from zero, as the real run does: coming from a smaller τ instead, even one that is far too large would
    look good.
    """
    rms = float(np.sqrt(np.mean(np.square(data.values)))) or 1.0
    flat = rms * math.sqrt(data.size / max(data.shape[mode] for mode in modes))  # norm of a tensor with this value
    if data.count < 2:
        return flat
    held_out = np.zeros(data.count, dtype=bool)
    held_out[rng.permutation(data.count)[: max(1, round(internals.held_out * data.count))]] = True
    rest = replace(data, positions=data.positions[~held_out], known=data.values[~held_out])
    places = np.stack(np.unravel_index(data.positions[held_out], data.shape), axis=1)
    known = KnownValues.of(rest, modes)

    def measure_error(run: FFWSolver) -> float:
        return float(np.linalg.norm(run.estimate().at(places) - data.values[held_out]))

    def go_on(runs: Sequence[FFWSolver], share: float) -> None:
        for run in runs:
            for _ in range(max(1, round(share * settings["max_iter"]))):
                run.step()

    runs = [
        FFWSolver(LatentFrankWolfe(known, flat * multiple, internals), settings, rng) for multiple in internals.tried
    ]
    # In all 10 · 0.1 + 3 · 0.3 = 1.9 times max_iter iterations, cheaper ones than the late ones of a real run.
    go_on(runs, 0.1)
    runs = sorted(runs, key=measure_error)[: internals.finalists]
    go_on(runs, 0.3)
    return min(runs, key=measure_error).work.tau
