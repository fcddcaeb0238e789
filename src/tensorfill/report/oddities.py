"""Odd rows of the paper's table, beside what our runs say about them."""

from __future__ import annotations

from dataclasses import replace

from . import numbers
from .comparison import rmse_by_label
from .evidence import Evidence, Setup
from .published import published
from .results_table import approximate_notes, paper_entry
from .section import Section
from .table import Column, Entry, Table, number, words


def two_settings(evidence: Evidence, setup: Setup) -> list[Section]:
    """`Dual` at the paper's setting and at λ_k = n_k, beside the paper's own method."""
    title = "`Dual` at two settings"
    table = _beside(
        evidence,
        setup,
        Table("two-settings", title, (), ()),
        ("dual-demo", "dual", evidence.default_label("nonneg-dual")),
        ("dual-demo", "nonneg-dual"),
    )
    if table is None:
        return []
    text = (
        "Inference: the paper says only that the λ_k were chosen according to `Dual` and the rest as in the authors' "
        "programs. Its figures come out if its own method has λ_k = n_k and C = 10, and `Dual` the setting of its "
        "authors' demonstration, λ = (1, 1, 1) and C = 1000; that it ran them so is our conclusion. On a colour "
        "picture the third mode then has full rank and carries about half of W, by copying observed samples between "
        "channels. Here `dual-demo` is that setting and `dual` the same method at λ_k = n_k; `nonneg-dual`, the "
        "paper's method, has λ_k = n_k too."
    )
    said = [text]
    for dataset in evidence.datasets_at(setup):
        ours, proposed = rmse_by_label(evidence, setup, dataset), published().named("proposed").digits.get(dataset)
        if {"dual", "dual-demo"} <= ours.keys():
            change = ours["dual"] / ours["dual-demo"]
            beside = "" if proposed is None else f", beside {proposed} that the paper gives for its own method"
            said.append(
                f"* {evidence.title(dataset)}: {numbers.error(ours['dual-demo'])} with the demonstration's setting, "
                f"{numbers.error(ours['dual'])} at λ_k = n_k (ratio {numbers.ratio(change)}){beside}."
            )
    return [Section(title, (said[0], table, *(["\n".join(said[1:])] if said[1:] else [])))]


def zero_filling(evidence: Evidence, setup: Setup) -> list[Section]:
    """NCPC and TMac, whose figures in the paper are near zero filling's."""
    title = "NCPC and TMac near zero filling"
    table = _beside(
        evidence,
        setup,
        Table("zero-filling", title, (), ()),
        ("zero-fill", "mean-fill", "ncpc", "tmac"),
        ("ncpc", "tmac"),
    )
    if table is None:
        return []
    lines = []
    for dataset in evidence.datasets_at(setup):
        zeros = rmse_by_label(evidence, setup, dataset).get("zero-fill")
        for row in (published().named("NCPC"), published().named("TMac")):
            if zeros is not None and dataset in row.digits:
                lines.append(
                    f"* {evidence.title(dataset)}, {row.name}: the paper's {row.digits[dataset]} is "
                    f"{numbers.ratio(row.rmse[dataset] / zeros)} times the error of zero filling, "
                    f"{numbers.error(zeros)}."
                )
    text = "Zero filling puts 0 wherever nothing is known; mean filling puts the mean of the known entries there."
    return [Section(title, (text, table, *(["\n".join(lines)] if lines else [])))]


def diverging(evidence: Evidence, setup: Setup) -> list[Section]:
    """GeomCG where its error is larger than the data."""
    lines = []
    for dataset in evidence.datasets_at(setup):
        for label, method in evidence.labels.items():
            if method != "geomcg" or label not in evidence.labels_at(setup):
                continue
            cell = evidence.cell(setup, dataset, label)
            row = published().row(label, method)
            paper = row.digits.get(dataset) if row else None
            found = [run for run in cell.good if run.rmse is not None]
            if cell.rmse is None or max(cell.rmse.mean, float(paper or 0)) <= 1:
                continue
            each = ", ".join(f"{numbers.error(run.rmse)} (seed {run.seed})" for run in found if run.rmse is not None)
            lowest = min((run.smallest for run in found if run.smallest is not None), default=None)
            below = "" if lowest is None else f"; smallest value {lowest:.3g}"
            beside = "" if paper is None else f", the paper's {paper}"
            lines.append(f"* {evidence.title(dataset)}: RMSE {each}{below}{beside}.")
    text = (
        "An RMSE above 1 on data in [0, 1] is worse than any constant between 0 and 1. geomCG has no safeguard on its "
        "step by default, and where the rank is too large for the sampling it fits the known entries with outliers "
        "elsewhere; the figure then depends on seed and iteration count."
    )
    return [Section("geomCG's divergence", (text, "\n".join(lines)))] if lines else []


def duplicates() -> Section:
    """Cells of the paper with the same digits."""
    lines = [
        f"* {dataset.capitalize()}: {one} and {other} are both {figure}."
        for dataset, one, other, figure in published().repeated()
    ]
    text = (
        f"Of the {published().cells} cells these have the digits of another one of their dataset. Inference: two "
        "methods hardly agree in every digit by chance, so one cell of such a pair is likely a copying mistake."
    )
    return Section("Duplicated cells in the paper's table", (text, "\n".join(lines)))


def _beside(
    evidence: Evidence, setup: Setup, empty: Table, labels: tuple[str, ...], paper_methods: tuple[str, ...]
) -> Table | None:
    """Our RMSE for some labels and the paper's for some rows, by dataset; None where the first label has no run."""
    rows: list[tuple[Entry, ...]] = []
    shown: list[str] = []
    papers = [row for method in paper_methods if (row := published().row(method, method))]
    for dataset in evidence.datasets_at(setup):
        ours = rmse_by_label(evidence, setup, dataset)
        if not any(label in ours for label in labels):
            continue
        shown.append(dataset)
        theirs = [paper_entry(row, dataset) for row in papers]
        rows.append((words(evidence.title(dataset)), *(_our_entry(ours.get(label)) for label in labels), *theirs))
    if labels[0] not in evidence.labels_at(setup) or not rows:
        return None
    head = (
        Column("dataset", numeric=False),
        *(Column(f"{label}, ours") for label in labels),
        *(Column(f"{row.name}, paper") for row in papers),
    )
    return replace(empty, columns=head, rows=tuple(rows), notes=approximate_notes(evidence, tuple(shown)))


def _our_entry(value: float | None) -> Entry:
    return number(value, "" if value is None else numbers.error(value))
