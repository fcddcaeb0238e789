"""What verbs print: lines, tables and notes; a completion in a few lines, and in full as JSON."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import __version__
from ..completion import Completion, Iteration
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
    """Everything worth keeping about a completion."""
    proof = done.certificate
    return {
        "tensorfill": __version__,
        "method": done.method,
        "settings": dict(done.settings),
        "reasons": dict(done.reasons),
        "shape": list(done.observed.shape),
        "dtype": str(done.observed.dtype),
        "observed_count": done.observed.count,
        "observed_share": done.observed.share,
        "seconds": done.seconds,
        "iterations": done.iterations,
        "stop": {"kind": done.stop.kind, "sentence": done.stop.sentence},
        "certificate": proof and {**asdict(proof), "gap": proof.gap, "relative_gap": proof.relative_gap},
        "lower": done.lower,
        "upper": done.upper,
        "smallest_before_clipping": done.smallest,
        "negative_share_before_clipping": done.negative_share,
        "nonnegative": done.nonnegative,
        "notes": list(done.notes),
        "history": [
            {"iteration": step.iteration, "seconds": step.seconds, "cost": step.cost, **step.measures}
            for step in done.history
        ],
    }


def as_json(value: Any) -> str:
    """Strict JSON: what is not a finite number is null."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else str(value)
