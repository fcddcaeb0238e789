"""Posterior means for structured missingness, such as blocks, lines and frames: one linear system, or many small ones.

If nothing were missing, c = (1 − g) Qᵀy with g = σ²/(s + σ²). So find u, zero at known entries, for which y + u is as
likely as possible: minimise (y + u)ᵀ Q g Qᵀ (y + u). The matrix is a part of Q g Qᵀ. Its inverse is known for slices
that are lost as a whole (`dead_slices`); for other missing entries there is something close to it (`depth`), with a κ
that bounds what the surroundings leave open.

Along modes in which the mask is the same everywhere, such as the colours of a photograph with scratches or the bands of
a cube with dead pixels, coefficients have nothing to do with each other. Each is a system of its own, smaller, with a
preconditioner of its own, and done when it is done.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass

import numpy as np

from ..missingness import collapse, find_lost_indices
from ..numerics.conjugate_gradients import NearWithin, PreconditionedSystem, conjugate_gradients
from ..numerics.threads import share, thread_count
from ..numerics.vectors import in_pieces
from ..tensor import Array
from .bases import Numbers
from .bins import Bins
from .dead_slices import DeadSlices, solvable_slices
from .depth import depth_weights
from .kernels import add_flat, divide, drop, logarithms, multiply, weighted_square
from .prior import Prior
from .solver import Mask, ScatteredSolver, Solved
from .transform import Transform


@dataclass(frozen=True)
class HoleSettings:
    """What steers the solver for holes; κ is relative to the geometric mean of g."""

    bounds: tuple[float, ...] = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # values of κ to choose from
    first_bound: float = 1e-3  # κ to begin with
    firm_bound: float = 0.3  # κ if entries inside of holes are held as well: then less is open
    trial_steps: int = 6  # steps after which two values of κ are compared
    smallest: int = 2**8  # entries of a system; smaller ones are not worth the calls


DEFAULTS = HoleSettings()


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

    def __init__(self, transform: Transform, bins: Bins, known: Mask) -> None:
        self._transform = transform
        self._known = known
        missing = ~known
        self._dead = [DeadSlices(transform, bins, *lost) for lost in solvable_slices(bins, missing)]
        for slices in self._dead:
            np.moveaxis(missing, slices.mode, 0)[slices.indices] = False
        self._depth = depth_weights(missing, np.float32) if missing.any() else None

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
        energy: float | None = None,
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
        found = conjugate_gradients(system, u, r, NearWithin(tolerance, objective, energy, most))
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


class HoleSolver:
    """Solves for any data on one set of known entries."""

    def __init__(
        self,
        transform: Transform,
        bins: Bins,
        known: Mask,
        bound: float = DEFAULTS.first_bound,
        *,
        divide: bool = True,
        settings: HoleSettings = DEFAULTS,
    ) -> None:
        """`bound` is κ; `divide` says whether one system may be made into many."""
        self._transform = transform
        self._settings = settings
        self._apart = _find_modes_apart(known, settings.smallest) if divide else ()
        self._count = int(np.prod([known.shape[mode] for mode in self._apart]))
        if self._apart:
            bases = [basis for mode, basis in enumerate(transform.bases) if mode not in self._apart]
            transform, bins = Transform(bases), Bins(bases)
            known = collapse(known).reshape(transform.coefficient_shape)
        self._system = HoleSystem(transform, bins, known)
        self._part = transform
        self.bound = bound

    def with_known(self, known: Mask) -> HoleSolver:
        """One for a few more known entries, of a solver that is not divided."""
        assert not self._apart
        other = copy(self)
        other._system = self._system.with_known(known)
        return other

    def find_bound(self, y: Numbers, ratio: Numbers, start: Numbers | None) -> None:
        """Take the κ that gets furthest in a few steps, in the first of the systems, which has most of the signal."""
        known, cost = self._divide(self._analyse_apart(y))[0], self._divide(ratio)[0]
        g = cost / (1 + cost)
        first = None if start is None else self._part.to_entries(self._divide(start)[0])
        bounds, steps = self._settings.bounds, self._settings.trial_steps

        def try_bound(bound: float) -> float:
            return self._system.solve(known, g, first, bound, 0.0, steps)[2]

        place = bounds.index(self.bound)
        best = try_bound(self.bound)
        for direction in (-1, 1):
            before = place
            while 0 <= place + direction < len(bounds):
                energy = try_bound(bounds[place + direction])
                if energy >= best:
                    break
                best, place = energy, place + direction
            if place != before:
                break
        self.bound = bounds[place]

    def solve(
        self,
        y: Numbers,
        ratio: Numbers,
        start: Numbers | None,
        tolerance: float,
        most: int,
        energy: float | None = None,
    ) -> Solved:
        """See `Solver`; begins with the entries of `start`."""
        share_of_each = None if energy is None else energy / self._count
        known, cost = self._divide(self._analyse_apart(y)), self._divide(ratio)
        begin = None if start is None else self._divide(start)
        coefficients = np.empty_like(known)
        steps, energies = np.zeros((2, self._count))

        def work(number: int) -> None:
            g = cost[number] / (1 + cost[number])
            first = None if begin is None else self._part.to_entries(begin[number])
            missing, steps[number], energies[number] = self._system.solve(
                known[number], g, first, self.bound, tolerance, most, share_of_each
            )
            c = self._part.to_coefficients(known[number] + missing)
            c -= g * c
            coefficients[number] = c

        if self._count < 2 * thread_count():  # then a system is shared between the threads
            for number in range(self._count):
                work(number)
        else:
            share(work, self._count)
        return Solved(self._join(coefficients), round(sum(steps) / self._count), sum(energies.tolist()))

    def _analyse_apart(self, y: Numbers) -> Numbers:
        """Coefficients along the modes in which the mask is the same."""
        for mode in self._apart:
            y = self._transform.bases[mode].analyse(y, mode)
        return y

    def _divide(self, x: Numbers) -> Numbers:
        """The systems' parts of a tensor, one after the other."""
        moved = np.moveaxis(x, self._apart, range(len(self._apart)))
        return np.ascontiguousarray(moved).reshape(self._count, *self._part.coefficient_shape)

    def _join(self, parts: Numbers) -> Numbers:
        """The way back."""
        sizes = [self._transform.coefficient_shape[mode] for mode in self._apart]
        moved = parts.reshape(*sizes, *self._part.coefficient_shape)
        return np.ascontiguousarray(np.moveaxis(moved, range(len(sizes)), self._apart))


def _find_modes_apart(known: Mask, smallest: int) -> tuple[int, ...]:
    """Modes along which the mask is the same, if that leaves systems that are worth it."""
    small = collapse(known)
    scattered = ~small
    for mode in range(small.ndim):
        if small.shape[mode] > 1:
            np.moveaxis(scattered, mode, 0)[find_lost_indices(~small, mode)] = False
    if small.size < smallest or not scattered.any():  # all that is missing are lost slices: one step does it
        return ()
    return tuple(mode for mode in range(known.ndim) if small.shape[mode] < known.shape[mode])


def choose_solver(
    prior: Prior,
    known: Mask,
    *,
    holes: bool,
    bound: float = DEFAULTS.first_bound,
    divide: bool = True,
) -> ScatteredSolver | HoleSolver:
    """The one for holes if there are any, which takes a square transform, `bound` and `divide`; else the other one."""
    transform, bins = prior.transform, prior.bins
    square = transform.coefficient_shape == known.shape
    if holes and square and isinstance(transform, Transform) and isinstance(bins, Bins):
        return HoleSolver(transform, bins, known, bound, divide=divide)
    return ScatteredSolver(transform, known)
