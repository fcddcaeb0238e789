"""What a tile is asked and what it answers: values that travel between threads, processes and machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .tiling import Region


@dataclass(frozen=True, eq=False)
class TileQuestion:
    """What is known of a tile, over its reach."""

    number: int
    values: NDArray[Any]
    """In the dtype of the data; anything where nothing is known."""
    known: NDArray[np.bool_]
    counting: Region | None = None
    """The part of it where the answer has a weight; all of it, if that is not said."""


@dataclass(frozen=True, eq=False)
class TileAnswer:
    """What a solver found."""

    model: NDArray[np.floating]
    """The method's own tensor over the reach, inside the bounds; known entries are not put back."""
    deviations: NDArray[np.floating] | None = None
    """How sure to be of it, if that was asked for."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What there is to tell about the run, as JSON: "method", "seconds", "stop" (a kind and a sentence), "known" (how
    many entries), "notes", "reasons", "settings", "smallest", "certificate"."""

    @property
    def whole(self) -> bool:
        """Whether it ran to its own end, rather than to that of the time, or to Ctrl-C."""
        return self.facts.get("stop", ("done",))[0] not in ("time", "interrupted", "watch")


class TileSolver(Protocol):
    """Completes one tile; it can be pickled, and the same question gets the same answer, bit for bit."""

    def __call__(self, question: TileQuestion) -> TileAnswer:
        """Complete it."""
        ...
