"""Patches: groups of similar patches, each with a Gaussian prior of its own, started from `spectral`.

f = μ + Σ_:O (Σ_OO + σ²I)⁻¹ (y_O − μ_O)      for every patch f of a group with known entries O

μ and Σ are learned from the group itself; what all groups say of an entry is averaged, and the groups are found anew in
what comes out. `patches/groups.py` has the whole of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..iterating import Clock, Outcome, follow, iterate
from ..method import Cost, HeldOutUnits, Method
from ..missingness import Missingness
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..patches.mending_solver import MendingSolver
from ..patches.planning import LARGEST_PATCH, Wishes, has_similar_patches, longest_side
from ..patches.settings import PatchSettings
from ..patches.shared import GroupLesson, pool_lessons
from ..patches.solver import GroupSolver, Improvement, PatchSolver, Task
from ..patches.start import Strokes
from ..selection.judge import HeldOutRun, own_deviations
from .baseline import scale_back, too_large_to_fill
from .patches_beginning import Beginning, begin_with_spectral, begin_with_strokes, group_deviations
from .powers import ChosenPower, check_power, check_power_fits, choose_power, share_power
from .setting_checks import are_modes, check_count, check_positive, wrong
from .shared_patches import SharedPatches
from .shared_spectral import pool_spectra
from .spectral import Spectral
from .study import Notes, Study, are_bright, study_windows

_ARRAYS = 16  # of single precision that are alive at a time, at most
_MOST_MEMBERS = 1000  # of which each is solved for
_MOST_NOISE = 1e100  # times the largest known value, whose square is a float


@dataclass(frozen=True, kw_only=True)
class Patches(Method):
    """Similar patches tell what is missing in each other. Everything is chosen by held-out entries.

    The cost in the history is the root mean square error at held-out entries, on data scaled to a largest value of 1.
    Where groups predict held-out entries no better than `spectral`, the result is that of `spectral`. If what is
    missing are a few narrow strokes, such as scratches or writing, a thin plate takes its place, and only what is
    around them is worked on.

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
        The standard deviation of noise, in the units of the data; in those of a middle column where the columns of a
        table are in different units; no power is taken then (default: chosen among three).
    max_iter
        Most rounds with the held-out entries left out.
    power
        Which power of the data is completed, above 0 and at most 1 (default: as `spectral` chooses; 1 for strokes, or
        if the noise is given).
    """

    name: ClassVar[str] = "patches"
    summary: ClassVar[str] = (
        "Groups of similar patches, each with its own Gaussian, from spectral; nonnegative everywhere"
    )
    reference: ClassVar[str] = (
        "Ours; after Yu, Sapiro, Mallat, IEEE Trans. Image Processing 2012, and Zhang, Zhao, Gao, same journal 2014"
    )
    nonnegative: ClassVar[bool] = True
    tells_uncertainty: ClassVar[bool] = True
    compared: ClassVar[bool] = False  # it is what `auto` starts from where it can be used
    tile_costs: ClassVar[tuple[Cost, Cost] | None] = (
        Cost(120, 40, microseconds_if_missing=-35, seconds=0.2),
        Cost(95, 1, 320, 80, seconds=0.2),
    )
    solver: ClassVar[PatchSettings] = PatchSettings()
    """What steers the rounds; an ablation is a subclass with another one."""
    interpolates: ClassVar[bool] = True
    settings_in_data_units: ClassVar[tuple[str, ...]] = ("noise",)
    costs: ClassVar[tuple[Cost, Cost]] = (
        Cost(150, 50, microseconds_if_missing=-40, seconds=0.4),  # what is known has to be solved for
        Cost(95, 0.4, 320, 65, seconds=0.4),
    )

    modes: Sequence[int] | None = None
    patch: int | None = None
    window: int | None = None
    members: int | None = None
    noise: float | None = None
    max_iter: int = 8
    power: float | None = None

    def __post_init__(self) -> None:
        if self.modes is not None and not (are_modes(self.modes) and 2 <= len(self.modes) <= 3):
            raise wrong(self.name, "modes", "hold two or three mode numbers, counted from 1", self.modes)
        if self.patch is not None:
            check_count(self.name, "patch", self.patch)
        if self.window is not None:
            check_count(self.name, "window", self.window)
        if self.members is not None:
            check_count(self.name, "members", self.members, least=2, most=_MOST_MEMBERS)
        if self.noise is not None:
            check_positive(self.name, "noise", self.noise)
        check_count(self.name, "max_iter", self.max_iter)
        check_power(self.name, self.power)
        if self.noise is not None and self.power not in (None, 1):
            raise wrong(self.name, "noise", "be left out if a power of the data is completed", self.noise)

    @staticmethod
    def has_groups(shape: tuple[int, ...]) -> bool:
        """Whether a tensor of this shape is large enough for patches to have others like them; else it is spectral."""
        return has_similar_patches(shape)

    @staticmethod
    def sees_strokes(pattern: Missingness) -> bool:
        """Whether holes are so few and narrow that work around them is enough."""
        return Patches.has_groups(pattern.mask.shape) and Strokes.of(pattern) is not None

    def held_out_units(self, observed: ObservedTensor) -> HeldOutUnits | None:
        """A share of the largest known value."""
        return "largest"

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return True

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for modes or patches that do not fit the tensor; refuses what does not fit into memory."""
        if self.modes is not None and max(self.modes) > observed.order:
            raise wrong(self.name, "modes", f"hold mode numbers from 1 to {observed.order}", self.modes)
        if self.patch is not None and self.patch > (longest := longest_side(observed.shape, self._modes)):
            requirement = f"be {longest} at most here: no longer than its modes, and of {LARGEST_PATCH:,} entries"
            raise wrong(self.name, "patch", requirement, self.patch)
        check_power_fits(self.name, self.power, observed)
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
    ) -> tuple[Completion, HeldOutRun | None]:
        """Complete the tensor, and tell what was predicted where entries were held out, if it came to that."""
        clock = Clock()
        strokes = None
        if observed.known.any() and self.has_groups(observed.shape):
            strokes = Strokes.of(observed.missingness, self.solver.strokes)
        chosen = ChosenPower(1.0 if self.power is None else float(self.power))
        if self.power is None and self.noise is None and strokes is None:
            chosen = choose_power(observed, Spectral(power=1).run, rng)
        as_it_is = partial(self._run, strokes=strokes, clock=clock)
        done, held_out = chosen.run(as_it_is, observed, rng=rng, watch=watch)
        if chosen.power != 1:  # the noise that was found is that of the power
            done = replace(done, settings={**done.settings, "noise": None})
        return done, held_out

    def _run(
        self,
        observed: ObservedTensor,
        *,
        rng: np.random.Generator,
        watch: Watch | None,
        strokes: Strokes | None,
        clock: Clock,
    ) -> tuple[Completion, HeldOutRun | None]:
        """The data as it is."""
        scale = float(observed.known.max())
        begun = None if strokes is None else begin_with_strokes(observed, strokes, rng, watch, clock)
        if begun is None:
            begun = begin_with_spectral(observed, rng, watch, clock, scale)
        return self._improve(begun, observed, scale, watch)[:2]

    def _improve(
        self, begun: Beginning, observed: ObservedTensor, scale: float, watch: Watch | None
    ) -> tuple[Completion, HeldOutRun | None, PatchSolver | None]:
        """What patches make of a beginning; also their solver, if it came to that."""
        first, held_out = replace(begun.done, method=self.name, settings=self._settings()), begun.held_out
        if begun.start is None or held_out is None:
            return first, held_out, None
        with quiet_blas():
            task = Task(
                start=begun.start,
                wishes=self._wishes(scale),
                rounds=self.max_iter,
                seed=begun.seed,
                choosing=self.max_iter > 1,
                settings=self.solver,
            )
            solver = MendingSolver(task) if MendingSolver.suits(task) else GroupSolver(task)
            before = Outcome(first.estimate, first.history, first.stop, first.seconds)
            states = islice(follow(solver), 1, None)  # it starts where `before` has ended
            found = iterate(scale_back(states, scale), 10**9, watch, after=before)
            groups = solver.improvement()
        stopped = found.stop.kind not in ("done", "stalled")
        reasons = {**first.reasons, **_reasons(groups, scale, begun.name, stopped)}
        if groups.use is None and not stopped:
            done = replace(first, seconds=found.seconds, history=found.history, reasons=reasons)
            return done, held_out, solver
        errors = scale * (groups.predictions.astype(np.float64) - begun.start.values[begun.start.held])
        by_kinds = begun.start.judge.structured or begun.start.judge.mixed  # of holes, which spectral tells apart
        sure = held_out.deviations
        if groups.uncertainty is not None and (begun.start.strokes or not by_kinds):
            sure = partial(group_deviations, groups.uncertainty, scale)
        assert sure is not None
        done = replace(
            first,
            estimate=found.estimate,
            stop=found.stop,
            seconds=found.seconds,
            history=found.history,
            certificate=None,
            smallest=float(found.estimate.dense().min()),  # what would be smaller is raised in every round
            settings={**first.settings, **_settings_used(groups, scale)},
            reasons=reasons,
            deviations=partial(own_deviations, sure, found.estimate, errors),
        )
        predictions = np.maximum(scale * groups.predictions.astype(np.float64), observed.floor)
        return done, replace(held_out, predictions=predictions, deviations=sure), solver

    def learn(self, samples: Sequence[ObservedTensor], *, rng: np.random.Generator, work: int = 0) -> Method:
        """What `spectral` shares, and which groups there are, in how many rounds, are those of the windows.

        Where only strokes are missing, tiles choose for themselves what is around them.
        """
        return self.pool(self.study(samples, rng))

    def study(self, samples: Sequence[ObservedTensor], rng: np.random.Generator) -> list[Study]:
        """What it makes of windows; none if it learns nothing there that tiles could share."""
        samples = [sample for sample in are_bright(samples) if not self.sees_strokes(sample.missingness)]
        if not samples:
            return []
        power = ChosenPower(1.0 if self.power is None else float(self.power))
        if self.power is None and self.noise is None:
            power = share_power([choose_power(sample, Spectral(power=1).run, rng) for sample in samples])
        return study_windows(samples, power, self._look, rng)

    def _look(self, observed: ObservedTensor, rng: np.random.Generator, unit: float) -> Notes:
        """A study of one window."""
        begun = begin_with_spectral(observed, rng, None, Clock(), unit)
        done, held_out, solver = self._improve(begun, observed, unit, None)
        groups = None
        if isinstance(solver, GroupSolver):
            groups = GroupLesson.of(solver, (done.estimate.dense() / unit).astype(np.float32))
        return Notes(done, held_out, begun.run, groups)

    def pool(self, studies: Sequence[Study]) -> Method:
        """The method for tiles, after a study."""
        spectral = pool_spectra(Spectral(), studies)
        if spectral is None:
            return self
        lessons = [study.groups for study in studies if study.groups is not None]
        return SharedPatches(asked=self, spectral=spectral, groups=pool_lessons(lessons), settings=self.solver)

    @property
    def _modes(self) -> tuple[int, ...] | None:
        """Counted from 0."""
        return None if self.modes is None else tuple(sorted(int(mode) - 1 for mode in self.modes))

    def _wishes(self, scale: float) -> Wishes:
        return Wishes(
            modes=self._modes,
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
            "power": self.power,
        }


def _settings_used(groups: Improvement, scale: float) -> dict[str, Any]:
    """Settings as they were chosen; but for sides that differ, and windows that do from mode to mode: no settings."""
    if groups.use is None:
        return {}
    model, modes = groups.use.model, groups.use.layout.searched
    along = [0, 1, 2] if len(modes) > 2 else [0, 2]
    alike = {
        "patch": {model.patch[mode] for mode in along} if groups.use.one_size else set(),
        "window": {model.window[mode] for mode in along},
    }
    return {
        "modes": tuple(mode + 1 for mode in modes),
        **{setting: found.pop() for setting, found in alike.items() if len(found) == 1},
        "members": model.members,
        "noise": scale * model.noise**0.5,
    }


def _reasons(groups: Improvement, scale: float, start: str, stopped: bool) -> dict[str, str]:
    told = f"error at held-out entries {scale * groups.error:.3g}, that of {start} {scale * groups.first_error:.3g}"
    if groups.use is None:
        return {"patches": f"Stopped before the last round: {told}." if stopped else f"No use: {told}."}
    model, searched = groups.use.model, [mode + 1 for mode in groups.use.layout.searched]
    size = "×".join(str(side) for side in model.patch if side > 1)
    where = f"where {groups.use.active_share:.0%} of all places are worth it"
    return {
        "patches": f"{size} along modes {', '.join(map(str, searched))}, {where}: {told}.",
        "groups": f"{model.members} patches each, of those within {max(model.window)} to either side; "
        f"σ = {scale * model.noise**0.5:.3g}.",
    }
