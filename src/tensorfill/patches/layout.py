"""How a tensor is seen: sites with bands, and the coefficients of a site that groups work with.

Patches extend over up to three modes, all others belong to a site.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .settings import ModelSettings

Triple = tuple[int, int, int]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_SEARCHED = 3
_USUAL = ModelSettings()


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
    def extent(self) -> Triple:
        """Sizes of the searched modes, as three; that of a picture has a 1 in the middle."""
        return self.pad([self.shape[mode] for mode in self.searched], 1)

    def pad(self, sizes: list[int], missing: int) -> Triple:
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


@dataclass(frozen=True, eq=False)
class Bands:
    """bands = rest + basis · coefficients, where the rest stays as it is. All arrays have bands first, then sites."""

    basis: Floats
    rest: Floats | None
    """What the basis cannot tell; None if bands are their own coefficients."""
    whole_sites: bool
    """Whether a site is known in all bands or in none, so that its coefficients are known too."""

    @classmethod
    def of(cls, planar: Floats, known: Mask, settings: ModelSettings = _USUAL) -> Bands:
        """For an estimate of all bands: its principal directions, if there are many."""
        count = len(planar)
        whole = bool(np.all(known[1:] == known[:1]))
        if count <= settings.few_bands:
            return cls(np.eye(count, dtype=np.float32), None, whole)
        centred = planar - planar.mean(axis=1, keepdims=True)
        vectors = np.linalg.eigh((centred @ centred.T).astype(np.float64))[1]
        basis = np.ascontiguousarray(vectors[:, ::-1][:, : settings.directions], dtype=np.float32)
        return cls(basis, planar - basis @ (basis.T @ centred), whole)

    @property
    def direct(self) -> bool:
        """Whether coefficients are what is observed."""
        return self.rest is None or self.whole_sites

    @property
    def has_bounds(self) -> bool:
        """Whether a bound on bands is one on coefficients."""
        return self.rest is None

    def coefficients(self, planar: Floats) -> Floats:
        """Of an estimate; it should be the one this was made for."""
        return planar if self.rest is None else self.basis.T @ (planar - self.rest)

    def bands(self, coefficients: Floats) -> Floats:
        """The way back."""
        return coefficients if self.rest is None else self.rest + self.basis @ coefficients

    def variance(self, coefficients: Floats) -> Floats:
        """Of bands, from those of coefficients, as if these were independent."""
        return coefficients if self.rest is None else np.square(self.basis) @ coefficients

    def observed(self, planar: Floats, known: Mask) -> tuple[Floats, Mask]:
        """What groups are conditioned on, and where: coefficients if they are observed, else bands less the rest."""
        if self.rest is None:
            return planar, known
        if not self.whole_sites:
            return planar - self.rest, known
        values = self.coefficients(planar)
        return values, np.ascontiguousarray(np.broadcast_to(known[:1], values.shape))


def direction_count(bands: int, settings: ModelSettings = _USUAL) -> int:
    """How many coefficients a site with so many bands has."""
    return bands if bands <= settings.few_bands else min(bands, settings.directions)
