"""Delaunay triangles of the known entries of a picture: which corners a missing entry lies between, and how near."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


@dataclass(frozen=True, eq=False)
class Triangles:
    """For every missing entry, three known ones as flat positions, and weights that add up to 1."""

    corners: NDArray[np.int64]
    weights: Array

    @classmethod
    def around_missing(cls, known: NDArray[np.bool_]) -> Triangles:
        """Outside of all triangles the nearest known entry has all the weight."""
        from scipy.ndimage import binary_dilation, distance_transform_edt  # slow to import, and used here only
        from scipy.spatial import Delaunay, QhullError

        nearest: NDArray[np.int32] = distance_transform_edt(~known, return_distances=False, return_indices=True)
        flat = np.ravel_multi_index(tuple(nearest[:, ~known]), known.shape)
        corners = np.repeat(flat[:, None], 3, axis=1)
        weights = np.tile([1.0, 0.0, 0.0], (len(flat), 1))
        # A known entry among known neighbours is no corner of a triangle that reaches over a missing one.
        needed = known & binary_dilation(~known, np.ones((3, 3), dtype=bool))
        try:
            triangles = Delaunay(np.argwhere(needed))
        except QhullError:  # all on a line: nothing lies inside a triangle
            return cls(corners, weights)
        missing = np.argwhere(~known)
        found = triangles.find_simplex(missing)
        # Flat triangles have no transform; what is in them is taken from the nearest, too.
        affine = triangles.transform[found]
        inside = (found >= 0) & np.isfinite(affine).all(axis=(1, 2))
        affine, found = affine[inside], found[inside]
        first_two = np.einsum("nij,nj->ni", affine[:, :2], missing[inside] - affine[:, 2])
        corners[inside] = np.flatnonzero(needed)[triangles.simplices[found]]
        weights[inside] = np.column_stack([first_two, 1 - first_two.sum(axis=1)])
        return cls(corners, weights)

    def interpolated(self, picture: Array) -> Array:
        """Values at the missing entries of a picture, in order."""
        return np.asarray(np.einsum("nc,nc->n", picture.reshape(-1)[self.corners], self.weights))
