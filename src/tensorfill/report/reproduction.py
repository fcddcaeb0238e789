"""The page on reproduction: what agrees with the paper, what doesn't, and why; every number from rows."""

from __future__ import annotations

from collections import Counter

from . import numbers
from .claims import claims
from .comparison import TOLERANCE, Compared, PaperCell, paper_cells, papers_setup, rmse_by_label
from .evidence import Evidence, Setup, marked_title, percent
from .explanations import explain
from .figures_in_numbers import figures_in_numbers
from .nonnegativity import nonnegativity
from .oddities import diverging, duplicates, two_settings, zero_filling
from .papers_table import papers_table
from .published import published
from .results_table import approximate_notes, our_entry, paper_entry, time_notes
from .section import Section
from .table import Column, Entry, Table, number, words
from .two_solvers import two_solvers

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
    cells = paper_cells(evidence)
    if any(cell.ours for cell in cells):
        sections += [_summary(cells), papers_table(evidence, cells), _agreeing(evidence, cells)]
        sections += [_differing(evidence, setup, cells), *_without(cells), *claims(evidence, setup, cells)]
        sections += figures_in_numbers(evidence, setup)
    else:
        sections.append(Section("The paper's table", ("No row is about a cell of it.",)))
    for section in (two_solvers, two_settings, zero_filling, diverging):
        sections += section(evidence, setup)
    sections += [duplicates()] if any(cell.ours for cell in cells) else []
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
            f"{evidence.asked}, {'seed' if len(seeds) == 1 else 'seeds'} {listed}. They ran with "
            f"{', '.join(versions) or 'unknown versions'}; the report was made with {made_with}.",
            f"“The paper” is {PAPER}. What is a conclusion of ours, neither said there nor measured, is marked "
            "“Inference”.",
            *(f"Note: {problem}" for problem in evidence.problems),
        ),
    )


def _summary(cells: tuple[PaperCell, ...]) -> Section:
    there = [cell for cell in cells if cell.complaint is None]
    same = sum(cell.judge is not None and cell.judge.reproduces for cell in there)
    otherwise = sum(cell.agreeing is not None for cell in there) - same
    differing = [cell for cell in there if cell.agreeing is None]
    lower = sum(cell.judge is not None and (cell.judge.ratio or 0) < 1 for cell in differing)
    missing = Counter(cell.complaint for cell in cells if cell.complaint is not None)
    why = ", ".join(f"{complaint}: {count}" for complaint, count in missing.most_common())
    return Section(
        "In short",
        (
            f"The paper's Table 2 has {published().cells} cells. {len(there)} of them have a run of ours"
            f"{f' (the others: {why})' if why else ''}. Each is judged by one setting, the nearest to the authors' own "
            f"program: {same} agree within {percent(TOLERANCE)}; {otherwise} more do at another setting that we ran; "
            f"{len(differing)} agree at none, where ours is lower in {lower} and higher in {len(differing) - lower}. "
            "RMSE over all entries, a tenth of them observed; the paper's masks are not known, so ours are others.",
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


def _agreeing(evidence: Evidence, cells: tuple[PaperCell, ...]) -> Section:
    found = [cell for cell in cells if cell.agreeing is not None]
    title = f"What reproduces (within {percent(TOLERANCE)})"
    if not found:
        return Section(title, ("No cell does.",))
    rows = tuple((*_line(cell.agreeing), words(_others(cell, cell.agreeing))) for cell in found if cell.agreeing)
    head = (*_HEAD, Column("our other settings", numeric=False, long=True))
    notes = (
        *time_notes(cell.agreeing.cell for cell in found if cell.agreeing),
        *approximate_notes(evidence, tuple(dict.fromkeys(cell.dataset for cell in found))),
    )
    return Section(title, (Table("reproduces", title, head, rows, notes),))


def _differing(evidence: Evidence, setup: Setup, cells: tuple[PaperCell, ...]) -> Section:
    found = [(cell, cell.judge) for cell in cells if cell.judge and cell.judge.ratio and cell.agreeing is None]
    title = f"What differs by more than {percent(TOLERANCE)}, and why"
    if not found:
        return Section(title, ("No cell does.",))
    rows = []
    encoded = _encoding(evidence, setup)
    for cell, judge in found:
        others = rmse_by_label(evidence, setup, cell.dataset)
        reasons = explain(judge.cell, judge.paper, others, encoded.get(judge.cell.label))
        why = " ".join(reasons) or "No reason found."
        rows.append((*_line(judge), words(_others(cell, judge)), words(why)))
    more = (Column("our other settings", numeric=False, long=True), Column("why", numeric=False, long=True))
    notes = (
        *time_notes(judge.cell for _, judge in found),
        *approximate_notes(evidence, tuple(dict.fromkeys(cell.dataset for cell, _ in found))),
    )
    return Section(title, (Table("differs", title, (*_HEAD, *more), tuple(rows), notes),))


def _encoding(evidence: Evidence, setup: Setup) -> dict[str, float]:
    """By label, the RMSE on the encoded Hall over that on the raw one."""
    raw, encoded = (rmse_by_label(evidence, setup, name) for name in ("hall", "hall_h264_control"))
    found = {label: encoded[label] / raw[label] for label in raw.keys() & encoded.keys()}
    ours = evidence.default_label("nonneg-dual")
    # Both solvers solve the same problem; the encoding is a matter of the data.
    return found | ({evidence.published_label("nonneg-dual"): found[ours]} if ours in found else {})


def _line(one: Compared) -> tuple[Entry, ...]:
    ours, ratio = one.cell.rmse, one.ratio
    return (
        words(marked_title(one.cell.data)),
        words(one.cell.label),
        words(one.row.name),
        our_entry(one.cell, numbers.spread(ours)) if ours else number(None, ""),
        paper_entry(one.row, one.cell.data.name),
        number(ratio, numbers.ratio(ratio) if ratio is not None else ""),
    )


def _others(cell: PaperCell, shown: Compared) -> str:
    """The other settings of the method and what they give, the one that counts first."""
    others = [one.cell for one in cell.ours if one is not shown]
    return ", ".join(f"{other.label} {numbers.error(other.rmse.mean)}" for other in others if other.rmse)


def _without(cells: tuple[PaperCell, ...]) -> list[Section]:
    """What did not end well; data that is not there is told elsewhere."""
    lines = []
    for one in (one for cell in cells for one in cell.ours if one.cell.complaint not in (None, "no data")):
        error = next((run.error for run in one.cell.runs if run.error), None)
        figure = one.row.digits[one.cell.data.name]
        said = f"{one.cell.complaint}.{f' {error}' if error else ''}".removesuffix(".")
        lines.append(
            f"* {marked_title(one.cell.data)}, {one.cell.label} (the paper's {one.row.name}: {figure}): {said}."
        )
    return [Section("Figures of the paper without a run of ours", ("\n".join(lines),))] if lines else []


def _missing(evidence: Evidence) -> list[Section]:
    cards = evidence.missing()
    if not cards:
        return []
    lines = "\n".join(
        f"* {card.title} ({card.kind}, {'×'.join(map(str, card.shape))}): {card.how_to_get}" for card in cards
    )
    return [Section("Datasets that are not there", (lines,))]
