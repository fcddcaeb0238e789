"""Fitting a Tucker tensor of fixed rank to what is known: what RPrecon and geomCG share.

f(X) = ½ ‖P_Ω(X) − Y‖²,  X = G ×_1 U_1 … ×_K U_K
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..estimates.tucker import TuckerTensor
from ..numerics.compilation import announce_compilation
from ..numerics.sampled_tucker import SampledTucker, tangent_values
from ..numerics.sampled_tucker_kernels import fill_values
from ..numerics.vector_kernels import dot
from ..observed import ObservedTensor
from ..tensor import Array


@dataclass(frozen=True, eq=False)
class Fitted:
    """A point with its residual on Ω, X − Y, and its cost."""

    point: TuckerTensor
    residual: Array
    cost: float


class TuckerFit:
    """The least-squares problem of one data set."""

    def __init__(self, data: ObservedTensor) -> None:
        self.values = data.values
        announce_compilation(fill_values)
        self._sampled = SampledTucker(data.shape, data.positions)

    def look(self, point: TuckerTensor) -> Fitted:
        """The residual and the cost at a point."""
        residual = self._sampled.values(point.core, point.factors)
        residual -= self.values
        return Fitted(point, residual, 0.5 * dot(residual, residual))

    def derivatives(self, at: Fitted) -> TuckerTensor:
        """∂f/∂G and ∂f/∂U_k."""
        core, factors = self._sampled.gradient(at.residual, at.point.core, at.point.factors)
        return TuckerTensor(core, factors)

    def best_step(self, at: Fitted, direction: TuckerTensor) -> float:
        """The t that minimises f along the straight line X + t·direction; 0 if f does not change along it."""
        change = tangent_values(self._sampled, at.point.core, at.point.factors, direction.core, direction.factors)
        squared = dot(change, change)
        step = -dot(change, at.residual) / squared if squared > 0 else 0.0
        return step if np.isfinite(step) else 0.0
