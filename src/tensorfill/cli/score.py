"""`tensorfill score`: how far an estimate is from the truth."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from .. import metrics
from ..errors import InvalidInput
from ..formats import Contents, DataFile, read_mask
from ..formats.reading import Reading
from .console import show_notes, show_table
from .options import ReadingOptions
from .running import reading as show_reading
from .source import Source
from .summary import as_json, score_lines


def score(
    truth: Path,
    estimate: Path,
    reading: ReadingOptions,
    observed: Path | None,
    estimate_format: str | None,
    json: bool,
) -> None:
    """Compare two files."""
    how = Source.of(reading).how
    true_file, estimate_file = DataFile.of(truth, reading.format), DataFile.of(estimate, estimate_format)
    true = _read(true_file, how)
    found = _read(estimate_file, replace(how, frames=None))
    show_notes((*true.notes, *found.notes))
    known = true.known()
    if not known.any():
        raise InvalidInput(f"{truth} has no known entry, so there is nothing to compare with.")
    mask = found.observed
    if observed is not None:
        mask, notes = read_mask(observed, known.shape, "known", size=how.size)
        show_notes(notes)
    values = _on_scale_of(true.data, found, is_picture=estimate_file.form.picture)
    if values.shape == known.shape and not known.all():
        show_notes([f"{int((~known).sum()):,} entries are missing in {truth} itself and are left out."])
        result = metrics.score(true.data[known], values[known], None if mask is None else mask[known])
    else:
        result = metrics.score(true.data, values, mask)
    if json:
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


def _read(file: DataFile, how: Reading) -> Contents:
    with show_reading(file.path):
        found = file.read(how)
        return found if isinstance(found, Contents) else found.contents()


def _on_scale_of(truth: NDArray[Any], found: Contents, *, is_picture: bool) -> NDArray[Any]:
    """The estimate's values; a picture of floating-point data in [0, 1] was scaled when it was written."""
    if is_picture and truth.dtype.kind == "f" and np.nanmax(truth) <= 1:
        return found.data / float(np.iinfo(found.data.dtype).max)
    return found.data
