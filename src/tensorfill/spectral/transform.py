"""A product of bases: from the coefficients of a whole tensor to its entries, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bases import Basis, Cosines, Numbers, analyse_cosines, synthesise_cosines


class Transform:
    """Q = Q_1 ⊗ … ⊗ Q_K, orthonormal. All modes with cosines are done at once."""

    def __init__(self, bases: Sequence[Basis]) -> None:
        self.bases = tuple(bases)
        self.coefficient_shape = tuple(basis.size for basis in self.bases)
        self._cosines = tuple(mode for mode, basis in enumerate(self.bases) if isinstance(basis, Cosines))
        self._others = tuple(mode for mode in range(len(self.bases)) if mode not in self._cosines)

    def to_coefficients(self, x: Numbers, *, overwrite: bool = False) -> Numbers:
        """Qᵀ x, as a new array; with `overwrite` maybe in place of x, which is not needed any more."""
        c = analyse_cosines(x, self._cosines, overwrite=overwrite) if self._cosines else x
        for mode in self._others:
            c = self.bases[mode].analyse(c, mode)
        return c.copy() if c is x and not overwrite else np.ascontiguousarray(c)

    def coefficients_of(self, x: Numbers) -> Numbers:
        """Coefficients c with Q c = x."""
        return self.to_coefficients(x)

    def separate(self, c: Numbers) -> list[Numbers]:
        """What each part of the prior adds to the entries; there is one."""
        return [self.to_entries(c)]

    def to_entries(self, c: Numbers) -> Numbers:
        """Q c, as a new array."""
        x = c
        for mode in self._others:
            x = self.bases[mode].synthesise(x, mode)
        if self._cosines:
            x = synthesise_cosines(x, self._cosines, overwrite=x is not c)
        return x.copy() if x is c else np.ascontiguousarray(x)
