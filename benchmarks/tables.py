"""Tables of sensors with day-long outages: `auto` next to scikit-learn's imputers, and columns in different units.

    python benchmarks/tables.py [--seeds 5] [--kinds weather,phases,…]

Protocol: 600 hours of 30 sensors, nonnegative; every sensor is out on four days of 24 hours. Errors are those of the
entries that are missing. Each is told next to the standard deviation of its column, so that columns in different units
count alike; the figure is the root mean square over all. KNNImputer, and IterativeImputer with the Bayesian ridge
regression that it comes with, see columns divided by their standard deviations, as their users would do, or columns as
they are if that is better. "Many units" is the same table with columns multiplied by 10^-2 … 10^2: the largest error of
a column, in its own unit, next to that in one unit.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from harness import GrowingTable, make_parser, names_from
from numpy.typing import NDArray

import tensorfill
from tensorfill.errors import TensorfillWarning

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

HOURS, SENSORS, OUTAGES = 600, 30, 4


def cycle(hours: Any, phase: Any = 0.0) -> Array:
    """One wave a day, and a smaller one twice a day."""
    angle = 2 * np.pi * (hours / 24 + phase)
    return np.asarray(np.sin(angle) + 0.3 * np.sin(2 * angle + 1))


def slow(rng: np.random.Generator, count: int, window: int = 48) -> Array:
    """Smooth ups and downs over days, of size one."""
    taper = np.hanning(window)
    steps = rng.normal(size=(HOURS + window - 1, count))
    return np.stack([np.convolve(steps[:, place], taper, "valid") for place in range(count)], 1) / np.linalg.norm(taper)


def weather(rng: np.random.Generator) -> Array:
    """All sensors see the same days and the same three slow changes, each to a degree of its own."""
    hours = np.arange(HOURS)[:, None]
    seen = np.concatenate([cycle(hours), cycle(hours, 0.25), slow(rng, 3)], axis=1)
    return seen @ np.abs(rng.normal(0, [[3], [1], [2], [1], [1]], (5, SENSORS)))


def phases(rng: np.random.Generator) -> Array:
    """Every sensor has its day at another hour, and one slow change is common to all."""
    hours = np.arange(HOURS)[:, None]
    return 3 * cycle(hours, rng.random(SENSORS)) + slow(rng, 1) @ rng.normal(1, 0.5, (1, SENSORS))


def groups(rng: np.random.Generator) -> Array:
    """Three groups of ten; each has its own slow changes, and hardly a day."""
    common = slow(rng, 6, window=24)
    shares = np.zeros((6, SENSORS))
    for place in range(SENSORS):
        shares[2 * (place % 3) : 2 * (place % 3) + 2, place] = rng.normal(2, 0.7, 2)
    return common @ shares + 0.5 * cycle(np.arange(HOURS)[:, None])


def sunlight(rng: np.random.Generator) -> Array:
    """Dark at night, and by day as bright as clouds allow, which are the same for all but for a delay."""
    hours = np.arange(HOURS)[:, None]
    clouds = 1 / (1 + np.exp(2 * slow(rng, 1, window=12)))
    delayed = np.stack([np.roll(clouds[:, 0], shift) for shift in rng.integers(0, 3, SENSORS)], axis=1)
    return 12 * np.maximum(np.sin(2 * np.pi * hours / 24) + 0.2, 0) * delayed * rng.gamma(9, 1 / 9, SENSORS) - 10


def rough(rng: np.random.Generator) -> Array:
    """The weather, and as much again that each sensor has for itself."""
    return weather(rng) + 1.5 * slow(rng, SENSORS, window=12)


def rush_hours(rng: np.random.Generator) -> Array:
    """Every sensor has two peaks a day at hours of its own, alike from day to day."""
    hours = (np.arange(HOURS) % 24)[:, None]
    found = np.zeros((HOURS, SENSORS))
    for width, height in ((1.5, 6.0), (2.5, 4.0)):
        apart = np.abs(hours - rng.integers(0, 24, SENSORS))
        found += height * np.exp(-((np.minimum(apart, 24 - apart) / width) ** 2))
    return found * (1 + 0.2 * slow(rng, 1))


KINDS: dict[str, Callable[[np.random.Generator], Array]] = {
    function.__name__: function for function in (weather, phases, groups, sunlight, rough, rush_hours)
}


def table(kind: str, seed: int) -> tuple[Array, Mask]:
    """A table and which of its entries are known."""
    rng = np.random.default_rng([list(KINDS).index(kind), seed])
    values = 20 + KINDS[kind](rng) + rng.normal(0, 0.3, (HOURS, SENSORS))
    known = np.ones(values.shape, dtype=bool)
    for place in range(SENSORS):
        for day in rng.choice(HOURS // 24, OUTAGES, replace=False):
            known[24 * day : 24 * day + 24, place] = False
    return np.maximum(values - (10 if kind == "sunlight" else 0), 0.0), known


def by_neighbours(values: Array, known: Mask) -> Array:
    """KNNImputer as it comes, for columns in one unit."""
    impute: Any = import_module("sklearn.impute")
    return np.asarray(impute.KNNImputer().fit_transform(np.where(known, values, np.nan)))


def by_regressions(values: Array, known: Mask) -> Array:
    """IterativeImputer as it comes: every column by a regression on the others, ten times over."""
    import_module("sklearn.experimental.enable_iterative_imputer")  # without which the next line has no such name
    impute: Any = import_module("sklearn.impute")
    exceptions: Any = import_module("sklearn.exceptions")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", exceptions.ConvergenceWarning)
        imputer = impute.IterativeImputer(random_state=0)
        return np.asarray(imputer.fit_transform(np.where(known, values, np.nan)))


def best_error(impute: Callable[[Array, Mask], Array], values: Array, known: Mask) -> float:
    """Of columns as they are, or divided by their standard deviations."""
    spread = np.nanstd(np.where(known, values, np.nan), axis=0)
    found = impute(values, known), impute(values / spread, known) * spread
    return min(size(column_errors(one, values, known)) for one in found)


def by_auto(values: Array, known: Mask) -> Array:
    """A wide DataFrame as a user has it."""
    pandas: Any = import_module("pandas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TensorfillWarning)
        return np.asarray(tensorfill.complete(pandas.DataFrame(np.where(known, values, np.nan))).filled)


def column_errors(found: Array, values: Array, known: Mask) -> Array:
    """The root mean square error of every column where it is missing, next to its standard deviation."""
    squares = np.sum((found - values) ** 2 * ~known, axis=0) / np.sum(~known, axis=0)
    return np.asarray(np.sqrt(squares) / values.std(axis=0))


def measure(kind: str, seed: int) -> tuple[float, float, float, float, float]:
    """Errors of `auto`, of neighbours and of regressions, the largest ratio that other units make, and seconds."""
    values, known = table(kind, seed)
    began = time.perf_counter()
    ours = column_errors(by_auto(values, known), values, known)
    seconds = time.perf_counter() - began
    units = 10 ** np.random.default_rng(seed).permutation(np.linspace(-2, 2, SENSORS))
    others = column_errors(by_auto(values * units, known), values * units, known)
    neighbours, regressions = (best_error(impute, values, known) for impute in (by_neighbours, by_regressions))
    return size(ours), neighbours, regressions, float(np.max(others / ours)), seconds


def size(errors: Array) -> float:
    """Their root mean square."""
    return float(np.sqrt(np.mean(errors**2)))


def formatted(found: Sequence[float]) -> list[str]:
    """Three errors and three ratios."""
    return [f"{value:.{3 if place < 3 else 2}f}" for place, value in enumerate(found)]


def main() -> None:
    """Print a line per table, and the mean of every kind."""
    parser = make_parser(__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    ratios = ("auto / KNN", "auto / Iterative", "many units")
    shown = GrowingTable("table", "seed", "auto", "KNNImputer", "IterativeImputer", *ratios, "seconds")
    for kind in names_from(given.kinds, KINDS, "table"):
        found = []
        for seed in range(given.seeds):
            ours, near, fitted, units, seconds = measure(kind, seed)
            found.append((ours, near, fitted, ours / near, ours / fitted, units))
            shown.add([kind, str(seed), *formatted(found[-1]), f"{seconds:.1f}"])
        largest = max(units for *_, units in found)
        shown.add([kind, "all", *formatted([*np.mean(found, axis=0)[:-1], largest]), ""])


if __name__ == "__main__":
    main()
