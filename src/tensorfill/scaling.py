"""The scale of the data does not matter: what is very large or very small is brought to an ordinary size at the door.

Methods square values, and the squares of 1e200 and of 1e-200 are no floats any more. Dividing by a power of two is
exact, so nothing is lost; what the method finds is multiplied by it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from .completion import Completion, Snapshot, Watch
from .estimates.derived import PowerOfTwoEstimate, times_power_of_two
from .method import Method
from .observed import ObservedTensor
from .tensor import Array

_ORDINARY = 40  # data whose largest value is between 2^-40 and 2^40, about 1e-12 and 1e12, stays as it is
_DOUBLE = 8  # bytes
LARGEST = "The largest known value"
"""What gives data its unit, as notes call it."""


@dataclass(frozen=True)
class Unit:
    """The data is worked on in units of 2^exponent."""

    exponent: int
    largest: float = 0.0
    """The largest known value, for the note."""
    called: str = LARGEST
    """What the note calls it."""

    @classmethod
    def of(cls, observed: ObservedTensor, called: str = LARGEST) -> Unit:
        """1, unless the largest known value is out of the ordinary; then it is between ½ and 1 of these units."""
        largest = observed.known.max()
        exponent = int(np.frexp(largest)[1]) if observed.dtype.kind == "f" else int(largest).bit_length()
        return cls(0 if abs(exponent) <= _ORDINARY else exponent, float(largest), called)

    def divided(self, observed: ObservedTensor) -> ObservedTensor:
        """The data in these units."""
        if self.exponent == 0:
            return observed
        known = observed.known if observed.dtype.kind == "f" else observed.values
        with np.errstate(under="ignore"):  # next to the largest value that is nothing
            small = np.ldexp(known, -self.exponent)
        return observed.with_values(small.astype(np.float64) if small.itemsize > _DOUBLE else small)

    def divided_settings(self, method: Method) -> Method:
        """The method for data in these units: settings that are in those of the data are divided, too."""
        names = method.settings_in_data_units if self.exponent else ()
        given = {name: getattr(method, name) for name in names if getattr(method, name) is not None}
        small = {name: self._times(float(value), -self.exponent) for name, value in given.items()}
        return cast(Method, replace(cast(Any, method), **small)) if small else method

    def watching(self, watch: Watch) -> Watch:
        """A watcher that sees estimates in the data's own units."""
        if self.exponent == 0:
            return watch
        return lambda seen: watch(Snapshot(seen.step, PowerOfTwoEstimate(seen.estimate, self.exponent)))

    def multiplied(self, done: Completion, observed: ObservedTensor, method: Method | None = None) -> Completion:
        """A completion of the divided data, by this method, as one of the data."""
        if self.exponent == 0:
            return done
        deviations, exponent = done.deviations, self.exponent
        names = () if method is None else method.settings_in_data_units
        told = {name: done.settings[name] for name in names if done.settings.get(name) is not None}
        return replace(
            done,
            observed=observed,
            estimate=PowerOfTwoEstimate(done.estimate, exponent),
            smallest=None if done.smallest is None else float(times_power_of_two(np.array(done.smallest), exponent)),
            settings={**done.settings, **{name: self._times(value, exponent) for name, value in told.items()}},
            deviations=None if deviations is None else partial(_multiplied, deviations, exponent),
            notes=(*done.notes, self._note()),
        )

    @staticmethod
    def _times(value: float, exponent: int) -> float:
        """value · 2^exponent, or the nearest float above 0."""
        return max(float(times_power_of_two(np.array(value), exponent)), float(np.finfo(np.float64).tiny))

    def _note(self) -> str:
        return (
            f"{self.called} is {self.largest:.3g}, so the data was worked on in units of 2^{self.exponent}. "
            "Entries and deviations are in the data's own units; costs, bounds and errors that are told are not."
        )


def _multiplied(deviations: Callable[[], Array], exponent: int) -> Array:
    """A function of the module, so that a completion can be pickled."""
    return times_power_of_two(deviations(), exponent)
