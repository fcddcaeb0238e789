"""Bands of a site and the coefficients that groups work with: the bands themselves, or a few directions of many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_FEW = 4  # bands, such as colours, that need no basis
_DIRECTIONS = 16


@dataclass(frozen=True, eq=False)
class Bands:
    """bands = rest + basis · coefficients, where the rest stays as it is. All arrays have bands first, then sites."""

    basis: Floats
    rest: Floats | None
    """What the basis cannot tell; None if bands are their own coefficients."""
    whole_sites: bool
    """Whether a site is known in all bands or in none, so that its coefficients are known too."""

    @classmethod
    def of(cls, planar: Floats, known: Mask) -> Bands:
        """For an estimate of all bands: its principal directions, if there are many."""
        count = len(planar)
        whole = bool(np.all(known[1:] == known[:1]))
        if count <= _FEW:
            return cls(np.eye(count, dtype=np.float32), None, whole)
        centred = planar - planar.mean(axis=1, keepdims=True)
        vectors = np.linalg.eigh((centred @ centred.T).astype(np.float64))[1]
        basis = np.ascontiguousarray(vectors[:, ::-1][:, :_DIRECTIONS], dtype=np.float32)
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


def direction_count(bands: int) -> int:
    """How many coefficients a site with so many bands has."""
    return bands if bands <= _FEW else min(bands, _DIRECTIONS)
