"""`tensorfill complete`: fill the missing entries of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import INTERRUPTED, app

_HOW = "How it is solved"


@app.command(epilog="Example: tensorfill complete holes.npz -o completed.png --rank 10,10,3 --report run.json")
def complete(
    input: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="Data with holes: .npy (NaN is missing), .npz, .png or .jpg."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write: .npy, .npz, .png or .jpg.")],
    observed: Annotated[
        Path | None,
        typer.Option(help="What is known: boolean .npy, .npz (key observed) or a picture (black is missing)."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(help="One of those that `tensorfill methods` lists; auto with --rank, --C … is nonneg-dual."),
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
        float | None, typer.Option(help="Stop after this many seconds and write what is there.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result, bit for bit.")] = 0,
    no_keep_observed: Annotated[
        bool, typer.Option("--no-keep-observed", help="Write the model's values at the observed entries too.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Write the model itself in floating point (.npy or .npz).")
    ] = False,
    clip_negative: Annotated[
        bool,
        typer.Option("--clip-negative", help="Set negative observed values to zero instead of refusing."),
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write all there is to know about the run as JSON.")] = None,
    uncertainty: Annotated[
        Path | None,
        typer.Option(
            help="Write how unsure each entry is: a picture (bright is unsure), or deviations (.npy or .npz)."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are already there.")] = False,
) -> None:
    """Fill the missing entries and write the result.

    The output has the dtype of the input, and the observed entries are kept exactly.

    Ctrl-C stops early and writes the best so far.
    """
    from ..methods.registry import method_for
    from .console import show_notes, show_table
    from .job import Job
    from .running import run, uninterrupted
    from .summary import lines
    from .typed_settings import rank_from, settings_from, weights_from
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
    job = Job(input, output, report, observed, seed=seed, raw=raw, clip_negative=clip_negative, force=force)
    job.check_places()
    unsure = None if uncertainty is None else UncertaintyFile(uncertainty)
    if unsure is not None:
        unsure.check_place((output, report), method_for(method, chosen), force=force)
    source = job.read()
    if unsure is not None:
        unsure.check_fits(source.data.shape)
    show_notes(source.notes)
    done, notes = run(
        source.data,
        source.observed,
        method=method,
        keep_observed=not no_keep_observed,
        negatives="clip" if clip_negative else "raise",
        random_state=seed,
        time_limit=time_limit,
        **chosen,
    )
    with uninterrupted():
        losses = job.write(done)
        show_table([*lines(done), ("written to", str(output))])
        interrupted = done.stop.kind == "interrupted"
        stopped = [f"Stopped by Ctrl-C; {output} holds the best so far."] if interrupted else []
        if interrupted and unsure is not None:
            stopped.append(f"{unsure.path} was not written.")
        show_notes((*notes, *losses, *stopped), err=False)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if unsure is not None:
        show_notes((unsure.write(done),), err=False)
