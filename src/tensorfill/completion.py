"""Completion: what every method returns, and what it tells about itself on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from .bounds import Bounds, Number
from .errors import InvalidInput, InvalidSetting, TooLarge, must_be
from .estimates.estimate import Estimate as Estimate
from .estimates.estimate import evaluate_everywhere, predicts_unseen
from .history import History as History
from .history import Iteration as Iteration
from .history import StopKind as StopKind
from .history import StopReason as StopReason
from .labels import Axes, Found, asks_by_labels
from .memory import physical_memory
from .observed import ObservedTensor, check_coordinates, positions_of
from .ranking import find_best
from .tensor import Array, entries


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
class Snapshot:
    """What a watcher sees after an outer iteration; `estimate` is the tensor as it stands."""

    step: Iteration
    estimate: Estimate


Watch = Callable[[Snapshot], bool | None]
"""Called after every outer iteration; returning True stops the method and keeps what it has."""


class Top(NamedTuple):
    """The largest entries of a fibre, the largest first."""

    labels: tuple[Any, ...]
    """What they are called along the fibre: labels of the free coordinate, or its indices."""
    values: NDArray[Any]
    coordinates: NDArray[np.int64]
    """Their rows of indices; -1 for a label that the data did not have."""


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
    for both. If the estimate `predicts_unseen`, so does this: -1 is an index of which nothing was ever known."""
    give_back: Callable[[Completion], Any] | None = None
    """Makes `filled`, if the data did not come as an array."""
    axes: Axes | None = None
    """What modes and indices are called, if the data came as a long table."""
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
    def predict(
        self, indices: Any = None, *, raw: bool = False, deviation: Literal[False] = False, **labels: Any
    ) -> NDArray[Any]: ...
    @overload
    def predict(
        self, indices: Any = None, *, raw: bool = False, deviation: Literal[True], **labels: Any
    ) -> tuple[NDArray[Any], Array]: ...
    def predict(
        self, indices: Any = None, *, raw: bool = False, deviation: bool = False, **labels: Any
    ) -> NDArray[Any] | tuple[NDArray[Any], Array]:
        """Values of single entries, as in `tensor` (with `raw`, as in `model`), without building either.

        Parameters
        ----------
        indices
            Rows of whole numbers, counted from 0: an array, or a list of lists. Of data that came as a long table
            also labels: a DataFrame with the coordinate columns, or a list of tuples, one per entry.
        raw
            The model's own values, observed ones not put back, and not rounded to the dtype of the data.
        deviation
            Return standard deviations, too: as in `uncertainty`, 0 for values that are known and kept.
        **labels
            Labels by the names of the coordinates, instead of `indices`: `predict(user="ann", film=["Alien", "Heat"])`.
            One label serves for all entries.
        """
        coordinates = self._locate(indices, labels)
        values = self._values_at(coordinates, raw=raw)
        if not deviation:
            return values
        deviations = self._deviations_of(coordinates)
        if self.keep_observed and not raw:
            deviations[self._find_known(coordinates)[0]] = 0.0
        return values, deviations

    def top(
        self,
        index: Any,
        k: int = 10,
        *,
        mode: str | None = None,
        exclude_known: bool = True,
        raw: bool = False,
        **fixed: Any,
    ) -> Top:
        """The k largest entries among those with this index, such as the films that a user will like best.

        They are ordered by the model's values before rounding, the largest first, and of equal ones the smaller index;
        `values` are those of `predict`.

        Parameters
        ----------
        index
            The label of an index, or, where indices have no labels, its number, counted from 0.
        k
            How many; fewer are returned if there are no more.
        mode
            The name of the coordinate that `index` is one of (default: the first).
        exclude_known
            Leave out entries that are known.
        raw
            The model's own values.
        **fixed
            Labels by the names of other coordinates, so that one is left: `top("ann", month="May")`.
        """
        if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
            raise InvalidSetting(must_be("k", "be a whole number, at least 1", k))
        axes = self._axes
        chosen = axes.names[0] if mode is None else mode
        row, free = axes.fix({chosen: index, **fixed} if chosen not in fixed else fixed)
        self._check_seen(row)

        def complete_row(indices: NDArray[np.int64]) -> NDArray[np.int64]:
            coordinates = np.repeat(row.coordinates, len(indices), axis=0)
            coordinates[:, free] = indices
            return coordinates

        def score(indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array]:
            coordinates = complete_row(indices)
            known, which = self._find_known(coordinates)
            if exclude_known:
                return indices[~known], self._clipped(self.estimate.at(coordinates[~known]))
            scores = self._clipped(self.estimate.at(coordinates))
            if self.keep_observed and not raw:
                scores[known] = self.observed.known[which]
            return indices, scores

        best = find_best(score, self.observed.shape[free], int(k))
        coordinates = complete_row(best)
        values = self._values_at(coordinates, raw=raw)
        return Top(tuple(axes.label(free, index) for index in best.tolist()), values, coordinates)

    def _locate(self, indices: Any, labels: Mapping[str, Any]) -> NDArray[np.int64]:
        """Rows of indices, `UNSEEN` only where the method can predict that."""
        if isinstance(indices, Found):
            return self._check_seen(indices)
        if (indices is None) == (not labels):
            raise InvalidInput("predict takes either rows of indices, or labels by the names of all coordinates.")
        if indices is not None and (self.axes is None or not asks_by_labels(indices)):
            return check_coordinates(indices, self.observed.shape)
        found = self._axes.find_named(labels) if indices is None else self._axes.find_rows(indices)
        return self._check_seen(found)

    def _check_seen(self, found: Found) -> NDArray[np.int64]:
        if found.first_unseen and not predicts_unseen(self.estimate):
            raise InvalidInput(
                f"{found.first_unseen} is not in the data, and this completion by {self.method} tells nothing about "
                "what it has not seen; leave such entries out."
            )
        return found.coordinates

    @property
    def _axes(self) -> Axes:
        shape = self.observed.shape
        return self.axes or Axes(tuple(f"mode_{mode + 1}" for mode in range(len(shape))), (None,) * len(shape), shape)

    def _values_at(self, coordinates: NDArray[np.int64], *, raw: bool = False) -> NDArray[Any]:
        """Values at rows of coordinates that are checked already."""
        model = self._clipped(self.estimate.at(coordinates))
        if raw:
            return model
        values = self._bounds.as_dtype(model, self.observed.dtype)
        if self.keep_observed:
            known, which = self._find_known(coordinates)
            values[known] = self.observed.known[which]
        return values

    def _deviations_of(self, coordinates: NDArray[np.int64]) -> Array:
        """Also of entries that are kept; a new array."""
        if self.deviations_at is not None:
            return np.array(self.deviations_at(coordinates))
        if (coordinates < 0).any():
            raise InvalidSetting(f"This completion by {self.method} does not tell how sure it is of what is not in it.")
        return np.array(self._all_deviations()[tuple(coordinates.T)])

    def _find_known(self, coordinates: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which rows of coordinates are known, and the numbers of those in the list of what is observed."""
        wanted = positions_of(coordinates, self.observed.shape)
        nearest = np.searchsorted(self.observed.positions, wanted).clip(max=self.observed.count - 1)
        known = (self.observed.positions[nearest] == wanted) & (coordinates >= 0).all(axis=1)
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
