"""Slices of which nothing is known, such as lost frames, dead bands and dead rows: solved exactly.

The part of Q g Qᵀ in such slices falls apart: for every coefficient along the other modes there is one small matrix,
R Q_k diag(g) Q_kᵀ Rᵀ, with R the lost indices of mode k. It is the same for all coefficients of a bin.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..missingness import find_lost_indices
from ..numerics.threads import share
from ..tensor import Array
from .bases import Basis, Numbers
from .bins import Bins
from .transform import Transform

_LEAST = 1e-7  # added to g: what single precision can tell from zero
_ROOM, _LITTLE = 3, 4_000_000  # numbers that the small matrices may take: times the size of the tensor, or in any case
_WORK = 5000  # multiplications for their inverses, times the size of the tensor: more than it takes without them
_PIECES = 64  # that they are inverted in
_ALONE = 4  # coefficients of a bin, on average, below which each has a copy of its matrix

Mask = NDArray[np.bool_]


def solvable_slices(bins: Bins, missing: Mask) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Modes that have such slices, and their indices, as long as the small matrices are small enough."""
    for mode in range(missing.ndim):
        indices = find_lost_indices(missing, mode)
        matrices = int(np.prod(np.delete(bins.shape, mode)))
        has_room = matrices * len(indices) ** 2 <= max(_ROOM * missing.size, _LITTLE)
        if len(indices) and has_room and matrices * len(indices) ** 3 <= _WORK * missing.size:
            yield mode, indices


class DeadSlices:
    """The inverse for the lost indices of one mode."""

    def __init__(self, transform: Transform, bins: Bins, mode: int, indices: NDArray[np.intp]) -> None:
        self.mode = mode
        self.indices = indices
        self._bases: tuple[Basis, ...] = transform.bases
        self._boxes = [
            tuple(slice(start, end) for start, end in box)
            for box in itertools.product(*(bins.ranges(other) for other in range(len(self._bases)) if other != mode))
        ]
        others = [basis.size for other, basis in enumerate(self._bases) if other != mode]
        self._box_of = np.empty(others, dtype=np.intp)
        for number, box in enumerate(self._boxes):
            self._box_of[box] = number
        units: Array = np.zeros((self._bases[mode].size, len(indices)))
        units[indices, np.arange(len(indices))] = 1.0
        rows: Array = self._bases[mode].analyse(units, 0).T
        self._products: Array = np.stack([rows[:, a:b] @ rows[:, a:b].T for a, b in bins.ranges(mode)])
        self._firsts = np.array([start for start, _ in bins.ranges(mode)])
        self._last: tuple[Array, Array] | None = None

    def inverses(self, g: Numbers) -> Array:
        """The small matrices, inverted; those of the last g are kept, for two solves in a round have the same."""
        along = np.moveaxis(g, self.mode, -1)
        first = [tuple(part.start for part in box) for box in self._boxes]
        weights = np.array([along[place][self._firsts] for place in first], dtype=np.float64) + _LEAST
        last, self._last = self._last, None  # several threads may be here, each with a g of its own
        if last is None or not np.array_equal(last[0], weights):
            last = None  # what is not needed any more is let go of first
            last = weights, self._invert(weights)
        self._last = last
        return last[1]

    def _invert(self, weights: Array) -> Array:
        count = len(self.indices)
        inverses: Array = np.empty((len(weights), count, count))

        pieces = np.array_split(np.arange(len(weights)), min(len(weights), _PIECES))

        def work(piece: int) -> None:
            inverses[pieces[piece]] = np.linalg.inv(np.tensordot(weights[pieces[piece]], self._products, 1))

        share(work, len(pieces))
        return inverses

    def add_to(self, z: Numbers, r: Numbers, inverses: Array) -> None:
        """Add to z what the inverse makes of r."""
        c = np.take(r, self.indices, self.mode)
        others = [mode for mode in range(r.ndim) if mode != self.mode]
        for mode in others:
            c = self._bases[mode].analyse(c, mode)
        c = np.ascontiguousarray(np.moveaxis(c, self.mode, -1), dtype=np.float64)
        if self._box_of.size < _ALONE * len(self._boxes):
            c = np.matmul(c[..., None, :], inverses[self._box_of])[..., 0, :]
        else:
            for box, inverse in zip(self._boxes, inverses, strict=True):
                c[box] = c[box] @ inverse
        c = np.moveaxis(c, -1, self.mode).astype(r.dtype)
        for mode in others:
            c = self._bases[mode].synthesise(c, mode)
        np.moveaxis(z, self.mode, 0)[self.indices] += np.moveaxis(c, self.mode, 0)
