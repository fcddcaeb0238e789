"""Posterior means for holes: one linear system, or many small ones.

Along modes in which the mask is the same everywhere, such as the colours of a photograph with scratches or the bands of
a cube with dead pixels, coefficients have nothing to do with each other. Each is a system of its own, smaller, with a
preconditioner of its own, and done when it is done.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..missingness import collapse, find_lost_indices
from ..numerics.threads import share, thread_count
from .bases import Numbers
from .bins import Bins
from .hole_system import Filled, HoleSystem
from .scattered_solver import Solved
from .transform import Transform

_SMALLEST = 2**8  # entries of a system; smaller ones are not worth the calls
_NOTHING: Numbers = np.zeros(0)
_BOUNDS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
FIRST_BOUND, FIRM_BOUND = 1e-3, 0.3
"""κ to begin with, and if entries inside of holes are held as well: then less is open. Relative to the mean of g."""
_TRIAL = 6  # steps after which bounds are compared

Mask = NDArray[np.bool_]


class HoleSolver:
    """Solves for any data on one set of known entries."""

    def __init__(
        self,
        transform: Transform,
        bins: Bins,
        known: Mask,
        bound: float = FIRST_BOUND,
        *,
        divide: bool = True,
    ) -> None:
        """`bound` is κ; `divide` says whether one system may be made into many."""
        self._transform = transform
        self._apart = _modes_apart(known) if divide else ()
        self._count = int(np.prod([known.shape[mode] for mode in self._apart]))
        if self._apart:
            bases = [basis for mode, basis in enumerate(transform.bases) if mode not in self._apart]
            transform, bins = Transform(bases), Bins(bases)
            known = collapse(known).reshape(transform.coefficient_shape)
        self._system = HoleSystem(transform, bins, known)
        self._part = transform
        self.bound = bound

    def holding(self, known: Mask) -> HoleSolver:
        """One for a few more known entries, of a solver that is not divided."""
        assert not self._apart
        other = copy(self)
        other._system = self._system.holding(known)
        return other

    def find_bound(self, y: Numbers, ratio: Numbers, start: Numbers | None) -> None:
        """Take the κ that gets furthest in a few steps, in the first of the systems, which has most of the signal."""
        known, cost, begin = (self._part_of(x, 0) for x in (self._along_modes_apart(y), ratio, start))
        assert known is not None
        assert cost is not None
        g = cost / (1 + cost)
        first = None if begin is None else self._part.to_entries(begin)

        def reached(bound: float) -> float:
            return self._system.solve(known, g, first, bound, 0.0, _TRIAL).energy

        place = _BOUNDS.index(self.bound)
        best = reached(self.bound)
        for direction in (-1, 1):
            before = place
            while 0 <= place + direction < len(_BOUNDS):
                energy = reached(_BOUNDS[place + direction])
                if energy >= best:
                    break
                best, place = energy, place + direction
            if place != before:
                break
        self.bound = _BOUNDS[place]

    def solve(
        self,
        y: Numbers,
        ratio: Numbers,
        start: Numbers | None,
        tolerance: float,
        most: int,
        energy: float | None = None,
    ) -> Solved:
        """Stop when the minimum is near: within about `tolerance` of itself, or of `energy` if that is given.

        Begins with the entries of `start`. y must be zero at unknown entries.
        """
        share_of_each = None if energy is None else energy / self._count
        known, cost = self._one_by_one(self._along_modes_apart(y)), self._one_by_one(ratio)
        begin = None if start is None else self._one_by_one(start)
        coefficients = np.empty_like(known)
        found: list[Filled | None] = [None] * self._count

        def work(number: int) -> None:
            g = cost[number] / (1 + cost[number])
            first = None if begin is None else self._part.to_entries(begin[number])
            filled = self._system.solve(known[number], g, first, self.bound, tolerance, most, share_of_each)
            c = self._part.to_coefficients(known[number] + filled.entries)
            c -= g * c
            coefficients[number] = c
            found[number] = replace(filled, entries=_NOTHING)

        if self._count < 2 * thread_count():  # then a system is shared between the threads
            for number in range(self._count):
                work(number)
        else:
            share(work, self._count)
        each = [filled for filled in found if filled is not None]
        steps = round(sum(filled.steps for filled in each) / self._count)
        return Solved(self._together(coefficients), steps, sum(filled.energy for filled in each))

    def _along_modes_apart(self, y: Numbers) -> Numbers:
        """Coefficients along the modes in which the mask is the same."""
        for mode in self._apart:
            y = self._transform.bases[mode].analyse(y, mode)
        return y

    def _part_of(self, x: Numbers | None, number: int) -> Numbers | None:
        """One system's part of a tensor."""
        return None if x is None else self._one_by_one(x)[number]

    def _one_by_one(self, x: Numbers) -> Numbers:
        """The systems' parts of a tensor, one after the other."""
        moved = np.moveaxis(x, self._apart, range(len(self._apart)))
        return np.ascontiguousarray(moved).reshape(self._count, *self._part.coefficient_shape)

    def _together(self, parts: Numbers) -> Numbers:
        """The way back."""
        sizes = [self._transform.coefficient_shape[mode] for mode in self._apart]
        moved = parts.reshape(*sizes, *self._part.coefficient_shape)
        return np.ascontiguousarray(np.moveaxis(moved, range(len(sizes)), self._apart))


def _modes_apart(known: Mask) -> tuple[int, ...]:
    """Modes along which the mask is the same, if that leaves systems that are worth it."""
    small = collapse(known)
    scattered = ~small
    for mode in range(small.ndim):
        if small.shape[mode] > 1:
            np.moveaxis(scattered, mode, 0)[find_lost_indices(~small, mode)] = False
    if small.size < _SMALLEST or not scattered.any():  # all that is missing are lost slices: one step does it
        return ()
    return tuple(mode for mode in range(known.ndim) if small.shape[mode] < known.shape[mode])
