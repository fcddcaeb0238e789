"""`tensorfill score`: how far an estimate is from the truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .app import app

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..formats import Contents


@app.command(epilog="Example: tensorfill score photo.png completed.png --observed holes.npz")
def score(
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="The complete data.")],
    estimate: Annotated[Path, typer.Argument(metavar="ESTIMATE", help="What is compared with it.")],
    observed: Annotated[
        Path | None,
        typer.Option(help="What was known: a boolean array, an .npz (key observed) or a picture (black is missing)."),
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", help="The format of TRUTH, if its name does not tell: yuv, csv …")
    ] = None,
    estimate_format: Annotated[
        str | None, typer.Option(help="The format of ESTIMATE, if its name does not tell.")
    ] = None,
    size: options.Size = None,
    gray: options.Gray = False,
    frames: Annotated[
        str | None,
        typer.Option(metavar="FIRST-LAST", help="Compare with these frames of TRUTH only, counted from 0: 0-99."),
    ] = None,
    table: options.Table = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Print RMSE and PSNR on a scale where the truth lies in [0, 1].

    Without --observed, an .npz estimate says itself what was observed.
    """
    from .. import formats, metrics
    from ..errors import InvalidInput
    from .console import show_notes, show_table
    from .running import reading
    from .source import Source
    from .summary import as_json, score_lines

    how = Source.of(format, size, gray, frames, None, None, None, None, None, table=table)
    same: dict[str, Any] = {"size": how.size, "gray": how.gray, "table": table}
    with reading(truth):
        true = formats.read_contents(truth, format=how.format, frames=how.frames, **same)
    with reading(estimate):
        found = formats.read_contents(estimate, format=estimate_format, **same)
    show_notes((*true.notes, *found.notes))
    known = true.known()
    if not known.any():
        raise InvalidInput(f"{truth} has no known entry, so there is nothing to compare with.")
    mask = found.observed
    if observed is not None:
        mask, notes = formats.read_mask(observed, known.shape, "known", size=how.size)
        show_notes(notes)
    values = _on_scale_of(true.data, found, is_picture=formats.format_of(estimate, estimate_format).picture)
    if values.shape == known.shape and not known.all():
        show_notes([f"{int((~known).sum()):,} entries are missing in {truth} itself and are left out."])
        result = metrics.score(true.data[known], values[known], None if mask is None else mask[known])
    else:
        result = metrics.score(true.data, values, mask)
    if json:
        from dataclasses import asdict

        typer.echo(as_json(asdict(result)))
        return
    show_table(
        [
            *score_lines(result),
            ("smallest entry", f"{result.smallest:.6g}"),
            ("negative entries", f"{result.negative_share:.2%}"),
            ("divided by", f"{result.scale:g}"),
        ]
    )


def _on_scale_of(truth: NDArray[Any], found: Contents, *, is_picture: bool) -> NDArray[Any]:
    """The estimate's values; a picture of floating-point data in [0, 1] was scaled when it was written."""
    import numpy as np

    if is_picture and truth.dtype.kind == "f" and np.nanmax(truth) <= 1:
        return found.data / float(np.iinfo(found.data.dtype).max)
    return found.data
