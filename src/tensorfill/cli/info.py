"""`tensorfill info`: what is in a file, and what completing it would take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import typer

from ..bounds import Bounds
from ..errors import TensorfillError
from ..formats import Contents, DataFile, Entries
from ..memory import available_memory
from ..methods.forecast import Forecast
from ..methods.registry import make
from ..telling import duration
from ..tensor import entries
from .console import show_notes, show_table
from .forecasting import forecast_of, gigabytes
from .options import MissingOptions, ReadingOptions
from .running import reading as show_reading
from .source import Source
from .summary import as_json

_AXES = {"Y": "row", "X": "column", "T": "frame", "Z": "slice", "C": "channel", "S": "colour"}


def info(
    input: Path, reading: ReadingOptions, missingness: MissingOptions, method: str, effort: str | None, json: bool
) -> None:
    """Describe one file."""
    settings = {} if effort is None else {"effort": effort}
    make(method, settings)
    asked = Source.of(reading, missingness)
    with show_reading(input):
        file = DataFile.of(input, reading.format)
        source = asked.read(file)
        facts = describe(file, source, method, settings)
    if json:
        typer.echo(as_json(facts | {"notes": list(source.notes)}))
        return
    show_table([(_name(key), _words(key, value)) for key, value in facts.items() if value is not None])
    show_notes(source.notes, err=False)


def describe(file: DataFile, source: Contents | Entries, method: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Everything worth telling."""
    total = entries(source.shape)
    facts = source.metadata
    values = source.data if isinstance(source, Contents) else source.values
    if isinstance(source, Contents) and (source.observed is not None or source.dtype.kind == "f"):
        values = values[source.missingness.mask]
    count = values.size
    expected = forecast_of(source, method, settings)
    finite = values.size and values.dtype.kind != "b"
    return {
        "file": str(file),
        "format": file.form.name,
        "kind": facts.kind,
        "shape": list(source.shape),
        "axes": [_AXES.get(letter, "other") for letter in facts.axes] or None,
        "dtype": str(source.dtype),
        "smallest": np.min(values).item() if finite else None,
        "largest": np.max(values).item() if finite else None,
        "entries": total,
        "known": count,
        "missing": total - count,
        "missing_share": (total - count) / total if total else 0.0,
        "frame_rate": None if facts.frame_rate is None else float(facts.frame_rate),
        "bands": list(facts.band_names) or None,
        "wavelengths": list(facts.wavelengths) or None,
        "what_it_would_do": _advise(source, total, count, expected, method),
        "memory_bytes": expected.bytes,
        "memory_free_bytes": available_memory(),
        "seconds": expected.seconds if 0 < count < total else 0.0,
    }


def _advise(source: Contents | Entries, total: int, count: int, expected: Forecast, method: str) -> str:
    """What `complete` would do with these data."""
    if count == total:
        return "Nothing: no entry is missing. Say what is with --mask, --missing or --missing-frames."
    if count == 0:
        return "Nothing: no entry is known."
    if not expected.fits and isinstance(source, Contents):
        return "Refuse: it would not fit into memory; give a part of it, or --gray, or a method that needs less."
    try:
        source.observed_tensor.within(Bounds())
    except TensorfillError as error:  # such as negative values
        return f"Refuse: {error}"
    return f"Fill {total - count:,} entries by {method}."


def _name(key: str) -> str:
    return {"seconds": "time"}.get(key, key.removesuffix("_bytes").replace("_", " "))


def _words(key: str, value: Any) -> str:
    if key == "shape":
        return " × ".join(map(str, value))
    if key.endswith("_bytes"):
        return f"about {gigabytes(value)}" if key == "memory_bytes" else gigabytes(value)
    if key == "seconds":
        return f"about {duration(value)} on two cores" if value else "none"
    if key == "missing_share":
        return f"{value:.1%}"
    if isinstance(value, list):
        shown = ", ".join(f"{one:g}" if isinstance(one, float) else str(one) for one in value[:5])
        return shown + (f" … ({len(value)})" if len(value) > 5 else "")
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)
