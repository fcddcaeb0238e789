"""A product of bases: from the coefficients of a whole tensor to its entries, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bases import Basis, Cosines, Numbers, analyse_cosines, synthesise_cosines


class Transform:
    """Q = Q_1 ⊗ … ⊗ Q_K, with orthonormal columns. All modes with fast cosines are done at once."""

    def __init__(self, bases: Sequence[Basis]) -> None:
        self.bases = tuple(bases)
        self.coefficient_shape = tuple(basis.size for basis in self.bases)
        self._fast = tuple(mode for mode, basis in enumerate(self.bases) if isinstance(basis, Cosines) and basis.fast)
        # What leaves most of its mode out comes first in one direction and last in the other: less is left to do.
        others = sorted(set(range(len(self.bases))) - set(self._fast), key=lambda mode: self.bases[mode].kept)
        self._shrinking = [mode for mode in others if self.bases[mode].kept < 1]
        self._square = [mode for mode in others if self.bases[mode].kept >= 1]

    def to_coefficients(self, x: Numbers, *, overwrite: bool = False) -> Numbers:
        """Qᵀ x, as a new array; with `overwrite` maybe in place of x, which is not needed any more."""
        c = x
        for mode in self._shrinking:
            c = self.bases[mode].analyse(c, mode, overwrite=overwrite or c is not x)
        if self._fast:
            c = analyse_cosines(c, self._fast, overwrite=overwrite or c is not x)
        for mode in self._square:
            c = self.bases[mode].analyse(c, mode, overwrite=overwrite or c is not x)
        return c.copy() if c is x and not overwrite else np.ascontiguousarray(c)

    def coefficients_of(self, x: Numbers) -> Numbers:
        """Coefficients c with Q c = x, which may be written over."""
        return self.to_coefficients(x, overwrite=True)

    def separate(self, c: Numbers) -> list[Numbers]:
        """What each part of the prior adds to the entries; there is one."""
        return [self.to_entries(c)]

    def to_entries(self, c: Numbers, *, overwrite: bool = False) -> Numbers:
        """Q c, as a new array; with `overwrite` maybe in place of c, which is not needed any more."""
        x = c
        for mode in reversed(self._square):
            x = self.bases[mode].synthesise(x, mode, overwrite=overwrite or x is not c)
        if self._fast:
            x = synthesise_cosines(x, self._fast, overwrite=overwrite or x is not c)
        for mode in reversed(self._shrinking):
            x = self.bases[mode].synthesise(x, mode, overwrite=overwrite or x is not c)
        return x.copy() if x is c and not overwrite else np.ascontiguousarray(x)
