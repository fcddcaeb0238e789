"""Where nonnegativity helps: the paper's method against the same without it, dataset by dataset."""

from __future__ import annotations

from . import numbers
from .cell import Cell
from .evidence import Evidence, Setup, percent
from .results_table import approximate_notes
from .section import Section
from .table import Column, Entry, Table, number, words

NOTICEABLE = 0.005
"""A smaller change of the RMSE is called none."""

_HEAD = (
    Column("dataset", numeric=False),
    Column("dual"),
    Column("nonneg-dual"),
    Column("ratio"),
    Column("dual, unobserved"),
    Column("nonneg-dual, unobserved"),
    Column("dual: entries below 0"),
    Column("dual: smallest value"),
    Column("W ≥ 0", numeric=False),
)


def nonnegativity(evidence: Evidence, setup: Setup) -> list[Section]:
    """A table and a sentence for every outcome; nothing if the two never ran on the same dataset."""
    rows: list[tuple[Entry, ...]] = []
    outcomes: dict[str, list[str]] = {"helps": [], "changes nothing": [], "costs": []}
    shown: list[str] = []
    label = evidence.default_label("nonneg-dual")
    if not {"dual", label} <= set(evidence.labels_at(setup)):
        return []
    for dataset in evidence.datasets_at(setup):
        without, within = evidence.cell(setup, dataset, "dual"), evidence.cell(setup, dataset, label)
        if without.rmse is None or within.rmse is None:
            continue
        change = within.rmse.mean / without.rmse.mean
        outcome = verdict(change)
        outcomes[outcome].append(evidence.title(dataset))
        shown.append(dataset)
        rows.append((words(evidence.title(dataset)), *_numbers(without, within, change), words(outcome)))
    if not rows:
        return []
    title = "Where nonnegativity helps"
    sentences = {
        "helps": "W ≥ 0 lowers the RMSE on {}.",
        "changes nothing": f"It changes it by less than {percent(NOTICEABLE)} on {{}}.",
        "costs": "It raises it on {}.",
    }
    said = " ".join(sentences[outcome].format(_listed(names)) for outcome, names in outcomes.items() if names)
    text = (
        "`dual` and `nonneg-dual` are the same problem without and with W ≥ 0, at the same setting. Where the model is "
        f"hardly ever negative by itself, there is little to gain. {said}"
    )
    return [
        Section(
            title, (text, Table("nonnegativity", title, _HEAD, tuple(rows), approximate_notes(evidence, tuple(shown))))
        )
    ]


def verdict(change: float) -> str:
    """What a ratio of RMSEs, with over without W ≥ 0, says.

    >>> verdict(0.977), verdict(0.9999), verdict(1.02)
    ('helps', 'changes nothing', 'costs')
    """
    if abs(change - 1) < NOTICEABLE:
        return "changes nothing"
    return "helps" if change < 1 else "costs"


def _numbers(without: Cell, within: Cell, change: float) -> tuple[Entry, ...]:
    hidden = [cell.over_seeds(lambda run: run.rmse_unobserved) for cell in (without, within)]
    negative = without.over_seeds(lambda run: run.negative_share)
    smallest = min((run.smallest for run in without.good if run.smallest is not None), default=None)
    errors = [cell.rmse for cell in (without, within)]
    return (
        *(number(found.mean, numbers.spread(found)) for found in errors if found),
        number(change, f"{change:.3f}"),
        *(number(found.mean, numbers.error(found.mean)) if found else words("–") for found in hidden),
        number(negative.mean, numbers.share(negative.mean)) if negative else words("–"),
        number(smallest, f"{smallest:.3g}") if smallest is not None else words("–"),
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
