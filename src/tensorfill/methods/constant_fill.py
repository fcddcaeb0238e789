"""Filling with a constant: zero, or the mean of what is known. No method; what a method has to beat."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..completion import Completion, StopReason, Watch
from ..cost import Cost
from ..estimates.filled import FilledEstimate
from ..iterating import Progress
from ..method import Question, Stroke
from ..observed import ObservedTensor
from .baseline import complete_by


class ConstantFill(ABC):
    """Known entries as they are, and one value everywhere else."""

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str] = "a level to compare with"
    nonnegative: ClassVar[bool] = True
    same_everywhere: ClassVar[bool] = True
    """What it fills in does not depend on the place."""
    costs: ClassVar[tuple[Cost, Cost]] = Cost(60, 0.1), Cost(60, 0.1)

    @staticmethod
    @abstractmethod
    def value(data: ObservedTensor) -> float:
        """What is filled in."""

    def candidate(self, question: Question) -> int | None:
        """Never: a level to compare with is no method."""
        return None

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses nothing."""
        return None

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        return complete_by(self, observed, lambda data: _filled(data, self.value(data)), {"max_iter": 1}, watch=watch)


@dataclass(frozen=True, kw_only=True)
class ZeroFill(ConstantFill):
    """Zero wherever nothing is known."""

    name: ClassVar[str] = "zero-fill"
    stroke: ClassVar[Stroke] = Stroke("#8c8c8c", "x", ":")
    summary: ClassVar[str] = "Zero wherever nothing is known; a level to compare with"
    extends_constants: ClassVar[bool] = False
    """Data that is the same everywhere it is known is not taken to be so elsewhere."""

    @staticmethod
    def value(data: ObservedTensor) -> float:
        """Zero."""
        return 0.0


@dataclass(frozen=True, kw_only=True)
class MeanFill(ConstantFill):
    """The mean of what is known wherever nothing is."""

    name: ClassVar[str] = "mean-fill"
    stroke: ClassVar[Stroke] = Stroke("#8c8c8c", "+", ":")
    summary: ClassVar[str] = "The mean of what is known, wherever nothing is; a level to compare with"

    def candidate(self, question: Question) -> int | None:
        """On the smallest tensors, at normal effort: there may be too little to learn anything else from."""
        return None if question.effort == "high" else question.place(100, when=question.short)

    @staticmethod
    def value(data: ObservedTensor) -> float:
        """The mean."""
        return float(data.values.mean())


def _filled(data: ObservedTensor, value: float) -> Iterator[Progress]:
    yield Progress(0.0, FilledEstimate(data.shape, data.positions, data.values, 0.0))
    done = StopReason("done", "There is nothing to iterate.")
    yield Progress(0.0, FilledEstimate(data.shape, data.positions, data.values, value), stop=done)
