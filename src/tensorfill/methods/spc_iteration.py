"""The iteration of `spc`: improve the faintest components one by one, and add new ones when that gains little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..completion import StopReason
from ..iterating import Progress
from ..numerics.sampled_rank_one import SampledRankOne
from ..numerics.smooth_vectors import solve_quadratic
from ..observed import ObservedTensor
from .spc_components import Component, SmoothSum
from .spc_kernels import improve_heads, improve_mode, rough_of, scales_of


@dataclass(frozen=True)
class Plan:
    """The settings as they are used."""

    quadratic: bool
    smoothness: tuple[float, ...]
    snr: float
    updates: int
    growth: int
    growth_tolerance: float
    max_rank: int
    tolerance: float


class SmoothParafac:
    """Where the iteration stands."""

    def __init__(self, data: ObservedTensor, plan: Plan, rng: np.random.Generator) -> None:
        self.data, self.plan = data, plan
        self._rng = rng
        self._sampled = SampledRankOne(data.shape, data.positions)
        self._smoothness = np.array(plan.smoothness)
        self.residual = data.values[self._sampled.order]
        """What the components leave of the known entries, in the order of `SampledRankOne`."""
        self.misfit = float(self.residual @ self.residual)
        self.aim = 10 ** (-plan.snr / 10) * self.misfit
        self._penalty = 0.0  # Σ_r g_r² Σ_n ρ_n ‖L u_nr‖^p
        self.parts: list[Component] = []
        self.grow(1)

    def run(self) -> Iterator[Progress]:
        """The states, the start first."""
        yield self._progress(None)
        while True:
            before = self.misfit
            self.step()
            gain = abs(before - self.misfit)
            yield self._progress(self._reason(gain))
            self.grow(self._wanted(gain))

    def step(self) -> None:
        """Improve the components with the smallest weights, the smallest first."""
        weights = np.array([part.weight for part in self.parts])
        for number in np.argsort(weights, kind="stable")[: self.plan.updates]:
            old, new = self.parts[number], self._improved(self.parts[number])
            self._penalty += new.weight**2 * new.rough.sum() - old.weight**2 * old.rough.sum()
            self.parts[number] = new
        self.misfit = float(self.residual @ self.residual)

    def grow(self, count: int) -> None:
        """Add components that are smooth, random, and have no weight yet: the next step gives them one."""
        for _ in range(count):
            vectors = self._rng.standard_normal(sum(self.data.shape))
            for mode, smoothness in enumerate(self._smoothness):
                block = self._sampled.block(vectors, mode)
                solve_quadratic(block.copy(), 1.0, smoothness, block)
                block /= np.linalg.norm(block)
            rough = rough_of(vectors, self._sampled.first_row, self._smoothness, self.plan.quadratic)
            self.parts.append(Component(0.0, vectors, rough))

    @property
    def cost(self) -> float:
        """½ ‖residual‖² + Σ_r ½ g_r² Σ_n ρ_n ‖L u_nr‖^p"""
        return 0.5 * self.misfit + 0.5 * self._penalty

    def _improved(self, part: Component) -> Component:
        """A component with better vectors, mode after mode; the residual follows."""
        sampled, mode = self._sampled, self._sampled.fibre_mode
        vectors, rough, overlaps = part.vectors.copy(), part.rough.copy(), np.ones(self.data.order)
        kind = (self._smoothness, self.plan.quadratic, overlaps, rough)
        dots = sampled.fibre_dots(self.residual, vectors)
        rows = sampled.first_row
        weight = improve_heads(sampled.heads, dots, vectors, part.vectors, part.weight, rows, mode, *kind)
        scales = scales_of(sampled.heads, vectors, mode, 1.0)
        c = sampled.along_fibres(self.residual, scales)
        weight = improve_mode(c, vectors, part.vectors, part.weight, weight, rows[mode], rows[mode + 1], mode, *kind)
        old = scales_of(sampled.heads, part.vectors, mode, part.weight)
        sampled.exchange(self.residual, (vectors, weight * scales), (part.vectors, old))
        return Component(weight, vectors, rough)

    def _wanted(self, gain: float) -> int:
        """How many components to add: as many times as the last gain was too small, within limits."""
        enough = self.plan.growth_tolerance * (self.misfit - self.aim)
        if gain >= enough:
            return 0
        times = self.plan.growth if gain * self.plan.growth <= enough else int(enough / gain)
        return min(times, self.plan.max_rank - len(self.parts))

    def _reason(self, gain: float) -> StopReason | None:
        plan = self.plan
        if self.misfit <= self.aim:
            return StopReason("fit", f"The known entries are met: the residual is {plan.snr:g} dB below the data.")
        if len(self.parts) >= plan.max_rank and gain <= plan.tolerance * self.misfit:
            return StopReason(
                "change",
                f"The residual hardly changes any more with {len(self.parts)} components; a larger max_rank allows "
                f"more, and a tolerance below {plan.tolerance:g} goes on.",
            )
        return None

    def _progress(self, stop: StopReason | None) -> Progress:
        return Progress(self.cost, SmoothSum(self.data, tuple(self.parts)), stop=stop)
