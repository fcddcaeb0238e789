"""What the tests of `patches` share: sharp structure that comes again, errors, and an example."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tensorfill.completion import Completion, Snapshot
from tensorfill.library import complete
from tensorfill.tensor import Array

Mask = NDArray[np.bool_]


def glyphs(seed: int, size: int = 64) -> Array:
    """Three random binary glyphs of 8 × 8 pixels, side by side in any order; dark is 0.1, bright 0.9."""
    rng = np.random.default_rng(seed)
    kinds, count = rng.random((3, 8, 8)) < 0.5, size // 8
    drawn = rng.integers(0, 3, (count, count))
    return 0.1 + 0.8 * np.block([[kinds[drawn[i, j]] for j in range(count)] for i in range(count)])


def stripes(seed: int, size: int = 64) -> Array:
    """Stripes at an angle, and other ones beyond an edge."""
    i, j = np.mgrid[:size, :size]
    angle = np.random.default_rng(seed).uniform(0.3, 1.2)
    bright = (i * np.cos(angle) + j * np.sin(angle)) % 7 < 3.5
    return 0.1 + 0.8 * np.where(i + 0.3 * j > 0.6 * size, bright, ~bright & (j % 9 < 5))


def in_colour(gray: Array, mode: int = -1) -> Array:
    return np.stack([gray, 0.2 + 0.5 * gray, 0.9 - 0.6 * gray], axis=mode)


def clip(seed: int) -> Array:
    """Glyphs that move by a pixel from frame to frame."""
    return np.stack([np.roll(glyphs(seed, 24), frame, axis=1) for frame in range(8)], axis=-1)


def cube(seed: int) -> Array:
    """Stripes of two materials, nine bands each."""
    spectra = np.cumsum(np.random.default_rng(seed).random((2, 9)), axis=1)
    return spectra[(stripes(seed, 36) > 0.5).astype(int)] / spectra.max()


def scattered(shape: tuple[int, ...], share: float, seed: int) -> Mask:
    return np.random.default_rng([seed, 100]).random(shape) < share


def error(done: Completion, truth: Array, known: Mask) -> float:
    """The root mean square error where nothing was known."""
    return float(np.sqrt(np.mean((done.model - truth)[~known] ** 2)))


def errors(truth: Array, known: Mask, **settings: Any) -> tuple[float, float]:
    """That of `patches` and that of `spectral`."""
    whole = np.broadcast_to(known[..., None] if known.ndim < truth.ndim else known, truth.shape)
    done, before = complete(truth, known, "patches", **settings), complete(truth, known, "spectral")
    assert "error at held-out entries" in done.reasons["patches"]
    return error(done, truth, whole), error(before, truth, whole)


@cache
def example() -> tuple[Array, Mask, Completion]:
    """A picture with zeros in it, what is known, and its completion."""
    truth = np.round(glyphs(0, 48) - 0.1, 3)
    known = scattered(truth.shape, 0.5, 0)
    return truth, known, complete(truth, known, "patches")


@cache
def spectral_iterations() -> int:
    truth, known, _ = example()
    return len(complete(truth, known, "spectral").history)


def stop_after(last: int) -> tuple[list[Snapshot], Callable[[Snapshot], bool]]:
    seen: list[Snapshot] = []

    def watch(snapshot: Snapshot) -> bool:
        seen.append(snapshot)
        return snapshot.step.iteration == last

    return seen, watch
