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
from .job import check_apart, make_folder, name_inputs
from .options import BoundOptions, MissingOptions, ReadingOptions, SolvingOptions
from .solving import Solving, check_memory, ignore_interrupts
from .source import Source, as_array, reading


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
    options = SolvingOptions(method=method, rank=rank, set_=set_, time_limit=time_limit, seed=seed)
    asked = Solving.of(options, bounds)
    source, file, data = _read(input, reading, missingness)
    extension = _choose_extension(data, output_format)
    make_folder(output)
    count = data.ndim  # how many components there are is not known before, but most methods have one for each mode
    files = _component_files(output, extension, count)
    check_apart(name_inputs(file, source), [("component", place.files) for place in files])
    for place in files:
        place.check_place(force=force)
    check_memory(data, str(file), asked.forecast(data)[0])
    done, notes = asked.run_alone(data)
    with ignore_interrupts():
        files = _component_files(output, extension, len(done.components))
        for place in files[count:]:
            place.check_place(force=force)
        rows = []
        for place, component in zip(files, done.components, strict=True):
            shown = _stretch(component) if place.form.picture else component
            place.write(Contents(shown, metadata=data.plain_metadata()), force=force)
            rows.append((str(place), f"{component.min():.4g}", f"{component.max():.4g}"))
        show_table(rows, headings=("file", "smallest", "largest"))
        show_notes((*notes, *_note_count(done, len(rows), count)), err=False)
        if done.stop.kind == "interrupted":
            show_notes(("Stopped by Ctrl-C; these are the components so far.",), err=False)
            raise typer.Exit(INTERRUPTED)


def _read(input: Path, options: ReadingOptions, missingness: MissingOptions) -> tuple[Source, DataFile, Contents]:
    source = Source.of(options, missingness)
    with reading(input):
        file = DataFile.of(input, options.format)
        data = as_array(source.read(file))
    show_notes(data.notes)
    return source, file, data


def _component_files(folder: Path, extension: str, count: int) -> list[DataFile]:
    return [DataFile.of(folder / f"component-{number + 1}{extension}") for number in range(count)]


def _choose_extension(source: Contents, output_format: str | None) -> str:
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
    """Values from the smallest to the largest as 8 bits."""
    low, high = float(component.min()), float(component.max())
    return np.rint((component - low) * (255 / (high - low) if high > low else 0.0)).astype(np.uint8)
