"""Where zero is does not matter: data with another lower bound, or with none, is shifted at the door.

Methods know data that is nowhere negative. What they see is the distance from the lower bound, or, where there is none,
from the smallest known value, and then that they need not keep to it; what they find is shifted back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bounds import Bounds, Number
from .completion import Completion, Estimate, Snapshot, Watch
from .errors import InvalidInput
from .estimates.derived import AffineEstimate, ClippedEstimate
from .observed import ObservedTensor

_FAR = 10  # times the range of what is known
_WHOLE = 2**64  # whole numbers below fit an unsigned integer
_FARTHEST = float(np.finfo(np.float64).max) / 4  # so that nothing a method finds is beyond the largest float


@dataclass(frozen=True, eq=False)
class Shift:
    """The data is worked on less `amount`; `bounds` are those of the data."""

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
        return cls(bounds, _lower_seen(bounds.lower, observed.known), 0.0)

    def shifted(self, observed: ObservedTensor) -> ObservedTensor:
        """The data as a method sees it."""
        if self.amount == 0:
            return observed if self.floor == 0 else observed.with_values(observed.known, floor=self.floor)
        return observed.with_values(_distances(observed.known, self.amount), floor=self.floor)

    def watching(self, watch: Watch) -> Watch:
        """A watcher that sees estimates in the data's own units, and nothing above the upper bound."""
        if self.bounds == Bounds():
            return watch
        return lambda seen: watch(Snapshot(seen.step, self._back(seen.estimate)))

    def told(self, largest: str) -> str:
        """What the largest value is called that a method sees."""
        return largest if self.amount == 0 else f"{largest}, less {self.amount},"

    def shifted_back(self, done: Completion, observed: ObservedTensor) -> Completion:
        """A completion of the shifted data as one of the data."""
        if self.bounds == Bounds():
            return done
        kept = math.isfinite(self.floor)
        return replace(
            done,
            observed=observed,
            estimate=self._back(done.estimate),
            nonnegative=done.nonnegative and self.bounds.lower is not None,
            lower=self.bounds.lower,
            upper=self.bounds.upper,
            smallest=None if done.smallest is None else done.smallest + float(self.amount),
            negative_share=done.negative_share if kept else None,
        )

    def _back(self, estimate: Estimate) -> Estimate:
        if self.amount != 0:
            estimate = AffineEstimate(estimate, 1.0, float(self.amount))
        upper = self.bounds.upper
        return estimate if upper is None else ClippedEstimate(estimate, -math.inf, float(upper))


def _lower_seen(lower: Number, known: NDArray[Any]) -> Any:
    """The lower bound; or one that is stricter and as unlikely to be met, if it is far below all that is known.

    Next to the distance from the far one, differences of known values would be lost in rounding.
    """
    whole = known.dtype.kind != "f"
    smallest, largest = (int(edge) if whole else float(edge) for edge in (known.min(), known.max()))
    seen = max(lower, smallest - _FAR * (largest - smallest))
    return seen if whole else known.dtype.type(seen)


def _distances(known: NDArray[Any], amount: Any) -> NDArray[Any]:
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
