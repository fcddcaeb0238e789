"""Footprints: what the indices of a mode have in common by where they are known at all, as a few numbers per index.

Which items a user has rated tells about the user before any rating is looked at. The incidence matrix of a mode's
indices and those of all other modes, A = D⁻½ M E⁻½ with D and E the sums of its rows and columns, has singular vectors
that say so: √n U is the mean over a row's items of vectors of theirs, times √(number of items), as in SVD++.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, hstack
from scipy.sparse.linalg import svds

from ..tensor import Array
from .entries import GroupedEntries


def find_footprints(entries: GroupedEntries, mode: int, count: int, rng: np.random.Generator) -> Array:
    """At most so many numbers for every row of a mode, of mean square 1; none where the mode is too short for any."""
    size = entries.counts[mode]
    count = min(count, size // _ROWS_PER_FEATURE)
    if count < 1:
        return np.zeros((size, 0))
    others = [other for other in range(entries.order) if other != mode]
    parts = hstack([_incidence(entries, mode, other) for other in others], format="csr")
    start = rng.standard_normal(min(parts.shape))
    count = min(count, min(parts.shape) - 1)
    if count < 1:
        return np.zeros((size, 0))
    left, values, _ = svds(parts, count, v0=start, return_singular_vectors="u")
    return np.asarray(left[:, values > _SOME * values.max()] * np.sqrt(size))


def _incidence(entries: GroupedEntries, mode: int, other: int) -> csr_array:
    """Which indices of two modes have an entry together, normalised."""
    shape = entries.counts[mode], entries.counts[other]
    found = csr_array((np.ones(entries.indices.shape[1]), (entries.indices[mode], entries.indices[other])), shape=shape)
    found.sum_duplicates()
    found.data[:] = 1.0
    rows, columns = (np.maximum(np.asarray(found.sum(axis=axis)).ravel(), 1.0) for axis in (1, 0))
    found.data /= np.sqrt(np.repeat(rows, np.diff(found.indptr)) * columns[found.indices])
    return found


_ROWS_PER_FEATURE = 10
_SOME = 1e-6  # of the largest singular value: what is below is rounding
