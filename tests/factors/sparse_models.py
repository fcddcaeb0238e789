"""Sparse tensors whose truth is known: main effects and interactions of pairs, or a product of all modes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tensorfill.observed import ObservedTensor


@dataclass(frozen=True)
class Example:
    observed: ObservedTensor
    where: NDArray[np.int64]
    """Coordinates that are held out."""
    truth: NDArray[np.float64]
    noise: float

    def error(self, predicted: NDArray[np.float64]) -> float:
        """Of predictions of the truth itself."""
        return float(np.sqrt(np.mean((predicted - self.truth) ** 2)))


def make_example(shape: tuple[int, ...], kind: str, *, known: int = 6000, noise: float = 0.3, seed: int = 0) -> Example:
    """`known` entries of a tensor about 40, and 1000 others."""
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape))
    where = np.stack(np.unravel_index(rng.permutation(size)[: known + 1000], shape), axis=1)
    truth = np.full(len(where), 40.0)
    factors = [rng.standard_normal((n, 2)) for n in shape]
    for mode, n in enumerate(shape):
        truth += 0.5 * rng.standard_normal(n)[where[:, mode]]
    if kind == "pairs":
        for one, other in combinations(range(len(shape)), 2):
            truth += (factors[one][where[:, one]] * factors[other][where[:, other]]).sum(axis=1)
    elif kind == "product":
        truth += np.prod([factor[where[:, mode]] for mode, factor in enumerate(factors)], axis=0).sum(axis=1)
    values = truth + noise * rng.standard_normal(len(truth))
    observed = ObservedTensor.from_coordinates(where[:known], values[:known], shape)
    return Example(observed, where[known:], truth[known:], noise)
