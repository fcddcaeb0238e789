"""Bounds: the smallest and the largest value an entry may have, kept in every dtype, and distances from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput, InvalidSetting, must_be
from .tensor import Array

Number = int | float

_FAR = 10  # times the range of what is known
_WHOLE = 2**64  # whole numbers below fit an unsigned integer
_FARTHEST = float(np.finfo(np.float64).max) / 4  # so that nothing a method finds is beyond the largest float


@dataclass(frozen=True)
class Bounds:
    """`lower` ≤ every entry ≤ `upper`; None: no bound on that side."""

    lower: Number | None = 0
    upper: Number | None = None

    @classmethod
    def of(cls, lower: object, upper: object) -> Bounds:
        """From what a user gave, checked."""
        found = cls(_checked("lower", lower), _checked("upper", upper))
        if found.lower is not None and found.upper is not None and not found.lower < found.upper:
            raise InvalidSetting(must_be("upper", f"be above lower={lower}", upper))
        return found

    def raised(self, values: Array) -> Array:
        """Values with those below the lower bound put on it."""
        return values if self.lower is None else np.maximum(values, self.lower)

    def lowered(self, values: Array) -> Array:
        """Values with those above the upper bound put on it."""
        return values if self.upper is None else np.minimum(values, self.upper)

    def limits(self, dtype: np.dtype[Any]) -> tuple[Any, Any]:
        """The smallest and the largest number of a dtype within the bounds, exactly."""
        lowest, highest = _whole_limits(self, dtype) if dtype.kind != "f" else _float_limits(self, dtype)
        if not lowest <= highest:
            raise InvalidSetting(
                f"No number of the data's type, {dtype}, keeps to lower={self.lower}, upper={self.upper}."
            )
        return lowest, highest

    def as_dtype(self, values: Array, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Values as `dtype`, rounded to integers where needed, kept inside the bounds and the range of the dtype."""
        lowest, highest = self.limits(dtype)
        if dtype.kind == "f":
            return np.clip(values, lowest, highest).astype(dtype)
        if dtype.kind == "b":
            return np.clip(values, lowest, highest) >= 0.5
        rounded = np.rint(np.clip(values, float(lowest), float(highest)))
        # float64 cannot hold all 64-bit integers; going through it, the limits would overflow or move.
        inside = (rounded > lowest) & (rounded < highest)
        whole = np.where(inside, rounded, 0).astype(dtype)
        whole[rounded <= lowest] = lowest
        whole[rounded >= highest] = highest
        return whole

    def kept_by(
        self, known: NDArray[Any], place: Callable[[int], object], *, clip: bool
    ) -> tuple[NDArray[Any], tuple[str, ...]]:
        """Known values if they keep to the bounds; else they are refused, or put on them and counted in notes.

        `place` tells where the value with some number is, for the complaint.
        """
        if self.lower is None and self.upper is None:
            return known, ()
        lowest, highest = self.limits(known.dtype)
        whole = known.dtype.kind != "f"
        notes: list[str] = []
        for bound, limit in (("lower", lowest), ("upper", highest)):
            given = getattr(self, bound)
            if given is None:
                continue
            edge = limit if whole else _as_given(given, known.dtype)
            outside = known < edge if bound == "lower" else known > edge
            if not outside.any():
                continue
            if not clip:
                raise InvalidInput(self._complaint(bound, known, np.flatnonzero(outside), place))
            known = np.where(outside, np.asarray(limit, dtype=known.dtype), known)
            notes.append(_counted(bound, int(np.count_nonzero(outside)), limit))
        return known, tuple(notes)

    def _complaint(self, bound: str, known: NDArray[Any], bad: NDArray[np.intp], place: Callable[[int], object]) -> str:
        value = getattr(self, bound)
        side = "below" if bound == "lower" else "above"
        what = "negative" if bound == "lower" and value == 0 else f"{side} {bound}={value}"
        extreme = known.min() if bound == "lower" else known.max()
        most = "smallest" if bound == "lower" else "largest"
        return (
            f"{len(bad)} observed values are {what}, the first {known[bad[0]]} at {place(int(bad[0]))}; if that is "
            f"right, use {bound}=None for data without such a bound, or {bound}={extreme}, the {most} of them. To set "
            f"them to {'zero' if value == 0 else value} use negatives='clip'."
        )


def _counted(bound: str, count: int, limit: object) -> str:
    values, were = ("value", "was") if count == 1 else ("values", "were")
    if bound == "lower" and limit == 0:
        return f"{count:,} negative known {values} {were} set to 0."
    return f"{count:,} known {values} {'below' if bound == 'lower' else 'above'} {limit} {were} set to {limit}."


def _checked(name: str, bound: object) -> Number | None:
    if bound is None:
        return None
    if isinstance(bound, bool | np.bool_) or not isinstance(bound, Real) or not math.isfinite(bound):
        raise InvalidSetting(must_be(name, "be a number, or None for no bound", bound))
    if isinstance(bound, Integral):
        return int(bound)
    return int(float(bound)) if float(bound).is_integer() else float(bound)


def _as_given(bound: Number, dtype: np.dtype[Any]) -> Any:
    """The bound as data of this dtype has it: whoever writes 0.7 means single precision's own 0.7 there."""
    with np.errstate(over="ignore"):
        return dtype.type(bound)


def _whole_limits(bounds: Bounds, dtype: np.dtype[Any]) -> tuple[int, int]:
    smallest, largest = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    lowest = smallest if bounds.lower is None else max(smallest, math.ceil(bounds.lower))
    highest = largest if bounds.upper is None else min(largest, math.floor(bounds.upper))
    return lowest, highest


def _float_limits(bounds: Bounds, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    # Numbers of this dtype, so that a value between them stays there when it is rounded to it.
    lowest, highest = -np.finfo(dtype).max, np.finfo(dtype).max
    if bounds.lower is not None:
        near = _as_given(bounds.lower, dtype)
        lowest = near if near >= np.longdouble(bounds.lower) else np.nextafter(near, dtype.type(np.inf))
    if bounds.upper is not None:
        near = _as_given(bounds.upper, dtype)
        highest = near if near <= np.longdouble(bounds.upper) else np.nextafter(near, dtype.type(-np.inf))
    return lowest, highest


def effective_lower(lower: Number, known: NDArray[Any]) -> Any:
    """The lower bound; or one that is stricter and as unlikely to be met, if it is far below all that is known.

    Next to the distance from the far one, differences of known values would be lost in rounding.
    """
    whole = known.dtype.kind != "f"
    smallest, largest = (int(edge) if whole else float(edge) for edge in (known.min(), known.max()))
    seen = max(lower, smallest - _FAR * (largest - smallest))
    return seen if whole else known.dtype.type(seen)


def distances_from(known: NDArray[Any], amount: Any) -> NDArray[Any]:
    """known − amount, none of which is negative: exact for whole numbers, and for others as exact as they are."""
    if known.dtype.kind != "f":
        return _whole_distances(known, amount)
    with np.errstate(over="ignore"):
        found = known - amount if known.itemsize > 2 else known.astype(np.float32) - np.float32(amount)
        if known.itemsize < 8 and not np.isfinite(found).all():
            found = known.astype(np.float64) - float(amount)
    if float(found.max()) > _FARTHEST or abs(float(amount)) > _FARTHEST:
        raise InvalidInput(
            f"The known values reach from {known.min():.3g} to {known.max():.3g}, too far for differences of them; "
            "divide the data by 16."
        )
    return np.asarray(found)


def _whole_distances(known: NDArray[Any], amount: Any) -> NDArray[Any]:
    farthest = int(known.max()) - amount
    if not isinstance(amount, int) or farthest >= _WHOLE:
        return known.astype(np.float64) - float(amount)
    # Modulo 2^64, so nothing overflows, whatever the signs.
    found = known.astype(np.uint64) - np.uint64(amount % _WHOLE)
    return found.astype(np.min_scalar_type(farthest))
