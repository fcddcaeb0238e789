"""`auto` for the tiles of a large tensor: what it chooses is chosen once, on a few windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..method import Method
from ..observed import ObservedTensor
from ..selection.choice import Choice, Refused

Weights = Mapping[str, float]

_LEAST = 0.1  # weight that is worth one more run on every tile


@dataclass(frozen=True, kw_only=True)
class SharedAuto(Method):
    """The methods that windows have chosen, with what each of them has learned there, and their weights."""

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "auto, with what it chooses on windows"
    reference: ClassVar[str] = "Ours"
    nonnegative: ClassVar[bool] = True
    tells_uncertainty: ClassVar[bool] = True
    compared: ClassVar[bool] = False
    settings_in_data_units: ClassVar[tuple[str, ...]] = ("unit",)

    methods: Mapping[str, Method]
    weights: Weights
    lost_weights: Weights | None = None
    """In slices of which nothing is known, and in large holes."""
    fallback: Method
    """For tiles that a method with a weight refuses."""
    unit: float = 1.0
    """One of the data, in units of the tile's data."""
    reason: str | None = None
    """Why these weights."""
    told: Mapping[str, str] = field(default_factory=dict)
    """Reasons for all tiles."""

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return any(method.looks_at_neighbours(observed) for method in self.methods.values())

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tile."""
        lost = self.lost_weights if observed.missingness.apart.any() else None
        methods = {name: self._in_units(method) for name, method in self.methods.items()}
        try:
            done = Choice(observed, rng, watch).blended(methods, self.weights, lost, reason=self.reason)
        except Refused:
            return self.fallback.complete(observed, rng=rng, watch=watch)
        return replace(done, method=self.name, reasons={**done.reasons, **self.told})

    def _in_units(self, method: Method) -> Method:
        """With settings that are in units of the data brought to those of the tile's."""
        names = method.settings_in_data_units
        given = {name: self.unit * getattr(method, name) for name in names if getattr(method, name) is not None}
        return replace(method, **given) if self.unit != 1 else method  # type: ignore[type-var]


def pool_weights(found: Sequence[Weights]) -> dict[str, float]:
    """The mean over windows, without methods that get next to nothing."""
    names = list(dict.fromkeys(name for weights in found for name in weights))
    means = {name: sum(weights.get(name, 0.0) for weights in found) / len(found) for name in names}
    least = min(_LEAST, max(means.values()))
    worth = {name: weight for name, weight in means.items() if weight >= least}
    total = sum(worth.values())
    return {name: weight / total for name, weight in worth.items()}
