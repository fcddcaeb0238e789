"""The runs that did not end well, and why."""

from __future__ import annotations

from .evidence import Evidence, percent, setup_of
from .results_table import approximate_notes
from .table import Column, Entry, Table, Text, words

_HEAD = (
    Column("dataset", numeric=False),
    Column("method", numeric=False),
    Column("experiment", numeric=False),
    Column("observed"),
    Column("seed"),
    Column("what", numeric=False),
    Column("why", numeric=False, long=True),
)


def failure_table(evidence: Evidence) -> Table | None:
    """A row per run that was refused, failed, crashed or was ended; None without any. Missing data is in Table 1."""
    bad = [row for row in evidence.rows if row.status not in ("ok", "no data")]
    rows = tuple(
        (
            words(evidence.title(row.data.name)),
            words(row.label),
            words(row.experiment),
            Entry((Text(f"{percent(row.rate)}{setup_of(row).holes}"),), row.rate),
            Entry((Text(str(row.seed)),), row.seed),
            words(row.status),
            words(row.error or "–"),
        )
        for row in bad
    )
    if not rows:
        return None
    names = tuple(name for name in evidence.cards if any(row.data.name == name for row in bad))
    return Table("failures", "Runs that did not end well", _HEAD, rows, approximate_notes(evidence, names))
