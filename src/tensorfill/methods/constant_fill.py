"""Filling with a constant: zero, or the mean of what is known. No method; what a method has to beat."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..estimates.estimate import ConstantEstimate, RefilledEstimate
from ..method import Cost, Question, Stroke
from ..observed import ObservedTensor
from .baseline import Baseline, OneStep


class ConstantFill(Baseline):
    """Known entries as they are, and one value everywhere else."""

    reference: ClassVar[str] = "a plain baseline"
    nonnegative: ClassVar[bool] = True
    same_everywhere: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(60, 0.1), Cost(60, 0.1)

    @abstractmethod
    def value(self, data: ObservedTensor) -> float:
        """What is filled in."""

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        return {"max_iter": 1}

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> OneStep:
        return OneStep(_fill(data, 0.0), partial(_fill, data, self.value(data)))


def _fill(data: ObservedTensor, value: float) -> RefilledEstimate:
    return RefilledEstimate(ConstantEstimate(data.shape, value), data.shape, data.positions, data.values)


@dataclass(frozen=True, kw_only=True)
class ZeroFill(ConstantFill):
    """Zero wherever nothing is known."""

    name: ClassVar[str] = "zero-fill"
    summary: ClassVar[str] = "Zero wherever nothing is known; a plain baseline"
    stroke: ClassVar[Stroke] = Stroke("#8c8c8c", "x", ":")
    extends_constants: ClassVar[bool] = False
    compared: ClassVar[bool] = False  # a plain baseline is no method

    def value(self, data: ObservedTensor) -> float:
        return 0.0


@dataclass(frozen=True, kw_only=True)
class MeanFill(ConstantFill):
    """The mean of what is known wherever nothing is."""

    name: ClassVar[str] = "mean-fill"
    summary: ClassVar[str] = "The mean of what is known, wherever nothing is; a plain baseline"
    stroke: ClassVar[Stroke] = Stroke("#8c8c8c", "+", ":")

    def candidate(self, question: Question) -> int | None:
        """On the smallest tensors, at normal effort: there may be too little to learn anything else from."""
        return None if question.effort == "high" else question.place(100, when=question.short)

    def value(self, data: ObservedTensor) -> float:
        return float(data.values.mean())
