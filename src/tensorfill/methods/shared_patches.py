"""`patches` for the tiles of a large tensor: what it learns is learned once, on a few windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..estimates.estimate import Estimate
from ..iterating import Clock, Outcome, follow, iterate
from ..method import Method
from ..missingness import Missingness
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..patches.planning import has_similar_patches
from ..patches.settings import PatchSettings
from ..patches.shared import SharedGroups, SharedGroupSolver
from ..patches.start import Start, Strokes
from ..patches.uncertainty import GroupUncertainty
from ..tensor import Array
from .baseline import scale_back
from .patches_beginning import begin_with_shared
from .powers import complete_power
from .shared_spectral import SharedSpectral


@dataclass(frozen=True, kw_only=True)
class SharedPatches(Method):
    """A tile starts from what `spectral` shares, and is improved by groups that windows have chosen."""

    name: ClassVar[str] = "patches"
    summary: ClassVar[str] = "patches, with what it learns from windows"
    reference: ClassVar[str] = "Ours"
    nonnegative: ClassVar[bool] = True
    tells_uncertainty: ClassVar[bool] = True
    interpolates: ClassVar[bool] = True
    settings_in_data_units: ClassVar[tuple[str, ...]] = ("unit",)

    asked: Method
    spectral: SharedSpectral
    groups: SharedGroups | None
    """None if they are of no use."""
    settings: PatchSettings
    unit: float = 1.0
    """One of the data, in units of the tile's data."""

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return True

    def refuses(self, observed: ObservedTensor) -> str | None:
        """See `Patches`."""
        return self.asked.refuses(observed)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tile; one with strokes alone by itself."""
        if self._sees_strokes(observed.missingness):
            return self.asked.complete(observed, rng=rng, watch=watch)
        clock, spectral = Clock(), replace(self.spectral, scale=self.unit * self.spectral.scale)

        def complete_as_it_is(data: ObservedTensor, look: Watch | None) -> Completion:
            return self._complete(data, spectral, rng, look, clock)

        done = complete_power(complete_as_it_is, observed, spectral.power, spectral.variance_in_units, watch)
        return replace(done, reasons={**done.reasons, **spectral.reasons})

    @staticmethod
    def _sees_strokes(pattern: Missingness) -> bool:
        return has_similar_patches(pattern.mask.shape) and Strokes.of(pattern) is not None

    def _complete(
        self,
        observed: ObservedTensor,
        spectral: SharedSpectral,
        rng: np.random.Generator,
        watch: Watch | None,
        clock: Clock,
    ) -> Completion:
        """The data as it is."""
        begun, groups, scale = begin_with_shared(observed, spectral, rng, watch, clock), self.groups, spectral.unit
        first = replace(begun.done, method=self.name)
        if begun.start is None or groups is None:
            return first
        with quiet_blas():
            solver = SharedGroupSolver(begun.start, groups, self.settings, begun.seed)
            before = Outcome(first.estimate, first.history, first.stop, first.seconds)
            found = iterate(scale_back(islice(follow(solver), 1, None), scale), 10**9, watch, after=before)
        ratio = groups.error / groups.first_error if groups.first_error > 0 else 1.0
        sure = solver.uncertainty()
        deviations = first.deviations
        if sure is not None and self._is_scattered(begun.start, observed):
            deviations = partial(_group_deviations, groups, sure, found.estimate, scale)
        elif deviations is not None:
            deviations = partial(_times, deviations, ratio)
        return replace(
            first,
            estimate=found.estimate,
            stop=found.stop,
            seconds=found.seconds,
            history=found.history,
            certificate=None,
            smallest=float(found.estimate.dense().min()),
            reasons={**first.reasons, **_give_reasons(groups, scale)},
            deviations=deviations,
        )

    @staticmethod
    def _is_scattered(start: Start, observed: ObservedTensor) -> bool:
        return not (start.judge.structured or start.judge.mixed or observed.missingness.any_lost)


def _group_deviations(groups: SharedGroups, tile: GroupUncertainty, estimate: Estimate, scale: float) -> Array:
    """In the units of the data. A function of the module, so that a completion can be pickled."""
    entries = (estimate.dense() / scale).astype(np.float32)
    return scale * groups.uncertainty(tile, entries).astype(np.float64)


def _times(deviations: Callable[[], Array], ratio: float) -> Array:
    """As much smaller as errors in windows became."""
    return ratio * deviations()


def _give_reasons(groups: SharedGroups, scale: float) -> dict[str, str]:
    size = "×".join(str(side) for side in groups.model.patch if side > 1)
    modes = ", ".join(str(mode + 1) for mode in groups.searched)
    return {
        "patches": f"{size} along modes {modes}, in {groups.rounds} rounds and more: error at held-out entries of "
        f"windows {scale * groups.error:.3g}, that of spectral {scale * groups.first_error:.3g}.",
        "groups": f"{groups.model.members} patches each, of those within {max(groups.model.window)} to either side; "
        f"σ = {scale * groups.model.noise**0.5:.3g}.",
    }
