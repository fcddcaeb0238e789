"""Several priors added up: entries are the sum of what each gives, coefficients are strung together.

The paper's component W^(k) is one of them: the directions of U_k along mode k, the entries themselves along the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tensor import Array
from .bases import Columns, Entries, Numbers
from .bins import Bins
from .prior import Prior
from .transform import Transform


class SummedTransform:
    """Q = (Q^(1), Q^(2), …) side by side; no longer orthonormal."""

    def __init__(self, parts: Sequence[Transform]) -> None:
        self.parts = tuple(parts)
        self.bases = self.parts[0].bases
        ends = np.cumsum([int(np.prod(part.coefficient_shape)) for part in parts])
        self.coefficient_shape = (int(ends[-1]),)
        self._cuts = ends[:-1]

    def to_coefficients(self, x: Numbers, *, overwrite: bool = False) -> Numbers:
        """Qᵀ x, as a new array; x is left as it is, for every part needs it."""
        return np.concatenate([part.to_coefficients(x).reshape(-1) for part in self.parts])

    def to_entries(self, c: Numbers, *, overwrite: bool = False) -> Numbers:
        """Q c, as a new array; c is left as it is."""
        first, *others = self.separate(c)
        for other in others:
            first += other
        return first

    def coefficients_of(self, x: Numbers) -> Numbers:
        """Some coefficients of x: those of the first part."""
        found = np.zeros(self.coefficient_shape, x.dtype)
        first = self.parts[0].to_coefficients(x).reshape(-1)
        found[: len(first)] = first
        return found

    def separate(self, c: Numbers) -> list[Numbers]:
        """What each part adds to the entries."""
        return [
            part.to_entries(piece.reshape(part.coefficient_shape))
            for part, piece in zip(self.parts, np.split(c, self._cuts), strict=True)
        ]


class SummedBins:
    """The bins of all parts, in a row."""

    def __init__(self, parts: Sequence[Bins]) -> None:
        self._parts = tuple(parts)
        self._cuts = np.cumsum([int(np.prod(part.coefficient_shape)) for part in parts])[:-1]
        self._bin_cuts = np.cumsum([part.counts.size for part in parts])[:-1]
        self.counts: Array = np.concatenate([part.counts.reshape(-1) for part in parts])
        self.shape = self.counts.shape

    def sums(self, values: Numbers) -> Array:
        """The sum of a full array over every bin, in double precision."""
        pieces = zip(self._parts, np.split(values, self._cuts), strict=True)
        return np.concatenate([part.sums(piece.reshape(part.coefficient_shape)).reshape(-1) for part, piece in pieces])

    def spread(self, values: Array, dtype: np.dtype[np.floating]) -> Numbers:
        """A full array with the value of its bin everywhere."""
        pieces = zip(self._parts, np.split(values, self._bin_cuts), strict=True)
        return np.concatenate([part.spread(piece.reshape(part.shape), dtype).reshape(-1) for part, piece in pieces])

    def smoothed(self, values: Array, width: float) -> Array:
        """A weighted mean over neighbouring bins of the same part."""
        pieces = zip(self._parts, np.split(values, self._bin_cuts), strict=True)
        return np.concatenate([part.smoothed(piece.reshape(part.shape), width).reshape(-1) for part, piece in pieces])

    def with_borders(self, variances: Array) -> Array:
        """As they are: no border stands alone here."""
        return variances


def with_components(prior: Prior, factors: Sequence[Array], dtype: np.dtype[np.floating]) -> Prior:
    """A prior with the paper's components added: half of the variance is theirs, in equal parts."""
    assert isinstance(prior.transform, Transform)
    assert isinstance(prior.bins, Bins)
    per_entry = float((prior.variances * prior.bins.counts).sum() / prior.bins.counts.sum())
    transforms, bins, variances = [prior.transform], [prior.bins], [0.5 * prior.variances.reshape(-1)]
    for mode, U in enumerate(factors):
        vectors, weights, _ = np.linalg.svd(U, full_matrices=False)
        bases = [
            Columns(vectors, "learned", dtype) if other == mode else Entries(size)
            for other, size in enumerate(prior.transform.coefficient_shape)
        ]
        transforms.append(Transform(bases))
        bins.append(Bins(bases))
        along = Bins([bases[mode]])
        share = 0.5 * per_entry / len(factors) * len(U) * weights**2 / (weights**2).sum()
        variances.append(np.maximum(along.sums(share) / along.counts, 1e-6 * per_entry))
    return Prior(SummedTransform(transforms), SummedBins(bins), np.concatenate(variances), prior.noise)
