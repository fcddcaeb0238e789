"""`tensorfill complete`: fill the missing entries of files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .app import app

_HOW = "How it is solved"


@app.command(epilog="Example: tensorfill complete scan.tif -o filled.tif --missing 0 --preview before-after.png")
def complete(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT...", help="Data with holes: pictures, videos, arrays, tables; or a folder of them."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Where to write; with several inputs, a folder."),
    ],
    format: options.InputFormat = None,
    output_format: Annotated[
        str | None, typer.Option(help="The format of the output, if its name does not tell, or in a folder.")
    ] = None,
    each: Annotated[
        bool, typer.Option("--each", help="Complete every file of a folder on its own, even numbered pictures.")
    ] = False,
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
        str,
        typer.Option(
            help="One of those that `tensorfill methods` lists; auto with --rank, --C or --lam is nonneg-dual.",
            autocompletion=options.method_names,
        ),
    ] = "auto",
    effort: Annotated[
        str | None, typer.Option(help="How hard auto looks for the best method: low, normal or high.")
    ] = None,
    rank: Annotated[str | None, typer.Option(help="One rank, or one per mode: 10,10,3.")] = None,
    C: Annotated[float | None, typer.Option("--C", help="How closely the observed entries are followed.")] = None,
    lam: Annotated[str | None, typer.Option(help="Freedom of each mode, one or one per mode: 1,1,1.")] = None,
    max_iter: Annotated[int | None, typer.Option(help="Stop after this many outer iterations.")] = None,
    gradient_tolerance: Annotated[
        float | None,
        typer.Option(help="Stop when the gradient is this share of the cost.", rich_help_panel=_HOW),
    ] = None,
    gap_tolerance: Annotated[
        float | None,
        typer.Option(help="Stop when the relative duality gap is this small.", rich_help_panel=_HOW),
    ] = None,
    inner: Annotated[
        str | None, typer.Option(help="The inner solver: active-set or alternating.", rich_help_panel=_HOW)
    ] = None,
    optimizer: Annotated[
        str | None,
        typer.Option(help="The outer solver: quasi-newton, conjugate-gradient or trust-region.", rich_help_panel=_HOW),
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="The starting point: spectral or random.", rich_help_panel=_HOW)
    ] = None,
    nonnegative_on: Annotated[
        str | None,
        typer.Option(help="Where nonnegativity is enforced: everywhere or observed.", rich_help_panel=_HOW),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any setting of the method, such as tau=100 or rank_max=20,20,3; may be repeated.",
            rich_help_panel=_HOW,
        ),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Stop after this many seconds per file and write what is there.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result, bit for bit.")] = 0,
    no_keep_observed: Annotated[
        bool, typer.Option("--no-keep-observed", help="Write the model's values at the observed entries too.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Write the model itself in floating point (.npy, .npz, .tif …).")
    ] = False,
    lower: options.Lower = "0",
    upper: options.Upper = "none",
    clip_negative: Annotated[
        bool,
        typer.Option(
            "--clip-negative", help="Set observed values below --lower or above --upper to these instead of refusing."
        ),
    ] = False,
    preview: Annotated[
        Path | None,
        typer.Option(help="Write a picture of before, after and difference; with several inputs, a folder of them."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write all there is to know about the run as JSON; with several inputs, a folder."),
    ] = None,
    uncertainty: Annotated[
        Path | None,
        typer.Option(
            help="Write how unsure each entry is: a picture (bright is unsure), or deviations (.npy or .npz)."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON instead of a table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are already there.")] = False,
) -> None:
    """Fill the missing entries of files and write the results.

    The output has the dtype of the input, and the observed entries are kept exactly.

    Ctrl-C stops early and writes the best so far.
    """
    from ..bounds import Bounds
    from .completing import Completing
    from .inputs import beside, format_for, places
    from .job import Job
    from .source import Source
    from .typed_settings import bounds_from, rank_from, settings_from, weights_from
    from .uncertainty_file import UncertaintyFile

    settings = {
        "effort": effort,
        "rank": None if rank is None else rank_from(rank),
        "C": C,
        "lam": None if lam is None else weights_from(lam),
        "max_iter": max_iter,
        "gradient_tolerance": gradient_tolerance,
        "gap_tolerance": gap_tolerance,
        "inner": inner,
        "optimizer": optimizer,
        "start": start,
        "nonnegative_on": nonnegative_on,
    }
    chosen = {name: value for name, value in settings.items() if value is not None}
    chosen |= settings_from(set_ or (), taken=chosen)
    bounds = bounds_from(lower, upper)
    source = Source.of(
        *(format, size, gray, frames, observed, mask, mask_means, missing, missing_frames),
        tolerance=tolerance,
        grow=grow,
        missing_slices=missing_slices,
        table=table,
    )
    output_format = format_for(inputs, output, output_format, each=each)
    found = places(inputs, output, each=each, format=format, output_format=output_format)
    several = len(found) > 1
    jobs = [
        Job(
            input=place.input,
            output=place.output,
            report=beside(report, place, ".json", several=several),
            preview=beside(preview, place, ".png", several=several),
            uncertainty=None
            if uncertainty is None
            else UncertaintyFile(beside(uncertainty, place, ".npy", several=several) or uncertainty, force),
            source=source,
            output_format=output_format,
            seed=seed,
            raw=raw,
            bounds=bounds,
            force=force,
        )
        for place in found
    ]
    arguments = {
        "method": method,
        "keep_observed": not no_keep_observed,
        "negatives": "clip" if clip_negative else "raise",
        "random_state": seed,
        "time_limit": time_limit,
    }
    if bounds != Bounds():
        arguments |= {"lower": bounds.lower, "upper": bounds.upper}
    Completing(jobs, arguments, chosen, json=json, quiet=quiet).run()
