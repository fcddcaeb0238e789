"""Kinds of synthetic data: what a tensor of a given shape holds, nowhere negative and of the order of 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Shape = tuple[int, ...]
Kind = Callable[[Shape, np.random.Generator], Array]


def low_rank(shape: Shape, rng: np.random.Generator) -> Array:
    """Three components of evenly distributed factors."""
    return _kruskal([rng.random((size, 3)) for size in shape])


def sparse_low_rank(shape: Shape, rng: np.random.Generator) -> Array:
    """Three components, half of whose factors are zero: nonnegativity holds with equality almost everywhere."""
    return _kruskal([np.maximum(rng.standard_normal((size, 3)), 0) for size in shape])


def noisy_low_rank(shape: Shape, rng: np.random.Generator) -> Array:
    """Two components and a tenth of noise."""
    clean = _kruskal([rng.random((size, 2)) for size in shape])
    return np.asarray(np.maximum(clean + 0.1 * clean.std() * rng.standard_normal(shape), 0))


def higher_rank(shape: Shape, rng: np.random.Generator) -> Array:
    """Eight components: more than little data can tell."""
    return _kruskal([np.maximum(rng.standard_normal((size, 8)) + 0.3, 0) for size in shape])


def tucker(shape: Shape, rng: np.random.Generator) -> Array:
    """A random core of two or three indices per mode."""
    full = rng.random([min(size, 2 + mode % 2) for mode, size in enumerate(shape)])
    for mode, size in enumerate(shape):
        factor = rng.random((size, full.shape[mode])) ** 2
        full = np.moveaxis(np.tensordot(factor, full, (1, mode)), 0, mode)
    return full


def waves(shape: Shape, rng: np.random.Generator) -> Array:
    """A sum of plane waves of a few periods."""
    full = np.zeros(shape)
    for _ in range(5):
        phase = 2 * np.pi * rng.random()
        total = sum(2 * np.pi * rng.uniform(-1.5, 1.5) * place for place in _places(shape))
        full += rng.random() * np.cos(total + phase)
    return np.asarray(full - full.min())


def bumps(shape: Shape, rng: np.random.Generator) -> Array:
    """Gaussian bumps, next to zero between them."""
    full = np.zeros(shape)
    for _ in range(6):
        long = [place for place in _places(shape) if place.size > 1]  # a mode of one index is no distance
        distance = sum(((place - rng.random()) / rng.uniform(0.08, 0.3)) ** 2 for place in long)
        full += rng.uniform(0.3, 1) * np.exp(-distance)
    return full


def cut_off_waves(shape: Shape, rng: np.random.Generator) -> Array:
    """Smooth hills over a plain of zeros."""
    full = waves(shape, rng)
    return np.maximum(full - np.quantile(full, 0.6), 0)


def ramp(shape: Shape, rng: np.random.Generator) -> Array:
    """A plane: what straight lines meet exactly."""
    return np.asarray(np.zeros(shape) + sum(rng.random() * place for place in _places(shape)))


def walk(shape: Shape, rng: np.random.Generator) -> Array:
    """Random walks along the longest mode, one for every other index: rough, but each step is small."""
    mode = int(np.argmax(shape))
    full = np.cumsum(rng.standard_normal(shape), axis=mode) / np.sqrt(shape[mode])
    return np.asarray(full - full.min())


def shuffled(shape: Shape, rng: np.random.Generator) -> Array:
    """Something smooth, the indices of every mode in a random order: neighbours say nothing."""
    full = bumps(shape, rng) + waves(shape, rng)
    return full[np.ix_(*(rng.permutation(size) for size in shape))]


def blocks(shape: Shape, rng: np.random.Generator) -> Array:
    """Boxes of constant value, one over the other."""
    full = np.full(shape, rng.random())
    for _ in range(8):
        corners = [np.sort(rng.integers(0, size + 1, 2)) for size in shape]
        full[tuple(slice(first, after) for first, after in corners)] = rng.random()
    return full


def steps(shape: Shape, rng: np.random.Generator) -> Array:
    """Levels that change at a few indices of every mode, added."""
    full = np.zeros(shape)
    for mode, size in enumerate(shape):
        jumps = rng.random(size) < 3 / size
        levels = rng.random(size)[np.cumsum(jumps) % size]
        full += np.expand_dims(levels, tuple(other for other in range(len(shape)) if other != mode))
    return full


def checkers(shape: Shape, rng: np.random.Generator) -> Array:
    """0 and 1 by turns: the highest frequency there is, and of rank two."""
    return np.asarray(np.indices(shape).sum(axis=0) % 2, dtype=np.float64)


def diagonal(shape: Shape, rng: np.random.Generator) -> Array:
    """A band along the diagonal: of full rank, and mostly zero."""
    places = _places(shape)
    width = 1.5 / min(shape)
    return np.asarray(np.exp(-sum(((a - b) / width) ** 2 for a, b in pairwise(places))))


def spikes(shape: Shape, rng: np.random.Generator) -> Array:
    """Zero but for one in thirty, anywhere."""
    return np.where(rng.random(shape) < 1 / 30, rng.uniform(0.5, 1, shape), 0)


def single_one(shape: Shape, rng: np.random.Generator) -> Array:
    """A single 1, and zeros."""
    full = np.zeros(shape)
    full.flat[0] = 1
    return full


def waves_with_spikes(shape: Shape, rng: np.random.Generator) -> Array:
    """Smooth, with three large values in a hundred."""
    return waves(shape, rng) + np.where(rng.random(shape) < 0.03, 4.0, 0)


def counts(shape: Shape, rng: np.random.Generator) -> Array:
    """Counts around a mean of low rank: one or two each."""
    return rng.poisson(1.5 * _of_mean_one(low_rank(shape, rng))).astype(np.float64)


def bursts(shape: Shape, rng: np.random.Generator) -> Array:
    """Counts that vary more than their means: rates are drawn too, and are often next to nothing."""
    rates = rng.gamma(0.5, 2.0, shape)
    return rng.poisson(4 * _of_mean_one(low_rank(shape, rng)) * rates).astype(np.float64)


def seasons(shape: Shape, rng: np.random.Generator) -> Array:
    """Counts by place, day and time: levels by place, weeks along the second mode, hours along the third."""
    means = 40 * rng.lognormal(0, 1, shape[0])
    means = means[:, None] * np.where(np.arange(shape[1]) % 7 < 5, 1.0, 0.4) * rng.lognormal(0, 0.1, shape[1])
    for mode, size in enumerate(shape[2:], start=2):
        profile = 1 + np.sin(2 * np.pi * (np.arange(size) / size + 0.1 * mode))
        means = means[..., None] * profile
    return rng.poisson(means).astype(np.float64)


def lognormal(shape: Shape, rng: np.random.Generator) -> Array:
    """Independent values with a heavy tail."""
    return rng.lognormal(0, 1.5, shape)


def heavy_low_rank(shape: Shape, rng: np.random.Generator) -> Array:
    """One component whose factors have heavy tails: a few indices have most of it."""
    return _kruskal([rng.lognormal(0, 1, (size, 1)) for size in shape])


def cauchy(shape: Shape, rng: np.random.Generator) -> Array:
    """Independent values with neither mean nor variance."""
    return np.abs(rng.standard_cauchy(shape))


def constant(shape: Shape, rng: np.random.Generator) -> Array:
    """One value everywhere."""
    return np.full(shape, 7.3)


def outlier(shape: Shape, rng: np.random.Generator) -> Array:
    """One value everywhere, and a thousand times that once."""
    full = np.full(shape, 0.7)
    full.flat[0] = 700
    return full


def noise(shape: Shape, rng: np.random.Generator) -> Array:
    """Independent values, evenly distributed: nothing to learn but their mean."""
    return rng.random(shape)


def nothing(shape: Shape, rng: np.random.Generator) -> Array:
    """Zeros."""
    return np.zeros(shape)


KINDS: dict[str, Kind] = {
    kind.__name__.replace("_", "-"): kind
    for kind in (
        *(low_rank, sparse_low_rank, noisy_low_rank, higher_rank, tucker, heavy_low_rank),
        *(waves, bumps, cut_off_waves, ramp, walk, shuffled),
        *(blocks, steps, checkers, diagonal),
        *(spikes, single_one, waves_with_spikes),
        *(counts, bursts, seasons),
        *(lognormal, cauchy, noise, constant, outlier, nothing),
    )
}


def _kruskal(factors: Sequence[Array]) -> Array:
    """Σ_r of the outer products of the r-th columns."""
    full = factors[0]
    for factor in factors[1:]:
        full = full[..., None, :] * factor
    return np.asarray(full.sum(axis=-1))


def _places(shape: Shape) -> tuple[Array, ...]:
    """The coordinates of all entries, from 0 to 1 in every mode."""
    return tuple(np.meshgrid(*(np.linspace(0, 1, size) for size in shape), indexing="ij", sparse=True))


def _of_mean_one(full: Array) -> Array:
    return np.asarray(full / full.mean())
