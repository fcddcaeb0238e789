"""`tensorfill info`: what is in a file, and what completing it would take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .app import app

if TYPE_CHECKING:
    from ..formats import Contents, Entries


_AXES = {"Y": "row", "X": "column", "T": "frame", "Z": "slice", "C": "channel", "S": "colour"}


@app.command(epilog="Example: tensorfill info clip.mp4 --missing-frames 10-12")
def info(
    input: Annotated[Path, typer.Argument(metavar="FILE", help="A picture, video, array, table, or folder of frames.")],
    format: options.InputFormat = None,
    size: options.Size = None,
    gray: options.Gray = False,
    frames: options.Frames = None,
    table: options.Table = None,
    observed: options.Observed = None,
    mask: options.Mask = None,
    mask_means: options.MaskMeans = None,
    missing: options.Missing = None,
    tolerance: options.Tolerance = None,
    grow: options.Grow = 0,
    missing_frames: options.MissingFrames = None,
    missing_slices: options.MissingSlices = None,
    method: Annotated[
        str, typer.Option(help="The method to tell about.", autocompletion=options.method_names)
    ] = "auto",
    effort: Annotated[str | None, typer.Option(help="The effort of auto: low, normal or high.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Tell shape, kind, range and holes of a file, and about how much memory and time completing it would take."""
    from ..methods.registry import make
    from .console import show_notes, show_table
    from .running import reading
    from .source import Source
    from .summary import as_json

    settings = {} if effort is None else {"effort": effort}
    make(method, settings)
    asked = Source.of(
        *(format, size, gray, frames, observed, mask, mask_means, missing, missing_frames),
        tolerance=tolerance,
        grow=grow,
        missing_slices=missing_slices,
        table=table,
    )
    with reading(input):
        source = asked.read(input)
        told = described(input, source, method, settings, format)
    if json:
        typer.echo(as_json(told | {"notes": list(source.notes)}))
        return
    show_table([(_name(key), _words(key, value)) for key, value in told.items() if value is not None])
    show_notes(source.notes, err=False)


def described(
    path: Path, source: Contents | Entries, method: str, settings: dict[str, Any], format: str | None = None
) -> dict[str, Any]:
    """Everything worth telling; `format` is what the user calls the format, if the name of the file does not tell."""
    import numpy as np

    from .. import formats
    from ..memory import available_memory
    from ..tensor import entries
    from .forecasting import forecast_of

    total = entries(source.shape)
    facts = source.metadata
    values = source.data if isinstance(source, formats.Contents) else source.values
    if isinstance(source, formats.Contents) and (source.observed is not None or source.dtype.kind == "f"):
        values = values[source.known()]
    count = values.size
    expected = forecast_of(source, method, settings)
    whole = expected.fits or isinstance(source, formats.Entries)
    if count == total:
        advice = "Nothing: no entry is missing. Say what is with --mask, --missing or --missing-frames."
    elif count == 0:
        advice = "Nothing: no entry is known."
    elif not whole:
        advice = "Refuse: it would not fit into memory; give a part of it, or --gray, or a method that needs less."
    elif refusal := _refusal(source):
        advice = f"Refuse: {refusal}"
    else:
        advice = f"Fill {total - count:,} entries by {method}."
    finite = values.size and values.dtype.kind != "b"
    return {
        "file": str(path),
        "format": formats.format_of(path, format).name,
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
        "what_it_would_do": advice,
        "memory_bytes": expected.bytes,
        "memory_free_bytes": available_memory(),
        "seconds": expected.seconds if 0 < count < total else 0.0,
    }


def _refusal(source: Contents | Entries) -> str | None:
    """Why data that can be read would not be completed, such as negative values; None if it would."""
    from .. import formats
    from ..errors import TensorfillError
    from ..observed import ObservedTensor

    try:
        if isinstance(source, formats.Contents):
            ObservedTensor.from_array(source.data, source.observed)
        else:
            source.observed_tensor()
    except TensorfillError as error:
        return str(error)
    return None


def _name(key: str) -> str:
    return {"seconds": "time"}.get(key, key.removesuffix("_bytes").replace("_", " "))


def _words(key: str, value: Any) -> str:
    from ..bench.durations import duration
    from .forecasting import gigabytes

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
