"""Pairs of matrices, one per mode, whose products are unfoldings of a full tensor: X_k Y_k ≈ M_k.

Y_k is kept as a tensor of the shape of M with r_k in the place of n_k, so that nothing of full size is transposed. The
work goes slab by slab, each some indices of the first mode, so that a slab stays in the cache while it is worked on.
Modes are best ordered by size, the smallest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..tensor import Array, entries, mode_product
from .threads import cut, share
from .unfoldings import cross_product

# Slabs are always the same, so the result does not depend on the number of threads.
_SLAB = 2**16  # entries of a slab, about
_MOST_SLABS = 64


class PairProducts:
    """Products of the pairs with a full tensor, known at sorted positions (last mode fastest)."""

    def __init__(self, shape: Sequence[int], positions: NDArray[np.int64], values: Array) -> None:
        self.shape = tuple(shape)
        self._positions = positions
        self._values = values
        row = entries(self.shape[1:])
        count = min(self.shape[0], _MOST_SLABS, max(1, entries(self.shape) // _SLAB))
        cuts = cut(self.shape[0], count)
        self._slabs = [slice(first, end) for first, end in pairwise(cuts)]
        known = np.searchsorted(positions, [index * row for index in cuts])
        self._known = [slice(int(first), int(end)) for first, end in pairwise(known)]
        self._scratch: list[Array] = []

    def lefts(self, M: Array, rights: Sequence[Array]) -> list[Array]:
        """M_k Y_kᵀ for every mode, n_k × r_k."""
        first = np.empty((self.shape[0], rights[0].shape[0]))
        parts = [
            np.empty((len(self._slabs), size, right.shape[mode]))
            for mode, (size, right) in enumerate(zip(self.shape, rights, strict=True))
            if mode > 0
        ]

        def work(i: int) -> None:
            slab = self._slabs[i]
            np.matmul(_flat(M[slab]), _flat(rights[0]).T, out=first[slab])
            for mode, right in enumerate(rights[1:], start=1):
                parts[mode - 1][i] = cross_product(M[slab], right[slab], mode)

        share(work, len(self._slabs))
        return [first, *(np.asarray(part.sum(axis=0)) for part in parts)]

    def rights(self, M: Array, lefts: Sequence[Array]) -> list[Array]:
        """L_kᵀ M_k for every mode, as tensors."""
        shapes = [(*self.shape[:k], left.shape[1], *self.shape[k + 1 :]) for k, left in enumerate(lefts)]
        found = [np.empty(shape) for shape in shapes]
        columns = cut(entries(self.shape[1:]), len(self._slabs))

        def work(i: int) -> None:
            part = slice(columns[i], columns[i + 1])
            np.matmul(lefts[0].T, _flat(M)[:, part], out=_flat(found[0])[:, part])
            slab = self._slabs[i]
            for mode, left in enumerate(lefts[1:], start=1):
                mode_product(M[slab], left.T, mode, found[mode][slab])

        share(work, len(self._slabs))
        return found

    def blend(self, lefts: Sequence[Array], rights: Sequence[Array], weights: Array, out: Array) -> tuple[float, Array]:
        """M = Σ_k w_k fold(X_k Y_k) where nothing is known, the data elsewhere, for weights that add up to 1.

        Gives back Σ_k w_k ‖X_k Y_k − M_k‖² where nothing is known, and ‖X_k Y_k − Y_k‖² where the data is, per mode.
        """
        found = np.zeros((len(self._slabs), len(lefts) + 1))

        def work(i: int) -> None:
            slab, known = self._slabs[i], self._known[i]
            target = out[slab]
            scratch = self._borrow()
            parts = scratch[: len(lefts) * target.size].reshape(len(lefts), -1)
            for mode, (left, right) in enumerate(zip(lefts, rights, strict=True)):
                part = parts[mode].reshape(target.shape)
                if mode == 0:
                    np.matmul(left[slab], _flat(right), out=_flat(part))
                else:
                    mode_product(right[slab], left, mode, part)
            blend_slab(
                parts,
                weights,
                self._positions[known],
                slab.start * entries(self.shape[1:]),
                self._values[known],
                target.reshape(-1),
                found[i],
            )
            self._scratch.append(scratch)

        share(work, len(self._slabs))
        total = found.sum(axis=0)
        return float(total[0]), total[1:]

    def _borrow(self) -> Array:
        """Room for one slab of every product; made once per thread, and handed back after use."""
        try:
            return self._scratch.pop()
        except IndexError:
            largest = max(slab.stop - slab.start for slab in self._slabs) * entries(self.shape[1:])
            return np.empty(len(self.shape) * largest)


def _flat(tensor: Array) -> Array:
    return tensor.reshape(len(tensor), -1)


@compiled(nogil=True, fastmath=True)
def blend_slab(parts, weights, positions, first, values, out, found):  # type: ignore[no-untyped-def]
    """out = Σ_k w_k parts_k, or the value that is known; found = what `blend` gives back. Overwrites the parts."""
    modes, size = parts.shape
    for e in range(len(positions)):
        i = positions[e] - first
        for k in range(modes):
            found[1 + k] += (parts[k, i] - values[e]) ** 2
            parts[k, i] = values[e]  # so that known entries add nothing to the spread
    spread = 0.0
    for start in range(0, size, 1024):  # short stretches: long loops over one part at a time, all of it near
        end = min(start + 1024, size)
        mean = out[start:end]
        mean[:] = 0.0
        for k in range(modes):
            part, weight = parts[k, start:end], weights[k]
            for i in range(len(mean)):
                mean[i] += weight * part[i]
        for k in range(modes):
            part, square = parts[k, start:end], 0.0
            for i in range(len(mean)):
                square += (part[i] - mean[i]) ** 2
            spread += weights[k] * square
    for e in range(len(positions)):
        out[positions[e] - first] = values[e]
    found[0] = spread
