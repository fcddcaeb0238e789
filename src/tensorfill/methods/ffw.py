"""FFW: Frank-Wolfe for tensors that are sums of low-rank unfoldings (Guo, Yao and Kwok 2017)."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..completion import Completion, StopReason, Watch
from ..estimates.affine import AffineEstimate
from ..iterating import Progress
from ..method import Stroke
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import complete_by
from .frank_wolfe import KnownValues, LatentFrankWolfe
from .setting_checks import are_modes, check_count, check_flag, check_positive, wrong

_HELD_OUT = 0.1  # share of the known entries that a choice of tau is judged by
_TRIED = tuple(2.0 ** (half / 2) for half in range(-2, 8))  # taus that are tried, as multiples of a flat tensor's norm
_FINALISTS = 3
_EXACT = 1e-12  # share of ‖Y‖ below which the residual is rounding


@dataclass(frozen=True, kw_only=True)
class FFW:
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
    stroke: ClassVar[Stroke] = Stroke("#b2446a", "p")
    summary: ClassVar[str] = "Rank-one matrices along the modes, added one at a time (Frank-Wolfe); may go negative"
    reference: ClassVar[str] = "Guo, Yao & Kwok, AAAI 2017"
    nonnegative: ClassVar[bool] = False
    needs_known_only: ClassVar[bool] = True

    tau: float | None = None
    standardize: bool = False
    modes: Sequence[int] | None = None
    max_iter: int = 200
    shrink_after: int = 50
    max_atoms: int = 200
    step: float = 0.4

    def __post_init__(self) -> None:
        if self.tau is not None:
            check_positive(self.name, "tau", self.tau)
        check_flag(self.name, "standardize", self.standardize)
        if self.modes is not None and not (are_modes(self.modes) and self.modes):
            raise wrong(self.name, "modes", "be one or more different modes, counted from 1", self.modes)
        check_count(self.name, "max_iter", self.max_iter)
        check_count(self.name, "shrink_after", self.shrink_after)
        check_count(self.name, "max_atoms", self.max_atoms)
        check_positive(self.name, "step", self.step)
        if self.step > 1:
            raise wrong(self.name, "step", "be a number above 0 and at most 1", self.step)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses modes that the tensor does not have."""
        if self.modes is None or max(self.modes) <= observed.order:
            return None
        return f"The 'modes' of {self.name} must not go beyond {observed.order}, as many as the tensor has."

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        modes = range(1, observed.order + 1) if self.modes is None else self.modes
        settings: dict[str, Any] = {
            "tau": None if self.tau is None else float(self.tau),
            "standardize": self.standardize,
            "modes": tuple(int(mode) for mode in modes),
            "max_iter": self.max_iter,
            "shrink_after": self.shrink_after,
            "max_atoms": self.max_atoms,
            "step": float(self.step),
        }

        def algorithm(data: ObservedTensor) -> Iterator[Progress]:
            mean, deviation = _mean_and_deviation(data.values) if self.standardize else (0.0, 1.0)
            data = replace(data, known=(data.values - mean) / deviation)
            carrying = [mode - 1 for mode in settings["modes"]]
            if self.tau is None:  # here and not before, so that its time is counted
                logging.getLogger(__name__).info("Choosing tau by held-out entries: about as long as the completion.")
                settings["tau"] = self._chosen_tau(data, carrying, rng)
            for at in self._iterations(KnownValues.of(data, carrying), settings["tau"], rng):
                yield replace(at, estimate=AffineEstimate(at.estimate, deviation, mean)) if self.standardize else at

        return complete_by(self, observed, algorithm, settings, watch=watch)

    def _iterations(self, known: KnownValues, tau: float, rng: np.random.Generator) -> Iterator[Progress]:
        solver = LatentFrankWolfe(known, tau)
        enough = _EXACT**2 * solver.cost
        for iteration in range(self.max_iter + 1):
            if iteration > 0:
                self._advance(solver, rng)
            stop = None
            if solver.cost <= enough:
                stop = StopReason("fit", "Stopped because the known values are met exactly.")
            elif solver.count >= self.max_atoms and iteration < self.max_iter:
                stop = StopReason("stalled", f"Stopped at max_atoms={self.max_atoms}; raise it to go on.")
            yield Progress(solver.cost, solver.estimate(), stop=stop)

    def _advance(self, solver: LatentFrankWolfe, rng: np.random.Generator) -> None:
        solver.step(rng)
        if solver.count > min(self.shrink_after, self.max_atoms - 1):
            solver.reduce(self.step)

    def _chosen_tau(self, data: ObservedTensor, modes: Sequence[int], rng: np.random.Generator) -> float:
        """The τ that predicts held-out entries best: short runs with all, longer ones with the best of them.

        They begin from zero, as the real run does: coming from a smaller τ instead, even one that is far too large
        would look good.
        """
        rms = float(np.sqrt(np.mean(np.square(data.values)))) or 1.0
        flat = rms * math.sqrt(data.size / max(data.shape[mode] for mode in modes))  # norm of a tensor with this value
        if data.count < 2:
            return flat
        held_out = np.zeros(data.count, dtype=bool)
        held_out[rng.permutation(data.count)[: max(1, round(_HELD_OUT * data.count))]] = True
        rest = replace(data, positions=data.positions[~held_out], known=data.values[~held_out])
        places = np.stack(np.unravel_index(data.positions[held_out], data.shape), axis=1)

        def error(solver: LatentFrankWolfe) -> float:
            return float(np.linalg.norm(solver.estimate().at(places) - data.values[held_out]))

        known = KnownValues.of(rest, modes)
        runs = [LatentFrankWolfe(known, flat * multiple) for multiple in _TRIED]
        # In all 10 · 0.1 + 3 · 0.3 = 1.9 times max_iter iterations, cheaper ones than the late ones of a real run.
        self._continue(runs, 0.1, rng)
        runs = sorted(runs, key=error)[:_FINALISTS]
        self._continue(runs, 0.3, rng)
        return min(runs, key=error).tau

    def _continue(self, runs: Sequence[LatentFrankWolfe], share: float, rng: np.random.Generator) -> None:
        for solver in runs:
            for _ in range(max(1, round(share * self.max_iter))):
                if solver.count < self.max_atoms:
                    self._advance(solver, rng)


def _mean_and_deviation(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std()) or 1.0
