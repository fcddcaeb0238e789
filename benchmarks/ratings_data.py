"""Ratings to measure with: a table from a file, or a made-up one with the sizes and the long tails of real ones.

Made up are users and items of very different activity, main effects, tastes of low rank that also decide who rates
what, noise, and rounding to whole stars. No real data is in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_DAY = 86_400.0


@dataclass(frozen=True, eq=False)
class Ratings:
    """One row of coordinates per rating: user, item and, if it is asked for, week."""

    shape: tuple[int, ...]
    coordinates: NDArray[np.int64]
    values: NDArray[np.float64]
    lower: float
    upper: float
    noise: float | None = None
    """The error that nobody can be below, where the truth is known."""

    def split(self, share: float, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which ratings are known, and which are held out: drawn at random."""
        held = np.random.default_rng(seed).random(len(self.values)) < share
        return ~held, held


def read_ratings(path: Path, *, weeks: bool = False) -> Ratings:
    """A text file whose columns are user, item, rating and seconds, by tabs or commas, with or without a header."""
    text = path.read_text().replace("\t", ",").splitlines()
    body = text[0 if text[0][0].isdigit() else 1 :]
    table = np.array([[float(cell) for cell in line.split(",")[:4]] for line in body if line])
    columns = [table[:, 0], table[:, 1], *([table[:, 3] // (7 * _DAY)] if weeks else [])]
    coordinates = np.stack([np.unique(column, return_inverse=True)[1] for column in columns], axis=1)
    shape = tuple(int(size) for size in coordinates.max(axis=0) + 1)
    return Ratings(shape, coordinates, table[:, 2], float(table[:, 2].min()), float(table[:, 2].max()))


def make_ratings(
    *, users: int = 943, items: int = 1682, known: int = 100_000, weeks: int = 0, rank: int = 6, seed: int = 0
) -> Ratings:
    """Whole stars from 1 to 5; `weeks` above 0 adds a third mode, in which ratings drift a little."""
    rng = np.random.default_rng(seed)
    tastes, kinds = rng.standard_normal((users, rank)), rng.standard_normal((items, rank))
    activity, popularity = rng.lognormal(0.0, 1.0, users), rng.lognormal(0.0, 1.6, items)
    liking = tastes @ kinds.T / np.sqrt(rank)
    weight = activity[:, None] * popularity * np.exp(0.5 * liking)  # who likes a thing is more likely to rate it
    order = np.argpartition(rng.exponential(size=weight.shape).ravel() / weight.ravel(), known)[:known]
    user, item = np.unravel_index(np.sort(order), (users, items))
    effects = 0.42 * rng.standard_normal(users), 0.15 * np.log(popularity) + 0.45 * rng.standard_normal(items)
    truth = 3.3 + effects[0][user] + effects[1][item] + 0.45 * liking[user, item]
    coordinates = [user, item]
    if weeks:
        week = (rng.random(users)[user] * weeks + rng.exponential(2.0, known)).astype(np.int64) % weeks
        truth = truth + 0.1 * rng.standard_normal(weeks)[week]
        coordinates.append(week)
    values = np.clip(np.rint(truth + 0.85 * rng.standard_normal(known)), 1, 5)
    shape = (users, items, weeks) if weeks else (users, items)
    floor = float(np.sqrt(np.mean((np.clip(truth, 1, 5) - values) ** 2)))
    return Ratings(shape, np.stack(coordinates, axis=1), values, 1.0, 5.0, floor)


def make_large(*, known: int = 20_000_000, sizes: tuple[int, ...] = (20_000, 20_000, 200), seed: int = 0) -> Ratings:
    """A product of three factors with main effects and noise of 1, known where long tails meet; nothing is rounded."""
    rng = np.random.default_rng(seed)
    columns = []
    for mode, size in enumerate(sizes):
        weight = (np.arange(size) + 10.0) ** (-0.8 if mode < 2 else 0.0)
        cumulated = np.cumsum(weight / weight.sum())[:-1]
        columns.append(rng.permutation(size)[np.searchsorted(cumulated, rng.random(known))])
    positions = np.unique(np.ravel_multi_index(columns, sizes))
    columns = list(np.unravel_index(positions, sizes))
    truth = np.full(len(positions), 10.0)
    product = np.ones((len(positions), 5), dtype=np.float32)
    for mode, (size, column) in enumerate(zip(sizes, columns, strict=True)):
        truth += (0.15 if mode == 2 else 0.5) * rng.standard_normal(size)[column]
        factor = rng.standard_normal((size, 5))
        product *= (1 + 0.5 * factor if mode == 2 else factor).astype(np.float32)[column]
    truth += 0.5 * product.sum(axis=1)
    values = truth + rng.standard_normal(len(truth))
    kept = values > 0
    where = np.stack(columns, axis=1)[kept]
    floor = float(np.sqrt(np.mean((truth - values)[kept] ** 2)))
    return Ratings(sizes, where, values[kept], 0.0, float(values.max()), floor)
