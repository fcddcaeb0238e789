"""What the spectral model is given: which entries are known, and by how much they differ from their mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bases import Numbers


@dataclass(frozen=True, eq=False)
class KnownData:
    """A mask, and the values where it is True, in order."""

    mask: NDArray[np.bool_]
    values: Numbers

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.mask.shape

    @property
    def count(self) -> int:
        """How many entries are known."""
        return len(self.values)

    @property
    def share(self) -> float:
        """Which part of all entries is known."""
        return self.count / self.mask.size

    def filled(self, values: Numbers) -> Numbers:
        """A full array with these values at known entries and zero elsewhere."""
        whole: Numbers = np.zeros(self.shape, values.dtype)
        whole[self.mask] = values
        return whole

    def without(self, held: NDArray[np.bool_]) -> KnownData:
        """What is left when some are held out."""
        return KnownData(self.mask & ~held, self.values[~held[self.mask]])
