"""Completion: what every method returns, and what it tells about itself on the way."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bounds import Bounds, Number
from .errors import InvalidSetting, TooLarge
from .estimates.estimate import Estimate as Estimate
from .estimates.estimate import evaluate_everywhere
from .memory import physical_memory
from .observed import ObservedTensor, check_coordinates, positions_of
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

    `lower` ≤ global optimum ≤ `upper`, whatever the method did. The residuals are relative:
    `negativity` is the largest −W where W ≥ 0 is enforced, over the largest observed value, both less the lower bound;
    `complementarity` is Σ|S∘W| over the objective; `stationarity` is ‖Z − 2C(Y − W)‖ over ‖2C·Y‖ on the
    observed entries.
    """

    upper: float
    lower: float
    negativity: float
    complementarity: float
    stationarity: float

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
    """One outer iteration in numbers. `seconds` excludes the time spent in `watch`.

    What a method measures besides, such as `gradient_norm`, is an attribute too.
    """

    iteration: int
    seconds: float
    cost: float
    measures: Mapping[str, float] = field(default_factory=dict)

    def __getattr__(self, name: str) -> float:
        measures: Mapping[str, float] = self.__dict__.get("measures", {})
        if name not in measures:
            told = f"it has: {', '.join(measures)}" if measures else "it has none"
            raise AttributeError(f"This iteration has no measure {name!r}; {told}.")
        return measures[name]


class History(Sequence[Iteration]):
    """The outer iterations in order; `seconds`, `cost` and what the method measures are also there as arrays."""

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
    """Why a method stopped: a word for programs and a sentence with advice for people."""

    kind: StopKind
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Snapshot:
    """What a watcher sees after an outer iteration; `estimate` is the tensor as it stands."""

    step: Iteration
    estimate: Estimate


Watch = Callable[[Snapshot], bool | None]
"""Called after every outer iteration; returning True stops the method and keeps what it has."""


@dataclass(frozen=True, eq=False)
class Completion:
    """A completed tensor with its evidence. Everything of full size is built when first asked for."""

    observed: ObservedTensor
    method: str
    estimate: Estimate
    nonnegative: bool
    stop: StopReason
    seconds: float
    certificate: Certificate | None = None
    history: History = field(default_factory=History)
    settings: Mapping[str, Any] = field(default_factory=dict)
    smallest: float | None = None
    """The smallest value found before clipping at `lower` (where the method looked), in the data's units."""
    negative_share: float | None = None
    """The share of entries below `lower` before clipping, where the method allows them and all were looked at."""
    notes: tuple[str, ...] = ()
    """Sentences a user should read: what was not enforced, what cannot be recovered."""
    keep_observed: bool = True
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why settings were chosen as they are, where the method chose them itself; a sentence each."""
    deviations: Callable[[], Array] | None = None
    """Computes `uncertainty`, or raises an error that says what would tell; None: nobody has."""
    deviations_at: Callable[[NDArray[np.int64]], Array] | None = None
    """The same at rows of coordinates, without building the full tensor; where only one of the two is there, it serves
    for both."""
    give_back: Callable[[Completion], Any] | None = None
    """Makes `filled`, if the data did not come as an array."""
    lower: Number | None = 0
    """What nothing in `tensor` is below; the model neither, if `nonnegative`. None: no bound."""
    upper: Number | None = None
    """What nothing is above."""

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
        """The method's own tensor in floating point, observed entries not put back (the paper's W)."""
        _require_memory(self.observed.shape, copies=2)
        return _read_only(self._clipped(self.estimate.dense()))

    @cached_property
    def components(self) -> tuple[Array, ...]:
        """The tensors W^(1), …, W^(K) that add up to W."""
        _require_memory(self.observed.shape, copies=len(self.observed.shape))
        return tuple(_read_only(part) for part in self.estimate.components())

    @cached_property
    def tensor(self) -> NDArray[Any]:
        """The completed tensor: dtype and range of the input, inside the bounds, known entries kept."""
        full = self._bounds.as_dtype(self.model, self.observed.dtype)
        if self.keep_observed:
            full.reshape(-1)[self.observed.positions] = self.observed.known
        return _read_only(full)

    @overload
    def predict(self, indices: ArrayLike, *, raw: bool = False, deviation: Literal[False] = False) -> NDArray[Any]: ...
    @overload
    def predict(
        self, indices: ArrayLike, *, raw: bool = False, deviation: Literal[True]
    ) -> tuple[NDArray[Any], Array]: ...
    def predict(
        self, indices: ArrayLike, *, raw: bool = False, deviation: bool = False
    ) -> NDArray[Any] | tuple[NDArray[Any], Array]:
        """Values at rows of coordinates, as in `tensor` (with `raw`, as in `model`), without building either.

        With `deviation`, also the standard deviations that the method gives its own guesses: as in `uncertainty`, 0 for
        values that are known and kept.
        """
        coordinates = check_coordinates(indices, self.observed.shape)
        values = self._clipped(self.estimate.at(coordinates))
        deviations = self._deviations_of(coordinates) if deviation else None
        if not raw:
            values = self._bounds.as_dtype(values, self.observed.dtype)
        if not raw and self.keep_observed:
            known, which = self._find_known(coordinates)
            values[known] = self.observed.known[which]
            if deviations is not None:
                deviations[known] = 0.0
        return values if deviations is None else (values, deviations)

    def _deviations_of(self, coordinates: NDArray[np.int64]) -> Array:
        """Also of entries that are kept; a new array."""
        if self.deviations_at is not None:
            return np.array(self.deviations_at(coordinates))
        return np.array(self._all_deviations()[tuple(coordinates.T)])

    def _find_known(self, coordinates: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which rows of coordinates are known, and the numbers of those in the list of what is observed."""
        wanted = positions_of(coordinates, self.observed.shape)
        nearest = np.searchsorted(self.observed.positions, wanted).clip(max=self.observed.count - 1)
        known = self.observed.positions[nearest] == wanted
        return known, nearest[known]

    @property
    def iterations(self) -> int:
        """How many outer iterations were made; the history also has the start, as iteration 0."""
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
