"""Entrywise: what can be asked of a completion entry by entry, without building the full tensor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from .bounds import Bounds
from .errors import InvalidInput, InvalidSetting, must_be
from .estimates.estimate import Estimate, predicts_unseen
from .labels import Axes, Found, asks_by_labels
from .observed import ObservedTensor, check_coordinates, positions_of
from .ranking import find_best
from .tensor import Array


class Top(NamedTuple):
    """The largest entries of a fibre, the largest first."""

    labels: tuple[Any, ...]
    """What they are called along the fibre: labels of the free coordinate, or its indices."""
    values: NDArray[Any]
    coordinates: NDArray[np.int64]
    """Their rows of indices; -1 for a label that the data did not have."""


class Entrywise(ABC):
    """Predictions at single entries and along fibres, of whatever has an estimate of a tensor."""

    observed: ObservedTensor
    method: str
    estimate: Estimate
    nonnegative: bool
    keep_observed: bool
    deviations_at: Callable[[NDArray[np.int64]], Array] | None
    axes: Axes | None

    @abstractmethod
    def _all_deviations(self) -> Array:
        """The standard deviation of every entry, also of those that are kept."""

    @abstractmethod
    def _clipped(self, values: Array) -> Array:
        """The model's values, put on the bounds that it keeps to."""

    @property
    @abstractmethod
    def _bounds(self) -> Bounds:
        """Those of every entry."""

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
