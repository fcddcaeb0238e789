"""A stand-in for the solver, quick and predictable, and how a run of the command is told."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tensorfill.bounds import Bounds
from tensorfill.completion import Certificate, Completion, History, Iteration, Snapshot, StopReason
from tensorfill.errors import UnrecoverableSlice
from tensorfill.formats import Contents, Entries


@dataclass
class Outcome:
    """How a run of the command ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


class Constant:
    """An estimate that is the same everywhere."""

    def __init__(self, shape: tuple[int, ...], value: float) -> None:
        self.shape, self.value = shape, value

    def dense(self) -> NDArray[np.float64]:
        return np.full(self.shape, self.value)

    def at(self, coordinates: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.full(len(coordinates), self.value)

    def components(self) -> tuple[NDArray[np.float64], ...]:
        return (self.dense(),)


@dataclass
class MeanFill:
    """A stand-in for `library.complete`: fills with the mean, and remembers what it was asked."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    kind: str = "gap"
    fill: float | None = None
    warning: str | None = None
    raises: BaseException | None = None
    iterations: int = 2

    def __call__(
        self,
        array: Contents | Entries,
        observed: Any = None,
        method: str = "nonneg-dual",
        *,
        keep_observed: bool = True,
        negatives: Any = "raise",
        random_state: int = 0,
        watch: Any = None,
        time_limit: float | None = None,
        lower: Any = 0,
        upper: Any = None,
        tile: None = None,
        **settings: Any,
    ) -> Completion:
        assert tile is None, "what the library gets from the command is completed whole"
        named = {
            "method": method,
            "keep_observed": keep_observed,
            "negatives": negatives,
            "seed": random_state,
            "time_limit": time_limit,
            "bounds": (lower, upper),
        }
        own = array.observed if isinstance(array, Contents) else None
        self.calls.append({"observed": own, **named, **settings})
        assert observed is None
        data = array.observed_tensor.within(Bounds(), negatives)[0]
        estimate = Constant(data.shape, float(data.values.mean()) if self.fill is None else self.fill)
        steps = [
            Iteration(
                i,
                0.5 * i,
                2.0 / i,
                {"gradient_norm": 0.1 / i, "operator_calls": i, "active": 0, "relative_gap": 0.01},
            )
            for i in range(1, self.iterations + 1)
        ]
        for step in steps:
            watch(Snapshot(step, estimate))
        if self.raises is not None:
            raise self.raises
        notes: tuple[str, ...] = ("A note of the method.",)
        if self.warning is not None:
            warnings.warn(self.warning, UnrecoverableSlice, stacklevel=2)
            notes = (self.warning, *notes)
        return Completion(
            observed=data,
            method=method,
            estimate=estimate,
            nonnegative=True,
            stop=StopReason(self.kind, "The relative gap is small."),  # type: ignore[arg-type]
            seconds=1.25,
            certificate=Certificate(2.0, 1.0, 0.0, float("nan"), float("inf")),
            history=History(steps),
            settings={"rank": (np.int64(2), 3), "C": np.float64(10.0), **settings},
            smallest=-0.25,
            notes=notes,
            keep_observed=keep_observed,
        )
