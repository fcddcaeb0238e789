"""Bands of a site and the coefficients that groups work with: the bands themselves, or a few directions of many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_FEW = 4  # bands, such as colours, that need no basis
_DIRECTIONS = 16


@dataclass(frozen=True, eq=False)
class Bands:
    """bands = rest + basis · coefficients, where the rest stays as it is."""

    basis: Floats
    rest: Floats | None
    """Band, site: what the basis cannot tell; None if bands are their own coefficients."""

    @property
    def plain(self) -> bool:
        """Whether bands are their own coefficients."""
        return self.rest is None

    @classmethod
    def of(cls, planar: Floats) -> Bands:
        """For an estimate of all bands: its principal directions, if there are many."""
        count = len(planar)
        if count <= _FEW:
            return cls(np.eye(count, dtype=np.float32), None)
        centred = planar - planar.mean(axis=1, keepdims=True)
        vectors = np.linalg.eigh((centred @ centred.T).astype(np.float64))[1]
        basis = np.ascontiguousarray(vectors[:, ::-1][:, :_DIRECTIONS], dtype=np.float32)
        return cls(basis, planar - basis @ (basis.T @ centred))

    def coefficients(self, planar: Floats) -> Floats:
        """Of an estimate; it should be the one this was made for."""
        return planar if self.rest is None else self.basis.T @ (planar - self.rest)

    def bands(self, coefficients: Floats) -> Floats:
        """The way back."""
        return coefficients if self.rest is None else self.rest + self.basis @ coefficients

    def variance(self, coefficients: Floats) -> Floats:
        """Of bands, from those of coefficients, as if these were independent."""
        return coefficients if self.rest is None else np.square(self.basis) @ coefficients

    def less_rest(self, planar: Floats) -> Floats:
        """What the basis has to tell of bands."""
        return planar if self.rest is None else planar - self.rest


def direction_count(bands: int) -> int:
    """How many coefficients a site with so many bands has."""
    return bands if bands <= _FEW else min(bands, _DIRECTIONS)
