"""Linear and biharmonic interpolation of single pictures, in every slice over the first two modes by itself.

What the other modes have to say is not used, which makes these plain baselines: a method for tensors should do
better where the slices are alike.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..completion import StopReason
from ..estimates.estimate import OnePart
from ..iterating import Solver
from ..method import Cost, Question, Stroke
from ..numerics.triangles import Triangles
from ..observed import ObservedTensor
from ..tensor import Array
from .admm import ModeOrder
from .baseline import Baseline

Fill = Callable[[Array, NDArray[np.bool_]], Array]
"""From a slice, zero where unknown, and where it is known, to values for the whole slice.

It is asked only where something is known and something is missing.
"""

_COPIES = 3  # of the tensor: the slices, the mask, and the tensor they are put into
_CORNERS = 3  # of a triangle


class SliceBySlice(Baseline):
    """One slice after another, each an iteration; the cost in the history is how many are left."""

    interpolates: ClassVar[bool] = True

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return True

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """As many iterations as there are slices."""
        return {"max_iter": observed.size // (observed.shape[0] * observed.shape[1])}

    def count_arrays(self, observed: ObservedTensor) -> int:
        return _COPIES


@dataclass(frozen=True, kw_only=True)
class Linear(SliceBySlice):
    """Linear interpolation between known entries, in every slice over the first two modes by itself.

    The known entries of a slice are the corners of its Delaunay triangles; values are linear inside each. Outside all
    triangles the nearest known value is taken, in slices with fewer than three known entries their mean, and in slices
    without any the mean of all known entries.
    """

    name: ClassVar[str] = "linear"
    summary: ClassVar[str] = "Linear interpolation in every picture by itself; a plain baseline"
    reference: ClassVar[str] = "a plain baseline"
    stroke: ClassVar[Stroke] = Stroke("#999933", "h", "-.")
    nonnegative: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(240, 7), Cost(35, 0.5, 100, 2)

    def candidate(self, question: Question) -> int | None:
        """Where missingness is structured, but not in strokes; on the smallest tensors always."""
        if question.strokes and not question.short:
            return question.place(20, when=False)
        return question.place(20) if question.structured else question.place(90, when=question.short)

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> SliceFiller:
        return SliceFiller(data, Interpolation())


@dataclass(frozen=True, kw_only=True)
class Biharmonic(SliceBySlice):
    """A smooth surface through the known entries, in every slice over the first two modes by itself.

    It solves Δ²x = 0 at the missing entries with scikit-image's `inpaint_biharmonic`. Slices for which that has no
    answer get the mean of their known entries, and slices without any the mean of all.
    """

    name: ClassVar[str] = "biharmonic"
    summary: ClassVar[str] = "Smooth surfaces in every picture by itself (scikit-image); a plain baseline"
    reference: ClassVar[str] = "scikit-image, restoration.inpaint_biharmonic"
    stroke: ClassVar[Stroke] = Stroke("#6f7fc0", "d", "-.")

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses what does not fit into memory, and everything if scikit-image is not installed."""
        if find_spec("skimage") is None:
            return f'{self.name} needs scikit-image, which is not installed: pip install "tensorfill[inpaint]".'
        return super().refuses(observed)

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> SliceFiller:
        return SliceFiller(data, inpaint)


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


def inpaint(values: Array, known: NDArray[np.bool_]) -> Array:
    """A slice whose missing entries are biharmonic."""
    from scipy.sparse.linalg import MatrixRankWarning
    from skimage.restoration import inpaint_biharmonic  # an extra, and slow to import

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MatrixRankWarning)  # what comes of a singular system is looked at
        found = np.asarray(inpaint_biharmonic(values, ~known), dtype=np.float64)
    return found if np.isfinite(found).all() else np.full(values.shape, values[known].mean())


class SliceFiller(Solver):
    """Slices over modes 1 and 2, and how many of them are filled."""

    def __init__(self, data: ObservedTensor, fill: Fill) -> None:
        self._data, self._fill = data, fill
        self._mean = float(data.values.mean())
        order, sides = ModeOrder((*range(2, data.order), 0, 1)), data.shape[:2]
        self._slices = order.fill(data, 0.0).reshape(-1, *sides)
        self._known = order.mask(data).reshape(-1, *sides)
        self._done = 0
        self.cost = float(len(self._slices))

    def step(self) -> None:
        values, known = self._slices[self._done], self._known[self._done]
        if not known.any():
            values[:] = self._mean
        elif not known.all():
            values[~known] = self._fill(values, known)[~known]
        self._done += 1
        self.cost = float(len(self._slices) - self._done)

    def estimate(self) -> SlicesSoFar:
        return SlicesSoFar(self._data.shape, self._slices, self._done, self._mean)

    def finished(self) -> StopReason | None:
        return StopReason("done", "Every slice has been filled.") if self._done == len(self._slices) else None


@dataclass(frozen=True, eq=False)
class SlicesSoFar(OnePart):
    """The first `done` slices over modes 1 and 2 as they are, and one value in all others.

    The slices (slices × rows × columns, numbered by the other modes with the last one fastest) are shared with the
    solver, which does not write to those that are done.
    """

    shape: tuple[int, ...]
    slices: Array
    done: int
    elsewhere: float

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        number = np.zeros(len(coordinates), dtype=np.int64)
        for mode, size in enumerate(self.shape[2:], start=2):
            number = number * size + coordinates[:, mode]
        found = self.slices[number, coordinates[:, 0], coordinates[:, 1]]
        return np.where(number < self.done, found, self.elsewhere)

    def dense(self) -> Array:
        whole = np.full((*self.shape[:2], len(self.slices)), self.elsewhere)
        whole[:, :, : self.done] = self.slices[: self.done].transpose(1, 2, 0)
        return whole.reshape(self.shape)
