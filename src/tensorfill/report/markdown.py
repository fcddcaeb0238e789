"""Tables and pages as Markdown."""

from __future__ import annotations

from .section import Section
from .table import Entry, Table, Text


def table_text(table: Table, *, level: int = 2) -> str:
    """A table under its title, with its notes."""
    heading = f"{'#' * level} {_escaped(table.title)}\n\n"
    return f"{heading}{grid(table)}\n" + "".join(f"\n* {_escaped(note)}" for note in table.notes) + "\n"


def grid(table: Table) -> str:
    """The table alone."""
    head = "| " + " | ".join(_escaped(column.title) for column in table.columns) + " |"
    rule = "| " + " | ".join("---:" if column.numeric else "---" for column in table.columns) + " |"
    rows = ["| " + " | ".join(_entry(entry) for entry in row) + " |" for row in table.rows]
    return "\n".join([head, rule, *rows])


def page_text(title: str, sections: tuple[Section, ...]) -> str:
    """A page: paragraphs are taken as they are, for they may hold code and lists."""
    parts = [f"# {title}\n"]
    for section in sections:
        parts.append(f"## {section.title}\n")
        for block in section.blocks:
            parts.append(f"{block}\n" if isinstance(block, str) else _with_notes(block))
    return "\n".join(parts)


def _with_notes(table: Table) -> str:
    return f"{grid(table)}\n" + "".join(f"\n* {_escaped(note)}" for note in table.notes) + ("\n" if table.notes else "")


def _entry(entry: Entry) -> str:
    return "<br>".join(_text(line) for line in entry.lines)


def _text(piece: Text) -> str:
    text = _escaped(piece.text)
    if piece.underline:
        text = f"<u>{text}</u>"
    if piece.bold:
        text = f"**{text}**"
    return f"{text}<sup>{piece.raised}</sup>" if piece.raised else text


def _escaped(text: str) -> str:
    """Text that stays one line of one cell and starts no markup; code in backquotes stays code."""
    parts = " ".join(text.split()).replace("|", "\\|").split("`")
    for place in range(0, len(parts), 2):
        for mark in ("*", "_", "<"):
            parts[place] = parts[place].replace(mark, f"\\{mark}")
    return "`".join(parts)
