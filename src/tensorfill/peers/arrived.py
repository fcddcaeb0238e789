"""What arrived from another library: the data in it, and how its completion goes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..completion import Completion
from ..formats.contents import Contents
from ..formats.entries import Entries


@dataclass(frozen=True, eq=False)
class Arrived:
    """What a user handed over, and how to give its completion back in the same form."""

    given: Contents | Entries
    give_back: Callable[[Completion], Any]
    read_as: str = ""
    """How a table was understood, in words."""
    notes: tuple[str, ...] = ()
    columns_apart: bool = False
    """Whether the columns of a matrix may be in units of their own."""


@dataclass(frozen=True, eq=False)
class TableBack:
    """Gives a completed table back: to its user as a table of the same library, to a file as entries."""

    table: Callable[[Completion], Any]
    entries: Callable[[Completion], Entries]

    def __call__(self, done: Completion) -> Any:
        """The table, for its user."""
        return self.table(done)
