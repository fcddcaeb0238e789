"""Low rank after a transform: a Fourier transform along the third mode, and every slice of it a matrix of low rank.

Minimises the tensor nuclear norm over tensors with X_Ω = Y: the nuclear norms of all slices over modes 1 and 2, after a
transform along the others, divided by the number of slices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..method import Cost, Stroke
from ..numerics.tensor_nuclear_norm import SliceTransform, Transform, shrink_slices
from ..observed import ObservedTensor
from .admm import SliceInternals, SliceMethod, SliceSolver
from .setting_checks import Tolerance


@dataclass(frozen=True, kw_only=True)
class TNN(SliceMethod):
    """Tensor nuclear norm minimisation (t-SVD, if the transform is Fourier's); settings as in `SliceMethod`.

    The cost in the history is the tensor nuclear norm, on data scaled to a largest value of 1. It is zero while the
    penalty is small.
    """

    name: ClassVar[str] = "tnn"
    summary: ClassVar[str] = "Slices of low rank after a Fourier transform along the third mode; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#3c8dbc", "H")
    reference: ClassVar[str] = "Zhang & Aeron, IEEE TSP 2017; Lu et al., IJCAI 2018"
    costs: ClassVar[tuple[Cost, Cost]] = Cost(95, 4.5), Cost(125, 6)
    place_if_small: ClassVar[int | None] = 60

    transform: Transform = "fft"
    tolerance: Tolerance = 1e-4

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> TNNSolver:
        return TNNSolver(data, settings, self.internals)


class TNNSolver(SliceSolver):
    """X = prox of 1/μ ‖·‖ at Z, which is the last X with Y + Λ/μ on Ω; then Λ, and μ grows."""

    def __init__(self, data: ObservedTensor, settings: Mapping[str, Any], internals: SliceInternals) -> None:
        super().__init__(data, settings, internals)
        self._transform = SliceTransform(settings["transform"], self.known.shape)
        self.values = np.zeros(self.known.shape, self.dtype)

    def step(self) -> None:
        target = self.values.copy()
        self.known.put_targets(target)
        threshold = 1.0 / (self.penalty * self._transform.scale)
        if np.linalg.norm(target) <= threshold:  # so is every singular value, and the transform changes nothing in that
            new, self.cost = np.zeros_like(target), 0.0
        else:
            slices, norms = shrink_slices(self._transform.forward(target), threshold)
            new = self._transform.backward(slices)
            self.cost = float(norms @ self._transform.weights) / self._transform.scale
        self.move_to(new)
