"""A smooth tensor of low rank to complete, for the tests of several methods."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array


def smooth_tensor(shape: tuple[int, ...], share: float = 0.5) -> tuple[Array, NDArray[np.bool_]]:
    """A smooth tensor of low rank with largest value 1, which is known, and what else of it is."""
    waves = [1.5 + np.sin(np.linspace(0.0, 2.0 + mode, size)) for mode, size in enumerate(shape)]
    truth = np.asarray(np.einsum(*(part for mode, wave in enumerate(waves) for part in (wave, [mode]))))
    known = np.random.default_rng(0).random(shape) < share
    known.flat[np.argmax(truth)], known.flat[np.argmin(truth)] = True, False
    return truth / truth.max(), known


def observed(shape: tuple[int, ...], share: float = 0.5) -> ObservedTensor:
    """The same as a method gets it."""
    return ObservedTensor.from_array(*smooth_tensor(shape, share))


def waving(shape: tuple[int, int, int] = (20, 18, 8)) -> Array:
    """A smooth tensor between 0 and 1 that is not of low rank."""
    i, j, k = np.meshgrid(*(np.linspace(0, 1, size) for size in shape), indexing="ij")
    values = np.sin(5 * i + 2 * k) * np.cos(4 * j) + 0.3 * np.sin(9 * i * j + 3 * k)
    return (values - values.min()) / np.ptp(values)
