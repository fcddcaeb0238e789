"""`tensorfill components`: the parts that add up to a completed tensor, as files to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..interrupting import INTERRUPTED
from . import options
from .app import app

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..completion import Completion


@app.command(epilog="Example: tensorfill components holes.npz -o parts --rank 10,10,3")
def components(
    input: Annotated[Path, typer.Argument(metavar="INPUT", help="Data with holes, as for complete.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder for component-1, component-2 …")],
    output_format: Annotated[
        str | None,
        typer.Option(
            help="png, mkv …, or npy for the numbers themselves; else a picture or a clip that fits the data."
        ),
    ] = None,
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
        str, typer.Option(help="A method whose model is a sum.", autocompletion=options.method_names)
    ] = "nonneg-dual",
    rank: Annotated[str | None, typer.Option(help="One rank, or one per mode: 10,10,3.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any setting of the method; may be repeated."),
    ] = None,
    lower: options.Lower = "0",
    upper: options.Upper = "none",
    time_limit: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result, bit for bit.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are already there.")] = False,
) -> None:
    """Complete a file and write W(1) … W(K), which add up to the completed tensor.

    Components may be negative where others are positive. In pictures and clips they are stretched from their smallest
    to their largest value, and the table says which those are.
    """
    from .. import formats
    from .apart import check_apart
    from .console import show_notes, show_table
    from .forecasting import check_memory, forecast_of
    from .inputs import make_folder
    from .running import reading, run, uninterrupted
    from .source import Source
    from .typed_settings import bounds_from, rank_from, settings_from

    chosen: dict[str, Any] = {} if rank is None else {"rank": rank_from(rank)}
    chosen |= settings_from(set_ or (), taken=chosen)
    bounds = bounds_from(lower, upper)
    asked = Source.of(
        *(format, size, gray, frames, observed, mask, mask_means, missing, missing_frames),
        tolerance=tolerance,
        grow=grow,
        missing_slices=missing_slices,
        table=table,
    )
    with reading(input):
        source = asked.read(input)
    if not isinstance(source, formats.Contents):
        source = source.contents()
    show_notes(source.notes)
    extension = _extension(source, output_format)
    make_folder(output)
    count = source.ndim
    paths = [output / f"component-{number + 1}{extension}" for number in range(count)]
    check_apart([("input", input), *(("mask", path) for path, _ in asked.masks)], [("component", p) for p in paths])
    for path in paths:
        formats.check_place(path, force=force)
    check_memory(source, str(input), forecast_of(source, method, chosen))
    arguments: dict[str, Any] = {"method": method, "random_state": seed, "time_limit": time_limit, **chosen}
    done, notes = run(source.data, source.observed, lower=bounds.lower, upper=bounds.upper, **arguments)
    with uninterrupted():
        rows = []
        paths = [output / f"component-{number + 1}{extension}" for number in range(len(done.components))]
        for path in paths[count:]:  # how many there are is not known before
            formats.check_place(path, force=force)
        for path, component in zip(paths, done.components, strict=True):
            shown = formats.format_of(path).picture
            data = _stretched(component) if shown else component
            formats.write(path, formats.Contents(data, metadata=source.plain_metadata()), force=force)
            rows.append((str(path), f"{component.min():.4g}", f"{component.max():.4g}"))
        show_table(rows, headings=("file", "smallest", "largest"))
        interrupted = done.stop.kind == "interrupted"
        stopped = ("Stopped by Ctrl-C; these are the components so far.",) if interrupted else ()
        show_notes((*notes, *_unlike(done, len(rows), count), *stopped), err=False)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _extension(source: Any, output_format: str | None) -> str:
    """A picture for what is one, a clip for three modes and for colour video, else numbers."""
    from .. import formats

    if output_format is not None:
        found = formats.format_of(Path("component"), output_format)
        return found.extensions[0] if found.extensions else ""
    shape = source.shape
    if len(shape) == 2 or (len(shape) == 3 and shape[2] == 3):
        return ".png"
    return ".mkv" if len(shape) == 3 or (len(shape) == 4 and shape[3] == 3) else ".npy"


def _unlike(done: Completion, found: int, modes: int) -> tuple[str, ...]:
    """That there is not one component for each mode, and a constant among them if they are counted from one."""
    if found == modes:
        return ()
    told = f"{done.method} is a sum of {found}, not of one component for each of the {modes} modes"
    counted_from = "the smallest known value" if done.lower is None else "the lower bound"
    return (f"{told}{'' if done.lower == 0 else f': a constant is among them, as they count from {counted_from}'}.",)


def _stretched(component: NDArray[Any]) -> NDArray[np.uint8]:
    import numpy as np

    low, high = float(component.min()), float(component.max())
    return np.rint((component - low) * (255 / (high - low) if high > low else 0.0)).astype(np.uint8)
