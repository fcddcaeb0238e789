"""Patches: groups of similar patches, each with a Gaussian prior of its own, started from `spectral`.

f = μ + Σ_:O (Σ_OO + σ²I)⁻¹ (y_O − μ_O)      for every patch f of a group with known entries O

μ and Σ are learned from the group itself; what all groups say of an entry is averaged, and the groups are found anew in
what comes out. `patches/groups.py` has the whole of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..completion import Completion, Estimate, Watch
from ..cost import Cost
from ..iterating import Outcome, iterate
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..patches.planning import Wishes
from ..patches.run import PatchesRun, Start
from ..selection.held_out_run import HeldOutRun
from ..selection.pattern import HolePattern
from ..spectral.run import SpectralRun
from ..tensor import Array
from .baseline import too_large_to_fill
from .setting_checks import are_modes, check_count, check_positive, wrong
from .spectral import Spectral
from .spectral_units import deviations_of_others, held_out_run, scaled_back

_ARRAYS = 16  # of single precision that are alive at a time, at most
_MOST_NOISE = 1e100  # times the largest known value, whose square is a float


@dataclass(frozen=True, kw_only=True)
class Patches:
    """Similar patches tell what is missing in each other. Everything is chosen by held-out entries.

    The cost in the history is the root mean square error at held-out entries, on data scaled to a largest value of 1.
    Where groups predict held-out entries no better than `spectral`, the result is that of `spectral`.

    Parameters
    ----------
    modes
        Along which patches extend and are looked for, two or three, counted from 1; all others, such as colours, belong
        to every place (default: chosen among the two with least in common between distant entries, and these with one
        more).
    patch
        The side of a patch (default: 2 to 6, so that it holds some known entries and is quick to solve for).
    window
        How far similar patches are looked for, to either side (default: chosen among two).
    members
        How many patches of a group are solved for (default: chosen among two).
    noise
        The standard deviation of noise, in the units of the data (default: chosen among three).
    max_iter
        Most rounds with the held-out entries left out.
    """

    name: ClassVar[str] = "patches"
    summary: ClassVar[str] = (
        "Groups of similar patches, each with its own Gaussian, from spectral; nonnegative everywhere"
    )
    reference: ClassVar[str] = (
        "Ours; after Yu, Sapiro, Mallat, IEEE Trans. Image Processing 2012, and Zhang, Zhao, Gao, same journal 2014"
    )
    nonnegative: ClassVar[bool] = True
    interpolates: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(150, 14, seconds=0.4), Cost(150, 8, 100, 60, seconds=0.4)

    modes: Sequence[int] | None = None
    patch: int | None = None
    window: int | None = None
    members: int | None = None
    noise: float | None = None
    max_iter: int = 8

    def __post_init__(self) -> None:
        if self.modes is not None and not (are_modes(self.modes) and 2 <= len(self.modes) <= 3):
            raise wrong(self.name, "modes", "hold two or three mode numbers, counted from 1", self.modes)
        for setting in ("patch", "window", "members"):
            if getattr(self, setting) is not None:
                check_count(self.name, setting, getattr(self, setting))
        if self.noise is not None:
            check_positive(self.name, "noise", self.noise)
        check_count(self.name, "max_iter", self.max_iter)

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return True

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for modes or patches that do not fit the tensor; refuses what does not fit into memory."""
        if self.modes is not None:
            if max(self.modes) > observed.order:
                raise wrong(self.name, "modes", f"hold mode numbers from 1 to {observed.order}", self.modes)
            sizes = [observed.shape[mode - 1] for mode in self.modes]
            if self.patch is not None and self.patch > min(sizes):
                raise wrong(self.name, "patch", f"be no longer than its shortest mode, {min(sizes)}", self.patch)
        return Spectral().refuses(observed) or too_large_to_fill(self.name, observed, _ARRAYS // 2)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        return self.run(observed, rng=rng, watch=watch)[0]

    def run(
        self,
        observed: ObservedTensor,
        *,
        rng: np.random.Generator,
        watch: Watch | None = None,
        pattern: HolePattern | None = None,
    ) -> tuple[Completion, HeldOutRun | None]:
        """Complete the tensor, and tell what was predicted where entries were held out, if it came to that."""
        first, work = Spectral().followed(observed, rng=rng, watch=watch, pattern=pattern)
        scale = float(observed.known.max())
        spectral = replace(first, method=self.name, settings=self._settings())
        held_out = None if work is None else held_out_run(work, scale, observed.floor)
        if work is None or held_out is None or first.stop.kind != "done":
            return spectral, held_out
        with quiet_blas():
            groups = PatchesRun(_start(work, first, scale), self._wishes(scale), self.max_iter, work.seed)
            before = Outcome(first.estimate, first.history, first.stop, first.seconds)
            found = iterate(scaled_back(groups.states(), scale), 10**9, watch, after=before)
        stopped = found.stop.kind not in ("done", "stalled")
        reasons = {**first.reasons, **_reasons(groups, scale, stopped)}
        if not groups.useful and not stopped:
            done = replace(spectral, stop=first.stop, seconds=found.seconds, history=found.history, reasons=reasons)
            return done, held_out
        errors = scale * (groups.predictions.astype(np.float64) - groups.start.values[groups.start.held])
        sure = partial(deviations_of_others, work, scale)
        done = replace(
            spectral,
            estimate=found.estimate,
            stop=found.stop,
            seconds=found.seconds,
            history=found.history,
            certificate=None,
            smallest=float(found.estimate.dense().min()),
            settings={**spectral.settings, **_used(groups, scale)},
            reasons=reasons,
            deviations=partial(_deviations, sure, found.estimate, errors),
        )
        predictions = np.maximum(scale * groups.predictions.astype(np.float64), observed.floor)
        return done, replace(held_out, predictions=predictions, deviations=sure)

    def _wishes(self, scale: float) -> Wishes:
        return Wishes(
            modes=None if self.modes is None else tuple(sorted(int(mode) - 1 for mode in self.modes)),
            side=self.patch,
            reach=self.window,
            members=self.members,
            noise=None if self.noise is None else min(float(self.noise) / scale, _MOST_NOISE) ** 2,
        )

    def _settings(self) -> dict[str, Any]:
        return {
            "modes": None if self.modes is None else tuple(map(int, self.modes)),
            "patch": self.patch,
            "window": self.window,
            "members": self.members,
            "noise": self.noise,
            "max_iter": self.max_iter,
        }


def _start(work: SpectralRun, first: Completion, scale: float) -> Start:
    """What groups start from: what `spectral` has found, without the held-out entries and with them."""
    assert work.seen is not None
    assert work.held is not None
    prior, coefficients = work.seen
    before = prior.transform.to_entries(coefficients.astype(work.data.values.dtype)) + work.mean
    values = work.data.filled(work.data.values + work.data.values.dtype.type(work.mean))
    return Start(
        mask=work.data.mask,
        values=values.astype(np.float32),
        held=work.held,
        judge=work.judge,
        before=before.astype(np.float32),
        after=(first.estimate.dense() / scale).astype(np.float32),
        noise=prior.noise,
        places=work.plan.places,
        floor=work.plan.floor,
    )


def _used(groups: PatchesRun, scale: float) -> dict[str, Any]:
    """Settings as they were chosen; but for sides or windows that differ from mode to mode, which are no setting."""
    if groups.model is None or groups.layout is None:
        return {}
    model, modes = groups.model, groups.layout.searched
    along = [0, 1, 2] if len(modes) > 2 else [0, 2]
    alike = {"patch": {model.patch[mode] for mode in along}, "window": {model.window[mode] for mode in along}}
    return {
        "modes": tuple(mode + 1 for mode in modes),
        **{setting: found.pop() for setting, found in alike.items() if len(found) == 1},
        "members": model.members,
        "noise": scale * model.noise**0.5,
    }


def _reasons(groups: PatchesRun, scale: float, stopped: bool) -> dict[str, str]:
    told = f"error at held-out entries {scale * groups.error:.3g}, that of spectral {scale * groups.first_error:.3g}"
    if not groups.useful or groups.model is None or groups.layout is None:
        return {"patches": f"Stopped before the last round: {told}." if stopped else f"No use: {told}."}
    model, searched = groups.model, [mode + 1 for mode in groups.layout.searched]
    size = "×".join(str(side) for side in model.patch if side > 1)
    return {
        "patches": f"{size} along modes {', '.join(map(str, searched))}, where {groups.active_share:.0%} of all places "
        f"are worth it: {told}.",
        "groups": f"{model.members} patches each, of those within {max(model.window)} to either side; "
        f"σ = {scale * model.noise**0.5:.3g}.",
    }


# A function of the module, so that a completion can be pickled.
def _deviations(sure: Callable[..., Array], estimate: Estimate, errors: Array) -> Array:
    return sure(estimate.dense(), errors=errors, more=0.0)
