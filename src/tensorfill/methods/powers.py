"""Completing a power of the data: W = E[x₊^(1/p)], where x, about W^p, is what a method completes.

Prices, counts and light vary in proportion to their size, which a prior with one variance for all sizes does not know.
Their root varies by about the same everywhere. Which power is best is told by held-out entries of a part of the data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Estimate, History, Snapshot, StopReason, Watch
from ..estimates.derived import PoweredEstimate, deviation_of_root, expected_root
from ..observed import ObservedTensor
from ..selection.judge import Deviations, HeldOutRun, own_deviations
from ..selection.windows import Window, window_sizes, windows
from ..tensor import SHORT, Array
from .setting_checks import check_positive, wrong

POWERS = (1.0, 0.75, 0.5)
_SKEWED = 1.0  # the skewness of known values from which on powers are compared
_MOST, _MOST_IN_HOLES = 2**18, 2**17  # entries of the part where they are
_SAMPLE = 2**20  # known values that tell the skewness, at most about
_SHORTEST = 32  # modes that are not cut
_MEDIAN_OF_NORMAL = 0.6745  # of its size: by it, a few large errors do not count
_BETTER = -1.0  # standard errors by which squared errors must be smaller than with a power nearer to 1


class Run(Protocol):
    """A method that is ready to go."""

    def __call__(
        self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None
    ) -> tuple[Completion, HeldOutRun | None]:
        """Complete this, and tell what was predicted where entries were held out."""
        ...


@dataclass(frozen=True)
class ChosenPower:
    """Which power of the data is completed, and why."""

    power: float
    errors: Mapping[float, float] = field(default_factory=dict)
    """At held-out entries of a part of the data, in its units; empty if there was no need to compare."""
    stop: StopReason | None = None
    """What ended it before the choice was made."""
    made: tuple[Completion, HeldOutRun | None] | None = None
    """What the method made of that power, if all of the data was tried."""

    def run(
        self, method: Run, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None
    ) -> tuple[Completion, HeldOutRun | None]:
        """Complete the power of the data, and tell of the data itself."""
        if self.stop is not None and self.made is None:
            done, held_out = method(observed, rng=rng, watch=lambda _: True)
            return replace(done, stop=self.stop), held_out
        if self.made is not None:
            done, held_out = self.made
        elif self.power == 1:
            done, held_out = method(observed, rng=rng, watch=watch)
        else:
            done, held_out = _Raised(observed, self.power).run(method, rng=rng, watch=watch)
        return replace(
            done, settings={**done.settings, "power": self.power}, reasons={**done.reasons, **self.reasons()}
        ), held_out

    def reasons(self) -> dict[str, str]:
        """Why this one, if several were compared."""
        if not self.errors:
            return {}
        told = "; ".join(f"{power:g} {error:.3g}" for power, error in self.errors.items())
        units = " All other numbers are those of the power." if self.power != 1 else ""
        return {"power": f"{self.power:g}, by errors at held-out entries of a part of the data: {told}.{units}"}


def check_power(method: str, power: object) -> None:
    """Refuse what is no power."""
    if power is None:
        return
    check_positive(method, "power", power)
    if float(cast(float, power)) > 1:
        raise wrong(method, "power", "be above 0 and at most 1", power)


def check_power_fits(method: str, power: float | None, observed: ObservedTensor) -> None:
    """Refuse to take powers of what may be negative."""
    if power not in (None, 1) and observed.floor != 0:
        raise wrong(method, "power", "be 1 where there is no lower bound to count from", power)


def choose_power(
    observed: ObservedTensor,
    method: Run,
    rng: np.random.Generator,
    *,
    keeps: bool = False,
) -> ChosenPower:
    """The power with which a method predicts held-out entries best; 1, unless another is clearly better.

    If it `keeps` what it makes of all of the data, where that is small, the method need not run again. That is for
    runs that nobody watches: what was watched is what is in the history.
    """
    window = _window(observed) if _is_skewed(observed) else None
    if window is None:
        return ChosenPower(1.0)
    part = _cut(observed, window)
    keeps &= part.shape == observed.shape
    best, fewest = ChosenPower(1.0), None
    errors: dict[float, float] = {}
    for power in POWERS:
        made = ChosenPower(power).run(method, part, rng=deepcopy(rng), watch=None)
        done, run = made
        if done.stop.kind in ("interrupted", "time"):
            return ChosenPower(power if keeps else 1.0, stop=done.stop, made=made if keeps else None)
        if run is None or not len(run.predictions):
            break
        misses = run.predictions - part.values[run.held.reshape(-1)[part.positions]]
        errors[power] = run.judge.error(misses)
        if fewest is not None and not run.judge.odds(misses, fewest) < _BETTER:
            break
        best, fewest = ChosenPower(power, made=made if keeps else None), misses
    return replace(best, errors=errors)


def share_power(chosen: Sequence[ChosenPower]) -> ChosenPower:
    """The power that most windows of a tensor have chosen; of several the one nearest to 1."""
    counts = Counter(each.power for each in chosen)
    most = max(counts.values())
    power = max(power for power, count in counts.items() if count == most)
    return next(each for each in chosen if each.power == power)


def raise_to(observed: ObservedTensor, power: float) -> ObservedTensor:
    """The power of the data."""
    return observed if power == 1 else replace(observed, known=_doubles(observed.known) ** power)


def noise_of_power(misses: Array) -> float:
    """The variance of errors of a power, by their median."""
    return float(np.median(np.abs(misses)) / _MEDIAN_OF_NORMAL) ** 2 if len(misses) else 0.0


def complete_power(
    method: Callable[[ObservedTensor, Watch | None], Completion],
    observed: ObservedTensor,
    power: float,
    variance: float,
    watch: Watch | None,
) -> Completion:
    """Complete a power of the data, of which errors have this variance, and tell of the data itself."""
    return method(observed, watch) if power == 1 else _Raised(observed, power).complete(method, variance, watch)


def _doubles(known: Any) -> Array:
    """In double precision; not `values` of the tensor, which would stay."""
    return np.asarray(known, dtype=np.float64)


def _is_skewed(observed: ObservedTensor) -> bool:
    """Whether a few values are far larger than most; else a power changes next to nothing."""
    if observed.floor != 0:
        return False
    values = _doubles(observed.known[:: 1 + len(observed.known) // _SAMPLE])
    deviation = float(values.std())
    if not deviation > 0:
        return False
    return float(np.mean(((values - values.mean()) / deviation) ** 3)) > _SKEWED


def _window(observed: ObservedTensor) -> Window | None:
    """The part whose known values are most like all, in number, size and spread."""
    shape, pattern = observed.shape, observed.missingness
    modes = [mode for mode, size in enumerate(shape) if size > SHORT and not len(pattern.lost_indices[mode])]
    sizes = window_sizes(shape, modes, _MOST_IN_HOLES if pattern.structured else _MOST, _SHORTEST)
    if sizes is None:
        return None
    values = np.zeros(shape, np.float32)
    values.reshape(-1)[observed.positions] = observed.known / observed.known.max()

    def like(window: Window) -> Array:
        known = values[window][pattern.mask[window]].astype(np.float64)
        if not len(known) or not known.any():
            return np.full(3, -np.inf)
        return np.log([known.size / values[window].size, known.mean(), np.square(known).mean()])

    whole = like(tuple(slice(None) for _ in shape))
    found = list(windows(shape, sizes))
    odds = [float(np.abs(like(window) - whole).sum()) for window in found]
    best = int(np.argmin(odds))
    return found[best] if np.isfinite(odds[best]) else None


def _cut(observed: ObservedTensor, window: Window) -> ObservedTensor:
    """What is known in the window."""
    inside = np.zeros(observed.shape, dtype=bool)
    inside[window] = True
    kept = inside.reshape(-1)[observed.positions]
    mask = observed.mask()[window]
    return ObservedTensor(mask.shape, np.flatnonzero(mask), observed.known[kept], observed.floor)


@dataclass(frozen=True, eq=False)
class _Raised:
    """Data that is raised to a power for a method, which is never told."""

    observed: ObservedTensor
    power: float

    def run(
        self, method: Run, *, rng: np.random.Generator, watch: Watch | None
    ) -> tuple[Completion, HeldOutRun | None]:
        data = raise_to(self.observed, self.power)
        done, found = method(data, rng=rng, watch=None if watch is None else self._watching(watch))
        if found is None or not len(found.predictions):
            return self._lower(done), None
        inside = found.held.reshape(-1)[data.positions]
        misses = found.predictions - data.known[inside]
        variance = noise_of_power(misses)
        predictions = expected_root(found.predictions, self.power, variance)
        truth = _doubles(self.observed.known[inside])
        errors = predictions - truth
        largest = float(self.observed.known.max())
        squares = float(np.mean(misses**2))
        slope = np.sqrt(np.mean(errors**2) / squares) * largest ** (self.power - 1) if squares > 0 else self._slope
        lowered = self._lower(done, variance, float(slope))
        sure = None
        if found.deviations is not None:
            sure = _Deviations(found.deviations, self.power, largest, truth)
            own = partial(own_deviations, sure, lowered.estimate, errors)
            lowered = replace(lowered, deviations=own, deviations_at=None)
        return lowered, replace(found, predictions=predictions, deviations=sure)

    def complete(
        self, method: Callable[[ObservedTensor, Watch | None], Completion], variance: float, watch: Watch | None
    ) -> Completion:
        """By a method that holds nothing out: the variance of its errors is known."""
        data = raise_to(self.observed, self.power)
        return self._lower(method(data, None if watch is None else self._watching(watch)), variance)

    def _watching(self, watch: Watch) -> Watch:
        """A watcher that sees the data's own units; what deviates from powers is not known yet."""

        def look(seen: Snapshot) -> bool | None:
            step = replace(seen.step, cost=self._slope * seen.step.cost)
            return watch(Snapshot(step, PoweredEstimate(seen.estimate, self.power)))

        return look

    @property
    def _slope(self) -> float:
        """By how much a small change of the power changes a value, as a rule; both on a scale from 0 to 1."""
        values = _doubles(self.observed.known) / float(self.observed.known.max())
        return float(np.sqrt(np.mean(values ** (2 - 2 * self.power)))) / self.power

    def _lower(self, done: Completion, variance: float = 0.0, slope: float | None = None) -> Completion:
        smallest, sure, sure_at = done.smallest, done.deviations, done.deviations_at
        times = self._slope if slope is None else slope
        return replace(
            done,
            observed=self.observed,
            estimate=PoweredEstimate(done.estimate, self.power, variance),
            smallest=None if smallest is None else float(np.sign(smallest) * abs(smallest) ** (1 / self.power)),
            history=History([replace(step, cost=times * step.cost) for step in done.history]),
            deviations=None if sure is None else partial(_deviations_of_roots, sure, done.estimate, self.power),
            deviations_at=None if sure_at is None else partial(_deviations_at, sure_at, done.estimate, self.power),
        )


@dataclass(frozen=True, eq=False)
class _Deviations:
    """How sure to be of somebody's estimate, as told of its power."""

    sure: Deviations
    power: float
    largest: float
    """Of what is known."""
    truth: Array
    """At held-out entries."""

    def __call__(self, entries: Array, *, errors: Array, more: float) -> Array:
        """In the data's units."""
        raised = np.maximum(entries, 0) ** self.power
        misses = np.maximum(self.truth + errors, 0) ** self.power - self.truth**self.power
        found = deviation_of_root(raised, self.power, self.sure(raised, errors=misses, more=0.0))
        return np.sqrt(found**2 + self.largest**2 * more)


def _deviations_of_roots(sure: Callable[[], Array], estimate: Estimate, power: float) -> Array:
    """A function of the module, so that a completion can be pickled."""
    return deviation_of_root(estimate.dense(), power, sure())


def _deviations_at(
    sure_at: Callable[[NDArray[np.int64]], Array], estimate: Estimate, power: float, coordinates: NDArray[np.int64]
) -> Array:
    """The same at rows of coordinates."""
    return deviation_of_root(estimate.at(coordinates), power, sure_at(coordinates))
