"""History: the outer iterations of a method in numbers, and why it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

StopKind = Literal[
    "gradient",
    "gap",
    "change",
    "fit",
    "iterations",
    "done",
    "stalled",
    "watch",
    "time",
    "interrupted",
    "nothing_missing",
    "all_zero",
    "constant",
]


@dataclass(frozen=True)
class Iteration:
    """One outer iteration in numbers. `seconds` excludes the time spent in `watch`.

    What a method measures besides, such as `gradient_norm`, is an attribute too.
    """

    iteration: int
    seconds: float
    cost: float
    measures: Mapping[str, float] = field(default_factory=dict)

    def __getattr__(self, name: str) -> float:
        measures: Mapping[str, float] = self.__dict__.get("measures", {})
        if name not in measures:
            told = f"it has: {', '.join(measures)}" if measures else "it has none"
            raise AttributeError(f"This iteration has no measure {name!r}; {told}.")
        return measures[name]


class History(Sequence[Iteration]):
    """The outer iterations in order; `seconds`, `cost` and what the method measures are also there as arrays."""

    def __init__(self, iterations: Sequence[Iteration] = ()) -> None:
        self._iterations = tuple(iterations)

    @overload
    def __getitem__(self, index: int) -> Iteration: ...
    @overload
    def __getitem__(self, index: slice) -> History: ...
    def __getitem__(self, index: int | slice) -> Iteration | History:
        if isinstance(index, slice):
            return History(self._iterations[index])
        return self._iterations[index]

    def __len__(self) -> int:
        return len(self._iterations)

    def __iter__(self) -> Iterator[Iteration]:
        return iter(self._iterations)

    def __repr__(self) -> str:
        return f"History({len(self)} iterations)"

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):  # asked for while a copy is being made
            raise AttributeError(name)
        if self._iterations and not any(hasattr(step, name) for step in self._iterations):
            getattr(self._iterations[0], name)  # which raises, with what there is
        return np.array([getattr(step, name, np.nan) for step in self._iterations])


@dataclass(frozen=True)
class StopReason:
    """Why a method stopped: a word for programs and a sentence with advice for people."""

    kind: StopKind
    sentence: str

    def __str__(self) -> str:
        return self.sentence
