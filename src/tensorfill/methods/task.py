"""Task: a tensor and the method that is to complete it, in the units that the method works in, and the way back."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bounds
from ..completion import Completion, Snapshot, StopReason, Watch
from ..errors import InvalidSetting, UnrecoverableSlice
from ..estimates.interpolated import can_interpolate
from ..foregone import always_the_same, nothing_missing, quick_interpolation
from ..interrupting import TimeIsUp, seconds_left
from ..method import Method
from ..observed import Negatives, ObservedTensor
from ..tensor import Array
from ..units import Shift, Units
from .auto import describe_choice, method_for
from .registry import make, names_of

_HOPELESS = "low rank alone cannot recover them"


@dataclass(frozen=True)
class Asked:
    """What is asked, whatever the data."""

    method: Method
    settings: Mapping[str, Any]
    bounds: Bounds
    negatives: Negatives = "raise"
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, settings: Mapping[str, Any], bounds: Bounds, negatives: Negatives) -> Asked:
        """A method by its name, or the one that its settings mean."""
        chosen = method_for(name, settings)
        return cls(make(chosen, settings), settings, bounds, negatives, describe_choice(name, chosen, settings))


@dataclass(frozen=True, eq=False)
class Solved:
    """What a method found: a completion of `units.even`."""

    done: Completion
    units: Units
    late: bool
    """Whether the time was over."""
    notes: list[str]


@dataclass(frozen=True, eq=False)
class Task:
    """A tensor and the method that is to complete it."""

    data: ObservedTensor
    shifted: ObservedTensor
    """The same by `shift`."""
    method: Method
    settings: Mapping[str, Any]
    bounds: Bounds
    shift: Shift
    notes: tuple[str, ...]
    columns_apart: bool
    """Whether the columns of a matrix may be in units of their own."""

    @classmethod
    def of(
        cls,
        given: ObservedTensor,
        asked: Asked,
        *,
        shift: Shift | None = None,
        refusing: bool = True,
        columns_apart: bool = False,
    ) -> Task:
        """Refused if data, bounds and settings do not fit each other.

        `shift` is that of a tensor it is a part of. One that is cut into tiles is not refused as a whole.
        """
        data, clipped = given.within(asked.bounds, asked.negatives)
        method = asked.method
        notes = (*clipped, *asked.notes)
        # One that fills in something of its own means it in the data's own units.
        shift = shift or Shift.of(asked.bounds, data, moves=method.extends_constants)
        shifted = shift.apply(data)
        if refusing and (refusal := method.refuses(shifted)):
            raise InvalidSetting(refusal)
        return cls(data, shifted, method, asked.settings, asked.bounds, shift, notes, columns_apart)

    def answer_at_once(self) -> Completion | None:
        """The completion, if it needs no method; one that fills in something of its own may say so."""
        if self.data.count == self.data.size:
            found = nothing_missing(self.data, self.method.name, self.settings)
        elif self.method.extends_constants and self._is_known_to_be_constant:
            found = always_the_same(self.data, self.method.name, self.settings, self.bounds)
        else:
            return None
        return replace(
            found,
            lower=self.bounds.lower,
            upper=self.bounds.upper,
            nonnegative=self.bounds.lower is not None,
            notes=(*self.notes, *_describe_empty_slices(self.data, "they are taken to be the same")),
        )

    @property
    def _is_known_to_be_constant(self) -> bool:
        """Whether all known entries have one value that is not zero, or where zero is nothing special."""
        value = self.data.known[0]
        return not (value == 0 and self.bounds.lower == 0) and bool((self.data.known == value).all())

    def solve(self, rng: np.random.Generator, watch: Watch | None, *, warn: bool = True) -> Solved:
        """What the method finds, on data of a usual size, counted from its lower bound."""
        notes = self._note_empty_slices(warn=warn)
        deadline = _Deadline(watch)
        units = Units.of(self.data, self.shift, self.shifted, self.method, columns_apart=self.columns_apart)
        method = units.size.apply_to_settings(self.method)
        try:
            done = units.restore_size(method.complete(units.seen, rng=rng, watch=units.watching(deadline)))
        except TimeIsUp:
            done = quick_interpolation(units.even, self.method.name, self.settings)
        late = done.stop.kind == "time" or (done.stop.kind == "watch" and deadline.over)
        return Solved(done, units, late, notes)

    def finish(self, solved: Solved, limit: float) -> Completion:
        """The same in the units of the data, with all there is to say about it."""
        done = _stop_in_time(solved.done, limit) if solved.late else solved.done
        done = solved.units.restore(done)
        if done.deviations is None and done.deviations_at is None:
            refuse = partial(refuse_deviations, done.method)
            done = replace(done, deviations=refuse, deviations_at=refuse)
        return replace(
            done,
            notes=(*self.notes, *solved.notes, *done.notes),
        )

    def finish_tiles(self, done: Completion) -> Completion:
        """What tiles have made of it, with all there is to say about it."""
        return replace(done, notes=(*self.notes, *done.notes))

    def _note_empty_slices(self, *, warn: bool) -> list[str]:
        consequence = _HOPELESS
        if self.method.looks_at_neighbours(self.data):
            consequence = "they are guessed from those beside them"
        elif self.method.fills_lost_slices(self.data):
            consequence = "they are filled with what is usual for such a slice"
        notes = _describe_empty_slices(self.data, consequence)
        if warn and consequence == _HOPELESS:
            for note in notes:
                warnings.warn(note, UnrecoverableSlice, stacklevel=4)
        return notes


def refuse_deviations(method: str, coordinates: NDArray[np.int64] | None = None) -> Array:
    """Whatever the coordinates, say which methods tell how sure they are.

    A function of the module, so that a completion can be pickled.
    """
    others = [name for name in names_of(lambda kind: kind.tells_uncertainty) if name != method]
    raise InvalidSetting(
        f"This completion by {method} does not tell how sure it is of an entry; those by {', '.join(others[:-1])} and "
        f"{others[-1]} do."
    )


class _Deadline:
    """A watcher that wants to stop when the time is over, and lets another one watch too."""

    def __init__(self, watch: Watch | None) -> None:
        self._watch = watch
        self.over = False

    def __call__(self, snapshot: Snapshot) -> bool:
        if self._watch is not None and self._watch(snapshot):
            return True
        self.over = seconds_left() <= 0
        return self.over


def _stop_in_time(done: Completion, limit: float) -> Completion:
    """What there is when the time is over; what has not made a step yet is no better than a quick interpolation."""
    made = done.history[-1].iteration if done.history else 0
    what = "the result so far"
    if made == 0 and can_interpolate(done.observed.shape):
        quick = quick_interpolation(done.observed, done.method, done.settings)
        done = replace(quick, history=done.history, seconds=done.seconds)
        what = "a quick interpolation, for there was no time for more"
    sentence = f"Stopped at time_limit={limit:g} s, after {made} iterations: {what}."
    return replace(done, stop=StopReason("time", sentence))


def _describe_empty_slices(data: ObservedTensor, consequence: str) -> list[str]:
    notes = []
    for mode, indices in data.empty_slices():
        shown = ", ".join(map(str, indices[:5])) + (", …" if len(indices) > 5 else "")
        notes.append(
            f"Nothing is observed in {len(indices)} of the {data.shape[mode]} slices of mode {mode + 1} "
            f"(index {shown}); {consequence}."
        )
    return notes
