"""A sparse unfolding: products with the mode-k unfolding of a tensor on Ω, over the fibres that have entries."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..numerics import fibre_kernels as kernels
from ..numerics.fibre_operator import FibreOperator
from ..numerics.pieces import sum_pieces
from ..tensor import Array

_LARGEST_PARTS = 2**20  # numbers up to which every piece of the work gets a matrix of its own to add up in


class SparseUnfolding:
    """One mode of a support. A tensor is its values on Ω, or in the order of the mode's fibres: its `slots`."""

    def __init__(self, operator: FibreOperator, mode: int) -> None:
        self._size = operator.shape[mode]
        self._fibres = operator.modes[mode]
        self._row = self._fibres.row

    @property
    def columns(self) -> NDArray[np.int64]:
        """The numbers of the fibres that have entries, among all columns of the unfolding."""
        return self._fibres.fibre

    def slots(self, x: Array) -> Array:
        """A tensor on Ω in the order of the fibres: quicker to go through many times."""
        out = np.empty_like(x)
        self._fibres.share(partial(kernels.fill_slots, self._fibres.starts, self._fibres.entry, x, out))
        return out

    def power_step(self, slots: Array, u: Array) -> Array:
        """X_k X_kᵀ u."""
        return self._fibres.sum(partial(kernels.add_power_step, self._fibres.starts, self._row, slots, u), u.shape)

    def fibre_dots(self, slots: Array, u: Array) -> Array:
        """X_kᵀ u, one number per fibre."""
        out = np.empty(len(self.columns))
        self._fibres.share(partial(kernels.fill_fibre_dots, self._fibres.starts, self._row, slots, u, out))
        return out

    def right_product(self, x: Array, right: Array) -> Array:
        """X_k R."""
        cuts = self._fibres.cuts
        if len(cuts) * self._size * right.shape[1] > _LARGEST_PARTS:
            cuts = [0, len(self.columns)]
        add = partial(kernels.add_right_product, *self._fibres.where, x, right)
        return sum_pieces(add, cuts, (self._size, right.shape[1]))

    def outer(self, u: Array, v: Array) -> Array:
        """u vᵀ on Ω."""
        out = np.empty(len(self._row))
        self._fibres.share(partial(kernels.fill_outer, *self._fibres.where, u, v, out))
        return out

    def subtract_product(self, x: Array, left: Array, right: Array) -> None:
        """X_k −= L Rᵀ on Ω, in place."""
        self._fibres.share(partial(kernels.subtract_product, *self._fibres.where, left, right, x))
