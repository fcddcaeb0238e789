"""Which model suits a tensor: interactions of pairs or a product of all modes, of the data or of a power of it.

Each is sampled for a short while without some known entries, of a part of the data if there is much, and judged by its
errors there, in the units of the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..estimates.derived import PoweredEstimate
from ..estimates.estimate import Estimate
from ..observed import ObservedTensor
from ..sampling.entries import hold_out_entries, take_slices
from .samples import SampledModel
from .solver import GibbsSettings, GibbsSolver
from .terms import Interactions

MODELS: tuple[Interactions, ...] = ("pairs", "product")


@dataclass(frozen=True, kw_only=True)
class Choosing:
    """How models are compared."""

    powers: tuple[float, ...] = (1.0, 0.5, 0.25)
    skewed: float = 1.0  # skewness of the known values from which on powers of them are compared
    part: int = 300_000  # known entries that are looked at, at most
    share: float = 0.1  # of them are held out,
    most_held: int = 20_000  # at most
    forgotten: int = 10
    samples: int = 15
    better: float = 0.998  # times the smallest error so far that another model must have


CHOOSING = Choosing()


@dataclass(frozen=True)
class ModelChoice:
    """A model, and the errors by which it was chosen."""

    interactions: Interactions
    power: float
    errors: Mapping[str, float]

    @property
    def reason(self) -> str:
        """In a sentence."""
        told = "; ".join(f"{model} {error:.4g}" for model, error in self.errors.items())
        return f"By errors at held-out entries: {told}."


def choose_model(
    data: ObservedTensor,
    settings: GibbsSettings,
    interactions: Interactions | None,
    power: float | None,
    rng: np.random.Generator,
    choosing: Choosing = CHOOSING,
) -> ModelChoice:
    """What is left open (None) is chosen; nothing is compared where there is no choice."""
    models = (interactions,) if interactions else MODELS if data.order > 2 else MODELS[:1]
    powers = (power,) if power else choosing.powers if data.floor == 0 and is_skewed(data, choosing) else (1.0,)
    if len(models) * len(powers) == 1:
        return ModelChoice(models[0], powers[0], {})
    part = take_slices(data, choosing.part, rng)
    rest, held = hold_out_entries(part, min(choosing.most_held, int(choosing.share * part.count) + 1), rng)
    where, truth = held.coordinates, held.values
    short = replace(settings, samples=choosing.samples, forgotten=choosing.forgotten)
    seed = int(rng.integers(2**31))
    errors: dict[tuple[Interactions, float], float] = {}
    best = models[0], powers[0]
    for model in models:
        for exponent in powers:
            tried = model, exponent
            if tried in errors or (model != models[0] and exponent != best[1]):
                continue  # the other interactions are tried with the best power alone
            found = _sample(rest, replace(short, interactions=model), exponent, np.random.default_rng(seed))
            errors[tried] = float(np.sqrt(np.mean((np.maximum(found.at(where), data.floor) - truth) ** 2)))
            if errors[tried] < choosing.better * errors[best]:
                best = tried
            elif tried != best and model == models[0]:
                break
    return ModelChoice(*best, {f"{model}, power {exponent:g}": error for (model, exponent), error in errors.items()})


def is_skewed(data: ObservedTensor, choosing: Choosing = CHOOSING) -> bool:
    """Whether a few known values are far larger than most, as counts are."""
    values = data.values - data.values.mean()
    deviation = float(values.std())
    return deviation > 0 and float(np.mean((values / deviation) ** 3)) > choosing.skewed


def raised(data: ObservedTensor, power: float) -> ObservedTensor:
    """A power of the data."""
    return data if power == 1 else data.with_values(np.asarray(data.values**power))


def lowered(model: SampledModel, power: float) -> Estimate:
    """The estimate of the data, where its power is sampled."""
    return model if power == 1 else PoweredEstimate(model, power, model.noise)


def _sample(data: ObservedTensor, settings: GibbsSettings, power: float, rng: np.random.Generator) -> Estimate:
    solver = GibbsSolver(raised(data, power), settings, rng)
    while solver.finished() is None:
        solver.step()
    return lowered(solver.estimate(), power)
