"""The iteration of `t-ctv`: ADMM for gradients of small tensor nuclear norm.

    minimise   Σ_k 1/γ ‖G_k‖   over   G_k = ∇_k X, X_Ω = Y

One iteration at penalty μ, with D_k = Γ_k/μ for the multipliers of G_k = ∇_k X, and Z the last X with Y + Λ/μ on Ω:

    X = (I + Σ_k ∇_kᵀ∇_k)⁻¹ (Z + Σ_k ∇_kᵀ(G_k − D_k)),   G_k = prox of 1/(γμ)‖·‖ at V_k = ∇_k X + D_k,   D_k ← V_k − G_k

then Λ, and all multipliers are divided by the larger penalty that comes next. G_k and D_k are kept transformed: slices
over modes 1 and 2, where differences along these two modes are the same as before the transform.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from ..numerics.periodic_differences import Smoother, add_adjoint, add_differences
from ..numerics.slice_transform import SliceTransform, Transform
from ..numerics.tensor_nuclear_norm import shrink, slice_pieces
from ..numerics.threads import share
from ..observed import ObservedTensor
from .known_entries import KnownEntries, Numbers
from .slice_admm import grown, largest_change


class TCTVIteration:
    """Where the iteration stands. `directions` are the modes of the ∇_k, counted from 0."""

    def __init__(
        self,
        data: ObservedTensor,
        transform: Transform,
        directions: Sequence[int],
        penalty: float,
        penalty_growth: float,
        dtype: DTypeLike,
    ) -> None:
        self.known = KnownEntries(data, dtype)
        self.penalty, self._growth = penalty, penalty_growth
        self._axes = sorted(self.known.place(mode) for mode in directions)
        self._transform = SliceTransform(transform, self.known.shape)
        self._smoother = Smoother(self.known.shape, self._axes, dtype)
        self._pieces = slice_pieces(self._transform.slices)
        self.values = self.known.mean_filled()
        self._pull = self.values.copy()
        """Z + Σ_k ∇_kᵀ(G_k − D_k), to begin with G_k = D_k = 0."""
        slices = (len(self._axes), *self._transform.slices)
        self.multipliers: Numbers = np.zeros(slices, self._transform.number_type(dtype))
        """D_k, transformed."""
        self._pulls = np.empty_like(self.multipliers)
        """G_k, transformed, then G_k − D_k of the next iteration, where D_k is divided by the larger penalty."""
        self.cost = 0.0
        self.change = np.inf

    def step(self) -> None:
        """One iteration: X, then G_k and D_k, then Λ, then μ and what the next X is drawn to."""
        larger = grown(self.penalty, self._growth)
        new = self._smoother.solve(self._pull)
        self.cost = self._shrink_gradients(new, self.penalty / larger)
        missed = self.known.settle(new, self.penalty / larger)
        self.change = max(missed, largest_change(new, self.values))
        self.values, self.penalty = new, larger
        self._gather()

    def _shrink_gradients(self, new: Numbers, weaker: float) -> float:
        """Update every D_k, and G_k − D_k, from X; returns Σ_k 1/γ ‖G_k‖."""
        transformed = self._transform.forward(new)
        inner = len(self._transform.shape) - 2  # axes from here on are rows and columns
        gradients = [None if axis >= inner else self._gradient(new, axis) for axis in self._axes]
        threshold = 1.0 / (len(self._axes) * self.penalty * self._transform.scale)
        norms = np.zeros(self.multipliers.shape[:2])

        def work(number: int) -> None:
            direction, piece = divmod(number, len(self._pieces))
            here, gradient = self._pieces[piece], gradients[direction]
            dual, pull = self.multipliers[direction, here], self._pulls[direction, here]
            if gradient is None:
                add_differences(transformed[here], 1 + self._axes[direction] - inner, dual)
            else:
                dual += gradient[here]
            shrink(dual, threshold, pull, norms[direction, here])
            dual -= pull
            dual *= weaker
            pull -= dual

        share(work, len(self._axes) * len(self._pieces))
        return float((norms @ self._transform.weights).sum() / (len(self._axes) * self._transform.scale))

    def _gather(self) -> None:
        """The new `_pull`."""
        inner = len(self._transform.shape) - 2
        along_slices = np.zeros_like(self._pulls[0])
        directions = [(number, 1 + axis - inner) for number, axis in enumerate(self._axes) if axis >= inner]

        def work(piece: int) -> None:
            here = self._pieces[piece]
            for number, axis in directions:
                add_adjoint(self._pulls[number, here], axis, along_slices[here])

        share(work, len(self._pieces))
        whole = self.values.copy()
        self.known.put_targets(whole)
        if directions:
            whole += self._transform.backward(along_slices)
        for number, axis in enumerate(self._axes):
            if axis < inner:
                add_adjoint(self._transform.backward(self._pulls[number]), axis, whole)
        self._pull = whole

    def _gradient(self, new: Numbers, axis: int) -> Numbers:
        """∇_k X along a mode that is transformed, transformed."""
        gradient = np.zeros_like(new)
        add_differences(new, axis, gradient)
        return self._transform.forward(gradient)
