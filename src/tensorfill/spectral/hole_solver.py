"""Posterior means for structured missingness, such as blocks, lines and frames: one linear system, or many small ones.

Along modes in which the mask is the same everywhere, such as the colours of a photograph with scratches or the bands of
a cube with dead pixels, coefficients have nothing to do with each other. Each is a system of its own, smaller, with a
preconditioner of its own, and done when it is done.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from ..missingness import collapse, find_lost_indices
from ..numerics.threads import share, thread_count
from .bases import Numbers
from .hole_system import HOLES, HoleSettings, HoleSystem
from .prior import Prior
from .scattered_solver import Mask, ScatteredSolver, Solved
from .transform import Bins, Transform


class HoleSolver:
    """Solves for any data on one set of known entries."""

    def __init__(
        self,
        transform: Transform,
        bins: Bins,
        known: Mask,
        bound: float | None = None,
        *,
        divide: bool = True,
        settings: HoleSettings = HOLES,
    ) -> None:
        """`bound` is κ, or None for that to begin with; `divide` says whether one system may be made into many."""
        self._transform = transform
        self._settings = settings
        self._apart = _find_modes_apart(known, settings.smallest) if divide else ()
        self._count = int(np.prod([known.shape[mode] for mode in self._apart]))
        if self._apart:
            bases = [basis for mode, basis in enumerate(transform.bases) if mode not in self._apart]
            transform, bins = Transform(bases), Bins(bases)
            known = collapse(known).reshape(transform.coefficient_shape)
        self._system = HoleSystem(transform, bins, known, settings)
        self._part = transform
        self.bound = settings.first_bound if bound is None else bound

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
        self, y: Numbers, ratio: Numbers, start: Numbers | None, tolerance: float, most: int, scale: float | None = None
    ) -> Solved:
        """See `Solver`; begins with the entries of `start`."""
        share_of_each = None if scale is None else scale / self._count
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
    bound: float | None = None,
    divide: bool = True,
    settings: HoleSettings = HOLES,
) -> ScatteredSolver | HoleSolver:
    """The one for holes if there are any, which takes a square transform, `bound` and `divide`; else the other one."""
    transform, bins = prior.transform, prior.bins
    square = transform.coefficient_shape == known.shape
    if holes and square and isinstance(transform, Transform) and isinstance(bins, Bins):
        return HoleSolver(transform, bins, known, bound, divide=divide, settings=settings)
    return ScatteredSolver(transform, known)
