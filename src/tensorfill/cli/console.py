"""What verbs print: lines, tables and notes; a completion in a few lines, and in full as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import __version__
from ..completion import Completion, Iteration, as_json, describe_run
from ..metrics import Score
from ..telling import harmless
from .app import in_flags

# Where nobody looks at the width (a pipe, a file), a sentence stays on one line and can be searched for.
_UNBOUNDED_WIDTH = 10_000


def say(sentence: str, *, err: bool = False) -> None:
    """One line, whatever the names in it are."""
    typer.echo(harmless(sentence), err=err)


def show_notes(notes: Iterable[str], *, err: bool = True) -> None:
    """One line per note; on standard output those that belong to a result."""
    for note in notes:
        say(f"Note: {in_flags(note)}", err=err)


def show_table(rows: Iterable[Sequence[str]], headings: Sequence[str] = ()) -> None:
    """Print rows in aligned columns."""
    # Text rather than markup: a file called [red].npy is only a name.
    table = Table(box=None, show_header=bool(headings), header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    rows = [tuple(row) for row in rows]
    for heading in headings or [""] * (len(rows[0]) if rows else 0):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(harmless(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else _UNBOUNDED_WIDTH, highlight=False).print(table)


def show_json(value: Any) -> None:
    """Print all of it as JSON."""
    typer.echo(as_json(value))


# A completion, and how good it is


def summarise(done: Completion) -> list[tuple[str, str]]:
    """The rows of the short table."""
    observed = done.observed
    rows = [
        ("method", done.method),
        ("observed", f"{observed.count:,} of {observed.size:,} entries ({observed.share:.1%})"),
        ("stopped because", in_flags(done.stop.sentence)),
        ("iterations", str(done.iterations)),
        ("seconds", f"{done.seconds:.2f}"),
    ]
    rows += [(f"{name} because", done.reasons[name]) for name in ("weights", "bases") if name in done.reasons]
    if done.certificate is not None:
        rows.append(("relative gap", f"{done.certificate.relative_gap:.2e}"))
    if done.smallest is not None:
        rows.append((f"smallest entry{'' if done.lower is None else ' before clipping'}", f"{done.smallest:.6g}"))
    if done.negative_share:
        count = round(done.negative_share * observed.size)
        what = "zero" if done.lower == 0 else done.lower
        rows.append((f"below {what} before clipping", f"{count:,} of the entries ({done.negative_share:.2%})"))
    return rows


def describe_step(step: Iteration) -> str:
    """One iteration in one line."""
    line = f"iteration {step.iteration}  cost {step.cost:.6g}"
    shown = {"gradient": "gradient_norm", "gap": "relative_gap"}  # of what some methods measure
    told = (f"  {word} {step.measures[name]:.2e}" for word, name in shown.items() if name in step.measures)
    return line + "".join(told)


def summarise_score(score: Score) -> list[tuple[str, str]]:
    """The rows that compare an estimate with the truth."""
    hidden = "not known" if score.rmse_unobserved is None else f"{score.rmse_unobserved:.6f}"
    return [
        ("RMSE, all entries", f"{score.rmse:.6f}"),
        ("RMSE, unobserved entries", hidden),
        ("PSNR, all entries", f"{score.psnr:.2f} dB"),
    ]


def report_on(done: Completion) -> dict[str, Any]:
    """Everything worth keeping about a completion, and what made it."""
    return {"tensorfill": __version__, **describe_run(done)}
