"""Auto: no settings; methods are compared by how well they predict held-out entries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..method import Effort, HeldOutUnits, Method, Question
from ..observed import ObservedTensor
from ..selection.choice import Candidates, Choice, Refused
from ..selection.interactions import is_table_of_interactions
from ..selection.judge import HeldOutRun
from ..tensor import entries
from .dual import NonnegDual
from .interpolation import Linear
from .patches import Patches
from .registry import available_methods, is_complete, make, setting_names
from .setting_checks import check_choice, wrong
from .shared_auto import SharedAuto, pool_weights
from .spectral import Spectral
from .study import Study, are_bright, raise_if_stopped

_CHOOSING = frozenset(("rank", "C", "lam", "gap_tolerance", "optimizer", "inner", "nonnegative_on"))
"""Settings that mean nonneg-dual where no method is named: its rank, and what none but its kin have."""

_PATIENCE = 1200.0  # seconds that one method may take on all tiles of a large tensor, at normal effort


@dataclass(frozen=True, kw_only=True)
class Auto(Method):
    """Chooses for itself, from the known entries alone.

    The cost in the history is the root mean square error at held-out entries of what would be returned.

    Parameters
    ----------
    effort
        "low": spectral alone. "normal": patches, which starts from spectral; what is not clearly worse on a part of the
        data is compared on all of it: t-ctv, linear if missingness is structured, and more on small tensors. Tables of
        interactions, such as ratings: bayes-factors, compared with main-effects on held-out entries. "high":
        every method there is, four times over if missingness is structured or little is known.
    weights
        Methods by name and their weights, as an earlier run told them in its settings; nothing is compared then.
    lost_weights
        The same for slices of which nothing is known, if they are to be filled by others than the rest.
    last_along
        Of tables of interactions: a mode of time, counted from 1. Methods are compared on the last known entries along
        it, instead of any.
    """

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "The method that predicts held-out entries best, or a blend; no settings needed"
    reference: ClassVar[str] = "Ours"
    nonnegative: ClassVar[bool] = True
    tells_uncertainty: ClassVar[bool] = True
    compared: ClassVar[bool] = False  # it is the one that compares

    effort: Effort = "normal"
    weights: Mapping[str, float] | None = None
    lost_weights: Mapping[str, float] | None = None
    last_along: int | None = None

    def __post_init__(self) -> None:
        check_choice(self.name, "effort", self.effort, ("low", "normal", "high"))
        if self.last_along is not None and (type(self.last_along) is not int or self.last_along < 1):
            raise wrong(self.name, "last_along", "be a mode number, counted from 1", self.last_along)
        if self.weights is not None:
            self._check_weights("weights", self.weights)
        if self.lost_weights is not None:
            self._check_weights("lost_weights", self.lost_weights)
            if self.weights is None:
                raise wrong(self.name, "lost_weights", "come with 'weights'", self.lost_weights)

    def _check_weights(self, setting: str, weights: object) -> None:
        requirement = "map names of methods to weights that add up to 1"
        if not isinstance(weights, Mapping) or not weights:
            raise wrong(self.name, setting, requirement, weights)
        named = all(name in available_methods() and name != self.name for name in weights)
        numbers = all(isinstance(weight, Real) and float(weight) > 0 for weight in weights.values())
        if not named or not numbers or abs(sum(weights.values()) - 1) > 1e-6:
            raise wrong(self.name, setting, requirement, weights)

    def held_out_units(self, observed: ObservedTensor) -> HeldOutUnits | None:
        """Those of the data, where anything can be held out."""
        return "data" if Spectral().refuses(observed) is None else None

    def refuses(self, observed: ObservedTensor) -> str | None:
        """A mode of time that is not there, or would not be looked at."""
        if self.last_along is None or (self.last_along <= observed.order and is_sparse(observed)):
            return None
        if self.last_along > observed.order:
            return f"The 'last_along' of auto is mode {self.last_along}, and there are {observed.order} modes."
        return "The 'last_along' of auto is for tables of interactions, and this tensor is none; leave it out."

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return not is_sparse(observed)

    def fills_lost_slices(self, observed: ObservedTensor) -> bool:
        """From those beside them, or by main effects of the other modes."""
        return True

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        try:
            done = self._choose(Choice(observed, rng, watch), observed)
        except Refused as refused:
            requirement = f"name methods that can complete this tensor ({refused.refusal})"
            raise wrong(self.name, "weights", requirement, refused.weights) from None
        asked = {"effort": self.effort, "last_along": self.last_along}
        return replace(done, method=self.name, settings={**asked, **done.settings})

    def learn(self, samples: Sequence[ObservedTensor], *, rng: np.random.Generator, work: int = 0) -> Method:
        """Methods, weights and what methods learn are those of the windows.

        Groups of patches are not tried at normal effort where all tiles together would take them too long.
        """
        samples = are_bright(samples)
        if not samples or Spectral().refuses(samples[0]) is not None:
            return self
        if self.weights is not None:
            methods = self._learn_all(self._make_named(samples[0]), samples, rng, work)
            return SharedAuto(
                methods=methods, weights=self.weights, lost_weights=self.lost_weights, fallback=Spectral()
            )
        question = self._question_of_all(samples, work)
        first, others, told = self._choose_from(question, samples, work)
        studies = first.study(samples, rng)
        learned: dict[str, Method] = {first.name: first.pool(studies)} if studies else {first.name: first}
        if not others:
            return SharedAuto(methods=learned, weights={first.name: 1.0}, fallback=Spectral(), told=told)
        named = {first.name: first, Linear.name: Linear()}
        choices = [
            self._compare_in(window, Candidates(first, others, named, found), question, rng)
            for window, found in self._windows(samples, studies)
        ]
        lost = [done.settings["lost_weights"] for done in choices if done.settings["lost_weights"] is not None]
        weights = pool_weights([done.settings["weights"] for done in choices])
        lost_weights = pool_weights(lost) if lost else None
        wanted = {*weights, *(lost_weights or {})} - {first.name}
        learned |= self._learn_all({n: m for n, m in {**named, **others}.items() if n in wanted}, samples, rng, work)
        return SharedAuto(
            methods=learned,
            weights=weights,
            lost_weights=lost_weights,
            fallback=Spectral(),
            reason=f"As chosen on {len(choices)} windows. {choices[0].reasons.get('weights', '')}".strip(),
            told=told,
        )

    @staticmethod
    def _learn_all(
        methods: Mapping[str, Method], samples: Sequence[ObservedTensor], rng: np.random.Generator, work: int
    ) -> dict[str, Method]:
        return {name: method.learn(samples, rng=rng, work=work) for name, method in methods.items()}

    def _question_of_all(self, samples: Sequence[ObservedTensor], work: int) -> Question:
        """That of a tensor as large as all tiles together, with windows like these."""
        asked = [self._question(sample) for sample in samples]
        first, *rest = samples[0].shape
        return Question(
            self.effort,
            (max(first, work // entries(rest)), *rest),
            structured=any(question.structured for question in asked),
            strokes=all(question.strokes for question in asked),
        )

    def _choose_from(
        self, question: Question, samples: Sequence[ObservedTensor], work: int
    ) -> tuple[Patches | Spectral, dict[str, Method], dict[str, str]]:
        """The leader, others that are quick enough, and what there is to say about it."""
        missing = 1 - float(np.mean([sample.share for sample in samples]))
        first, told = leader_in_tiles(question, missing)
        others = candidates(question)
        if question.effort != "high":
            others = {
                name: method
                for name, method in others.items()
                if any(map(method.worth_trying, samples))
                and seconds_in_tiles(method, question, missing, sample=samples[0].shape) <= _PATIENCE
            }
        return first, others, told

    @staticmethod
    def _windows(
        samples: Sequence[ObservedTensor], studies: Sequence[Study]
    ) -> list[tuple[ObservedTensor, tuple[Completion, HeldOutRun | None] | None]]:
        """With what the leader has made of them, if it has studied them."""
        if studies:
            return [(study.observed, (study.done, study.held_out)) for study in studies]
        return [(sample, None) for sample in samples]

    @staticmethod
    def _compare_in(
        window: ObservedTensor, candidates: Candidates, question: Question, rng: np.random.Generator
    ) -> Completion:
        own = np.random.default_rng(int(rng.integers(2**31)))
        done = Choice(window, own, None).compared(candidates, replace(question, shape=window.shape))
        raise_if_stopped(done)
        return done

    def _choose(self, choice: Choice, observed: ObservedTensor) -> Completion:
        if self.weights is not None:
            return choice.blended(self._make_named(observed), self.weights, self.lost_weights)
        if is_sparse(observed):
            methods = candidates(Question(self.effort, observed.shape, sparse=True))
            return choice.compared_by_entry(methods, None if self.last_along is None else self.last_along - 1)
        question = self._question(observed)
        first, others = leader(question), candidates(question)
        if first.refuses(observed) is not None:
            first = Spectral()
        if self.effort != "high":
            others = {name: method for name, method in others.items() if method.worth_trying(observed)}
        # Of a slice when only one other is known nobody can tell whether it is like that one or like the mean. These
        # two say different things about it.
        unjudged: dict[str, Method] = {first.name: first, Linear.name: Linear()}
        return choice.compared(Candidates(first, others, unjudged), question)

    def _question(self, observed: ObservedTensor) -> Question:
        pattern = observed.missingness
        structured = pattern.structured or pattern.any_lost or pattern.any_deep
        return Question(self.effort, observed.shape, structured, Patches.sees_strokes(pattern))

    def _make_named(self, observed: ObservedTensor) -> dict[str, Method]:
        """The methods that weights name, with the settings that they had when an earlier run found the weights."""
        named = {name: make(name, {}) for name in [*(self.weights or {}), *(self.lost_weights or {})]}
        if self.effort == "low" and Patches.name in named and Spectral().refuses(observed) is None:
            first = leader(self._question(observed))  # which is quicker at low effort
            named |= {first.name: first} if first.name in named else {}
        return named


def is_sparse(observed: ObservedTensor) -> bool:
    """Whether nothing of the size of the tensor is to be built: it is too large, or there is no use in it."""
    return Spectral().refuses(observed) is not None or is_table_of_interactions(observed)


def method_for(name: str, settings: Collection[str]) -> str:
    """The method called `name`; for auto with settings that mean nonneg-dual, and none that it does not have, that one.

    Others choose nothing: many methods have a `max_iter`, and which of them is meant is not to be guessed.
    """
    chosen = name == Auto.name and not _CHOOSING.isdisjoint(settings)
    return NonnegDual.name if chosen and set(settings) <= set(setting_names(NonnegDual)) else name


def describe_choice(name: str, taken: str, settings: Collection[str]) -> tuple[str, ...]:
    """A note that says so where settings have chosen another method than the one called `name`."""
    if taken == name:
        return ()
    chosen = [f"'{setting}'" for setting in settings if setting in _CHOOSING]
    are = f"{' and '.join(chosen)} {'is a setting' if len(chosen) == 1 else 'are settings'}"
    return (f"{are} of {taken}, which was taken instead of {name}; name the method to choose another.",)


# Which methods are run


def leader(question: Question) -> Patches | Spectral:
    """The method that runs first: groups of similar patches, where there can be any and they are worth the effort.

    They start from spectral, except for a few narrow holes, which are done quickly.
    """
    if not Patches.has_groups(question.shape) or (question.effort == "low" and not question.strokes):
        return Spectral()
    return Patches(max_iter=1) if question.effort == "low" else Patches()


def seconds_in_tiles(
    method: Method, question: Question, missing: float, *, sample: tuple[int, ...] | None = None
) -> float:
    """About how long a method takes on all tiles of a tensor; `sample` has the shape of one."""
    cost = (method.tile_costs or method.costs)[question.structured]
    shape = sample or question.shape
    return cost.seconds_for(shape, missing) * question.size / entries(shape)


def leader_in_tiles(question: Question, missing: float) -> tuple[Patches | Spectral, dict[str, str]]:
    """The leader on a tensor in tiles, and what there is to say about it: there is a limit to what groups are worth."""
    first = leader(question)
    if not isinstance(first, Patches) or question.strokes or question.effort == "high":
        return first, {}
    seconds = seconds_in_tiles(first, question, missing)
    if seconds <= _PATIENCE:
        return first, {}
    told = (
        f"Not tried: groups of patches would take about {seconds / 60:.0f} minutes; method='patches' takes that time."
    )
    return Spectral(), {"patches": told}


def candidates(question: Question) -> dict[str, Method]:
    """The methods that are compared with the leader, in the order in which they are tried."""
    places: dict[str, int] = {}
    made: dict[str, Method] = {}
    for name, kind in available_methods().items():
        if not is_complete(kind) or (question.sparse and not kind.needs_known_only):
            continue
        if kind.candidate is Method.candidate:
            place = kind.usual_place(question)
        else:
            made[name] = _make_for(question, name)
            place = made[name].candidate(question)
        if place is not None:
            places[name] = place
    # Stable: those in the same place come in the order of the registry.
    return {name: made.get(name) or _make_for(question, name) for name in sorted(places, key=lambda name: places[name])}


def _make_for(question: Question, name: str) -> Method:
    """A method at its defaults, or with its settings for tables of interactions."""
    return available_methods()[name].for_sparse() if question.sparse else make(name, {})


def methods_tried(question: Question) -> tuple[str, ...]:
    """The names of all methods that are run, the leader first."""
    others = tuple(candidates(question))
    return others if question.sparse else (leader(question).name, *others)
