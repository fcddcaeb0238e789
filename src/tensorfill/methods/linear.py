"""Linear interpolation: between the known pixels of every picture. No method for tensors; what one has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Watch
from ..cost import Cost
from ..method import Question, Stroke
from ..numerics.triangles import Triangles
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import too_large_to_fill
from .slice_by_slice import COPIES, complete_slice_by_slice

_CORNERS = 3  # of a triangle


@dataclass(frozen=True, kw_only=True)
class Linear:
    """Linear interpolation between known entries, in every slice over the first two modes by itself.

    The known entries of a slice are the corners of its Delaunay triangles; values are linear inside each. Outside all
    triangles the nearest known value is taken, in slices with fewer than three known entries their mean, and in slices
    without any the mean of all known entries.
    """

    name: ClassVar[str] = "linear"
    stroke: ClassVar[Stroke] = Stroke("#999933", "h", "-.")
    summary: ClassVar[str] = "Linear interpolation in every picture by itself; a level to compare with"
    reference: ClassVar[str] = "a level to compare with"
    nonnegative: ClassVar[bool] = True
    interpolates: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(240, 7), Cost(35, 0.5, 100, 2)

    def candidate(self, question: Question) -> int | None:
        """Where holes have a shape and are not narrow; on the smallest tensors in any case, after what assumes more."""
        if question.strokes and not question.short:
            return question.place(20, when=False)
        return question.place(20) if question.structured else question.place(90, when=question.short)

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return True

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses what does not fit into memory."""
        return too_large_to_fill(self.name, observed, COPIES)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        return complete_slice_by_slice(self, observed, Interpolation(), watch)


class Interpolation:
    """Fills slices; those with the same mask, one after the other, share their triangles."""

    def __init__(self) -> None:
        self._last: tuple[NDArray[np.bool_], Triangles] | None = None

    def __call__(self, values: Array, known: NDArray[np.bool_]) -> Array:
        """A slice with values linear on the Delaunay triangles of its known entries."""
        corners = values[known]
        if len(corners) < _CORNERS:
            return np.full(values.shape, corners.mean())
        if self._last is None or not np.array_equal(self._last[0], known):
            self._last = known, Triangles.around_missing(known)
        filled = values.copy()
        filled[~known] = self._last[1].interpolate(values)
        # Weights of corners are between 0 and 1 up to rounding only.
        return np.asarray(np.clip(filled, corners.min(), corners.max()))
