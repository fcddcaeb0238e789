"""Biharmonic inpainting: every picture as a thin plate through its known pixels. What a method has to beat."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Watch
from ..method import Stroke
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import too_large_to_fill
from .slice_by_slice import COPIES, complete_slice_by_slice


@dataclass(frozen=True, kw_only=True)
class Biharmonic:
    """A smooth surface through the known entries, in every slice over the first two modes by itself.

    It solves Δ²x = 0 at the missing entries with scikit-image's `inpaint_biharmonic`. Slices for which that has no
    answer get the mean of their known entries, and slices without any the mean of all.
    """

    name: ClassVar[str] = "biharmonic"
    stroke: ClassVar[Stroke] = Stroke("#6f7fc0", "d", "-.")
    summary: ClassVar[str] = "Smooth surfaces in every picture by itself (scikit-image); a level to compare with"
    reference: ClassVar[str] = "scikit-image, restoration.inpaint_biharmonic"
    nonnegative: ClassVar[bool] = False
    interpolates: ClassVar[bool] = True

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return True

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses what does not fit into memory, and everything if scikit-image is not installed."""
        if find_spec("skimage") is None:
            return f'{self.name} needs scikit-image, which is not installed: pip install "tensorfill[inpaint]".'
        return too_large_to_fill(self.name, observed, COPIES)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        return complete_slice_by_slice(self, observed, inpainted, watch)


def inpainted(values: Array, known: NDArray[np.bool_]) -> Array:
    """A slice whose missing entries are biharmonic."""
    from scipy.sparse.linalg import MatrixRankWarning
    from skimage.restoration import inpaint_biharmonic  # an extra, and slow to import

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MatrixRankWarning)  # what comes of a singular system is looked at
        found = np.asarray(inpaint_biharmonic(values, ~known), dtype=np.float64)
    return found if np.isfinite(found).all() else np.full(values.shape, values[known].mean())
