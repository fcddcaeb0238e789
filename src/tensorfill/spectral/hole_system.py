"""One linear system for structured missingness, such as blocks, lines and frames, in the missing entries.

If nothing were missing, c = (1 − g) Qᵀy with g = σ²/(s + σ²). So find u, zero at known entries, for which y + u is as
likely as possible: minimise (y + u)ᵀ Q g Qᵀ (y + u). The matrix is a part of Q g Qᵀ. What is close to its inverse has
two parts.

Slices of which nothing is known, such as lost frames, dead bands and dead rows, are solved exactly. The part of Q g Qᵀ
in such slices falls apart: for every coefficient along the other modes there is one small matrix,
R Q_k diag(g) Q_kᵀ Rᵀ, with R the lost indices of mode k. It is the same for all coefficients of a bin.

Other missing entries are weighed by how deep inside of a hole they lie. What the surroundings leave open grows with the
distance from them, at first about in proportion: so does the variance of a field whose neighbours are alike. The weight
is the root of that, from nearly 0 beside a known entry to 1; κ bounds what is open.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.ndimage import distance_transform_edt

from ..compiling import compiled
from ..missingness import collapse, find_lost_indices
from ..numerics.conjugate_gradients import NearWithin, PreconditionedSystem, conjugate_gradients
from ..numerics.threads import share
from ..numerics.vectors import in_pieces
from ..tensor import SHORT, Array
from .bases import Basis, Numbers
from .scattered_solver import Mask, weighted_square
from .transform import Bins, Transform


@dataclass(frozen=True)
class HoleSettings:
    """What steers the solver for holes; κ is relative to the geometric mean of g."""

    bounds: tuple[float, ...] = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # values of κ to choose from
    first_bound: float = 1e-3  # κ to begin with
    firm_bound: float = 0.3  # κ if entries inside of holes are held as well: then less is open
    trial_steps: int = 6  # steps after which two values of κ are compared
    smallest: int = 2**8  # entries of a system; smaller ones are not worth the calls
    deep: float = 8.0  # distance, in entries, at which half of the variance is open

    # Slices that are lost as a whole
    least: float = 1e-7  # added to g: what single precision can tell from zero
    room: int = 3  # numbers that the small matrices may take, times the size of the tensor …
    little: int = 4_000_000  # … or so many in any case
    work: int = 5000  # multiplications for their inverses, times the size: more than it takes without them
    pieces: int = 64  # that they are inverted in, so that threads can share the work
    alone: int = 4  # coefficients of a bin, on average, below which each has a copy of its matrix: no loop over bins


HOLES = HoleSettings()


def solvable_slices(
    bins: Bins, missing: Mask, settings: HoleSettings = HOLES
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Modes that have such slices, and their indices, as long as the small matrices are small enough."""
    for mode in range(missing.ndim):
        indices = find_lost_indices(missing, mode)
        matrices = int(np.prod(np.delete(bins.shape, mode)))
        has_room = matrices * len(indices) ** 2 <= max(settings.room * missing.size, settings.little)
        if len(indices) and has_room and matrices * len(indices) ** 3 <= settings.work * missing.size:
            yield mode, indices


class DeadSlices:
    """The inverse for the lost indices of one mode."""

    def __init__(
        self, transform: Transform, bins: Bins, mode: int, indices: NDArray[np.intp], settings: HoleSettings = HOLES
    ) -> None:
        self._settings = settings
        self.mode = mode
        self.indices = indices
        self._bases: tuple[Basis, ...] = transform.bases
        self._boxes = [
            tuple(slice(start, end) for start, end in box)
            for box in itertools.product(*(bins.ranges(other) for other in range(len(self._bases)) if other != mode))
        ]
        others = [basis.size for other, basis in enumerate(self._bases) if other != mode]
        self._box_of = np.empty(others, dtype=np.intp)
        for number, box in enumerate(self._boxes):
            self._box_of[box] = number
        units: Array = np.zeros((self._bases[mode].size, len(indices)))
        units[indices, np.arange(len(indices))] = 1.0
        rows: Array = self._bases[mode].analyse(units, 0).T
        self._products: Array = np.stack([rows[:, a:b] @ rows[:, a:b].T for a, b in bins.ranges(mode)])
        self._firsts = np.array([start for start, _ in bins.ranges(mode)])
        self._last: tuple[Array, Array] | None = None

    def inverses(self, g: Numbers) -> Array:
        """The small matrices, inverted; those of the last g are kept, for two solves in a round have the same."""
        along = np.moveaxis(g, self.mode, -1)
        first = [tuple(part.start for part in box) for box in self._boxes]
        weights = np.array([along[place][self._firsts] for place in first], dtype=np.float64) + self._settings.least
        last, self._last = self._last, None  # several threads may be here, each with a g of its own
        if last is None or not np.array_equal(last[0], weights):
            last = None  # what is not needed any more is let go of first
            last = weights, self._invert(weights)
        self._last = last
        return last[1]

    def _invert(self, weights: Array) -> Array:
        count = len(self.indices)
        inverses: Array = np.empty((len(weights), count, count))
        pieces = np.array_split(np.arange(len(weights)), min(len(weights), self._settings.pieces))

        def work(piece: int) -> None:
            inverses[pieces[piece]] = np.linalg.inv(np.tensordot(weights[pieces[piece]], self._products, 1))

        share(work, len(pieces))
        return inverses

    def add_to(self, z: Numbers, r: Numbers, inverses: Array) -> None:
        """Add to z what the inverse makes of r."""
        c = np.take(r, self.indices, self.mode)
        others = [mode for mode in range(r.ndim) if mode != self.mode]
        for mode in others:
            c = self._bases[mode].analyse(c, mode)
        c = np.ascontiguousarray(np.moveaxis(c, self.mode, -1), dtype=np.float64)
        if self._box_of.size < self._settings.alone * len(self._boxes):
            c = np.matmul(c[..., None, :], inverses[self._box_of])[..., 0, :]
        else:
            for box, inverse in zip(self._boxes, inverses, strict=True):
                c[box] = c[box] @ inverse
        c = np.moveaxis(c, -1, self.mode).astype(r.dtype)
        for mode in others:
            c = self._bases[mode].synthesise(c, mode)
        np.moveaxis(z, self.mode, 0)[self.indices] += np.moveaxis(c, self.mode, 0)


def depth_weights(missing: Mask, dtype: DTypeLike, deep: float = HOLES.deep) -> Numbers:
    """√(d/(d + deep)) with d the distance to what is known; 0 there, and 1 if nothing is."""
    differing = collapse(missing)
    weights: Numbers = np.empty(differing.shape, dtype)
    short = [mode for mode, size in enumerate(differing.shape) if size <= SHORT]
    for place in np.ndindex(*(differing.shape[mode] for mode in short)):  # channels are not next to each other
        index: list[int | slice] = [slice(None)] * differing.ndim
        for mode, number in zip(short, place, strict=True):
            index[mode] = number
        weights[tuple(index)] = _weights(differing[tuple(index)], deep)
    return np.array(np.broadcast_to(weights, missing.shape))


def _weights(missing: Mask, deep: float) -> Numbers:
    if missing.all() or not missing.any():
        return missing.astype(np.float64)
    distance = np.asarray(distance_transform_edt(missing))
    return np.asarray(np.sqrt(distance / (distance + deep)))


@compiled(nogil=True, fastmath=True)
def logarithms(a):  # type: ignore[no-untyped-def]
    """Σ log a."""
    total = 0.0
    for i in range(len(a)):
        total += np.log(a[i])
    return total


@compiled(nogil=True, fastmath=True)
def drop(x, where):  # type: ignore[no-untyped-def]
    """x = 0 in `where`, in place."""
    for i in range(len(x)):
        if where[i]:
            x[i] = 0
    return 0.0


@compiled(nogil=True, fastmath=True)
def multiply(x, factor):  # type: ignore[no-untyped-def]
    """x *= factor, in place."""
    for i in range(len(x)):
        x[i] *= factor[i]
    return 0.0


@compiled(nogil=True, fastmath=True)
def divide(x, by, more):  # type: ignore[no-untyped-def]
    """x /= by + more, in place."""
    for i in range(len(x)):
        x[i] /= by[i] + x.dtype.type(more)
    return 0.0


@compiled(nogil=True, fastmath=True)
def add_flat(z, depth, r, flat):  # type: ignore[no-untyped-def]
    """z ← depth ∘ z + (1 − depth²) · flat · r where there is depth, and 0 elsewhere, in place."""
    f = z.dtype.type(flat)
    for i in range(len(z)):
        if depth[i] > 0:
            z[i] = depth[i] * z[i] + (1 - depth[i] * depth[i]) * f * r[i]
        else:
            z[i] = 0
    return 0.0


@dataclass(frozen=True, eq=False)
class _Weight:
    """g, and what the preconditioner makes of it."""

    values: Numbers
    kappa: float
    flat: float
    """The inverse of its mean."""
    inverses: tuple[Array, ...]
    """For the slices."""


class HoleSystem:
    """The system for any data and any g on one set of known entries."""

    def __init__(self, transform: Transform, bins: Bins, known: Mask, settings: HoleSettings = HOLES) -> None:
        self._transform = transform
        self._known = known
        missing = ~known
        self._dead = [DeadSlices(transform, bins, *lost, settings) for lost in solvable_slices(bins, missing, settings)]
        for slices in self._dead:
            np.moveaxis(missing, slices.mode, 0)[slices.indices] = False
        self._depth = depth_weights(missing, np.float32, settings.deep) if missing.any() else None

    def with_known(self, known: Mask) -> HoleSystem:
        """The same with some more entries known: the shape of the holes is as it was."""
        other = copy(self)
        other._known = known
        if self._depth is not None:
            other._depth = self._depth.copy()
            in_pieces(drop, other._depth, known)
        return other

    def solve(
        self,
        y: Numbers,
        g: Numbers,
        start: Numbers | None,
        bound: float,
        tolerance: float,
        most: int,
        scale: float | None = None,
    ) -> tuple[Numbers, int, float]:
        """The missing entries (zero elsewhere), how many steps they took, and the value that was reached.

        κ is `bound` times the geometric mean of g. Begins with the missing entries of `start`. y must be zero at
        unknown entries.
        """
        system, weight = self.weigh(g, bound)
        u: Numbers = np.zeros_like(y)
        if start is not None:
            u += start
            in_pieces(drop, u, self._known)
        c = self._transform.to_coefficients(y + u)
        objective = in_pieces(weighted_square, c, g)
        r = self._restrict(c, weight)
        np.negative(r, out=r)
        del c
        found = conjugate_gradients(system, u, r, NearWithin(tolerance, objective, scale, most))
        return found.x, found.steps, objective - sum(found.gains)

    def weigh(self, g: Numbers, bound: float) -> tuple[PreconditionedSystem, _Weight]:
        """The system for one g."""
        inverses = tuple(slices.inverses(g) for slices in self._dead)
        kappa = bound * math.exp(in_pieces(logarithms, g) / g.size) if self._depth is not None else 0.0
        weight = _Weight(g, kappa, 1 / float(g.mean(dtype=np.float64)), inverses)
        system = PreconditionedSystem(
            lambda u: self._restrict(self._transform.to_coefficients(u), weight),
            lambda r: self._invert_nearly(r, weight),
            in_pieces,
        )
        return system, weight

    def _restrict(self, c: Numbers, weight: _Weight) -> Numbers:
        """Q g c at missing entries; c is written over."""
        in_pieces(multiply, c, weight.values)
        x = self._transform.to_entries(c, overwrite=True)
        in_pieces(drop, x, self._known)
        return x

    def _invert_nearly(self, r: Numbers, weight: _Weight) -> Numbers:
        """About what the inverse makes of r."""
        if self._depth is None:
            z: Numbers = np.zeros_like(r)
        else:
            c = self._transform.to_coefficients(r * self._depth, overwrite=True)
            in_pieces(divide, c, weight.values, numbers=(weight.kappa,))
            z = self._transform.to_entries(c, overwrite=True)
            in_pieces(add_flat, z, self._depth, r, numbers=(weight.flat,))
        for slices, inverses in zip(self._dead, weight.inverses, strict=True):
            slices.add_to(z, r, inverses)
        if self._dead:
            in_pieces(drop, z, self._known)
        return z
