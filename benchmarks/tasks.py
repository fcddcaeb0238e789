"""The completion tasks that are timed: data, what is observed of it, ranks, and an error worth reaching.

Values in [0, 1], C = 10, λ_k = n_k, observed where numpy.random.default_rng(0).random(shape) < 0.1. Where a file is not
there, synthetic data of the same shape takes its place, and the task says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tensorfill import formats, metrics, sampling

Array = NDArray[np.float64]

C = 10.0
SHARE = 0.1


@dataclass(frozen=True)
class Task:
    """A tensor to complete; `rmse` is the error that each method should get to (all entries, raw model)."""

    name: str
    file: str
    shape: tuple[int, ...]
    rank: tuple[int, ...]
    rmse: Mapping[str, float]

    def load(self, folder: Path | None) -> Loaded:
        """The data from a folder, or synthetic data."""
        path = None if folder is None else folder / self.file
        if path is None or not path.exists():
            return Loaded(self, synthetic(self.shape), True)
        truth = formats.read_contents(path).data
        if truth.shape != self.shape:
            raise SystemExit(f"{path} should be of shape {self.shape}, not {truth.shape}.")
        return Loaded(self, truth / metrics.unit_scale(truth), False)


@dataclass(frozen=True, eq=False)
class Loaded:
    """A task with its data."""

    task: Task
    truth: Array
    is_synthetic: bool

    @property
    def title(self) -> str:
        """The task's name, and whether its data is made up."""
        return f"{self.task.name} (synthetic)" if self.is_synthetic else self.task.name

    @property
    def observed(self) -> NDArray[np.bool_]:
        """True where an entry is known."""
        return sampling.uniform(self.task.shape, keep=SHARE, seed=0)

    @property
    def lam(self) -> tuple[float, ...]:
        """λ_k = n_k."""
        return tuple(map(float, self.task.shape))

    def target(self, method: str) -> float | None:
        """The error to reach with a method; there is none for synthetic data."""
        return None if self.is_synthetic else self.task.rmse[method]


def _same(rmse: float) -> dict[str, float]:
    return {"dual": rmse, "nonneg-dual": rmse}


TASKS = (
    Task("baboon", "baboon_256.png", (256, 256, 3), (10, 10, 3), _same(0.1201)),
    Task("splash", "splash_512.png", (512, 512, 3), (10, 10, 3), _same(0.0622)),
    Task("hall", "hall_qcif.npz", (144, 176, 150), (10, 10, 5), _same(0.0373)),
    Task("cave_a", "cave_a.npz", (256, 256, 31), (10, 10, 5), {"dual": 0.0442, "nonneg-dual": 0.0432}),
)


def synthetic(shape: tuple[int, ...]) -> Array:
    """Eight smooth patches, zero far from their centres, with a little texture on top; values in [0, 1]."""
    rng = np.random.default_rng(0)
    full = np.zeros(shape)
    for _ in range(8):
        patch = np.ones(())
        for size in shape:
            centre, width = rng.random(), 0.1 + 0.3 * rng.random()
            patch = np.multiply.outer(patch, np.exp(-(((np.arange(size) / size - centre) / width) ** 2)))
        full += (0.3 + 0.7 * rng.random()) * patch
    full *= 0.85 + 0.3 * rng.random(shape)
    return np.asarray(full / full.max())
