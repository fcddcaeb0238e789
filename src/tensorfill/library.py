"""The library's front door: `complete` takes an array with holes and gives back a Completion."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .bounds import Bounds, Number
from .completion import Completion, Snapshot, StopReason, Watch
from .errors import InvalidInput, InvalidSetting, UnrecoverableSlice, must_be
from .estimates.interpolated import can_interpolate
from .foregone import always_the_same, nothing_missing, quick_interpolation
from .formats import Contents, Entries
from .interrupting import TimeIsUp, seconds_left, time_limited
from .method import Method
from .methods.auto import describe_choice, method_for
from .methods.registry import make, names_of
from .observed import Negatives, ObservedTensor, spread_observed
from .peers import Arrived, accept, check_alignment
from .tensor import Array
from .units import Shift, Units

_HOPELESS = "low rank alone cannot recover them"


def complete(
    array: ArrayLike | ObservedTensor | Contents | Entries | Any,
    observed: ArrayLike | None = None,
    method: str = "auto",
    *,
    keep_observed: bool = True,
    negatives: Negatives = "raise",
    random_state: int | np.random.Generator = 0,
    watch: Watch | None = None,
    time_limit: float | None = None,
    lower: Number | None = 0,
    upper: Number | None = None,
    coordinates: Sequence[object] | None = None,
    value: object = None,
    **settings: Any,
) -> Completion:
    """Fill the missing entries of a tensor, nowhere below 0 unless you say so.

    Parameters
    ----------
    array
        The data: any real dtype, two modes or more. NaN marks what is missing when `observed` is not given;
        masked arrays work; an `ObservedTensor` brings coordinates instead of a full array. So do `tensorfill.read`'s
        results, an xarray DataArray, and tables: a DataFrame of pandas or polars, wide (a matrix) or long (a row per
        entry), and a pandas Series with coordinates in its index. These come back in kind as `Completion.filled`.
        Columns of a wide table that are in different units are scaled each by itself.
    observed
        Boolean array, **True where the value is known**: of the same shape, or of its first modes if the others are all
        alike, such as (row, column) for a picture with channels.
    method
        One of `tensorfill.available_methods()`. "auto" needs no settings; given a `rank`, or what only
        "nonneg-dual" and its kin have, such as `C`, it is that method, and a note says so. Other settings, such as
        `max_iter`, come with the name of their method.
    keep_observed
        Put the known entries back into `Completion.tensor` exactly (the default), or leave the model's values.
    negatives
        What to do with negative observed values, and others outside the bounds: "raise" an error, or "clip" them to the
        bound, which a note counts.
    random_state
        Seed or generator for what is random in a method. The same seed gives the same bits.
    watch
        Called with a `Snapshot` after every outer iteration; return True to stop there.
    time_limit
        Stop after this many seconds, and return what is there: the last iteration that was finished, or a quick
        interpolation if none was.
    lower
        What no entry lies below: 0, another number, or None if there is no such bound, as for z-scores or differences.
        Methods keep to it as they keep to W ≥ 0: they see the distance from it, or from the smallest known value if
        there is none.
    upper
        What no entry lies above, kept by clipping; None if there is no such bound.
    coordinates, value
        The names of the columns of a long table that hold its coordinates, and of the one that holds its values.
        `coordinates=[]` says that the table is wide. Needed only where that can be seen in more than one way.
    settings
        Settings of the method, e.g. `rank`, `C`; see the method's own page.

    Examples
    --------
    >>> import numpy as np
    >>> data = np.multiply.outer([1.0, 2.0, 3.0], np.outer([1.0, 2.0], [3.0, 1.0]))
    >>> known = np.ones(data.shape, bool)
    >>> known[0, 1, 1] = False
    >>> done = complete(data, known, rank=1, C=1000)
    >>> np.allclose(done.tensor[known], data[known]), round(float(done.tensor[0, 1, 1]), 1)
    (True, 2.0)
    """
    limit = _check_limit(time_limit)
    with time_limited(limit):
        _refuse_mask(settings)
        arrived = accept(array, coordinates, value)
        check_alignment(array, observed)
        given = _observe(array if arrived is None else arrived.given, observed)
        task = _Task.of(given, arrived, Bounds.of(lower, upper), negatives, method, settings)
        rng = _generator(random_state)
        answer = task.answer_at_once()
        solved = None if answer is not None else task.solve(rng, watch)
    done = answer if solved is None else task.finish(solved, limit)
    assert done is not None
    return replace(done, keep_observed=keep_observed, give_back=None if arrived is None else arrived.give_back)


@dataclass(frozen=True, eq=False)
class _Solved:
    """What a method found: a completion of `units.even`."""

    done: Completion
    units: Units
    late: bool
    """Whether the time was over."""
    notes: list[str]


@dataclass(frozen=True, eq=False)
class _Task:
    """A tensor and the method that is to complete it."""

    data: ObservedTensor
    shifted: ObservedTensor
    """The same by `shift`."""
    method: Method
    settings: dict[str, Any]
    bounds: Bounds
    shift: Shift
    notes: tuple[str, ...]
    reasons: dict[str, str]
    columns_apart: bool
    """Whether the columns of a matrix may be in units of their own."""

    @classmethod
    def of(
        cls,
        given: ObservedTensor,
        arrived: Arrived | None,
        bounds: Bounds,
        negatives: Negatives,
        name: str,
        settings: dict[str, Any],
    ) -> _Task:
        """Refused if data, bounds and settings do not fit each other."""
        data, clipped = given.within(bounds, negatives)
        chosen = method_for(name, settings)
        method = make(chosen, settings)
        notes = (*clipped, *describe_choice(name, chosen, settings), *(() if arrived is None else arrived.notes))
        # One that fills in something of its own means it in the data's own units.
        shift = Shift.of(bounds, data, moves=method.extends_constants)
        shifted = shift.apply(data)
        if refusal := method.refuses(shifted):
            raise InvalidSetting(refusal)
        reasons = {"table": arrived.read_as} if arrived is not None and arrived.read_as else {}
        apart = arrived is not None and arrived.columns_apart
        return cls(data, shifted, method, settings, bounds, shift, notes, reasons, apart)

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
            reasons=self.reasons,
        )

    @property
    def _is_known_to_be_constant(self) -> bool:
        """Whether all known entries have one value that is not zero, or where zero is nothing special."""
        value = self.data.known[0]
        return not (value == 0 and self.bounds.lower == 0) and bool((self.data.known == value).all())

    def solve(self, rng: np.random.Generator, watch: Watch | None) -> _Solved:
        """What the method finds, on data of a usual size, counted from its lower bound."""
        notes = self._warn_of_empty_slices()
        deadline = _Deadline(watch)
        units = Units.of(self.data, self.shift, self.shifted, self.method, columns_apart=self.columns_apart)
        method = units.size.apply_to_settings(self.method)
        try:
            done = units.restore_size(method.complete(units.seen, rng=rng, watch=units.watching(deadline)))
        except TimeIsUp:
            done = quick_interpolation(units.even, self.method.name, self.settings)
        late = done.stop.kind == "time" or (done.stop.kind == "watch" and deadline.over)
        return _Solved(done, units, late, notes)

    def finish(self, solved: _Solved, limit: float) -> Completion:
        """The same in the units of the data, with all there is to say about it."""
        done = _stop_in_time(solved.done, limit) if solved.late else solved.done
        done = solved.units.restore(done)
        return replace(
            done,
            deviations=done.deviations or partial(_refuse_deviations, done.method),
            notes=(*self.notes, *solved.notes, *done.notes),
            reasons={**done.reasons, **self.reasons},
        )

    def _warn_of_empty_slices(self) -> list[str]:
        neighbours = self.method.looks_at_neighbours(self.data)
        consequence = "they are guessed from those beside them" if neighbours else _HOPELESS
        notes = _describe_empty_slices(self.data, consequence)
        if not neighbours:
            for note in notes:
                warnings.warn(note, UnrecoverableSlice, stacklevel=4)
        return notes


def _refuse_mask(settings: dict[str, Any]) -> None:
    """What other packages call the holes has its own name here, and the other way round."""
    if "mask" in settings:
        raise InvalidSetting(
            "There is no 'mask': what is known goes into observed=, where True means known. If True in the mask means "
            "missing, write observed=~mask; inpaint(image, mask) takes it as it is."
        )
    if "missing" in settings:
        raise InvalidSetting(
            "There is no 'missing': what is known goes into observed=, where True means known, such as "
            "observed=array != 0 if 0 marks what is missing; NaN is missing anyway."
        )


def _refuse_deviations(method: str) -> Array:
    """A function of the module, so that a completion can be pickled."""
    others = [name for name in names_of(lambda kind: kind.tells_uncertainty) if name != method]
    raise InvalidSetting(
        f"This completion by {method} does not tell how sure it is of an entry; those by {', '.join(others[:-1])} and "
        f"{others[-1]} do."
    )


def _observe(array: Any, observed: ArrayLike | None) -> ObservedTensor:
    """What is known, whatever its range."""
    if isinstance(array, ObservedTensor | Entries):
        if observed is not None:
            raise InvalidInput(
                f"{'A table' if isinstance(array, Entries) else 'An ObservedTensor'} already says what is observed; "
                "leave 'observed' out."
            )
        return array if isinstance(array, ObservedTensor) else array.observed_tensor
    if isinstance(array, Contents):
        if observed is None:
            return array.observed_tensor
        both = observed if array.observed is None else spread_observed(observed, array.shape) & array.observed
        return ObservedTensor.from_array(array.data, both, lower=None)
    return ObservedTensor.from_array(array, observed, lower=None)


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


def _check_limit(time_limit: object) -> float:
    if time_limit is None:
        return math.inf
    if isinstance(time_limit, bool) or not isinstance(time_limit, Real) or not float(time_limit) > 0:
        raise InvalidSetting(must_be("time_limit", "be a number of seconds above 0", time_limit))
    return float(time_limit)


def _generator(random_state: int | np.random.Generator) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidSetting(
            must_be("random_state", "be a whole number, 0 or more, or a generator", random_state)
        ) from None


def _describe_empty_slices(data: ObservedTensor, consequence: str) -> list[str]:
    notes = []
    for mode, indices in data.empty_slices():
        shown = ", ".join(map(str, indices[:5])) + (", …" if len(indices) > 5 else "")
        notes.append(
            f"Nothing is observed in {len(indices)} of the {data.shape[mode]} slices of mode {mode + 1} "
            f"(index {shown}); {consequence}."
        )
    return notes
