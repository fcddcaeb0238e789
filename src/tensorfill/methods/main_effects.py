"""Main effects: the mean, plus an effect of every index of every mode, each shrunk towards zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..estimates.additive import AdditiveEstimate
from ..estimates.estimate import ConstantEstimate
from ..iterating import follow, iterate
from ..method import Cost
from ..numerics.sampled_effects import SampledEffects, choose_shrinkage, fit_effects
from ..observed import ObservedTensor
from .baseline import CheckedMethod, OneStep, complete_zeros
from .setting_checks import is_list, is_number, require, wrong

Shrinkage = Annotated[
    float | Sequence[float],
    require(
        "be a number above 0, or one per mode",
        lambda value: all(is_number(part) and part > 0 for part in (value if is_list(value) else [value])),
    ),
]


@dataclass(frozen=True, eq=False)
class ShrunkEffects(AdditiveEstimate):
    """Main effects, and by how much they were shrunk."""

    shrinkage: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class _Fit:
    """The fit, nowhere below the floor; a value, so that a run can be kept."""

    observed: ObservedTensor
    shrinkage: tuple[float, ...] | None = None
    """None: from the data."""

    def __call__(self) -> ShrunkEffects:
        values = self.observed.values
        sampled = SampledEffects(self.observed.shape, self.observed.positions)
        shrinkage = choose_shrinkage(sampled, values) if self.shrinkage is None else self.shrinkage
        found = fit_effects(sampled, values, shrinkage)
        return ShrunkEffects(found.mean, found.effects, self.observed.floor, shrinkage=tuple(shrinkage))


def fit_main_effects(observed: ObservedTensor) -> AdditiveEstimate:
    """Main effects of the known entries, with strengths from the data, nowhere below the floor."""
    return _Fit(observed)()


@dataclass(frozen=True, kw_only=True)
class MainEffects(CheckedMethod):
    """What every index adds by itself, whatever the others are: how one user rates, how one item is rated.

    Parameters
    ----------
    shrinkage
        λ_k, one per mode or one for all: the number of known entries at which an index is trusted by half. Default: by
        the marginal likelihood of a model in which effects and noise are random.
    """

    name: ClassVar[str] = "main-effects"
    summary: ClassVar[str] = "The mean, plus an effect of every index of every mode, shrunk; for sparse tensors"
    reference: ClassVar[str] = "Searle, Casella & McCulloch, Variance Components, 1992"
    nonnegative: ClassVar[bool] = True
    needs_known_only: ClassVar[bool] = True
    place_if_sparse: ClassVar[int | None] = 1
    costs: ClassVar[tuple[Cost, Cost]] = 2 * (Cost.of_known(100, 1.5, seconds=0.05),)

    shrinkage: Shrinkage | None = None

    def fills_lost_slices(self, observed: ObservedTensor) -> bool:
        """By the main effects of the other modes."""
        return True

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """One number per mode, if they are given."""
        return {} if self.shrinkage is None else {"shrinkage": self._per_mode(observed.order)}

    def _per_mode(self, modes: int) -> tuple[float, ...]:
        from_one = not is_list(self.shrinkage)
        given = (self.shrinkage,) * modes if from_one else tuple(self.shrinkage)  # type: ignore[arg-type]
        if len(given) != modes:
            raise wrong(self.name, "shrinkage", f"have {modes} entries, one per mode", self.shrinkage)
        return tuple(float(value) for value in given)  # type: ignore[arg-type]

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings, reasons = self.used_on(observed), {}
        if not observed.values.any():
            return complete_zeros(observed, self.name, settings)
        start = ConstantEstimate(observed.shape, float(observed.values.mean()))
        found = iterate(follow(OneStep(start, _Fit(observed, settings["shrinkage"]))), 1, watch)
        fitted = found.estimate if isinstance(found.estimate, ShrunkEffects) else None
        if fitted is not None and settings["shrinkage"] is None:
            settings["shrinkage"] = fitted.shrinkage
            reasons["shrinkage"] = "By the marginal likelihood of the known entries."
        return Completion(
            observed=observed,
            method=self.name,
            estimate=found.estimate,
            nonnegative=self.nonnegative,
            stop=found.stop,
            seconds=found.seconds,
            history=found.history,
            settings=settings,
            smallest=start.value if fitted is None else fitted.smallest,
            reasons=reasons,
        )
