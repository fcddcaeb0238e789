"""The prior: entries are Q c with independent Gaussian coefficients, and known values are entries plus noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..tensor import Array
from .bases import Numbers

if TYPE_CHECKING:
    from .bins import Bins
    from .summed import SummedBins, SummedTransform
    from .transform import Transform


@dataclass(frozen=True, eq=False)
class Prior:
    """c ~ N(0, s) with one variance per bin; y = (Q c) + N(0, noise) at known entries."""

    transform: Transform | SummedTransform
    bins: Bins | SummedBins
    variances: Array
    """s, one per bin."""
    noise: float
    """σ²; 1/(2C) in the dual."""

    def ratio(self, dtype: np.dtype[np.floating]) -> Numbers:
        """σ²/s for every coefficient: what a squared coefficient costs, next to a squared misfit."""
        return self.bins.spread(self.noise / self.variances, dtype)
