"""The choice that `auto` makes: spectral first, others on what is left when some entries are held out, then a blend.

Spectral is fitted once, as it would be alone: the others are compared on the entries that it holds out for its own
choices, and takes back at the end. All methods have the random numbers that they have when run by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Estimate, History, Iteration, Snapshot, StopKind, StopReason, Watch
from ..estimates.blend import BlendedEstimate
from ..iterating import Clock
from ..observed import ObservedTensor
from ..spectral.held_out import hold_out, hole_numbers, typical_error
from ..spectral.holes import has_holes
from ..tensor import Array
from .blending import blend_weights
from .method import Method
from .setting_checks import wrong
from .spectral import Spectral

Effort = Literal["low", "normal", "high"]

_NORMAL = ("t-ctv",)
_NORMAL_WITH_HOLES = ("linear",)
_NORMAL_IF_SMALL = ("spc", "tnn", "ncpc")
_NORMAL_WITH_HOLES_IF_SMALL = ("lrtc-tnn",)
_WIDE = 5  # columns for every row of an unfolding: with fewer, low rank says little, and is slow to find
_SMALL, _LARGE = 2**18, 2**22  # entries
_NOT_WORTH_TRYING = ("auto", "spectral", "zero-fill", "mean-fill", "dual", "dual-demo")
_FALLBACK = "nonneg-dual"
_HOLDINGS = 4  # how often entries are held out at high effort
_HOPELESS = 2.0  # times the smallest error the first time: not tried again
_ENOUGH_HELD = 20_000  # so many scattered entries judge well enough at once; of holes there are never that many


def methods_tried(effort: str, size: int, *, shaped_holes: bool = False) -> tuple[str, ...]:
    """The methods compared on a tensor of this many entries, spectral first."""
    from .registry import available_methods  # which has the class that uses this

    if effort == "low":
        return ("spectral",)
    if effort == "high":
        return ("spectral", *(name for name in available_methods() if name not in _NOT_WORTH_TRYING))
    for_holes = _NORMAL_WITH_HOLES if shaped_holes else ()
    if size > _LARGE:
        return ("spectral", *for_holes)
    if size > _SMALL:
        return ("spectral", *_NORMAL, *for_holes)
    return ("spectral", *_NORMAL, *for_holes, *_NORMAL_IF_SMALL, *(_NORMAL_WITH_HOLES_IF_SMALL if shaped_holes else ()))


def _with_hope(methods: Mapping[str, Method], errors: Mapping[str, float]) -> dict[str, Method]:
    """Those that further entries could show to be the best, or of use to it."""
    best = min(error for error in errors.values() if np.isfinite(error))
    return {name: method for name, method in methods.items() if errors.get(name, np.inf) <= _HOPELESS * best}


class _Stopped(Exception):
    """The watcher or Ctrl-C ended it."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


class Choice:
    """One run of `auto`."""

    def __init__(
        self,
        effort: Effort,
        weights: Mapping[str, float] | None,
        observed: ObservedTensor,
        rng: np.random.Generator,
        watch: Watch | None,
    ) -> None:
        self._effort: Effort = effort
        self._weights = weights
        self._observed = observed
        self._rng_of_all = deepcopy(rng)
        self._seed = int(rng.integers(2**31))
        self._watch = watch
        self._scale = float(observed.values.max())
        self._clock = Clock()
        self._history: list[Iteration] = []
        self._standing: Completion | None = None  # what would be returned
        self._error = float("nan")  # its error at held-out entries
        self._errors: dict[str, float] = {}
        self._sure: Callable[[Array], Array] | None = None  # from an estimate to its deviations

    def made(self) -> Completion:
        """The completion."""
        try:
            if self._weights is not None:
                return self._blend(dict(self._weights), {})
            refusal = Spectral().refuses(self._observed)
            if refusal is not None:
                return self._blend({_FALLBACK: 1.0}, {}, f"{_FALLBACK} alone: {refusal}")
            return self._compared()
        except _Stopped as stopped:
            assert self._standing is not None
            return self._told(self._standing, {self._standing.method: 1.0}, stopped.reason)
        except KeyboardInterrupt:  # between two methods, or before the first iteration of one
            if self._standing is None:
                raise
            return self._told(self._standing, {self._standing.method: 1.0}, self._stopped("Interrupted", "interrupted"))

    def _compared(self) -> Completion:
        shaped = has_holes(self._observed.mask())
        first, run = Spectral().run(self._observed, rng=self._rng(), watch=self._watcher())
        self._standing = first
        self._raise_if_stopped(first)
        others = self._candidates(shaped)
        held = None if run is None else run.held
        if run is None or held is None or run.held_predictions is None or not others or not held.any():
            return self._told(first, {"spectral": 1.0})
        truth = self._observed.values[self._inside(held)]
        scale = self._scale
        predictions: dict[str, Array] = {
            "spectral": np.maximum(scale * (run.held_predictions.astype(np.float64) + run.mean), 0.0)
        }
        holes = hole_numbers(held, holes=shaped)
        self._error = typical_error(predictions["spectral"] - truth, holes)
        predictions |= self._predicted(others, held)
        first_held = predictions
        truths = [truth]
        first_errors = {name: typical_error(found - truth, holes) for name, found in predictions.items()}
        others = _with_hope(others, first_errors)
        few = shaped or len(truth) < _ENOUGH_HELD
        for number in range(1, _HOLDINGS if few and others and self._effort == "high" else 1):
            again = self._held_out(number)
            if np.array_equal(again, held):  # where only ends are empty, there is one way to hold out
                break
            found = self._predicted({"spectral": Spectral()} | others, again)
            predictions = {name: np.append(predictions[name], found[name]) for name in predictions if name in found}
            truths.append(self._observed.values[self._inside(again)])
            holes = np.append(holes, holes.max() + 1 + hole_numbers(again, holes=shaped))
        truth_in_all = np.concatenate(truths)
        self._errors = first_errors | {
            name: typical_error(found - truth_in_all, holes) for name, found in predictions.items()
        }
        weights = blend_weights(predictions, truth_in_all, holes)
        self._error = typical_error(_mixed(weights, predictions) - truth_in_all, holes)
        misses = _mixed(weights, first_held) - truth
        self._sure = lambda blend: scale * run.deviations(blend / scale, misses / scale)
        return self._blend(weights, {"spectral": first})

    def _predicted(self, methods: Mapping[str, Method], held: NDArray[np.bool_]) -> dict[str, Array]:
        """What methods say of held-out entries, from the rest."""
        inside = self._inside(held)
        rest = replace(self._observed, positions=self._observed.positions[~inside], known=self._observed.known[~inside])
        where = np.stack(np.unravel_index(self._observed.positions[inside], self._observed.shape), axis=1)
        predictions = {}
        for name, method in methods.items():
            if method.refuses(rest) is None:
                done = method.complete(rest, rng=self._rng(), watch=self._watcher())
                self._raise_if_stopped(done)
                predictions[name] = np.maximum(done.estimate.at(where), 0.0)
        return predictions

    def _inside(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of the known entries are held out."""
        return np.asarray(held.reshape(-1)[self._observed.positions])

    def _held_out(self, number: int) -> NDArray[np.bool_]:
        """Other entries than spectral holds out."""
        return hold_out(self._observed.mask(), np.random.default_rng([self._seed, 0, number]))

    def _candidates(self, shaped_holes: bool) -> dict[str, Method]:
        """Methods next to spectral, by the effort asked for."""
        from .registry import make

        names = methods_tried(self._effort, self._observed.size, shaped_holes=shaped_holes)[1:]
        if self._effort != "high" and self._observed.size < _WIDE * max(self._observed.shape) ** 2:  # a picture
            names = tuple(name for name in names if name not in _NORMAL_WITH_HOLES_IF_SMALL)
        return {name: make(name, {}) for name in names}

    def _blend(self, weights: dict[str, float], done: dict[str, Completion], reason: str | None = None) -> Completion:
        """All methods with a weight on all known entries, and their weighted mean."""
        from .registry import make

        parts = dict(done)
        for name in weights:
            if name not in parts:
                method = make(name, {})
                if refusal := method.refuses(self._observed):
                    raise wrong("auto", "weights", f"name methods that can complete this tensor ({refusal})", weights)
                parts[name] = method.complete(self._observed, rng=self._rng(), watch=self._watcher())
                if self._standing is None:
                    self._standing = parts[name]
                self._raise_if_stopped(parts[name])
        if len(weights) == 1:
            return self._told(parts[next(iter(weights))], weights, reason=reason)
        leading = parts[next(iter(weights))]
        blended = replace(
            leading,
            estimate=BlendedEstimate([parts[name].estimate for name in weights], list(weights.values())),
            certificate=None,
            smallest=None,
            negative_share=None,
            notes=tuple(dict.fromkeys(note for name in weights for note in parts[name].notes)),
        )
        return self._told(blended, weights, reason=reason)

    def _told(
        self,
        done: Completion,
        weights: Mapping[str, float],
        stop: StopReason | None = None,
        reason: str | None = None,
    ) -> Completion:
        reasons = dict(done.reasons)
        if reason is not None:
            reasons["weights"] = reason
        elif self._errors:
            told = ", ".join(f"{name} {error:.4g}" for name, error in self._errors.items())
            reasons["weights"] = f"Error at held-out entries: {told}; with these weights {self._error:.4g}."
        if stop is None:
            chosen = " + ".join(f"{weight:.2f} {name}" if weight < 1 else name for name, weight in weights.items())
            stop = StopReason(
                "done", f"Done: {chosen}, by their errors at held-out entries." if self._errors else f"Done: {chosen}."
            )
        return replace(
            done,
            method="auto",
            nonnegative=True,
            stop=stop if done.stop.kind != "all zero" else done.stop,
            seconds=self._clock.seconds,
            history=History(self._history),
            settings={"effort": self._effort, "weights": dict(weights)},
            reasons=reasons,
            deviations=self._deviations(done),
        )

    def _deviations(self, done: Completion) -> Callable[[], Array] | None:
        """The method's own; those of spectral, put right by the errors of what was chosen, for anything else."""
        sure = self._sure
        if sure is None or (done.deviations is not None and not isinstance(done.estimate, BlendedEstimate)):
            return done.deviations
        return lambda: sure(np.maximum(done.estimate.dense(), 0.0))

    def _watcher(self) -> Watch:
        """Passes on what a method does, as an iteration of ours; what would be returned is shown, not a candidate."""

        def look(snapshot: Snapshot) -> bool:
            estimate: Estimate = snapshot.estimate if self._standing is None else self._standing.estimate
            # Methods see data whose largest value is 1; held-out errors are in the data's units.
            cost = snapshot.step.cost * self._scale if self._standing is None else self._error
            step = replace(
                snapshot.step, iteration=len(self._history), seconds=self._clock.seconds, cost=cost, relative_gap=None
            )
            self._history.append(step)
            return self._watch is not None and self._clock.call_paused(self._watch, Snapshot(step, estimate))

        return look

    def _raise_if_stopped(self, done: Completion) -> None:
        if done.stop.kind in ("watch", "interrupted"):
            what = "Stopped by the watcher" if done.stop.kind == "watch" else "Interrupted"
            raise _Stopped(self._stopped(what, done.stop.kind))

    def _stopped(self, what: str, kind: StopKind) -> StopReason:
        made = self._history[-1].iteration if self._history else 0
        sentence = f"{what} after {made} iterations: this is the result so far, before all methods were compared."
        return StopReason(kind, sentence)

    def _rng(self) -> np.random.Generator:
        """The random numbers that a method has when run by itself: it starts, and is judged, as it would be."""
        return deepcopy(self._rng_of_all)


def _mixed(weights: Mapping[str, float], predictions: Mapping[str, Array]) -> Array:
    return np.asarray(sum(weight * predictions[name] for name, weight in weights.items()))
