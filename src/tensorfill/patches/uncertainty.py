"""How sure groups are of every entry: their own variances, calibrated on errors at held-out entries.

What a group cannot know is how typical it is: a law fitted to the errors at held-out entries takes that from how far
the start was off around an entry, how steep the estimate is there, and how much is known nearby.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from ..selection.variance_law import Evidence, VarianceLaw, independent_share, join_evidence
from ..tensor import SHORT, Array

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_WIDTHS = (3, 9)  # entries along every mode with neighbours, over which is averaged
_LITTLE = 0.02  # of the mean is added before logarithms are taken
_RIDGE = 100.0  # of the law: groups know more than its properties, which would be fitted to chance
_TAILS = 4.0  # errors of groups have heavier tails than a normal distribution, and those matter most
_TAILS_IN_STROKES = 16.0  # and those in strokes even more so
_EASIER = 1.15  # errors in missing strokes are larger than in held-out ones on most photographs looked at
_BAND, _ENOUGH = 32, 200  # indices; errors from which a law can be judged
_LEAST_VARIANCE = 1e-8  # of values of size 1


@dataclass(frozen=True, eq=False)
class GroupUncertainty:
    """What it takes to tell how sure to be, in units in which the largest known value is 1."""

    mask: Mask
    held: Mask
    values: Floats
    before: Floats
    """The start without held-out entries."""
    variance: Floats
    """What groups say of it; NaN where they say nothing."""
    noise: float
    scattered: bool
    """Whether entries are missing one by one."""

    def deviations(self, entries: Floats, errors: Array) -> Floats:
        """The standard deviation of what a value at every entry would differ from the estimate by.

        `errors` are those of predictions of the held-out entries, in order.
        """
        properties = list(self._properties(entries))
        guess = self._guess()
        seen = self._evidence(guess, properties, errors)
        law = VarianceLaw.fitted(seen, _RIDGE) if self.scattered else VarianceLaw.fitted(seen)
        bands = np.flatnonzero(self.held) // _stretch(self.held)
        factor = law.factor(seen, _TAILS) if self.scattered else _factor_elsewhere(seen, bands)
        found = np.exp(0.5 * law.logarithms(guess, properties)) * np.float32(factor)
        return np.asarray(found, dtype=np.float32)

    def evidence(self, entries: Floats, errors: Array) -> Evidence:
        """Errors at held-out entries with what is around them."""
        return self._evidence(self._guess(), list(self._properties(entries)), errors)

    def by_law(self, law: VarianceLaw, factor: float, entries: Floats) -> Floats:
        """The same by a law that was fitted elsewhere."""
        found = np.exp(0.5 * law.logarithms(self._guess(), self._properties(entries))) * np.float32(factor)
        return np.asarray(found, dtype=np.float32)

    def _evidence(self, guess: Floats, properties: Sequence[Floats], errors: Array) -> Evidence:
        where = np.flatnonzero(self.held)
        return Evidence(
            guess.reshape(-1)[where].astype(np.float64),
            np.stack([part.reshape(-1)[where] for part in properties], axis=1).astype(np.float64),
            errors.astype(np.float64) ** 2,
            1.0 if self.scattered else independent_share(self.held),
        )

    def _guess(self) -> Floats:
        """log(variance + σ²); where groups say nothing, of their mean."""
        said = np.isfinite(self.variance)
        usual = float(self.variance.mean(where=said, dtype=np.float64)) if said.any() else 0.0
        variance = np.where(said, np.maximum(self.variance, 0), np.float32(usual))
        return np.log(variance + np.float32(max(self.noise, _LEAST_VARIANCE)))

    def _properties(self, entries: Floats) -> Iterator[Floats]:
        known = self.mask & ~self.held
        counts = known.astype(np.float32)
        squares = np.where(known, (self.values - self.before) ** 2, np.float32(0))
        for width in _WIDTHS:
            near = self._average(counts, width)
            yield _logarithm(near)
            yield _logarithm(self._average(squares, width), over=near)
        yield _logarithm(self._average(self._slopes(entries), _WIDTHS[0]))
        yield _logarithm(np.maximum(entries, 0))
        yield np.isfinite(self.variance).astype(np.float32)

    def _average(self, values: Floats, width: int) -> Floats:
        size = [width if extent > SHORT else 1 for extent in values.shape]
        return np.asarray(uniform_filter(values, size, mode="nearest"))

    def _slopes(self, entries: Floats) -> Floats:
        """The squared length of the gradient."""
        total = np.zeros_like(entries)
        for mode, size in enumerate(entries.shape):
            if size > SHORT:
                total += np.gradient(entries, axis=mode) ** 2
        return total


def fit_scattered(parts: Sequence[Evidence]) -> tuple[VarianceLaw | None, float]:
    """A law for entries that are missing one by one, and its factor, from several windows; None if there are none."""
    if not parts:
        return None, 1.0
    seen = join_evidence(parts)
    law = VarianceLaw.fitted(seen, _RIDGE)
    return law, law.factor(seen, _TAILS)


def _stretch(held: Mask) -> int:
    """How many entries there are in a band of so many indices along the first long mode."""
    first = next((mode for mode, size in enumerate(held.shape) if size > SHORT), 0)
    return _BAND * max(1, math.prod(held.shape[first + 1 :]))


def _factor_elsewhere(seen: Evidence, bands: NDArray[np.intp]) -> float:
    """The factor for places that a law was not fitted to: every other band of them judges that of the rest."""
    parts = [seen.where(bands % 2 == part) for part in (0, 1)]
    if min(len(part.squares) for part in parts) < _ENOUGH:
        return _EASIER * VarianceLaw.fitted(seen).factor(seen, _TAILS_IN_STROKES)
    found = [VarianceLaw.fitted(one).factor(other, _TAILS_IN_STROKES) for one, other in (parts, parts[::-1])]
    return _EASIER * float(np.sqrt(found[0] * found[1]))


def _logarithm(values: Floats, over: Floats | None = None) -> Floats:
    """Of values, or of what they are divided by others; a little is added to both."""
    little = np.float32(max(_LITTLE * float(values.mean(dtype=np.float64)), 1e-12))
    found: Floats = np.log(values + little)
    return found if over is None else np.asarray(found - _logarithm(over))
