"""Options that several verbs share, in groups, with their help texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

_READ = "How files are read"
_MISSING = "What is missing"
_HOW = "How it is solved"
_BOUND = "NUMBER|none"

Force = Annotated[bool, typer.Option("--force", help="Replace files that are already there.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Rank = Annotated[str | None, typer.Option(help="One rank, or one per mode: 10,10,3.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result, bit for bit.")]
Keep = Annotated[float, typer.Option(help="The share of entries to keep, above 0 and at most 1.")]
HidingSeed = Annotated[int, typer.Option(help="The same seed hides the same entries.")]
Frames = Annotated[
    str | None,
    typer.Option(metavar="FIRST-LAST", help="Read only these frames, counted from 0: 0-99.", rich_help_panel=_READ),
]


def method_names(incomplete: str) -> list[str]:
    """Names of methods that begin like this, for the shell."""
    from ..methods.registry import available_methods  # heavy

    return [name for name in available_methods() if name.startswith(incomplete)]


@dataclass(frozen=True)
class ReadingOptions:
    """What a file does not say itself."""

    format: Annotated[
        str | None,
        typer.Option(
            "--format", help="The format of INPUT, if its name does not tell: png, yuv, csv …", rich_help_panel=_READ
        ),
    ] = None
    size: Annotated[
        str | None, typer.Option(metavar="COLUMNSxROWS", help="Of raw video, such as 176x144.", rich_help_panel=_READ)
    ] = None
    gray: Annotated[
        bool,
        typer.Option("--gray", help="Only the brightness of pictures and videos in colour.", rich_help_panel=_READ),
    ] = False
    frames: Frames = None
    table: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="How a table is laid out, if it can be read in several ways: wide (a matrix) or long (a line per "
            "entry); also header, no-header, labels, no-labels, decimal-comma, decimal-point. With commas: "
            "wide,no-header.",
            rich_help_panel=_READ,
        ),
    ] = None


@dataclass(frozen=True)
class MissingOptions:
    """What is missing in a file, beside what it says itself."""

    observed: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What is known, the same as --mask FILE --mask-means known.",
            rich_help_panel=_MISSING,
        ),
    ] = None
    mask: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A mask: picture, video or array of the data's shape, or of its first modes.",
            rich_help_panel=_MISSING,
        ),
    ] = None
    mask_means: Annotated[
        str | None,
        typer.Option(
            metavar="missing|known",
            help="What white, 1 or True in the mask stands for; never guessed.",
            rich_help_panel=_MISSING,
        ),
    ] = None
    missing: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE", help="A value that means missing: 0, or a colour: 255,0,255.", rich_help_panel=_MISSING
        ),
    ] = None
    tolerance: Annotated[
        float | None,
        typer.Option(
            metavar="LEVELS",
            help="How far a value may be from that of --missing, in each channel: 60, of 0 to 255 in 8-bit pictures.",
            rich_help_panel=_MISSING,
        ),
    ] = None
    grow: Annotated[
        int,
        typer.Option(
            metavar="PIXELS",
            help="Make holes wider by so many pixels, because their edges are blurred; not those of --missing-frames.",
            rich_help_panel=_MISSING,
        ),
    ] = 0
    missing_frames: Annotated[
        str | None,
        typer.Option(
            "--missing-frames",
            "--missing-bands",
            metavar="INDICES",
            help="Dead frames or bands, counted from 0: 10-12,20.",
            rich_help_panel=_MISSING,
        ),
    ] = None
    missing_slices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODE:INDICES",
            help="Dead slices of any mode, 1 the rows: 3:10-20,40 are indices 10 to 20 and 40 of mode 3; may be "
            "repeated.",
            rich_help_panel=_MISSING,
        ),
    ] = None


@dataclass(frozen=True)
class BoundOptions:
    """Bounds that entries keep to."""

    lower: Annotated[
        str,
        typer.Option(metavar=_BOUND, help="What no entry lies below, as none of the known does; none: no such bound."),
    ] = "0"
    upper: Annotated[str, typer.Option(metavar=_BOUND, help="What no entry lies above; none: no such bound.")] = "none"


@dataclass(frozen=True)
class SolvingOptions:
    """The method of `complete`, and its settings."""

    method: Annotated[
        str,
        typer.Option(
            help="One of those that `tensorfill methods` lists; auto with --rank, --C or --lam is nonneg-dual.",
            autocompletion=method_names,
        ),
    ] = "auto"
    effort: Annotated[
        str | None, typer.Option(help="How hard auto looks for the best method: low, normal or high.")
    ] = None
    rank: Rank = None
    C: Annotated[float | None, typer.Option("--C", help="How closely the observed entries are followed.")] = None
    lam: Annotated[str | None, typer.Option(help="Freedom of each mode, one or one per mode: 1,1,1.")] = None
    max_iter: Annotated[int | None, typer.Option(help="Stop after this many outer iterations.")] = None
    gradient_tolerance: Annotated[
        float | None, typer.Option(help="Stop when the gradient is this share of the cost.", rich_help_panel=_HOW)
    ] = None
    gap_tolerance: Annotated[
        float | None, typer.Option(help="Stop when the relative duality gap is this small.", rich_help_panel=_HOW)
    ] = None
    inner: Annotated[
        str | None, typer.Option(help="The inner solver: active-set or alternating.", rich_help_panel=_HOW)
    ] = None
    optimizer: Annotated[
        str | None,
        typer.Option(help="The outer solver: quasi-newton, conjugate-gradient or trust-region.", rich_help_panel=_HOW),
    ] = None
    start: Annotated[str | None, typer.Option(help="The starting point: spectral or random.", rich_help_panel=_HOW)] = (
        None
    )
    nonnegative_on: Annotated[
        str | None,
        typer.Option(help="Where nonnegativity is enforced: everywhere or observed.", rich_help_panel=_HOW),
    ] = None
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any setting of the method, such as tau=100 or rank_max=20,20,3; may be repeated.",
            rich_help_panel=_HOW,
        ),
    ] = None
    time_limit: Annotated[
        float | None, typer.Option(help="Stop after this many seconds per file and write what is there.")
    ] = None
    seed: Seed = 0
    no_keep_observed: Annotated[
        bool, typer.Option("--no-keep-observed", help="Write the model's values at the observed entries too.")
    ] = False
    clip_negative: Annotated[
        bool,
        typer.Option(
            "--clip-negative", help="Set observed values below --lower or above --upper to these instead of refusing."
        ),
    ] = False


@dataclass(frozen=True)
class WritingOptions:
    """What `complete` writes, and tells."""

    output_format: Annotated[
        str | None, typer.Option(help="The format of the output, if its name does not tell, or in a folder.")
    ] = None
    raw: Annotated[
        bool, typer.Option("--raw", help="Write the model itself in floating point (.npy, .npz, .tif …).")
    ] = False
    preview: Annotated[
        Path | None,
        typer.Option(help="Write a picture of before, after and difference; with several inputs, a folder of them."),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(help="Write all there is to know about the run as JSON; with several inputs, a folder."),
    ] = None
    uncertainty: Annotated[
        Path | None,
        typer.Option(
            help="Write how unsure each entry is: a picture (bright is unsure), or deviations (.npy or .npz)."
        ),
    ] = None
    force: Force = False
