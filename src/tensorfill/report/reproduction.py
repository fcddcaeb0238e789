"""The page on reproduction: what agrees with the paper, what doesn't, and why; every number from rows."""

from __future__ import annotations

from . import numbers
from .comparison import TOLERANCE, Compared, compared, papers_setup, rmse_by_label
from .evidence import Evidence, Setup, marked_title, percent
from .explanations import explain
from .nonnegativity import nonnegativity
from .oddities import diverging, duplicates, two_settings, zero_filling
from .results_table import approximate_notes, ours_text, paper_text
from .section import Section
from .table import Column, Entry, Table, number, words

TITLE = "What reproduces and what does not"
PAPER = (
    "T. K. Sinha, J. Naram, P. Kumar, “Nonnegative Low-Rank Tensor Completion via Dual Formulation with Applications "
    "to Image and Video Completion”"
)


def reproduction(evidence: Evidence, made_with: str) -> tuple[Section, ...]:
    """All sections of the page; `made_with` says which versions made it."""
    setup = papers_setup(evidence)
    sections = [_origin(evidence, made_with)]
    if setup is None:
        what = "No row has a tenth of the entries observed, so nothing can be put beside the paper's table."
        return (*sections, Section("The paper's table", (what,)), *_missing(evidence))
    cells = compared(evidence)
    if cells:
        sections += [_summary(cells), _agreeing(evidence, cells), _differing(evidence, setup, cells), *_without(cells)]
    else:
        sections.append(Section("The paper's table", ("No row is about a cell of it whose figure is at hand.",)))
    for section in (two_settings, zero_filling, diverging):
        sections += section(evidence, setup)
    sections += [duplicates()] if cells else []
    return (*sections, *nonnegativity(evidence, setup), *_missing(evidence))


def _origin(evidence: Evidence, made_with: str) -> Section:
    versions = sorted({f"{name} {version}" for row in evidence.rows for name, version in row.versions.items()})
    seeds = evidence.seeds()
    listed = ", ".join(map(str, seeds)) or "none"
    there = len(evidence.cards) - len(evidence.missing())
    return Section(
        "Where this comes from",
        (
            "This page is made by a program from the rows of a bench; do not edit it. For the paper's experiments:",
            "    tensorfill bench paper --data DIR --seeds 3 -o bench-paper\n"
            "    tensorfill report bench-paper -o report",
            f"{len(evidence.rows)} rows, {there} of {len(evidence.cards)} datasets there, "
            f"{len(evidence.labels)} methods, {'seed' if len(seeds) == 1 else 'seeds'} {listed}. They ran with "
            f"{', '.join(versions) or 'unknown versions'}; the report was made with {made_with}.",
            f"“The paper” is {PAPER}. Of its Table 2 only the figures below are at hand; nothing else is assumed.",
            *(f"Note: {problem}" for problem in evidence.problems),
        ),
    )


def _summary(cells: tuple[Compared, ...]) -> Section:
    there = [cell for cell in cells if cell.ratio is not None]
    same = sum(cell.reproduces for cell in there)
    lower = sum(not cell.reproduces and (cell.ratio or 0) < 1 for cell in there)
    others = (
        f" Of these ours is lower in {lower} and higher in {len(there) - same - lower}." if same < len(there) else ""
    )
    return Section(
        "In short",
        (
            f"{len(there)} cells have both a run of ours and a figure of the paper: {same} agree within "
            f"{percent(TOLERANCE)}, {len(there) - same} do not.{others} RMSE over all entries, a tenth of "
            "them observed; the paper's masks are not known, so ours are others.",
        ),
    )


_HEAD = (
    Column("dataset", numeric=False),
    Column("ours", numeric=False),
    Column("the paper's row", numeric=False),
    Column("our RMSE"),
    Column("paper"),
    Column("ratio"),
)


def _agreeing(evidence: Evidence, cells: tuple[Compared, ...]) -> Section:
    found = [cell for cell in cells if cell.reproduces]
    title = f"What reproduces (within {percent(TOLERANCE)})"
    if not found:
        return Section(title, ("No cell does.",))
    rows = tuple(_line(cell) for cell in found)
    notes = approximate_notes(evidence, tuple(dict.fromkeys(cell.cell.data.name for cell in found)))
    return Section(title, (Table("reproduces", title, _HEAD, rows, notes),))


def _differing(evidence: Evidence, setup: Setup, cells: tuple[Compared, ...]) -> Section:
    found = [cell for cell in cells if cell.ratio is not None and not cell.reproduces]
    title = f"What differs by more than {percent(TOLERANCE)}, and why"
    if not found:
        return Section(title, ("No cell does.",))
    rows = []
    for cell in found:
        reasons = explain(cell.cell, cell.paper, rmse_by_label(evidence, setup, cell.cell.data.name))
        rows.append((*_line(cell), words(" ".join(reasons) or "Not explained.")))
    head = (*_HEAD, Column("why", numeric=False, long=True))
    notes = approximate_notes(evidence, tuple(dict.fromkeys(cell.cell.data.name for cell in found)))
    return Section(title, (Table("differs", title, head, tuple(rows), notes),))


def _line(cell: Compared) -> tuple[Entry, ...]:
    ours, ratio = cell.cell.rmse, cell.ratio
    return (
        words(marked_title(cell.cell.data)),
        words(cell.cell.label),
        words(cell.row.name),
        number(ours.mean if ours else None, numbers.spread(ours) if ours else ""),
        number(cell.paper, paper_text(cell.paper)),
        number(ratio, numbers.ratio(ratio) if ratio is not None else ""),
    )


def _without(cells: tuple[Compared, ...]) -> list[Section]:
    found = [cell for cell in cells if cell.ratio is None]
    if not found:
        return []
    errors = [next((run.error for run in cell.cell.runs if run.error), None) for cell in found]
    lines = [
        f"* {marked_title(cell.cell.data)}, {cell.cell.label} (the paper's {cell.row.name}: {paper_text(cell.paper)}): "
        f"{ours_text(cell.cell)}.{f' {error}' if error and cell.cell.complaint != 'no data' else ''}".removesuffix(".")
        + "."
        for cell, error in zip(found, errors, strict=True)
    ]
    return [Section("Figures of the paper without a run of ours", ("\n".join(lines),))]


def _missing(evidence: Evidence) -> list[Section]:
    cards = evidence.missing()
    if not cards:
        return []
    lines = "\n".join(
        f"* {card.title} ({card.kind}, {'×'.join(map(str, card.shape))}): {card.how_to_get}" for card in cards
    )
    return [Section("Datasets that are not there", (lines,))]
