"""The units that a method works in: where zero is, what unit a slice is in and how large values are does not matter.

What a method sees went through three changes at the door, and what it finds goes back through them:

* data with another lower bound than 0, or with none, is shifted: methods know data that is nowhere negative (`Shift`);
* slices in units of their own, such as the columns of a table, are each divided by their size (`SliceUnits`);
* what is very large or very small is brought to an ordinary size (`Unit`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .bounds import Bounds, distances_from, effective_lower
from .completion import Completion, Estimate, Snapshot, Watch
from .estimates.derived import (
    AffineEstimate,
    ClippedEstimate,
    EstimateBySlice,
    PowerOfTwoEstimate,
    times_along,
    times_at,
    times_power_of_two,
)
from .method import Method
from .observed import ObservedTensor
from .tensor import Array, entries

_APART = 4.0  # times as large: worth a note
_ALIKE = 1.01  # times as large: the same
_SURE = 0.1**2  # variance of the logarithm of a size that is known well enough, to about a tenth
_FARTHEST = 350.0  # logarithm of what has a square that is still a float

_ORDINARY = 40  # data whose largest value is between 2^-40 and 2^40, about 1e-12 and 1e12, stays as it is
_DOUBLE = 8  # bytes
_LARGEST = "The largest known value"


class Change(ABC):
    """A change of units, or none."""

    @property
    @abstractmethod
    def is_none(self) -> bool:
        """Whether everything stays as it is."""

    @abstractmethod
    def apply(self, observed: ObservedTensor) -> ObservedTensor:
        """The data in these units."""

    @abstractmethod
    def restore_estimate(self, estimate: Estimate) -> Estimate:
        """An estimate of the changed data as one of the data."""

    def multiply(self, deviations: Array) -> Array:
        """Deviations of the changed data as those of the data."""
        return deviations

    def multiply_at(self, deviations: Array, coordinates: NDArray[np.int64]) -> Array:
        """The same for deviations at rows of coordinates."""
        return self.multiply(deviations)

    @abstractmethod
    def _restore_numbers(self, done: Completion) -> Completion:
        """What a completion tells besides its estimate and its deviations, in the units of the data."""

    def restore(self, done: Completion, observed: ObservedTensor) -> Completion:
        """A completion of the changed data as one of the data."""
        if self.is_none:
            return done
        estimate = self.restore_estimate(done.estimate)
        everywhere, at = done.deviations, done.deviations_at
        found = replace(
            done,
            observed=observed,
            estimate=estimate,
            deviations=None if everywhere is None else partial(self._restore_deviations, everywhere),
            deviations_at=None if at is None else partial(self._restore_deviations_at, at),
        )
        return self._restore_numbers(found)

    def _restore_deviations(self, compute: Callable[[], Array]) -> Array:
        """A method of a record, so that a completion can be pickled."""
        return self.multiply(compute())

    def _restore_deviations_at(
        self, compute: Callable[[NDArray[np.int64]], Array], coordinates: NDArray[np.int64]
    ) -> Array:
        return self.multiply_at(compute(coordinates), coordinates)

    def watching(self, watch: Watch) -> Watch:
        """A watcher that sees estimates in the units of the data."""
        if self.is_none:
            return watch
        return lambda seen: watch(Snapshot(seen.step, self.restore_estimate(seen.estimate)))


@dataclass(frozen=True, eq=False)
class Units:
    """A tensor in the units that a method sees, and the way there and back."""

    data: ObservedTensor
    shift: Shift
    slices: SliceUnits
    size: Unit
    shifted: ObservedTensor
    even: ObservedTensor
    """Shifted, and no slice much larger than others: what can be interpolated."""
    seen: ObservedTensor

    @classmethod
    def of(
        cls, data: ObservedTensor, shift: Shift, shifted: ObservedTensor, method: Method, *, columns_apart: bool
    ) -> Units:
        """Those in which a method works; columns have their own where they may be in different ones."""
        slices = SliceUnits.of(shifted) if columns_apart else SliceUnits()
        even = slices.apply(shifted)
        size = Unit.of(even, shift.name(_LARGEST), method.settings_in_data_units)
        return cls(data, shift, slices, size, shifted, even, size.apply(even))

    def watching(self, watch: Watch) -> Watch:
        """A watcher of the method that sees estimates in the units of the data."""
        return self.size.watching(self.slices.watching(self.shift.watching(watch)))

    def restore_size(self, done: Completion) -> Completion:
        """A completion of what was seen as one of `even`."""
        return self.size.restore(done, self.even)

    def restore(self, done: Completion) -> Completion:
        """A completion of `even` as one of the data."""
        return self.shift.restore(self.slices.restore(done, self.shifted), self.data)


@dataclass(frozen=True, eq=False)
class Shift(Change):
    """The data is worked on less `amount`; `bounds` are those of the data.

    What methods see is the distance from the lower bound, or, where there is none, from the smallest known value, and
    then that they need not keep to it.
    """

    bounds: Bounds
    amount: Any
    """Zero, or a number of the data's dtype if that is floating point."""
    floor: float
    """What a method has to keep to: 0, or −∞ for nothing."""

    @classmethod
    def of(cls, bounds: Bounds, observed: ObservedTensor, *, moves: bool = True) -> Shift:
        """By the lower bound, or by the smallest known value; not at all, if it `moves` not."""
        if not moves:
            return cls(bounds, 0, 0.0 if bounds.lower == 0 else -math.inf)
        if bounds.lower == 0:
            return cls(bounds, 0, 0.0)
        if bounds.lower is None:
            smallest = observed.known.min()
            return cls(bounds, smallest if observed.dtype.kind == "f" else int(smallest), -math.inf)
        return cls(bounds, effective_lower(bounds.lower, observed.known), 0.0)

    @property
    def is_none(self) -> bool:
        return self.bounds == Bounds()

    def apply(self, observed: ObservedTensor) -> ObservedTensor:
        if self.amount == 0:
            return observed if self.floor == 0 else observed.with_values(observed.known, floor=self.floor)
        return observed.with_values(distances_from(observed.known, self.amount), floor=self.floor)

    def name(self, largest: str) -> str:
        """What the largest value is called that a method sees."""
        return largest if self.amount == 0 else f"{largest}, less {self.amount},"

    def restore_estimate(self, estimate: Estimate) -> Estimate:
        """Shifted back, and nowhere above the upper bound."""
        if self.amount != 0:
            estimate = AffineEstimate(estimate, 1.0, float(self.amount))
        upper = self.bounds.upper
        return estimate if upper is None else ClippedEstimate(estimate, -math.inf, float(upper))

    def _restore_numbers(self, done: Completion) -> Completion:
        return replace(
            done,
            nonnegative=done.nonnegative and self.bounds.lower is not None,
            lower=self.bounds.lower,
            upper=self.bounds.upper,
            smallest=None if done.smallest is None else done.smallest + float(self.amount),
            negative_share=done.negative_share if math.isfinite(self.floor) else None,
        )


@dataclass(frozen=True, eq=False)
class SliceUnits(Change):
    """The indices of a mode are worked on in units of their own; None if all have the same.

    Methods measure the errors of all entries by the same yardstick. Next to a column of hundreds, one of hundredths
    would be noise to them. Divided, it does not matter which unit a column is in.
    """

    scales: Array | None = None
    mode: int = -1

    @classmethod
    def of(cls, observed: ObservedTensor, mode: int = -1) -> SliceUnits:
        """For every slice the root mean square of what is known in it, next to that of a slice in the middle.

        Where few entries of a slice are known, their size says little about it: it counts as much as the differences
        between slices are larger than what such few entries would show by chance.
        """
        sizes, counts, doubt = _sizes(observed, mode)
        some = (sizes > 0) & (counts > 1)  # one entry alone says nothing
        if some.sum() < 2:
            return cls()
        logs = np.log(sizes[some])
        chance = doubt / (counts[some] - 1)
        real = max(0.0, float(logs.var() - chance.mean()))
        trust = np.where(chance <= _SURE, 1.0, real / np.maximum(real + chance, _SURE))
        scales = np.ones(len(sizes))
        scales[some] = np.exp(np.clip((logs - np.median(logs)) * trust, -_FARTHEST, _FARTHEST))
        return cls() if scales.max() < _ALIKE * scales.min() else cls(scales, mode)

    @property
    def is_none(self) -> bool:
        return self.scales is None

    def apply(self, observed: ObservedTensor) -> ObservedTensor:
        if self.scales is None:
            return observed
        with np.errstate(under="ignore"):
            return observed.with_values(observed.values / self.scales[_indices(observed, self.mode)])

    def restore_estimate(self, estimate: Estimate) -> Estimate:
        assert self.scales is not None
        return EstimateBySlice(estimate, self.scales, self.mode)

    def multiply(self, deviations: Array) -> Array:
        return deviations if self.scales is None else times_along(deviations, self.scales, self.mode)

    def multiply_at(self, deviations: Array, coordinates: NDArray[np.int64]) -> Array:
        return deviations if self.scales is None else times_at(deviations, self.scales, self.mode, coordinates)

    def _restore_numbers(self, done: Completion) -> Completion:
        scales = self.scales
        assert scales is not None
        note = (
            f"Columns are up to {scales.max() / scales.min():.3g} times as large as one another, so each was scaled by "
            "itself. Entries and deviations are in the columns' own units; costs, bounds and errors that are told are "
            "in those of a middle one."
        )
        return replace(
            done,
            smallest=None if done.smallest is None else float(done.estimate.dense().min()),
            reasons={**done.reasons, "columns": note},
            notes=(*done.notes, note) if scales.max() > _APART * scales.min() else done.notes,
        )


def _indices(observed: ObservedTensor, mode: int) -> NDArray[np.int64]:
    """Of the known entries, along a mode."""
    after = observed.shape[mode % observed.order + 1 :]
    return np.asarray(observed.positions // entries(after) % observed.shape[mode])


def _sizes(observed: ObservedTensor, mode: int) -> tuple[Array, Array, float]:
    """The root mean square of what is known in every slice, from how many entries, and what one of them is worth.

    The last is the variance of the logarithm of a root mean square that is found from one entry.
    """
    width = observed.shape[mode]
    columns = _indices(observed, mode)
    counts = np.bincount(columns, minlength=width).astype(np.float64)
    largest = np.zeros(width)
    np.maximum.at(largest, columns, np.abs(observed.values))
    unit = np.where(largest > 0, largest, 1.0)  # whose squares are ordinary numbers
    squares = (observed.values / unit[columns]) ** 2
    means = np.bincount(columns, squares, minlength=width) / np.maximum(counts, 1)
    relative = squares[means[columns] > 0] / means[columns][means[columns] > 0]
    spare = float(np.maximum(counts[means > 0] - 1, 0).sum())
    doubt = float(np.sum((relative - 1) ** 2)) / (4 * max(spare, 1.0))
    return unit * np.sqrt(means), counts, doubt


@dataclass(frozen=True)
class Unit(Change):
    """The data is worked on in units of 2^exponent.

    Methods square values, and the squares of 1e200 and of 1e-200 are no floats any more. Dividing by a power of two is
    exact, so nothing is lost.
    """

    exponent: int
    largest: float = 0.0
    """The largest known value, for the note."""
    called: str = _LARGEST
    """What the note calls it."""
    settings: tuple[str, ...] = ()
    """Names of settings of the method that are in units of the data."""

    @classmethod
    def of(cls, observed: ObservedTensor, called: str = _LARGEST, settings: tuple[str, ...] = ()) -> Unit:
        """1, unless the largest known value is out of the ordinary; then it is between ½ and 1 of these units."""
        largest = observed.known.max()
        exponent = int(np.frexp(largest)[1]) if observed.dtype.kind == "f" else int(largest).bit_length()
        return cls(0 if abs(exponent) <= _ORDINARY else exponent, float(largest), called, settings)

    @property
    def is_none(self) -> bool:
        return self.exponent == 0

    def apply(self, observed: ObservedTensor) -> ObservedTensor:
        if self.exponent == 0:
            return observed
        known = observed.known if observed.dtype.kind == "f" else observed.values
        with np.errstate(under="ignore"):  # next to the largest value that is nothing
            small = np.ldexp(known, -self.exponent)
        return observed.with_values(small.astype(np.float64) if small.itemsize > _DOUBLE else small)

    def apply_to_settings(self, method: Method) -> Method:
        """The method for data in these units: settings that are in those of the data are divided, too."""
        if self.exponent == 0:
            return method
        given = {name: getattr(method, name) for name in self.settings if getattr(method, name) is not None}
        small = {name: self._times(float(value), -self.exponent) for name, value in given.items()}
        return cast(Method, replace(cast(Any, method), **small))

    def restore_estimate(self, estimate: Estimate) -> Estimate:
        return PowerOfTwoEstimate(estimate, self.exponent)

    def multiply(self, deviations: Array) -> Array:
        return times_power_of_two(deviations, self.exponent)

    def _restore_numbers(self, done: Completion) -> Completion:
        exponent = self.exponent
        note = (
            f"{self.called} is {self.largest:.3g}, so the data was worked on in units of 2^{exponent}. "
            "Entries and deviations are in the data's own units; costs, bounds and errors that are told are not."
        )
        told = {name: done.settings[name] for name in self.settings if done.settings.get(name) is not None}
        return replace(
            done,
            smallest=None if done.smallest is None else float(times_power_of_two(np.array(done.smallest), exponent)),
            settings={**done.settings, **{name: self._times(value, exponent) for name, value in told.items()}},
            notes=(*done.notes, note),
        )

    @staticmethod
    def _times(value: float, exponent: int) -> float:
        """value · 2^exponent, or the nearest float above 0."""
        return max(float(times_power_of_two(np.array(value), exponent)), float(np.finfo(np.float64).tiny))
