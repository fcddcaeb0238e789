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
