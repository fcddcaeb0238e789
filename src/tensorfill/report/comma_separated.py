"""Tables as comma-separated values, in full precision: as they are printed, by cell, and by run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import fields

from ..rows import Row
from .cell import Spread
from .evidence import Evidence
from .measure_tables import MEASURES
from .published import published
from .table import Entry, Table

_CELL_HEAD = ("experiment", "rate", "pattern", "dataset", "approximate", "method", "label", "seeds", "runs", "status")


def table_text(table: Table) -> str:
    """The table with numbers in full; words where there is no number."""
    head = [column.title for column in table.columns]
    return _text([head, *([_value(entry) for entry in row] for row in table.rows)])


def cells_text(evidence: Evidence) -> str:
    """Long form: a line per dataset and method, with the mean and standard deviation of every measure."""
    names = ["rmse", *(measure.name for measure in MEASURES)]
    head = [*_CELL_HEAD, "time_limited", *(f"{name}_{part}" for name in names for part in ("mean", "deviation"))]
    lines: list[Iterable[object]] = [[*head, "paper_rmse", "ratio"]]
    for setup in evidence.setups:
        for dataset in evidence.datasets_at(setup):
            for label in evidence.labels_at(setup):
                cell = evidence.cell(setup, dataset, label)
                found = [cell.rmse, *(cell.over_seeds(measure.value) for measure in MEASURES)]
                paper = published().rmse(dataset, label, cell.method) if setup.is_the_papers else None
                ratio = cell.rmse.mean / paper if cell.rmse and paper else None
                status = cell.complaint or "ok"
                asked = (setup.experiment, setup.rate, setup.pattern, dataset, bool(cell.data.approximate))
                runs = (cell.method, label, len(cell.good), len(cell.runs), status, cell.time_limited)
                means = [value for spread in found for value in (_mean(spread), _deviation(spread))]
                lines.append([*asked, *runs, *means, paper, ratio])
    return _text(lines)


def runs_text(rows: Iterable[Row]) -> str:
    """Long form: a line per run, everything but curves and pictures."""
    names = [field.name for field in fields(Row) if field.name not in ("data", "curve", "pictures")]
    lines: list[Iterable[object]] = [["id", "dataset", "approximate", "sha256", *names]]
    for row in rows:
        card = row.data
        values = [_plain(getattr(row, name)) for name in names]
        lines.append([row.id, card.name, bool(card.approximate), card.sha256, *values])
    return _text(lines)


def _mean(spread: Spread | None) -> float | None:
    return spread.mean if spread else None


def _deviation(spread: Spread | None) -> float | None:
    return spread.deviation if spread else None


def _value(entry: Entry) -> object:
    words = " ".join(line.text for line in entry.lines if line.text and not line.quiet)
    return repr(entry.value) if entry.value is not None else words or entry.lines[0].text


def _plain(value: object) -> object:
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list | tuple) else value


def _text(lines: Iterable[Iterable[object]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(lines)
    return file.getvalue()
