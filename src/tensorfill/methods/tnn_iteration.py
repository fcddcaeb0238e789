"""The iteration of `tnn`: ADMM for a tensor of small tensor nuclear norm.

    minimise   ‖X‖   over   X_Ω = Y

One iteration at penalty μ: X = prox of 1/μ ‖·‖ at Z, which is the last X with Y + Λ/μ on Ω; then Λ, and μ grows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from ..numerics.slice_transform import SliceTransform, Transform
from ..numerics.tensor_nuclear_norm import shrink_slices
from ..observed import ObservedTensor
from .known_entries import KnownEntries
from .slice_admm import grown, largest_change


class TNNIteration:
    """Where the iteration stands."""

    def __init__(
        self, data: ObservedTensor, transform: Transform, penalty: float, penalty_growth: float, dtype: DTypeLike
    ) -> None:
        self.known = KnownEntries(data, dtype)
        self.penalty, self._growth = penalty, penalty_growth
        self._transform = SliceTransform(transform, self.known.shape)
        self.values = np.zeros(self.known.shape, dtype)
        self.cost = 0.0
        self.change = np.inf

    def step(self) -> None:
        """One iteration: X, then Λ, then μ."""
        larger = grown(self.penalty, self._growth)
        target = self.values.copy()
        self.known.put_targets(target)
        threshold = 1.0 / (self.penalty * self._transform.scale)
        if np.linalg.norm(target) <= threshold:  # so is every singular value, and the transform changes nothing in that
            new, self.cost = np.zeros_like(target), 0.0
        else:
            slices, norms = shrink_slices(self._transform.forward(target), threshold)
            new = self._transform.backward(slices)
            self.cost = float(norms @ self._transform.weights) / self._transform.scale
        missed = self.known.settle(new, self.penalty / larger)
        self.change = max(missed, largest_change(new, self.values))
        self.values, self.penalty = new, larger
