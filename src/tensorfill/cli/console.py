"""What verbs print: lines, tables and notes, with the names in them made harmless."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..harmless import harmless
from .flags import as_flags

# Where nobody looks at the width (a pipe, a file), a sentence stays on one line and can be searched for.
_UNBOUNDED_WIDTH = 10_000


def say(sentence: str, *, err: bool = False) -> None:
    """One line, whatever the names in it are."""
    typer.echo(harmless(as_flags(sentence)), err=err)


def show_table(rows: Iterable[Sequence[str]], headings: Sequence[str] = ()) -> None:
    """Print rows in aligned columns."""
    # Text rather than markup: a file called [red].npy is only a name.
    table = Table(box=None, show_header=bool(headings), header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    rows = [tuple(row) for row in rows]
    for heading in headings or [""] * (len(rows[0]) if rows else 0):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(harmless(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else _UNBOUNDED_WIDTH, highlight=False).print(table)


def show_notes(notes: Iterable[str], *, err: bool = True) -> None:
    """One line per note; on standard output those that belong to a result."""
    for note in notes:
        say(f"Note: {note}", err=err)
