"""Options that several verbs share, in groups, with their help texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

_reading = partial(typer.Option, rich_help_panel="How files are read")
_missing = partial(typer.Option, rich_help_panel="What is missing")
_solving = partial(typer.Option, rich_help_panel="How it is solved")
_large = partial(typer.Option, rich_help_panel="What is large")
_BOUND = "NUMBER|none"

Force = Annotated[bool, typer.Option("--force", help="Replace files that are already there.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Rank = Annotated[str | None, typer.Option(help="One rank, or one per mode: 10,10,3.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result, bit for bit.")]
Keep = Annotated[float, typer.Option(help="The share of entries to keep, above 0 and at most 1.")]
HidingSeed = Annotated[int, typer.Option(help="The same seed hides the same entries.")]


def method_names(incomplete: str) -> list[str]:
    """Names of methods that begin like this, for the shell."""
    from ..methods.registry import available_methods  # heavy

    return [name for name in available_methods() if name.startswith(incomplete)]


@dataclass(frozen=True)
class ReadingOptions:
    """What a file does not say itself."""

    format: Annotated[
        str | None, _reading("--format", help="The format of INPUT, if its name does not tell: png, yuv, csv …")
    ] = None
    size: Annotated[str | None, _reading(metavar="COLUMNSxROWS", help="Of raw video, such as 176x144.")] = None
    gray: Annotated[bool, _reading("--gray", help="Only the brightness of pictures and videos in colour.")] = False
    frames: Annotated[
        str | None, _reading(metavar="FIRST-LAST", help="Read only these frames, counted from 0: 0-99.")
    ] = None
    table: Annotated[
        str | None,
        _reading(
            metavar="WORDS",
            help="How a table is laid out, if it can be read in several ways: wide (a matrix) or long (a line per "
            "entry); also header, no-header, labels, no-labels, decimal-comma, decimal-point. With commas: "
            "wide,no-header.",
        ),
    ] = None
    coordinates: Annotated[
        str | None,
        _reading(
            metavar="COLUMNS",
            help="The columns of a long table that are coordinates, by name or by number from 1 on: userId,movieId. "
            "Others are left out.",
        ),
    ] = None
    value: Annotated[str | None, _reading(metavar="COLUMN", help="The column of a long table that has the values.")] = (
        None
    )


@dataclass(frozen=True)
class MissingOptions:
    """What is missing in a file, beside what it says itself."""

    observed: Annotated[
        Path | None, _missing(metavar="FILE", help="What is known, the same as --mask FILE --mask-means known.")
    ] = None
    mask: Annotated[
        Path | None,
        _missing(metavar="FILE", help="A mask: picture, video or array of the data's shape, or of its first modes."),
    ] = None
    mask_means: Annotated[
        str | None,
        _missing(metavar="missing|known", help="What white, 1 or True in the mask stands for; never guessed."),
    ] = None
    missing: Annotated[
        str | None, _missing(metavar="VALUE", help="A value that means missing: 0, or a colour: 255,0,255.")
    ] = None
    tolerance: Annotated[
        float | None,
        _missing(
            metavar="LEVELS",
            help="How far a value may be from that of --missing, in each channel: 60, of 0 to 255 in 8-bit pictures.",
        ),
    ] = None
    grow: Annotated[
        int,
        _missing(
            metavar="PIXELS",
            help="Make holes wider by so many pixels, because their edges are blurred; not those of --missing-frames.",
        ),
    ] = 0
    missing_frames: Annotated[
        str | None,
        _missing(
            "--missing-frames",
            "--missing-bands",
            metavar="INDICES",
            help="Dead frames or bands, counted from 0: 10-12,20.",
        ),
    ] = None
    missing_slices: Annotated[
        list[str] | None,
        _missing(
            metavar="MODE:INDICES",
            help="Dead slices of any mode, 1 the rows: 3:10-20,40 are indices 10 to 20 and 40 of mode 3; may be "
            "repeated.",
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
    C: Annotated[
        str | None, typer.Option("--C", help="How closely the observed entries are followed; auto: by held-out ones.")
    ] = None
    lam: Annotated[str | None, typer.Option(help="Freedom of each mode, one or one per mode: 1,1,1; or auto.")] = None
    max_iter: Annotated[int | None, typer.Option(help="Stop after this many outer iterations.")] = None
    gradient_tolerance: Annotated[float | None, _solving(help="Stop when the gradient is this share of the cost.")] = (
        None
    )
    gap_tolerance: Annotated[float | None, _solving(help="Stop when the relative duality gap is this small.")] = None
    inner: Annotated[str | None, _solving(help="The inner solver: active-set or alternating.")] = None
    optimizer: Annotated[
        str | None, _solving(help="The outer solver: quasi-newton, conjugate-gradient or trust-region.")
    ] = None
    start: Annotated[str | None, _solving(help="The starting point: spectral or random.")] = None
    nonnegative_on: Annotated[str | None, _solving(help="Where nonnegativity is enforced: everywhere or observed.")] = (
        None
    )
    set_: Annotated[
        list[str] | None,
        _solving(
            "--set",
            metavar="NAME=VALUE",
            help="Any setting of the method, such as tau=100 or rank_max=20,20,3; may be repeated.",
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
class TileOptions:
    """How `complete` goes about what is large, and about many files."""

    tile: Annotated[
        str,
        _large(
            metavar="auto|none|SIZES",
            help="Cut into overlapping tiles: auto, where it would not fit into memory; the size of tiles, one number "
            "or one per mode: 240,427,60; or none.",
        ),
    ] = "auto"
    checkpoint: Annotated[
        Path | None,
        _large(
            metavar="DIR",
            help="Where to keep what is finished, so that the same command goes on from there. Default: beside the "
            "output, in runs that will take over five minutes.",
        ),
    ] = None
    fresh: Annotated[bool, _large("--fresh", help="Begin anew, whatever is kept.")] = False
    scheduler: Annotated[
        str | None,
        _large(
            metavar="WHERE",
            help="Who works on tiles, or on several files: threads, processes, processes:4, or a Dask cluster, "
            "tcp://host:8786.",
        ),
    ] = None


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
    only: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write only the entries that this table asks for: a line per entry, with its coordinates.",
        ),
    ] = None
    uncertainty: Annotated[
        Path | None,
        typer.Option(
            help="Write how unsure each entry is: a picture (bright is unsure), or deviations (.npy or .npz); with "
            "--only, a table."
        ),
    ] = None
    force: Force = False
