"""Low rank and smooth in one: the differences of neighbours are of low rank, slice by slice after a transform.

Minimises Σ_{k∈Γ} 1/γ ‖∇_k X‖ over tensors with X_Ω = Y, where ∇_k takes differences of neighbours along mode k, in a
circle, γ is the number of directions in Γ, and ‖·‖ is the tensor nuclear norm: the nuclear norms of all slices over
modes 1 and 2, after a transform along the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from ..method import Cost, Question, Stroke, lost_slices_are_in
from ..numerics.periodic_differences import Smoother, add_adjoint, add_differences
from ..numerics.tensor_nuclear_norm import SliceTransform, shrink, slice_pieces
from ..numerics.threads import share
from ..observed import ObservedTensor
from .admm import Numbers, SliceInternals, SliceMethod, SliceSolver
from .setting_checks import are_modes, require, resolve_modes

_CHANNELS = 4  # a third or further mode of at most this size is taken for channels, whose order means nothing
_check_directions = require(
    "be one or more different mode numbers, counted from 1, such as (1, 2)",
    partial(are_modes, least=1),
)


@dataclass(frozen=True, kw_only=True)
class TCTV(SliceMethod):
    """Tensor correlated total variation; settings as in `SliceMethod`, and these.

    The cost in the history is the objective at the copies of the gradients that ADMM works with, on data scaled to a
    largest value of 1. They are zero while the penalty is small.

    Parameters
    ----------
    directions
        Γ, the modes along which neighbours should be alike, counted from 1 (default: the first two, and of the others
        those with more than 4 indices).
    """

    name: ClassVar[str] = "t-ctv"
    summary: ClassVar[str] = "Differences of neighbours of low rank, slice by slice after a transform; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#c0392b", "*", size=6.5)
    reference: ClassVar[str] = "Wang, Peng, Qin, Wang & Meng, IEEE TPAMI 2023"
    costs: ClassVar[tuple[Cost, Cost]] = (
        Cost(80, 3.3, microseconds_per_side=0.0085),
        Cost(95, 3.3, microseconds_per_side=0.0085),
    )

    directions: Annotated[Sequence[int], _check_directions] | None = None

    def candidate(self, question: Question) -> int | None:
        """On all but the largest tensors, unless only a few scratches have to be filled."""
        return question.place(10, when=not question.large and not question.strokes)

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return lost_slices_are_in(self.resolve(observed)["directions"], observed)

    def count_arrays(self, observed: ObservedTensor) -> int:
        return self.count_doubles(2 * len(self.resolve(observed)["directions"]) + 8)

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        if self.directions is not None:
            return {"directions": resolve_modes(self.name, "directions", self.directions, observed.order)}
        sizes = enumerate(observed.shape, start=1)
        return {"directions": tuple(mode for mode, size in sizes if mode <= 2 or size > _CHANNELS)}

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> TCTVSolver:
        return TCTVSolver(data, settings, self.internals)


class TCTVSolver(SliceSolver):
    """ADMM for G_k = ∇_k X with multipliers D_k = Γ_k/μ, and Z the last X with Y + Λ/μ on Ω.

        X = (I + Σ_k ∇_kᵀ∇_k)⁻¹ (Z + Σ_k ∇_kᵀ(G_k − D_k)),
        G_k = prox of 1/(γμ)‖·‖ at V_k = ∇_k X + D_k,   D_k ← V_k − G_k

    then Λ, and all multipliers are divided by the larger penalty that comes next. G_k and D_k are kept transformed:
    slices over modes 1 and 2, where differences along these two modes are the same as before the transform.
    """

    def __init__(self, data: ObservedTensor, settings: Mapping[str, Any], internals: SliceInternals) -> None:
        super().__init__(data, settings, internals)
        self._axes = sorted(self.known.axis[mode - 1] for mode in settings["directions"])
        self._inner = data.order - 2  # axes from here on are rows and columns
        self._transform = SliceTransform(settings["transform"], self.known.shape)
        self._smoother = Smoother(self.known.shape, self._axes, self.dtype)
        self._pieces = slice_pieces(self._transform.slices)
        self.values = self.known.fill_with_mean()
        self._pull = self.values.copy()
        """Z + Σ_k ∇_kᵀ(G_k − D_k), to begin with G_k = D_k = 0."""
        slices = (len(self._axes), *self._transform.slices)
        self.multipliers: Numbers = np.zeros(slices, self._transform.number_type(self.dtype))
        """D_k, transformed."""
        self._pulls = np.empty_like(self.multipliers)
        """G_k, transformed, then G_k − D_k of the next iteration, where D_k is divided by the larger penalty."""

    def step(self) -> None:
        """One iteration: X, then G_k and D_k, then Λ, then μ and what the next X is drawn to."""
        new = self._smoother.solve(self._pull)
        self.cost = self._shrink_gradients(new, self.penalty / self.next_penalty)
        self.move_to(new)
        self._gather()

    def _shrink_gradients(self, new: Numbers, weaker: float) -> float:
        """Update every D_k, and G_k − D_k, from X; returns Σ_k 1/γ ‖G_k‖."""
        transformed = self._transform.forward(new)
        gradients = [None if axis >= self._inner else self._gradient(new, axis) for axis in self._axes]
        threshold = 1.0 / (len(self._axes) * self.penalty * self._transform.scale)
        norms = np.zeros(self.multipliers.shape[:2])

        def work(number: int) -> None:
            direction, piece = divmod(number, len(self._pieces))
            here, gradient = self._pieces[piece], gradients[direction]
            dual, pull = self.multipliers[direction, here], self._pulls[direction, here]
            if gradient is None:
                add_differences(transformed[here], 1 + self._axes[direction] - self._inner, dual)
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
        along_slices = np.zeros_like(self._pulls[0])
        directions = [(number, 1 + axis - self._inner) for number, axis in enumerate(self._axes) if axis >= self._inner]

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
            if axis < self._inner:
                add_adjoint(self._transform.backward(self._pulls[number]), axis, whole)
        self._pull = whole

    def _gradient(self, new: Numbers, axis: int) -> Numbers:
        """∇_k X along a mode that is transformed, transformed."""
        gradient = np.zeros_like(new)
        add_differences(new, axis, gradient)
        return self._transform.forward(gradient)
