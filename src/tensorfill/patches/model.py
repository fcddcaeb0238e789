"""GroupModel: how patches are cut, how far and how many similar ones are looked for, and what their prior is like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Triple = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class GroupModel:
    """Settings of a round; sizes along the three modes of a `Layout`."""

    patch: Triple
    window: Triple
    """How far similar patches are looked for, to either side."""
    stride: Triple
    """From one reference patch to the next."""
    members: int
    """How many patches of a group are solved for."""
    informers: int
    """How many its Gaussian is learned from."""
    strength: float
    """So many patches the covariance that all have in common counts for."""
    noise: float
    """σ², of values as they come."""
    relaxation: float = 1.6
    """By how much more than groups say estimates move from round to round."""
    passes: int = 2
    every: int = 8
    """The conditional covariances of a group are those of every so many-th patch."""

    def offsets(self, extent: Triple) -> NDArray[np.int64]:
        """From the first site of a patch to each of its sites."""
        a, b, c = np.meshgrid(*map(np.arange, self.patch), indexing="ij")
        return np.asarray((a * extent[1] + b) * extent[2] + c, dtype=np.int64).reshape(-1)

    def grid(self, extent: Triple, shift: Triple) -> tuple[NDArray[np.int64], ...]:
        """Where reference patches begin along every mode; borders are always covered."""
        found = []
        for size, side, stride, at in zip(extent, self.patch, self.stride, shift, strict=True):
            last = size - side
            found.append(np.unique(np.concatenate([[0], np.arange(at % stride, last + 1, stride), [last]])))
        return tuple(found)


def common_covariance(
    x: NDArray[np.float32], model: GroupModel, extent: Triple, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Σ₀: the covariance of patches anywhere, the mean of each coefficient of a patch removed."""
    offsets = model.offsets(extent)
    places = [rng.integers(0, size - side + 1, _LOOKED_AT) for size, side in zip(extent, model.patch, strict=True)]
    first = (places[0] * extent[1] + places[1]) * extent[2] + places[2]
    patches = x[:, first[:, None] + offsets]  # coefficient, patch, site
    patches = patches - patches.mean(axis=2, keepdims=True)
    rows = np.moveaxis(patches, 1, 0).reshape(_LOOKED_AT, -1)
    return np.asarray(rows.T @ rows / _LOOKED_AT, dtype=np.float32)


_LOOKED_AT = 20_000  # patches
