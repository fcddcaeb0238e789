"""How a tensor is seen as sites with bands: patches extend over up to three modes, all others belong to a site."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SEARCHED = 3


@dataclass(frozen=True)
class Layout:
    """Which modes patches extend over and are searched along; what is left are the bands of a site."""

    shape: tuple[int, ...]
    searched: tuple[int, ...]
    """Two modes or three."""

    @property
    def bands(self) -> tuple[int, ...]:
        """The other modes."""
        return tuple(mode for mode in range(len(self.shape)) if mode not in self.searched)

    @property
    def extent(self) -> tuple[int, int, int]:
        """Sizes of the searched modes, as three; that of a picture has a 1 in the middle."""
        return self.pad([self.shape[mode] for mode in self.searched], 1)

    def pad(self, sizes: list[int], missing: int) -> tuple[int, int, int]:
        """One number per searched mode, as three."""
        if len(sizes) < _SEARCHED:
            sizes = [sizes[0], missing, sizes[1]]
        return sizes[0], sizes[1], sizes[2]

    @property
    def band_count(self) -> int:
        """How many bands a site has."""
        return math.prod(self.shape[mode] for mode in self.bands)

    def planar(self, tensor: NDArray[Any]) -> NDArray[Any]:
        """Bands first, then sites: two modes, contiguous."""
        moved = np.transpose(tensor, (*self.bands, *self.searched))
        return np.ascontiguousarray(moved).reshape(math.prod(moved.shape[: len(self.bands)]), -1)

    def tensor(self, planar: NDArray[Any]) -> NDArray[Any]:
        """The way back."""
        order = (*self.bands, *self.searched)
        moved = planar.reshape([self.shape[mode] for mode in order])
        return np.transpose(moved, np.argsort(order))
