"""The page on reproduction: what agrees with the paper, what doesn't, and why; every number from rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from . import numbers
from .claims import judge_claims
from .comparison import TOLERANCE, PaperCell, explain, paper_cells
from .evidence import Cell, Evidence, Setup
from .published import load_published, read_data
from .sections import FIGURES, METHOD, ODDITIES, judge_nonnegativity, list_duplicates, table_section, write_section
from .table import Column, Entry, Section, Text, name_column, number, prose_column, rank, words
from .tables import Line, our_entry

TITLE: str = read_data("reproduction.toml")["title"]
_HEAD = (name_column("ours"), name_column("the paper's row"), Column("our RMSE"), Column("paper"), Column("ratio"))
_OTHERS = prose_column("our other settings")


def describe_reproduction(evidence: Evidence, made_with: str) -> tuple[Section, ...]:
    """All sections of the page; `made_with` says which versions made it."""
    setup = evidence.papers_setup
    sections: list[Section | None] = [_tell_origin(evidence, made_with)]
    if setup is None:
        what = "No row has a tenth of the entries observed, so nothing can be put beside the paper's table."
        sections.append(Section("The paper's table", (what,)))
    else:
        cells = paper_cells(evidence)
        there = any(cell.ours for cell in cells)
        if there:
            sections += [_summarise(cells), _show_papers_table(evidence, cells), _list_agreeing(evidence, cells)]
            sections += [_list_differing(evidence, setup, cells), _list_without_run(evidence, cells)]
            sections.append(judge_claims(evidence, setup, cells))
            sections += [show(evidence, setup) for show in FIGURES]
            sections.append(write_section("figure-3"))
        else:
            sections.append(Section("The paper's table", ("No row is about a cell of it.",)))
        sections += [show(evidence, setup) for show in ODDITIES]
        sections += [list_duplicates() if there else None, judge_nonnegativity(evidence, setup)]
    sections.append(_list_missing(evidence))
    return tuple(section for section in sections if section)


def _tell_origin(evidence: Evidence, made_with: str) -> Section:
    versions = sorted({f"{name} {version}" for row in evidence.rows for name, version in row.versions.items()})
    seeds = evidence.seeds
    return write_section(
        "origin",
        *(f"Note: {problem}" for problem in evidence.problems),
        rows=len(evidence.rows),
        there=len(evidence.cards) - len(evidence.missing),
        datasets=len(evidence.cards),
        asked=evidence.asked,
        seeds=f"{'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds)) or 'none'}",
        versions=", ".join(versions) or "unknown versions",
        made_with=made_with,
    )


def _summarise(cells: tuple[PaperCell, ...]) -> Section:
    there = [cell for cell in cells if cell.complaint is None]
    same = sum(cell.reproduces(cell.judge) for cell in there)
    differing = [cell for cell in there if cell.agreeing is None]
    lower = sum((cell.ratio or 0) < 1 for cell in differing)
    missing = Counter(cell.complaint for cell in cells if cell.complaint is not None)
    why = ", ".join(f"{complaint}: {count}" for complaint, count in missing.most_common())
    return write_section(
        "summary",
        cells=load_published().cells,
        there=len(there),
        others=f" (the others: {why})" if why else "",
        same=same,
        tolerance=numbers.percent(TOLERANCE),
        otherwise=sum(cell.agreeing is not None for cell in there) - same,
        differing=len(differing),
        lower=lower,
        higher=len(differing) - lower,
    )


def _show_papers_table(evidence: Evidence, cells: tuple[PaperCell, ...]) -> Section | None:
    """The paper's Table 2 as it is laid out there, a line per dataset and a column per method, with ours below."""
    lines = []
    for dataset in load_published().datasets:
        line = [cell for cell in cells if cell.dataset == dataset]
        ours = [cell.judge.rmse if cell.judge else None for cell in line]
        places = rank([found.mean if found else None for found in ours])
        lines.append((dataset, [_entry_of_both(cell, place) for cell, place in zip(line, places, strict=True)]))
    judges: dict[str, dict[str, None]] = {row.name: {} for row in load_published().rows}
    for cell in cells:
        if cell.judge:
            judges[cell.row.name][f"`{cell.judge.label}`"] = None
    told = ", ".join(f"{name} by {' or '.join(labels)}" for name, labels in judges.items() if labels)
    head = [Column(row.name) for row in load_published().rows]
    judged = [cell.judge for cell in cells if cell.judge]
    return table_section(evidence, "papers-table", head, lines, cells=judged, judges=told)


def _entry_of_both(cell: PaperCell, place: int | None) -> Entry:
    paper = load_published().entry(cell.row, cell.dataset)
    if cell.judge is None or cell.judge.rmse is None:
        return Entry((*paper.lines, Text(cell.complaint or "", quiet=True)), paper.value)
    mean = cell.judge.rmse.mean
    return Entry((*paper.lines, *our_entry(cell.judge, numbers.error(mean), place).lines), mean)


def _list_agreeing(evidence: Evidence, cells: tuple[PaperCell, ...]) -> Section:
    found = [(cell, cell.agreeing) for cell in cells if cell.agreeing]
    lines = [(cell.dataset, _compare(cell, one)) for cell, one in found]
    return _list_cells(evidence, "reproduces", (*_HEAD, _OTHERS), lines, [one for _, one in found])


def _list_differing(evidence: Evidence, setup: Setup, cells: tuple[PaperCell, ...]) -> Section:
    found = [(cell, cell.judge) for cell in cells if cell.judge and cell.ratio and cell.agreeing is None]
    lines = []
    encoded = _encoding(evidence, setup)
    for cell, judge in found:
        others = evidence.rmse_by_label(setup, cell.dataset)
        reasons = explain(judge, cell.paper, others, encoded.get(judge.label))
        why = words(" ".join(reasons) or "No reason found.")
        lines.append((cell.dataset, (*_compare(cell, judge), why)))
    head = (*_HEAD, _OTHERS, prose_column("why"))
    return _list_cells(evidence, "differs", head, lines, [judge for _, judge in found])


def _list_cells(
    evidence: Evidence,
    name: str,
    head: Sequence[Column],
    lines: Sequence[Line],
    shown: Sequence[Cell],
) -> Section:
    tolerance = numbers.percent(TOLERANCE)
    found = table_section(evidence, name, head, lines, cells=shown, tolerance=tolerance)
    return found or write_section(name, "No cell does.", tolerance=tolerance)


def _encoding(evidence: Evidence, setup: Setup) -> dict[str, float]:
    """By label, the RMSE on the encoded Hall over that on the raw one."""
    raw, encoded = (evidence.rmse_by_label(setup, name) for name in ("hall", "hall_h264_control"))
    found = {label: encoded[label] / raw[label] for label in raw.keys() & encoded.keys()}
    ours = evidence.default_label(METHOD)
    # Both solvers solve the same problem; the encoding is a matter of the data.
    return found | ({evidence.published_label(METHOD): found[ours]} if ours in found else {})


def _compare(cell: PaperCell, one: Cell) -> tuple[Entry, ...]:
    """A cell of ours beside the paper's, and what other settings of the method give, the one that counts first."""
    others = ", ".join(
        f"{other.label} {numbers.error(other.rmse.mean)}" for other in cell.ours if other is not one and other.rmse
    )
    ours = our_entry(one, numbers.spread(one.rmse)) if one.rmse else words("–", quiet=True)
    ratio = number(one.rmse.mean / cell.paper if one.rmse else None, numbers.ratio)
    paper = load_published().entry(cell.row, cell.dataset)
    return words(one.label), words(cell.row.name), ours, paper, ratio, words(others)


def _list_without_run(evidence: Evidence, cells: tuple[PaperCell, ...]) -> Section | None:
    """What did not end well; data that is not there is told elsewhere."""
    lines = []
    unfinished = [(cell, one) for cell in cells for one in cell.ours if one.complaint not in (None, "no data")]
    for cell, one in unfinished:
        error = next((run.error for run in one.runs if run.error), None)
        said = f"{one.complaint}.{f' {error}' if error else ''}".removesuffix(".")
        figure = f"the paper's {cell.row.name}: {cell.row.digits[cell.dataset]}"
        lines.append(f"* {evidence.title(cell.dataset)}, {one.label} ({figure}): {said}.")
    return Section("Figures of the paper without a run of ours", ("\n".join(lines),)) if lines else None


def _list_missing(evidence: Evidence) -> Section | None:
    lines = [
        f"* {card.title} ({card.kind}, {'×'.join(map(str, card.shape))}): {card.how_to_get}"
        for card in evidence.missing
    ]
    return Section("Datasets that are not there", ("\n".join(lines),)) if lines else None
