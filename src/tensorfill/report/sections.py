"""Sections of the page on reproduction about single questions: odd rows of the paper's table, solvers, figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..rows import Row
from . import numbers
from .evidence import Cell, Evidence, Setup, error_at, first_runs, largest_rise, rank_points
from .published import load_published, read_data
from .table import Column, Entry, Section, Text, name_column, number, words
from .tables import Line, our_entry, tabulate_lines

METHOD = "nonneg-dual"
"""The paper's own."""
NOTICEABLE = 0.005
"""A smaller change of the RMSE is called none."""
_LOOKED_AT = (0, 1, 2, 5, 10, 20, 50, 100)
"""Iterations whose error is printed."""


def write_section(name: str, *more: str, **values: object) -> Section:
    """A section of prose alone; `more` paragraphs follow those of `reproduction.toml`."""
    found = read_data("reproduction.toml")[name]
    text = [paragraph.format_map(values) for paragraph in found.get("text", ())]
    return Section(found["title"].format_map(values), (*text, *more))


def table_section(
    evidence: Evidence,
    name: str,
    head: Sequence[Column],
    lines: Sequence[Line],
    *more: str,
    cells: Iterable[Cell] = (),
    **values: object,
) -> Section | None:
    """A section with a table about datasets below its prose; `more` follows the table. None without a line."""
    if not lines:
        return None
    prose = write_section(name, **values)
    notes = [note.format_map(values) for note in read_data("reproduction.toml")[name].get("notes", ())]
    table = tabulate_lines(evidence, name, prose.title, head, lines, notes=notes, cells=cells)
    return replace(prose, blocks=(*prose.blocks, table, *more))


# The paper's method: two solvers, and without nonnegativity


def compare_solvers(evidence: Evidence, setup: Setup) -> Section | None:
    """The paper's algorithm beside our default solver: a line per dataset on which both ran; None where none did."""
    labels = evidence.published_label(METHOD), evidence.default_label(METHOD)
    lines: list[Line] = []
    shown: list[Cell] = []
    for dataset in evidence.datasets_at(setup) if labels[0] != labels[1] else ():
        as_published, ours = _with_the_same_seeds(*(evidence.cell(setup, dataset, label) for label in labels))
        if as_published.rmse and ours.rmse:
            shown += [as_published, ours]
            ratio = number(as_published.rmse.mean / ours.rmse.mean, lambda value: f"{value:.3f}")
            paper = load_published().entry(load_published().named("proposed"), dataset)
            lines.append((dataset, (*_error_and_steps(as_published), *_error_and_steps(ours), ratio, paper)))
    titles = ("as published", "iterations", "ours", "iterations", "as published / ours", "paper")
    return table_section(evidence, "two-solvers", [*map(Column, titles)], lines, cells=shown)


def _with_the_same_seeds(one: Cell, other: Cell) -> tuple[Cell, Cell]:
    """Both with the runs of seeds that both have: a mask is easier or harder for both."""
    both = {run.seed for run in one.good} & {run.seed for run in other.good}
    first, second = (replace(cell, runs=tuple(run for run in cell.runs if run.seed in both)) for cell in (one, other))
    return first, second


def _error_and_steps(cell: Cell) -> tuple[Entry, Entry]:
    assert cell.rmse is not None
    steps = cell.mean(lambda run: run.iterations)
    return our_entry(cell, numbers.spread(cell.rmse)), number(steps, lambda value: f"{value:.0f}")


def judge_nonnegativity(evidence: Evidence, setup: Setup) -> Section | None:
    """The paper's method against the same without W ≥ 0, dataset by dataset; None if they never ran on the same one."""
    lines: list[Line] = []
    outcomes: dict[str, list[str]] = {"helps": [], "changes nothing": [], "costs": []}
    for dataset, without in evidence.cells(setup, "dual").items():
        within = evidence.cell(setup, dataset, evidence.default_label(METHOD))
        if without.rmse and within.rmse:
            change = within.rmse.mean / without.rmse.mean
            outcome = judge_change(change)
            outcomes[outcome].append(evidence.title(dataset))
            lines.append((dataset, (*_nonnegativity_entries(without, within, change), words(outcome))))
    sentences = {
        "helps": "W ≥ 0 lowers the RMSE on {}.",
        "changes nothing": f"It changes it by less than {numbers.percent(NOTICEABLE)} on {{}}.",
        "costs": "It raises it on {}.",
    }
    said = " ".join(sentences[outcome].format(numbers.join(names)) for outcome, names in outcomes.items() if names)
    both = ("dual", "nonneg-dual", "ratio", "dual, unobserved", "nonneg-dual, unobserved")
    head = [*map(Column, (*both, "dual: entries below 0", "dual: smallest value")), name_column("W ≥ 0")]
    return table_section(evidence, "nonnegativity", head, lines, outcomes=said)


def judge_change(change: float) -> str:
    """What a ratio of RMSEs, with over without W ≥ 0, says.

    >>> judge_change(0.977), judge_change(0.9999), judge_change(1.02)
    ('helps', 'changes nothing', 'costs')
    """
    if abs(change - 1) < NOTICEABLE:
        return "changes nothing"
    return "helps" if change < 1 else "costs"


def _nonnegativity_entries(without: Cell, within: Cell, change: float) -> Sequence[Entry]:
    smallest = min((run.smallest for run in without.good if run.smallest is not None), default=None)
    return (
        *(Entry((Text(numbers.spread(cell.rmse)),), cell.rmse.mean) for cell in (without, within) if cell.rmse),
        number(change, lambda value: f"{value:.3f}"),
        *(number(cell.mean(lambda run: run.rmse_unobserved), numbers.error) for cell in (without, within)),
        number(without.mean(lambda run: run.negative_share), numbers.share),
        number(smallest, lambda value: f"{value:.3g}"),
    )


# Odd rows of the paper's table


def compare_settings(evidence: Evidence, setup: Setup) -> Section | None:
    """`Dual` at the paper's setting and at λ_k = n_k, beside the paper's own method."""
    said = []
    for dataset in evidence.datasets_at(setup):
        ours, proposed = evidence.rmse_by_label(setup, dataset), load_published().named("proposed").digits.get(dataset)
        if {"dual", "dual-demo"} <= ours.keys():
            beside = "" if proposed is None else f", beside {proposed} that the paper gives for its own method"
            said.append(
                f"* {evidence.title(dataset)}: {numbers.error(ours['dual-demo'])} with the demonstration's setting, "
                f"{numbers.error(ours['dual'])} at λ_k = n_k (ratio {numbers.ratio(ours['dual'] / ours['dual-demo'])})"
                f"{beside}."
            )
    labels = ("dual-demo", "dual", evidence.default_label(METHOD))
    return _put_beside(evidence, setup, "two-settings", labels, ("Dual", "proposed"), said)


def compare_with_zero_filling(evidence: Evidence, setup: Setup) -> Section | None:
    """NCPC and TMac, whose figures in the paper are near zero filling's."""
    said = []
    for dataset in evidence.datasets_at(setup):
        zeros = evidence.rmse_by_label(setup, dataset).get("zero-fill")
        for row in (load_published().named("NCPC"), load_published().named("TMac")):
            if zeros is not None and dataset in row.digits:
                said.append(
                    f"* {evidence.title(dataset)}, {row.name}: the paper's {row.digits[dataset]} is "
                    f"{numbers.ratio(row.rmse[dataset] / zeros)} times the error of zero filling, "
                    f"{numbers.error(zeros)}."
                )
    labels = ("zero-fill", "mean-fill", "ncpc", "tmac")
    return _put_beside(evidence, setup, "zero-filling", labels, ("NCPC", "TMac"), said)


def _put_beside(
    evidence: Evidence, setup: Setup, name: str, labels: Sequence[str], papers: Sequence[str], said: Sequence[str]
) -> Section | None:
    """Our RMSE for some labels and the paper's for some rows, by dataset; None where the first label has no run."""
    rows = [load_published().named(paper) for paper in papers]
    lines: list[Line] = []
    for dataset in evidence.datasets_at(setup):
        ours = evidence.rmse_by_label(setup, dataset)
        if any(label in ours for label in labels):
            entries = [number(ours.get(label), numbers.error) for label in labels]
            lines.append((dataset, [*entries, *(load_published().entry(row, dataset) for row in rows)]))
    if labels[0] not in evidence.labels_at(setup):
        return None
    head = [*(Column(f"{label}, ours") for label in labels), *(Column(f"{row.name}, paper") for row in rows)]
    return table_section(evidence, name, head, lines, *(["\n".join(said)] if said else []))


def tell_divergence(evidence: Evidence, setup: Setup) -> Section | None:
    """GeomCG where its error is larger than the data, run by run."""
    lines = []
    row = load_published().named("geomCG")
    labels = [label for label in evidence.labels_at(setup) if evidence.labels[label] == "geomcg"]
    for cell in (evidence.cell(setup, dataset, label) for dataset in evidence.datasets_at(setup) for label in labels):
        paper = row.digits.get(cell.data.name)
        if cell.rmse is None or max(cell.rmse.mean, float(paper or 0)) <= 1:
            continue
        each = ", ".join(f"{numbers.error(run.rmse)} (seed {run.seed})" for run in cell.good if run.rmse is not None)
        seen = [run.smallest for run in cell.good if run.rmse is not None and run.smallest is not None]
        below = f"; smallest value {min(seen):.3g}" if seen else ""
        beside = "" if paper is None else f", the paper's {paper}"
        lines.append(f"* {evidence.title(cell.data.name)}: RMSE {each}{below}{beside}.")
    return write_section("divergence", "\n".join(lines)) if lines else None


def list_duplicates() -> Section:
    """Cells of the paper with the same digits."""
    lines = [
        f"* {dataset.capitalize()}: {one} and {other} are both {figure}."
        for dataset, one, other, figure in load_published().repeated()
    ]
    return write_section("duplicates", "\n".join(lines), cells=load_published().cells)


# The paper's figures in numbers


def tabulate_iterations(evidence: Evidence, setup: Setup) -> Section | None:
    """Figure 1a: the error after a few numbers of iterations."""
    lines: list[Line] = []
    for label in dict.fromkeys((evidence.published_label(METHOD), evidence.default_label(METHOD))):
        for dataset, run in first_runs(evidence, setup, label, lambda run: run.curve).items():
            steps, _, last = run.curve[-1]
            errors = [number(error_at(run, iteration), numbers.error) for iteration in _LOOKED_AT]
            end = Entry((Text(f"{numbers.error(last)} ({steps})"),), last)
            lines.append((dataset, [words(label), *errors, end, number(largest_rise(run), numbers.share)]))
    head = [name_column("method"), *map(Column, (*map(str, _LOOKED_AT), "end (iterations)", "largest rise"))]
    return table_section(evidence, "figure-1a", head, lines)


def tabulate_ranks(evidence: Evidence, _: Setup) -> Section | None:
    """Figure 1b: the error at every rank, the lowest in bold."""
    points = next(iter(rank_points(evidence).values()), {})
    ranks = sorted({x for by_label in points.values() for line in by_label.values() for x, _ in line})
    lines: list[Line] = []
    for dataset, by_label in points.items():
        for label, line in by_label.items():
            found = dict(line)
            best = Entry((Text(numbers.error(min(found.values())), bold=True),), min(found.values()))
            entries = [number(found.get(x), numbers.error) for x in ranks]
            entries = [best if entry.value == best.value else entry for entry in entries]
            lines.append((dataset, [words(label), *entries]))
    head = [name_column("method"), *(Column(f"{x:g}") for x in ranks)]
    return table_section(evidence, "figure-1b", head, lines)


def tabulate_components(evidence: Evidence, setup: Setup) -> Section | None:
    """Figure 2: how much of W each component carries, and how much of the scene can be seen in it."""
    found = component_runs(evidence, setup)
    count = max((len(run.components) for run in found.values()), default=0)
    if not count or evidence.published_label(METHOD) not in evidence.labels_at(setup):
        return None
    lines: list[Line] = []
    for dataset, run in found.items():
        padding = [words("")] * (count - len(run.components))
        measures = zip(*run.components, strict=True)
        shares, likeness = ([number(value, lambda v: f"{v:.3f}") for value in part] for part in measures)
        lines.append((dataset, [words(run.label), *shares, *padding, *likeness, *padding]))
    places = range(1, count + 1)
    titles = [f"{what} of W({place})" for what in ("share", "likeness") for place in places]
    return table_section(evidence, "figure-2", [name_column("method"), *map(Column, titles)], lines)


def component_runs(evidence: Evidence, setup: Setup) -> dict[str, Row]:
    """By dataset the first run of the paper's method that tells about its components, rather as published."""
    ours, theirs = (
        first_runs(evidence, setup, label, lambda run: run.components)
        for label in (evidence.default_label(METHOD), evidence.published_label(METHOD))
    )
    found = ours | theirs
    return {dataset: found[dataset] for dataset in evidence.cards if dataset in found}


FIGURES = (tabulate_iterations, tabulate_ranks, tabulate_components)
ODDITIES = (compare_solvers, compare_settings, compare_with_zero_filling, tell_divergence)
