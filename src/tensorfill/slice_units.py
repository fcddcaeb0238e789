"""Slices in units of their own, such as the columns of a table: each is divided by its own size.

Methods measure the errors of all entries by the same yardstick. Next to a column of hundreds, one of hundredths would
be noise to them. Divided, it does not matter which unit a column is in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .completion import Completion, Snapshot, Watch
from .estimates.derived import EstimateBySlice, times_along
from .observed import ObservedTensor
from .tensor import Array, entries

_APART = 4.0  # times as large: worth a note
_ALIKE = 1.01  # times as large: the same
_SURE = 0.1**2  # variance of the logarithm of a size that is known well enough, to about a tenth
_FARTHEST = 350.0  # logarithm of what has a square that is still a float


@dataclass(frozen=True, eq=False)
class SliceUnits:
    """The indices of a mode are worked on in units of their own; None if all have the same."""

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

    def divided(self, observed: ObservedTensor) -> ObservedTensor:
        """The data in these units."""
        if self.scales is None:
            return observed
        with np.errstate(under="ignore"):
            return observed.with_values(observed.values / self.scales[_indices(observed, self.mode)])

    def watching(self, watch: Watch) -> Watch:
        """A watcher that sees estimates in the data's own units."""
        if self.scales is None:
            return watch
        scales, mode = self.scales, self.mode
        return lambda seen: watch(Snapshot(seen.step, EstimateBySlice(seen.estimate, scales, mode)))

    def multiplied(self, done: Completion, observed: ObservedTensor) -> Completion:
        """A completion of the divided data as one of the data."""
        if self.scales is None:
            return done
        scales, mode, deviations = self.scales, self.mode, done.deviations
        estimate = EstimateBySlice(done.estimate, scales, mode)
        told = _told(scales)
        return replace(
            done,
            observed=observed,
            estimate=estimate,
            smallest=None if done.smallest is None else float(estimate.dense().min()),
            deviations=None if deviations is None else partial(_times_scales, deviations, scales, mode),
            reasons={**done.reasons, "columns": told},
            notes=(*done.notes, told) if scales.max() > _APART * scales.min() else done.notes,
        )


def _times_scales(deviations: Callable[[], Array], scales: Array, mode: int) -> Array:
    return times_along(deviations(), scales, mode)  # a function of the module, so that a completion can be pickled


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


def _told(scales: Array) -> str:
    return (
        f"Columns are up to {scales.max() / scales.min():.3g} times as large as one another, so each was scaled by "
        "itself. Entries and deviations are in the columns' own units; costs, bounds and errors that are told are in "
        "those of a middle one."
    )
