"""Terms of a multilinear model: each is a sum over components of products of factors, one per mode it is about.

A main effect is a term of one mode, an interaction one of two, and a product of all modes is the CP model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Interactions = Literal["pairs", "product"]
Factor = NDArray[np.float32]


@dataclass(frozen=True)
class Term:
    """Which modes it is about, and how many components it has."""

    modes: tuple[int, ...]
    rank: int

    def offsets(self, counts: Sequence[int]) -> NDArray[np.int64]:
        """Where the rows of every mode begin in the factor of the term; 0 for modes it is not about."""
        found = np.zeros(len(counts), dtype=np.int64)
        total = 0
        for mode in self.modes:
            found[mode] = total
            total += counts[mode]
        return found

    def rows(self, counts: Sequence[int]) -> int:
        """How many rows its factor has, if there are so many in every mode."""
        return sum(counts[mode] for mode in self.modes)


def make_terms(order: int, rank: int, interactions: Interactions) -> tuple[Term, ...]:
    """Main effects, and one term for every pair of modes or one for all modes together."""
    effects = tuple(Term((mode,), 1) for mode in range(order))
    if interactions == "product":
        return (*effects, Term(tuple(range(order)), rank))
    return (*effects, *(Term(pair, rank) for pair in combinations(range(order), 2)))
