"""`spectral` for the tiles of a large tensor: what it learns is learned once, on a few windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from ..completion import Completion, Watch
from ..iterating import Clock
from ..method import Method
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..spectral.run import SpectralRun
from ..spectral.shared import SharedPrior, pool_runs
from .powers import complete_power, noise_of_power
from .spectral_settings import describe_modes
from .study import Study

_ALIKE = 2.0**20
"""Largest value of a tile, next to that of windows, up to which what these tell is taken to hold there: far above it,
squares in single precision might overflow."""


class LearnsSpectrum(Protocol):
    """The method itself, as far as it is asked here."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def refuses(self, observed: ObservedTensor) -> str | None:
        """See `Method`."""
        ...

    def follow(
        self,
        observed: ObservedTensor,
        *,
        rng: np.random.Generator,
        watch: Watch | None,
        clock: Clock | None,
        shared: SharedPrior | None = None,
        scale: float | None = None,
    ) -> tuple[Completion, SpectralRun | None]:
        """Complete the tensor as it is, maybe by what is shared."""
        ...


@dataclass(frozen=True, kw_only=True)
class SharedSpectral(Method):
    """A tile starts with the spectrum of windows, and adapts to its place; nothing is held out any more."""

    name: ClassVar[str] = "spectral"
    summary: ClassVar[str] = "spectral, with what it learns from windows"
    reference: ClassVar[str] = "Ours"
    nonnegative: ClassVar[bool] = True
    tells_uncertainty: ClassVar[bool] = True
    interpolates: ClassVar[bool] = True
    settings_in_data_units: ClassVar[tuple[str, ...]] = ("scale",)

    asked: LearnsSpectrum
    shared: SharedPrior
    scale: float
    """The largest known value in all windows."""
    power: float = 1.0
    """Of the data, which is completed."""
    variance: float = 0.0
    """Of errors of that power, where `unit` is 1."""
    reasons: Mapping[str, str] = field(default_factory=dict)

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return True

    def refuses(self, observed: ObservedTensor) -> str | None:
        """See `Spectral`."""
        return self.asked.refuses(observed)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tile."""
        clock = Clock()

        def complete_as_it_is(data: ObservedTensor, look: Watch | None) -> Completion:
            return self.follow(data, rng=rng, watch=look, clock=clock)[0]

        done = complete_power(complete_as_it_is, observed, self.power, self.variance_in_units, watch)
        return replace(done, settings={**done.settings, "power": self.power}, reasons={**done.reasons, **self.reasons})

    def follow(
        self,
        observed: ObservedTensor,
        *,
        rng: np.random.Generator,
        watch: Watch | None = None,
        clock: Clock | None = None,
    ) -> tuple[Completion, SpectralRun | None]:
        """Complete data that is raised to the power already; also the run, in units in which `unit` is 1."""
        shared = self.shared if float(observed.known.max()) <= _ALIKE * self.unit else None
        scale = None if shared is None else self.unit
        return self.asked.follow(observed, rng=rng, watch=watch, clock=clock, shared=shared, scale=scale)

    @property
    def unit(self) -> float:
        """What is 1 in the run."""
        return float(self.scale**self.power)

    @property
    def variance_in_units(self) -> float:
        """Of errors of the power of the data."""
        return self.unit**2 * self.variance

    def learn(self, samples: Sequence[ObservedTensor], *, rng: np.random.Generator, work: int = 0) -> Method:
        """All is learned."""
        return self


def pool_spectra(asked: LearnsSpectrum, studies: Sequence[Study]) -> SharedSpectral | None:
    """What windows tell together; None if they tell nothing."""
    runs = [study.run for study in studies if study.run is not None]
    if not runs:
        return None
    with quiet_blas():
        shared = pool_runs(runs)
    unit, power = studies[0].unit, studies[0].power.power
    variance = 0.0 if power == 1 else noise_of_power(np.concatenate([_misses(run) for run in runs]))
    return SharedSpectral(
        asked=asked,
        shared=shared,
        scale=float(unit ** (1 / power)),
        power=power,
        variance=variance,
        reasons={**_give_reasons(shared, unit, len(runs)), **studies[0].power.reasons()},
    )


def _misses(run: SpectralRun) -> np.ndarray:
    """What predictions of held-out entries are off."""
    if run.held is None or run.held_predictions is None:
        return np.zeros(0)
    return run.held_predictions.astype(np.float64) - run.data.values[run.held[run.data.mask]]


def _give_reasons(shared: SharedPrior, unit: float, windows: int) -> dict[str, str]:
    told = "; ".join(f"{describe_modes(modes)} {unit * error:.3g}" for modes, error in shared.errors.items())
    return {"bases": f"Smallest error at held-out entries of {windows} window{'s' if windows > 1 else ''}: {told}."}
