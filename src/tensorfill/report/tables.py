"""The tables: datasets, results beside the paper's figures, other measures, failures; long forms by cell and run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from ..rows import Row
from . import numbers
from .evidence import APPROXIMATE_MARK, UNIFORM, Cell, Evidence, Setup
from .published import load_published
from .table import Column, Entry, Table, Text, name_column, prose_column, rank, words

_TIME_MARK = "t"
Line = tuple[str, Sequence[Entry]]
"""A line of a table: the dataset it is about, and what stands behind its title."""


@dataclass(frozen=True)
class Measure:
    """A number of a run: where it is, how it is printed, and whether small or large is good (None: neither)."""

    name: str
    title: str
    short: str
    value: Callable[[Row], float | None]
    text: Callable[[float], str]
    smallest_first: bool | None = True
    unit: float = 1.0
    """How many of what is in the row make one of what is printed."""


_RMSE = Measure("rmse", "RMSE over all entries", "RMSE", lambda r: r.rmse, numbers.error)
MEASURES = (
    Measure("unobserved", "RMSE over the unobserved entries", "unobserved", lambda r: r.rmse_unobserved, numbers.error),
    Measure("psnr", "PSNR in dB", "PSNR", lambda r: r.psnr, lambda value: f"{value:.2f}", False),
    Measure("ssim", "SSIM", "SSIM", lambda r: r.ssim, lambda value: f"{value:.4f}", False),
    Measure("seconds", "Seconds", "seconds", lambda r: r.seconds, numbers.seconds),
    Measure("iterations", "Iterations", "iterations", lambda r: r.iterations, lambda value: f"{value:.0f}", None),
    Measure("memory", "Peak memory in MiB", "memory", lambda r: r.peak_memory, numbers.mebibytes, unit=2**20),
    Measure("smallest", "Smallest value", "smallest", lambda r: r.smallest, lambda value: f"{value:.3g}", None),
    Measure("negative", "Share of entries below zero", "negative", lambda r: r.negative_share, numbers.share, None),
    Measure("gap", "Relative duality gap", "gap", lambda r: r.relative_gap, lambda value: f"{value:.2g}", None),
)


# Methods × datasets


def tabulate_results(evidence: Evidence) -> tuple[Table, ...]:
    """Table 2: every method on every dataset. One table per setup for the paper's datasets and one for the others."""
    tables: list[Table] = []
    for place, setup in enumerate(evidence.setups):
        stem = "table2" if place == 0 else f"table2-{setup.slug}"
        experiment = "" if setup.experiment == "table" else f", experiment “{setup.experiment}”"
        for in_paper, part in ((True, "the paper's datasets"), (False, "other datasets")):
            datasets = [name for name in evidence.datasets_at(setup) if evidence.cards[name].in_paper == in_paper]
            if datasets:
                name = f"{stem}-others" if any(table.name == stem for table in tables) else stem
                title = f"{_RMSE.title}, {part}, {setup.title}{experiment}"
                labels = evidence.labels_at(setup)
                tables.append(_tabulate(evidence, setup, _RMSE, name, title, datasets, labels))
    return tuple(tables)


def tabulate_measures(evidence: Evidence) -> dict[Setup, tuple[tuple[Measure, Table], ...]]:
    """A table per measure that any run has, in one group per setup that has any."""
    groups = {
        setup: tuple(
            (measure, table)
            for measure in MEASURES
            if (table := _tabulate_measure(evidence, setup, measure, first=place == 0)) is not None
        )
        for place, setup in enumerate(evidence.setups)
    }
    return {setup: group for setup, group in groups.items() if group}


def _tabulate_measure(evidence: Evidence, setup: Setup, measure: Measure, *, first: bool) -> Table | None:
    """The datasets and methods that have it; None if none has."""
    found = {
        (dataset, label)
        for dataset in evidence.datasets_at(setup)
        for label in evidence.labels_at(setup)
        if evidence.cell(setup, dataset, label).over_seeds(measure.value)
    }
    if not found:
        return None
    datasets = [name for name in evidence.datasets_at(setup) if any(key[0] == name for key in found)]
    labels = [label for label in evidence.labels_at(setup) if any(key[1] == label for key in found)]
    name = measure.name if first else f"{measure.name}-{setup.slug}"
    title = f"{measure.title}, {setup.title}" + ("" if setup.experiment == "table" else f" (“{setup.experiment}”)")
    return _tabulate(evidence, setup, measure, name, title, datasets, labels)


def _tabulate(
    evidence: Evidence,
    setup: Setup,
    measure: Measure,
    name: str,
    title: str,
    datasets: Sequence[str],
    labels: Sequence[str],
) -> Table:
    """A line per method and a column per dataset. With the RMSE stands what the paper says, or the error in holes."""
    cells = {dataset: [evidence.cell(setup, dataset, label) for label in labels] for dataset in datasets}
    columns = [_fill_column(column, measure) for column in cells.values()]
    compared = measure is _RMSE and setup.is_the_papers and any(evidence.cards[name].in_paper for name in datasets)
    apart = measure is _RMSE and setup.pattern != UNIFORM
    if measure is _RMSE:
        columns = [
            [_complete(entry, cell, compared, apart) for entry, cell in zip(entries, column, strict=True)]
            for entries, column in zip(columns, cells.values(), strict=True)
        ]
    head = (name_column("method"), *(Column(evidence.title(dataset)) for dataset in datasets))
    rows = tuple((words(label), *line) for label, *line in zip(labels, *columns, strict=True))
    first, *notes = _notes_below(evidence, cells, compared=compared, best=measure.smallest_first is not None)
    below = ["Below: over the unobserved entries alone."] if apart else []
    return Table(name, title, head, rows, (first, *below, *notes))


def _fill_column(cells: Sequence[Cell], measure: Measure) -> list[Entry]:
    """Mean and deviation over the seeds, the best in bold; or why there is no number."""
    ordered = measure.smallest_first is not None
    places = rank([cell.mean(measure.value) for cell in cells], smallest_first=measure.smallest_first is not False)
    entries = []
    for cell, place in zip(cells, places, strict=True):
        spread = cell.over_seeds(measure.value)
        if spread is None:
            entries.append(words(cell.complaint or "–", quiet=True))
            continue
        text = measure.text(spread.mean)
        if spread.deviation is not None and ordered and not text.startswith("<"):
            decimals = len(text.partition(".")[2])
            text += f" ± {spread.deviation / measure.unit:.{decimals}f}"
        entries.append(replace(our_entry(cell, text, place if ordered else None), value=spread.mean))
    return entries


def our_entry(cell: Cell, text: str, place: int | None = None) -> Entry:
    """A figure of ours with the mark of a time limit; the best (place 0) in bold, the second underlined."""
    raised = _TIME_MARK if cell.time_limited else ""
    shown = Text(text, bold=place == 0, underline=place == 1, raised=raised)
    return Entry((shown,), cell.rmse.mean if cell.rmse else None)


def _complete(entry: Entry, cell: Cell, compared: bool, apart: bool) -> Entry:
    """An entry with how many seeds it is about, where not all ended well, and with what stands below it."""
    (first,) = entry.lines
    if cell.rmse and cell.rmse.count < len(cell.runs):
        first = replace(first, text=f"{first.text} ({cell.rmse.count} of {len(cell.runs)})")
    hidden = cell.mean(lambda run: run.rmse_unobserved) if apart else None
    if hidden is not None:
        below: tuple[Text, ...] = (Text(f"unobserved {numbers.error(hidden)}", quiet=True),)
    else:
        below = _papers_figure(cell) if compared else ()
    return replace(entry, lines=(first, *below))


def _papers_figure(cell: Cell) -> tuple[Text, ...]:
    """What the paper's table says about a cell of ours, marked as there, and the ratio; "–" where it says nothing."""
    row, dataset = load_published().row(cell.label, cell.method), cell.data.name
    if row is None or dataset not in row.digits:
        return (Text("–", quiet=True),) if cell.rmse else ()
    figure = load_published().entry(row, dataset).lines[0]
    beside = replace(figure, text=f"paper {figure.text}", quiet=True)
    if cell.rmse is None:
        return (beside,)
    return beside, Text(f"ratio {numbers.ratio(cell.rmse.mean / row.rmse[dataset])}", quiet=True)


# Notes below tables


def _notes_below(
    evidence: Evidence, columns: Mapping[str, Sequence[Cell]], *, compared: bool = False, best: bool = True
) -> tuple[str, ...]:
    """What a reader of a table of methods and datasets has to know."""
    cells = [cell for column in columns.values() for cell in column]
    several = any(len(cell.good) > 1 for cell in cells)
    notes = ["Mean ± standard deviation over seeds." if several else "One seed each, so no spread."]
    if best:
        notes.append("Best of a column in bold, second best underlined, among our own runs.")
    if compared:
        notes.append(
            "Below: the paper's figure, its best in bold and its second best underlined among its own nine methods, "
            "and the ratio, ours over the paper's; “–”: a method that the paper does not have."
        )
    notes += _time_notes(cells)
    if any(cell.good and len(cell.good) < len(cell.runs) for cell in cells):
        notes.append("“(2 of 3)”: the mean is over that many seeds; the other runs did not end well.")
    return (*notes, *_approximate_notes(evidence, columns))


def _time_notes(cells: Iterable[Cell]) -> list[str]:
    limited = any(cell.time_limited for cell in cells)
    return [f"Raised {_TIME_MARK}: a run was stopped by its time limit."] if limited else []


def _approximate_notes(evidence: Evidence, datasets: Iterable[str]) -> list[str]:
    cards = evidence.approximate(datasets)
    return [f"{APPROXIMATE_MARK} {card.title} is approximate: {card.approximate}" for card in cards]


# Lines about datasets


def tabulate_lines(
    evidence: Evidence,
    name: str,
    title: str,
    head: Sequence[Column],
    lines: Sequence[Line],
    *,
    notes: Iterable[str] = (),
    cells: Iterable[Cell] = (),
) -> Table:
    """A table whose first column names a dataset; `cells` are those that may bear the mark of a time limit."""
    shown = {dataset for dataset, _ in lines}
    below = (*notes, *_time_notes(cells), *_approximate_notes(evidence, (n for n in evidence.cards if n in shown)))
    rows = tuple((words(evidence.title(dataset)), *entries) for dataset, entries in lines)
    return Table(name, title, (name_column("dataset"), *head), rows, below)


def tabulate_failures(evidence: Evidence) -> Table | None:
    """A line per run that was refused, failed, crashed or was ended; None without any. Missing data is in Table 1."""
    lines = [
        (
            row.data.name,
            (
                words(row.label),
                words(row.experiment),
                Entry((Text(f"{numbers.percent(row.rate)}{Setup.of(row).holes}"),), row.rate),
                Entry((Text(str(row.seed)),), row.seed),
                words(row.status),
                words(row.error or "–"),
            ),
        )
        for row in evidence.rows
        if row.status not in ("ok", "no data")
    ]
    asked = (name_column("method"), name_column("experiment"), Column("observed"), Column("seed"))
    head = (*asked, name_column("what"), prose_column("why"))
    return tabulate_lines(evidence, "failures", "Runs that did not end well", head, lines) if lines else None


def tabulate_datasets(evidence: Evidence) -> Table:
    """Table 1: the datasets that the rows are about, where they come from, and whether they are there."""
    lines = []
    for name, card in evidence.cards.items():
        there = "no data" if card in evidence.missing else "approximate" if card.approximate else "yes"
        file = (Text(card.file, quiet=True),) if card.file else ()
        shape = "×".join(str(size) for size in card.shape)
        texts = [words(text) for text in (card.kind, shape, card.source, card.licence)]
        checksum = words(card.sha256[:12] if card.sha256 else "–", quiet=True)
        lines.append((name, (*texts, Entry((Text(there), *file)), words(card.how_to_get), checksum)))
    head = (
        name_column("kind"),
        Column("shape"),
        prose_column("source"),
        prose_column("licence"),
        name_column("there?"),
        prose_column("where to get it"),
        name_column("sha256"),
    )
    notes = [f"{APPROXIMATE_MARK} {card.title}: {card.approximate}" for card in evidence.approximate()]
    if evidence.missing:
        notes.insert(0, f"Not there: {', '.join(card.title for card in evidence.missing)}.")
    return replace(tabulate_lines(evidence, "table1", "The datasets", head, lines), notes=tuple(notes))


# Long forms


def list_cells(evidence: Evidence) -> list[Sequence[object]]:
    """A line per dataset and method, with the mean and standard deviation of every measure."""
    asked = ("experiment", "rate", "pattern", "dataset", "approximate", "method", "label", "seeds", "runs", "status")
    spreads = (f"{measure.name}_{part}" for measure in (_RMSE, *MEASURES) for part in ("mean", "deviation"))
    lines: list[Sequence[object]] = [[*asked, "time_limited", *spreads, "paper_rmse", "ratio"]]
    for setup in evidence.setups:
        for dataset in evidence.datasets_at(setup):
            lines += [_list_cell(setup, evidence.cell(setup, dataset, label)) for label in evidence.labels_at(setup)]
    return lines


def _list_cell(setup: Setup, cell: Cell) -> Sequence[object]:
    dataset = cell.data.name
    paper = load_published().rmse(dataset, cell.label, cell.method) if setup.is_the_papers else None
    ratio = cell.rmse.mean / paper if cell.rmse and paper else None
    found = [cell.over_seeds(measure.value) for measure in (_RMSE, *MEASURES)]
    means = [value for spread in found for value in ((spread.mean, spread.deviation) if spread else (None, None))]
    asked = (setup.experiment, setup.rate, setup.pattern, dataset, bool(cell.data.approximate))
    runs = (cell.method, cell.label, len(cell.good), len(cell.runs), cell.complaint or "ok", cell.time_limited)
    return [*asked, *runs, *means, paper, ratio]


def list_runs(rows: Iterable[Row]) -> list[Sequence[object]]:
    """A line per run, everything but curves and pictures."""
    names = [field.name for field in fields(Row) if field.name not in ("data", "curve", "pictures")]
    lines: list[Sequence[object]] = [["id", "dataset", "approximate", "sha256", *names]]
    for row in rows:
        values = [getattr(row, name) for name in names]
        texts = [_spell(value) if isinstance(value, dict | list | tuple) else value for value in values]
        lines.append([row.id, row.data.name, bool(row.data.approximate), row.data.sha256, *texts])
    return lines


def _spell(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
