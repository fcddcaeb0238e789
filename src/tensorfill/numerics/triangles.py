"""Delaunay triangles of the known entries of a picture: which corners a missing entry lies between, and how near."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..interrupting import look_at_clock
from ..tensor import Array

_NARROW = 16  # a strip is taken to be at least so wide,
_LONG = 64  # so many times as long as wide if it is to be cut,
_PIECE = 16  # and so many times in its pieces


@dataclass(frozen=True, eq=False)
class Triangles:
    """For every missing entry, three known ones as flat positions, and weights that add up to 1."""

    corners: NDArray[np.int64]
    weights: Array

    @classmethod
    def around_missing(cls, known: NDArray[np.bool_]) -> Triangles:
        """Outside of all triangles the nearest known entry has all the weight."""
        from scipy.ndimage import distance_transform_edt  # slow to import, and used here only

        nearest: NDArray[np.int32] = distance_transform_edt(~known, return_distances=False, return_indices=True)
        missing = np.flatnonzero(~known)
        flat = np.ravel_multi_index(tuple(nearest[:, ~known]), known.shape)
        corners = np.repeat(flat[:, None], 3, axis=1)
        weights = np.tile([1.0, 0.0, 0.0], (len(flat), 1))
        positions = np.arange(known.size).reshape(known.shape)
        for part, middle in _cut_strip(known.shape):
            look_at_clock()
            found = _find_triangles(known[part])
            if found is None:
                continue
            inside, by_three, shares = found
            places = positions[part]
            kept = middle[part][~known[part]][inside]
            rows = np.searchsorted(missing, places[~known[part]][inside][kept])
            corners[rows] = places.reshape(-1)[by_three[kept]]
            weights[rows] = shares[kept]
        return cls(corners, weights)

    def interpolate(self, picture: Array) -> Array:
        """Values at the missing entries of a picture, in order."""
        return np.asarray(np.einsum("nc,nc->n", picture.reshape(-1)[self.corners], self.weights))


def _cut_strip(shape: tuple[int, ...]) -> Iterator[tuple[tuple[slice, ...], NDArray[np.bool_]]]:
    """Parts of a picture that overlap, and where each is to be used: all of it, unless it is a long strip.

    Triangles of a long strip would take time in proportion to the square of its length.
    """
    longest = int(np.argmax(shape))
    size, across = shape[longest], min(shape)
    if size < _LONG * max(across, _NARROW):
        yield (slice(None), slice(None)), np.ones(shape, dtype=bool)
        return
    length = _PIECE * max(across, _NARROW)
    for start in range(0, size, length):
        middle = np.zeros(shape, dtype=bool)
        np.moveaxis(middle, longest, 0)[start : start + length] = True
        wide = slice(max(0, start - length // 2), start + length + length // 2)
        yield (wide, slice(None)) if longest == 0 else (slice(None), wide), middle


def _find_triangles(known: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp], Array] | None:
    """Which missing entries lie in a triangle, its corners as flat positions, and their weights; None without any."""
    from scipy.ndimage import binary_dilation
    from scipy.spatial import Delaunay, QhullError

    # A known entry among known neighbours is no corner of a triangle that reaches over a missing one.
    needed = known & binary_dilation(~known, np.ones((3, 3), dtype=bool))
    try:
        triangles = Delaunay(np.argwhere(needed))
    except (QhullError, ValueError):  # too few, or all on a line: nothing lies inside a triangle
        return None
    missing = np.argwhere(~known)
    found = triangles.find_simplex(missing)
    # Flat triangles have no transform; what is in them is taken from the nearest, too.
    affine = triangles.transform[found]
    inside: NDArray[np.bool_] = (found >= 0) & np.isfinite(affine).all(axis=(1, 2))
    affine, found = affine[inside], found[inside]
    first_two = np.einsum("nij,nj->ni", affine[:, :2], missing[inside] - affine[:, 2])
    shares = np.column_stack([first_two, 1 - first_two.sum(axis=1)])
    return inside, np.flatnonzero(needed)[triangles.simplices[found]], shares
