"""Reading: what a user adds about a file that the file itself does not say."""

from __future__ import annotations

from dataclasses import dataclass, field

from .table_words import TableWords


@dataclass(frozen=True)
class Reading:
    """How to read; each field matters to the formats that know it."""

    dataset: str | None = None
    """Which array of a file with several: what stands after `::`."""
    size: tuple[int, int] | None = None
    """Columns and rows of raw video."""
    gray: bool = False
    """Brightness alone, of pictures and videos in colour."""
    frames: tuple[int, int] | None = None
    """The first and the last frame to read, counted from 0; both are read."""
    table: TableWords = field(default_factory=TableWords)
    """How a table is laid out, where it can be read in several ways."""
