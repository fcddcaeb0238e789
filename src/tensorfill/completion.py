"""Completion: what every method returns, and what it tells about itself on the way."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .bounds import Bounds, Number
from .entrywise import Entrywise
from .errors import InvalidSetting, TooLarge
from .estimates.estimate import Estimate as Estimate
from .estimates.estimate import evaluate_everywhere
from .labels import Axes
from .memory import physical_memory
from .observed import ObservedTensor
from .tensor import Array, entries

StopKind = Literal[
    "gradient",
    "gap",
    "change",
    "fit",
    "iterations",
    "done",
    "stalled",
    "watch",
    "time",
    "interrupted",
    "nothing_missing",
    "all_zero",
    "constant",
]


@dataclass(frozen=True)
class Certificate:
    """How far a completion can be from the global optimum of its convex problem, and its KKT residuals.

    `lower` ≤ global optimum ≤ `upper` holds however the iteration went, up to rounding. It says nothing about the
    error: the tensor with the smallest objective need not be the one closest to the truth.

    Examples
    --------
    >>> found = Certificate(upper=2.0, lower=1.9, negativity=0.0, complementarity=0.0, stationarity=0.0)
    >>> round(found.gap, 3), round(found.relative_gap, 3)
    (0.1, 0.05)
    """

    upper: float
    """The objective of the completed tensor, in squared units of the data."""
    lower: float
    """The objective of the dual problem."""
    negativity: float
    """The largest −W where W ≥ 0 is enforced, as a share of the largest observed value, both less the lower bound."""
    complementarity: float
    """Σ|S∘W| as a share of the objective, with the multipliers S of W ≥ 0; 0 at the optimum."""
    stationarity: float
    """‖Z − 2C(Y − W)‖ / ‖2C·Y‖ over the observed entries, with the multipliers Z of the fit; 0 at the optimum."""

    @property
    def gap(self) -> float:
        """`upper` − `lower`."""
        return self.upper - self.lower

    @property
    def relative_gap(self) -> float:
        """The gap as a share of `upper`; near zero proves global optimality."""
        return self.gap / self.upper if self.upper > 0 else 0.0


@dataclass(frozen=True)
class Iteration:
    """One outer iteration in numbers; what a method measures besides, such as `gradient_norm`, is an attribute too.

    Examples
    --------
    >>> step = Iteration(3, seconds=0.2, cost=5.0, measures={"gradient_norm": 0.01})
    >>> step.cost, step.gradient_norm
    (5.0, 0.01)
    """

    iteration: int
    """Its number; 0 is the starting point."""
    seconds: float
    """Time since the start, without the time spent in `watch`."""
    cost: float
    """The objective of the method."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """What the method measures besides, by name."""

    def __getattr__(self, name: str) -> float:
        measures: Mapping[str, float] = self.__dict__.get("measures", {})
        if name not in measures:
            told = f"it has: {', '.join(measures)}" if measures else "it has none"
            raise AttributeError(f"This iteration has no measure {name!r}; {told}.")
        return measures[name]


class History(Sequence[Iteration]):
    """The outer iterations in order; `seconds`, `cost` and what the method measures are also arrays.

    Parameters
    ----------
    iterations : sequence of Iteration
        The iterations, the first one first.

    Examples
    --------
    >>> history = History([Iteration(0, 0.0, 9.0), Iteration(1, 0.1, 4.0)])
    >>> len(history), history[-1].cost, history.cost.tolist()
    (2, 4.0, [9.0, 4.0])
    """

    def __init__(self, iterations: Sequence[Iteration] = ()) -> None:
        self._iterations = tuple(iterations)

    @overload
    def __getitem__(self, index: int) -> Iteration: ...
    @overload
    def __getitem__(self, index: slice) -> History: ...
    def __getitem__(self, index: int | slice) -> Iteration | History:
        if isinstance(index, slice):
            return History(self._iterations[index])
        return self._iterations[index]

    def __len__(self) -> int:
        return len(self._iterations)

    def __iter__(self) -> Iterator[Iteration]:
        return iter(self._iterations)

    def __repr__(self) -> str:
        return f"History({len(self)} iterations)"

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):  # asked for while a copy is being made
            raise AttributeError(name)
        if self._iterations and not any(hasattr(step, name) for step in self._iterations):
            getattr(self._iterations[0], name)  # which raises, with what there is
        return np.array([getattr(step, name, np.nan) for step in self._iterations])


@dataclass(frozen=True)
class StopReason:
    """Why a method stopped: a word for programs and a sentence with advice for people.

    Examples
    --------
    >>> reason = StopReason("iterations", "Stopped after max_iter=5 iterations; a larger max_iter may help.")
    >>> reason.kind, str(reason)
    ('iterations', 'Stopped after max_iter=5 iterations; a larger max_iter may help.')
    """

    kind: StopKind
    """One of "gradient", "gap", "change", "fit" (a tolerance was met), "done" (the method needs no more steps),
    "iterations", "stalled", "watch", "time", "interrupted", "nothing_missing", "all_zero" and "constant"."""
    sentence: str
    """The same as a sentence."""

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Snapshot:
    """What a `watch` function receives after an outer iteration.

    Examples
    --------
    >>> import tensorfill
    >>> def stop_after_two(snapshot):
    ...     return snapshot.step.iteration >= 2
    >>> table = np.outer([1.0, 2.0, 3.0], [2.0, 4.0, 6.0, 8.0])
    >>> table[1, 2] = np.nan
    >>> tensorfill.complete(table, method="ncpc", rank=1, watch=stop_after_two).stop.kind
    'watch'
    """

    step: Iteration
    """The iteration in numbers."""
    estimate: Estimate
    """The tensor as it stands: `estimate.dense()` builds it, `estimate.at(coordinates)` gives values of entries."""


Watch = Callable[[Snapshot], bool | None]
"""A function that is called with a `Snapshot` after every outer iteration; returning True stops the method."""


@dataclass(frozen=True, eq=False)
class Completion(Entrywise):
    """A completed tensor with its evidence. Arrays of full size are built when first used, and are read-only.

    `tensorfill.complete` returns it; there is no need to make one.

    Examples
    --------
    >>> import tensorfill
    >>> table = np.outer([1.0, 2.0, 3.0], [2.0, 4.0, 6.0, 8.0])
    >>> table[1, 2] = np.nan
    >>> done = tensorfill.complete(table, method="nonneg-dual", rank=1, C=1000)
    >>> done.tensor.shape, bool(done.certificate.relative_gap < 0.01)
    ((3, 4), True)
    >>> done.predict([[1, 2]]).round(2)
    array([12.])
    """

    observed: ObservedTensor
    """What was known."""
    method: str
    """The name of the method."""
    estimate: Estimate
    """The model in the form in which the method found it."""
    nonnegative: bool
    """Whether the method keeps its model at or above `lower` by itself."""
    stop: StopReason
    """Why the method stopped."""
    seconds: float
    """How long it took."""
    certificate: Certificate | None = None
    """Bounds on the global optimum, for methods that solve a convex problem; else None."""
    history: History = field(default_factory=History)
    """The outer iterations."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings as used, by name; with them the same data gives the same result."""
    smallest: float | None = None
    """The smallest value found before clipping at `lower` (where the method looked), in the units of the data."""
    negative_share: float | None = None
    """The share of entries below `lower` before clipping, where the method allows them and all were looked at."""
    notes: tuple[str, ...] = ()
    """Sentences a user should read: what was not enforced, what cannot be recovered."""
    keep_observed: bool = True
    """Whether known entries are put into `tensor` exactly as given."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why settings were chosen as they are, where the method chose them itself; a sentence each."""
    deviations: Callable[[], Array] | None = None
    """Computes `uncertainty`, or raises an error that says what would tell; None: nobody has."""
    deviations_at: Callable[[NDArray[np.int64]], Array] | None = None
    """The same at rows of coordinates, without building the full tensor; where only one of the two is there, it serves
    for both. If the estimate `predicts_unseen`, so does this: -1 is an index of which nothing was ever known."""
    give_back: Callable[[Completion], Any] | None = None
    """Makes `filled`, if the data did not come as an array."""
    axes: Axes | None = None
    """What modes and indices are called, if the data came as a long table."""
    lower: Number | None = 0
    """No entry of `tensor` is below this number, nor one of `model` if `nonnegative`. None: no bound."""
    upper: Number | None = None
    """No entry is above this number. None: no bound."""

    @cached_property
    def filled(self) -> Any:
        """The data without holes, in the form it came: array, DataFrame, DataArray with coordinates, file contents."""
        return self.tensor if self.give_back is None else self.give_back(self)

    @cached_property
    def uncertainty(self) -> Array:
        """The standard deviation that the method gives its own guess of every entry; 0 where it is known and kept."""
        found = self._all_deviations()
        if self.keep_observed:
            found.reshape(-1)[self.observed.positions] = 0.0
        return _read_only(found)

    def _all_deviations(self) -> Array:
        """Also of entries that are kept."""
        if self.deviations is None and self.deviations_at is None:
            raise InvalidSetting(f"This completion by {self.method} does not tell how sure it is of an entry.")
        instead = "ask for those you need with predict(indices, deviation=True)"
        if self.deviations_at is None:
            instead = f"{self.method} tells how sure it is of all entries at once or not at all"
        _require_memory(self.observed.shape, copies=2, instead=instead)
        if self.deviations is not None:
            return self.deviations()
        assert self.deviations_at is not None
        return evaluate_everywhere(self.deviations_at, self.observed.shape)

    @cached_property
    def model(self) -> Array:
        """The tensor of the method in floating point, called W in the paper; known entries are not put back."""
        _require_memory(self.observed.shape, copies=2)
        return _read_only(self._clipped(self.estimate.dense()))

    @cached_property
    def components(self) -> tuple[Array, ...]:
        """The tensors whose sum is `model`: W^(1), …, W^(K), one per mode, or one per method of a blend."""
        _require_memory(self.observed.shape, copies=len(self.observed.shape))
        return tuple(_read_only(part) for part in self.estimate.components())

    @cached_property
    def tensor(self) -> NDArray[Any]:
        """The completed tensor: dtype and range of the input, inside the bounds, known entries kept."""
        full = self._bounds.as_dtype(self.model, self.observed.dtype)
        if self.keep_observed:
            full.reshape(-1)[self.observed.positions] = self.observed.known
        return _read_only(full)

    @property
    def iterations(self) -> int:
        """The number of outer iterations; the history also has the start, as iteration 0."""
        return self.history[-1].iteration if len(self.history) else 0

    def _clipped(self, values: Array) -> Array:
        return self._bounds.lowered(self._bounds.raised(values) if self.nonnegative else values)

    @property
    def _bounds(self) -> Bounds:
        return Bounds(self.lower, self.upper)

    def _repr_html_(self) -> str:
        from .notebook import html  # made for people; nothing else needs it

        return html(self)

    def __repr__(self) -> str:
        return f"Completion({self.method}, shape {self.observed.shape}, {self.seconds:.1f} s: {self.stop})"


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _require_memory(
    shape: Sequence[int], copies: int, instead: str = "ask for the entries you need with predict(indices)"
) -> None:
    needed = entries(shape) * 8 * copies
    there = physical_memory()
    if needed > there:
        raise TooLarge(
            f"The full tensor of shape {tuple(shape)} would need {needed / 2**30:,.0f} GiB and this machine has "
            f"{there / 2**30:,.0f}; {instead}."
        )


# All that is worth keeping about a run


def describe_run(done: Completion) -> dict[str, Any]:
    """Everything worth keeping about a completion."""
    proof = done.certificate
    return {
        "method": done.method,
        "settings": dict(done.settings),
        "reasons": dict(done.reasons),
        "shape": list(done.observed.shape),
        "dtype": str(done.observed.dtype),
        "observed_count": done.observed.count,
        "observed_share": done.observed.share,
        "seconds": done.seconds,
        "iterations": done.iterations,
        "stop": {"kind": done.stop.kind, "sentence": done.stop.sentence},
        "certificate": proof and {**asdict(proof), "gap": proof.gap, "relative_gap": proof.relative_gap},
        "lower": done.lower,
        "upper": done.upper,
        "smallest_before_clipping": done.smallest,
        "negative_share_before_clipping": done.negative_share,
        "nonnegative": done.nonnegative,
        "notes": list(done.notes),
        "history": [
            {"iteration": step.iteration, "seconds": step.seconds, "cost": step.cost, **step.measures}
            for step in done.history
        ],
    }


def as_json(value: Any) -> str:
    """Strict JSON: what is not a finite number is null."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else str(value)
