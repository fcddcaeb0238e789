"""Table 1: the datasets, where they come from, and whether they are there."""

from __future__ import annotations

from .evidence import APPROXIMATE_MARK, Evidence, marked_title
from .table import Column, Entry, Table, Text, words

_HEAD = (
    Column("dataset", numeric=False),
    Column("kind", numeric=False),
    Column("shape", numeric=True),
    Column("source", numeric=False, long=True),
    Column("licence", numeric=False, long=True),
    Column("there?", numeric=False),
    Column("where to get it", numeric=False, long=True),
    Column("sha256", numeric=False),
)


def dataset_table(evidence: Evidence) -> Table:
    """A row per dataset that the rows are about."""
    missing = {card.name for card in evidence.missing()}
    rows = []
    for name, card in evidence.cards.items():
        there = "no data" if name in missing else "approximate" if card.approximate else "yes"
        lines = (Text(there),) + ((Text(card.file, quiet=True),) if card.file else ())
        rows.append(
            (
                words(marked_title(card)),
                words(card.kind),
                words("×".join(str(size) for size in card.shape)),
                words(card.source),
                words(card.licence),
                Entry(lines),
                words(card.how_to_get),
                words(card.sha256[:12] if card.sha256 else "–", quiet=True),
            )
        )
    notes = [f"{APPROXIMATE_MARK} {card.title}: {card.approximate}" for card in evidence.approximate()]
    if missing:
        notes.insert(0, f"Not there: {', '.join(card.title for card in evidence.missing())}.")
    return Table("table1", "The datasets", _HEAD, tuple(rows), tuple(notes))
