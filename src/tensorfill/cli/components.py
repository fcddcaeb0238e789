"""`tensorfill components`: the parts that add up to a completed tensor, as files to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..completion import Completion
from ..formats import Contents, DataFile
from ..interrupting import INTERRUPTED
from .console import show_notes, show_table
from .forecasting import check_memory, forecast_of
from .job import named_inputs
from .options import BoundOptions, MissingOptions, ReadingOptions
from .places import check_apart, make_folder
from .running import ignore_interrupts, run
from .running import reading as show_reading
from .source import Source
from .typed import parse_bounds, parse_rank, parse_settings


def components(
    input: Path,
    output: Path,
    reading: ReadingOptions,
    missingness: MissingOptions,
    bounds: BoundOptions,
    output_format: str | None,
    method: str,
    rank: str | None,
    set_: list[str] | None,
    time_limit: float | None,
    seed: int,
    force: bool,
) -> None:
    """Complete one file and write the components of its completion."""
    settings: dict[str, Any] = {} if rank is None else {"rank": parse_rank(rank)}
    settings |= parse_settings(set_ or (), taken=settings)
    limits = parse_bounds(bounds.lower, bounds.upper)
    asked = Source.of(reading, missingness)
    with show_reading(input):
        file = DataFile.of(input, reading.format)
        found = asked.read(file)
    source = found if isinstance(found, Contents) else found.contents()
    show_notes(source.notes)
    extension = _extension(source, output_format)
    make_folder(output)
    count = source.ndim
    files = _component_files(output, extension, count)
    check_apart(named_inputs(file, asked), [("component", place.files) for place in files])
    for place in files:
        place.check_place(force=force)
    check_memory(source, str(file), forecast_of(source, method, settings))
    arguments: dict[str, Any] = {"method": method, "random_state": seed, "time_limit": time_limit, **settings}
    done, notes = run(source, lower=limits.lower, upper=limits.upper, **arguments)
    with ignore_interrupts():
        files = _component_files(output, extension, len(done.components))
        for place in files[count:]:  # how many there are is not known before
            place.check_place(force=force)
        rows = []
        for place, component in zip(files, done.components, strict=True):
            data = _stretch(component) if place.form.picture else component
            place.write(Contents(data, metadata=source.plain_metadata()), force=force)
            rows.append((str(place), f"{component.min():.4g}", f"{component.max():.4g}"))
        show_table(rows, headings=("file", "smallest", "largest"))
        interrupted = done.stop.kind == "interrupted"
        stopped = ("Stopped by Ctrl-C; these are the components so far.",) if interrupted else ()
        show_notes((*notes, *_note_count(done, len(rows), count), *stopped), err=False)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _component_files(folder: Path, extension: str, count: int) -> list[DataFile]:
    return [DataFile.of(folder / f"component-{number + 1}{extension}") for number in range(count)]


def _extension(source: Contents, output_format: str | None) -> str:
    """A picture for what is one, a clip for three modes and for colour video, else numbers."""
    if output_format is not None:
        found = DataFile.of("component", output_format).form
        return found.extensions[0] if found.extensions else ""
    shape = source.shape
    if len(shape) == 2 or (len(shape) == 3 and shape[2] == 3):
        return ".png"
    return ".mkv" if len(shape) == 3 or (len(shape) == 4 and shape[3] == 3) else ".npy"


def _note_count(done: Completion, found: int, modes: int) -> tuple[str, ...]:
    """That there is not one component for each mode, and a constant among them if they are counted from one."""
    if found == modes:
        return ()
    told = f"{done.method} is a sum of {found}, not of one component for each of the {modes} modes"
    counted_from = "the smallest known value" if done.lower is None else "the lower bound"
    return (f"{told}{'' if done.lower == 0 else f': a constant is among them, as they count from {counted_from}'}.",)


def _stretch(component: NDArray[Any]) -> NDArray[np.uint8]:
    low, high = float(component.min()), float(component.max())
    return np.rint((component - low) * (255 / (high - low) if high > low else 0.0)).astype(np.uint8)
