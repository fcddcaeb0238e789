"""Curve: the error along the iterations, computed by a watcher while the clock stands still."""

from __future__ import annotations

import numpy as np

from ..completion import Estimate, Snapshot
from ..metrics import rmse
from ..tensor import Array

_ALL_UP_TO = 20
_GROWTH = 1.05


class CurveRecorder:
    """Keeps (iteration, seconds, RMSE) of iterations 0 to 20, then whenever their number has grown by 5 %."""

    def __init__(self, truth: Array, *, nonnegative: bool) -> None:
        self._truth = truth
        self._nonnegative = nonnegative
        self._points: list[tuple[int, float, float]] = []

    def __call__(self, snapshot: Snapshot) -> None:
        """The watcher to hand to a method; it never asks to stop."""
        step = snapshot.step
        last = self._points[-1][0] if self._points else -1
        if step.iteration <= _ALL_UP_TO or step.iteration >= last * _GROWTH:
            self._points.append((step.iteration, step.seconds, self._error(snapshot.estimate)))

    def ended(self, iteration: int, seconds: float, error: float) -> tuple[tuple[int, float, float], ...]:
        """The curve, its last point being the result as it was returned."""
        return (*(point for point in self._points if point[0] < iteration), (iteration, seconds, error))

    def _error(self, estimate: Estimate) -> float:
        dense = estimate.dense()
        return rmse(self._truth, np.maximum(dense, 0.0) if self._nonnegative else dense)
