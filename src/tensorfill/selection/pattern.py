"""HolePattern: which entries of a tensor are missing, and all that is asked about that, each found out once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .holes import dead_indices, has_holes, inside_large_holes

Mask = NDArray[np.bool_]

_SOME_DEEP = 0.05  # share of the missing entries that lie inside of large holes, from which on those are a kind


@dataclass(frozen=True, eq=False)
class HolePattern:
    """Where entries are missing. True means known, as everywhere.

    Many ask the same questions of one mask, and some answers take a pass over several arrays of its size; so whoever
    has a pattern passes it on.
    """

    mask: Mask

    @classmethod
    def of(cls, mask: Mask) -> HolePattern:
        """That of a mask, which must not be changed afterwards."""
        return cls(mask)

    def without(self, held: Mask) -> HolePattern:
        """What is left when some entries are held out."""
        return HolePattern(self.mask & ~held)

    @cached_property
    def shaped(self) -> bool:
        """Whether known entries come in blocks, lines or frames, rather than one by one."""
        return has_holes(self.mask)

    @cached_property
    def lost_indices(self) -> tuple[NDArray[np.intp], ...]:
        """For every mode, its indices with nothing known at all."""
        return tuple(dead_indices(~self.mask, mode) for mode in range(self.mask.ndim))

    @cached_property
    def lost(self) -> Mask:
        """Entries of slices of which nothing is known, such as lost frames."""
        lost = np.zeros_like(self.mask)
        for mode, size in enumerate(self.mask.shape):
            if size > 1:
                np.moveaxis(lost, mode, 0)[self.lost_indices[mode]] = True
        return lost

    @cached_property
    def any_lost(self) -> bool:
        """Whether there are such slices."""
        return bool(self.lost.any())

    @cached_property
    def only_lost(self) -> bool:
        """Whether nothing else is missing."""
        return bool((self.mask | self.lost).all())

    @cached_property
    def mixed(self) -> bool:
        """Whether lost slices are a kind of their own: other entries are missing too, or the slices are too small or
        too many to be noticed as holes.
        """
        return self.any_lost and not (self.only_lost and self.shaped)

    @cached_property
    def inside_large_holes(self) -> Mask:
        """Entries inside of holes far larger than chance makes them."""
        return inside_large_holes(self.mask)

    @cached_property
    def deep(self) -> Mask:
        """Entries inside of large holes, where others are missing one by one; none where they are not."""
        nothing = np.zeros_like(self.mask)
        if self.shaped or self.any_lost:
            return nothing
        inside = self.inside_large_holes
        return inside if np.count_nonzero(inside) > _SOME_DEEP * np.count_nonzero(~self.mask) else nothing

    @cached_property
    def any_deep(self) -> bool:
        """Whether there are such entries."""
        return bool(self.deep.any())

    @property
    def apart(self) -> Mask:
        """Entries that are a kind of their own where others are missing too: those of lost slices, or of deep holes."""
        return self.lost if self.any_lost else self.deep

    @cached_property
    def left(self) -> tuple[HolePattern, tuple[NDArray[np.intp], ...]]:
        """The pattern without slices of which nothing is known, and the indices that are left of every mode."""
        indices = tuple(
            np.setdiff1d(np.arange(size), lost) for size, lost in zip(self.mask.shape, self.lost_indices, strict=True)
        )
        return HolePattern(self.mask[np.ix_(*indices)]), indices
