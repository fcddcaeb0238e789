"""What makes a completion foolish: worse than a simple one, invalid, much slower than forecast, much too sure."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tensorfill
from tensorfill.errors import UnrecoverableSlice
from tensorfill.methods.forecast import forecast
from tensorfill.missingness import is_structured

from .collection import Case

WORSE = 1.3  # times the smallest error of the simple ones
SLOWER = 10.0  # times the seconds forecast
TOO_SURE = 5.0  # times the deviation stated, both as root mean squares over unobserved entries
EXACT = 1e-6  # of the largest value: errors below are taken for none

SIMPLE: Mapping[str, tuple[str, dict[str, Any]]] = {
    "mean-fill": ("mean-fill", {}),
    "linear": ("linear", {}),
    # W ≥ 0 is not asked for when any violation is tolerated; what is returned is clipped.
    "unconstrained": ("spectral", {"negativity_tolerance": 1e30}),
}


@dataclass(frozen=True)
class Verdict:
    """What a method did on a case, in numbers; errors are root mean squares over unobserved entries."""

    case: Case
    method: str
    error: float = float("nan")
    simple: Mapping[str, float] = field(default_factory=dict)
    """Errors of the simple methods; those that refused or failed are not there."""
    largest: float = 0.0
    """Of all values."""
    seconds: float = float("nan")
    forecast: float = float("nan")
    deviation: float | None = None
    """The one stated, as a root mean square over unobserved entries; None from methods that state none."""
    chosen: str = ""
    """What the method says that it did."""
    reason: str = ""
    invalid: str = ""
    """What is wrong with the result, or how there came to be none."""
    trace: str = ""

    @property
    def best(self) -> float:
        """The smallest error of the simple ones."""
        return min(self.simple.values(), default=float("inf"))

    @property
    def best_name(self) -> str:
        """The simple method that has it."""
        return min(self.simple, key=lambda name: self.simple[name], default="none")

    @property
    def times_best(self) -> float:
        """The error over the smallest of the simple ones."""
        return _over(self.error, self.best, EXACT * self.largest)

    @property
    def times_forecast(self) -> float:
        """Seconds over those forecast."""
        return self.seconds / self.forecast

    @property
    def times_deviation(self) -> float:
        """The error over the deviation stated."""
        return 0.0 if self.deviation is None else _over(self.error, self.deviation, EXACT * self.largest)

    @property
    def faults(self) -> tuple[str, ...]:
        """The limits that are passed, in words."""
        if self.invalid:
            return (self.invalid,)
        beyond = {
            "worse": not self.times_best <= WORSE,
            "slow": self.times_forecast > SLOWER,
            "too sure": not self.times_deviation <= TOO_SURE,
        }
        return tuple(fault for fault, holds in beyond.items() if holds)

    def as_json(self) -> dict[str, Any]:
        """All of it, flat."""
        told = {name: value for name, value in asdict(self).items() if name != "case"}
        numbers = {name: getattr(self, name) for name in ("best", "times_best", "times_forecast", "times_deviation")}
        return {**asdict(self.case), **told, **numbers, "faults": self.faults}


def _over(error: float, other: float, exact: float) -> float:
    """A ratio of errors, in which those that are only rounding count as none."""
    return 0.0 if error <= exact else error / max(other, exact)


def judge(case: Case, method: str = "auto", settings: Mapping[str, Any] | None = None) -> Verdict:
    """Complete a case with a method and with the simple ones, and compare."""
    full, known = case.make()
    truth = full[~known].astype(np.float64)
    simple = {}
    for name, (simple_method, simple_settings) in SIMPLE.items():
        try:
            simple[name] = _rms(_completed(full, known, simple_method, simple_settings).model[~known] - truth)
        except Exception:  # a simple method that fails is none to compare with; those that are judged are judged
            continue
    found: dict[str, Any] = {"simple": {name: error for name, error in simple.items() if np.isfinite(error)}}
    found["largest"] = float(full.max())
    effort = dict(settings or {}).get("effort", "normal")
    found["forecast"] = forecast(case.shape, method, effort=effort, structured=is_structured(known)).seconds
    start = time.perf_counter()
    try:
        done = _completed(full, known, method, settings or {})
        tensor = done.tensor
        found["seconds"] = time.perf_counter() - start
        if found["seconds"] > SLOWER * found["forecast"]:  # or the machine was busy
            start = time.perf_counter()
            _completed(full, known, method, settings or {})
            found["seconds"] = min(found["seconds"], time.perf_counter() - start)
        found["error"] = _rms(done.model[~known] - truth)
        found["chosen"], found["reason"] = _told(done), done.reasons.get("weights", "")
        found["invalid"] = find_invalid(tensor, full, known)
        if tensorfill.available_methods()[method].tells_uncertainty:
            deviations = done.uncertainty
            found["deviation"] = _rms(deviations[~known])
            found["invalid"] = found["invalid"] or ("" if np.isfinite(deviations).all() else "deviation not finite")
    except Exception as problem:
        found["seconds"] = time.perf_counter() - start
        found["invalid"] = f"{type(problem).__name__}: {problem}"
        found["trace"] = traceback.format_exc()
    return Verdict(case, method, **found)


def _completed(
    full: NDArray[Any], known: NDArray[np.bool_], method: str, settings: Mapping[str, Any]
) -> tensorfill.Completion:
    # Nobody is given what is missing, not even by accident.
    seen = np.where(known, full, 0).astype(full.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrecoverableSlice)  # of the simple ones
        return tensorfill.complete(seen, known, method=method, random_state=0, **settings)


def _told(done: tensorfill.Completion) -> str:
    """The methods that a choice fell on, or why a method stopped."""
    weights = done.settings.get("weights")
    if not weights:
        return str(done.stop)
    return " + ".join(f"{weight:.2f} {name}" if weight < 1 else name for name, weight in weights.items())


def find_invalid(tensor: NDArray[Any], full: NDArray[Any], known: NDArray[np.bool_]) -> str:
    if not np.isfinite(tensor).all():
        return "not finite"
    if (tensor < 0).any():
        return "negative"
    if not np.array_equal(tensor[known], full[known]):
        return "known entries changed"
    return ""


def _rms(values: NDArray[np.float64]) -> float:
    """The root mean square, whatever the scale."""
    largest = float(np.max(np.abs(values), initial=0.0))
    return largest * float(np.sqrt(np.mean((values / largest) ** 2))) if largest > 0 else largest
