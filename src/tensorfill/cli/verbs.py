"""The verbs of the command as their users see them: arguments, options, help; their work is in other files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .app import verb
from .options import BoundOptions, MissingOptions, ReadingOptions, SolvingOptions, TileOptions, WritingOptions


@verb(example="tensorfill info clip.mp4 --missing-frames 10-12", work="info")
def info(
    input: Annotated[Path, typer.Argument(metavar="FILE", help="A picture, video, array, table, or folder of frames.")],
    reading: ReadingOptions,
    missingness: MissingOptions,
    method: Annotated[
        str, typer.Option(help="The method to tell about.", autocompletion=options.method_names)
    ] = "auto",
    effort: Annotated[str | None, typer.Option(help="The effort of auto: low, normal or high.")] = None,
    json: options.Json = False,
) -> None:
    """Tell shape, kind, range and holes of a file, and about how much memory and time completing it would take."""


@verb(example="tensorfill hide photo.png -o holes.npz --keep 0.1", work="data")
def hide(
    input: Annotated[Path, typer.Argument(metavar="INPUT", help="The data: picture, video, array …")],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="What is left: .npz holds the mask too, .png and .tif as transparency."),
    ],
    reading: ReadingOptions,
    keep: options.Keep = 0.1,
    pattern: Annotated[
        str,
        typer.Option(
            help="What is hidden together: uniform (nothing), pixels, fibres, blocks, boxes, lines, frames, slices, "
            "scratches or text; fibres-2, slices-1: along that mode."
        ),
    ] = "uniform",
    write_mask: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the mask, in which white, 1 or True means known.")
    ] = None,
    seed: options.HidingSeed = 0,
    force: options.Force = False,
) -> None:
    """Hide entries at random, or whole regions, and write what is left.

    Hidden entries are really gone from the output: NaN in floating-point data, 0 otherwise. In a table their rows stay,
    without a value.
    """


@verb(example="tensorfill complete scan.tif -o filled.tif --missing 0 --preview before-after.png", work="complete")
def complete(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT...", help="Data with holes: pictures, videos, arrays, tables; or a folder of them."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write; with several inputs, a folder.")],
    reading: ReadingOptions,
    missingness: MissingOptions,
    solving: SolvingOptions,
    bounds: BoundOptions,
    tiles: TileOptions,
    writing: WritingOptions,
    each: Annotated[
        bool, typer.Option("--each", help="Complete every file of a folder on its own, even numbered pictures.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON instead of a table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Fill the missing entries of files and write the results.

    The output has the dtype of the input, and the observed entries are kept exactly. What is too large for memory is
    completed in tiles, piece by piece.

    Ctrl-C stops early and writes the best so far.
    """


@verb(example="tensorfill components holes.npz -o parts --rank 10,10,3", work="components")
def components(
    input: Annotated[Path, typer.Argument(metavar="INPUT", help="Data with holes, as for complete.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder for component-1, component-2 …")],
    reading: ReadingOptions,
    missingness: MissingOptions,
    bounds: BoundOptions,
    output_format: Annotated[
        str | None,
        typer.Option(
            help="png, mkv …, or npy for the numbers themselves; else a picture or a clip that fits the data."
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="A method whose model is a sum.", autocompletion=options.method_names)
    ] = "nonneg-dual",
    rank: options.Rank = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any setting of the method; may be repeated."),
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Complete a file and write W(1) … W(K), which add up to the completed tensor.

    Components may be negative where others are positive. In pictures and clips they are stretched from their smallest
    to their largest value, and the table says which those are.
    """


@verb(example="tensorfill score photo.png completed.png --observed holes.npz", work="data")
def score(
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="The complete data.")],
    estimate: Annotated[Path, typer.Argument(metavar="ESTIMATE", help="What is compared with it.")],
    reading: ReadingOptions,
    observed: Annotated[
        Path | None,
        typer.Option(help="What was known: a boolean array, an .npz (key observed) or a picture (black is missing)."),
    ] = None,
    estimate_format: Annotated[
        str | None, typer.Option(help="The format of ESTIMATE, if its name does not tell.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Print RMSE and PSNR on a scale where the truth lies in [0, 1].

    Options about reading are about TRUTH; --size, --gray and --table about ESTIMATE too. Without --observed, an .npz
    estimate says itself what was observed.
    """


@verb(example="tensorfill methods", work="data")
def methods() -> None:
    """List the methods: what each is, whether it is nonnegative, where it comes from."""


@verb(example="tensorfill demo -o demo", work="data")
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder for the pictures.")] = Path("demo"),
    keep: options.Keep = 0.1,
    seed: options.HidingSeed = 0,
    force: options.Force = False,
) -> None:
    """Hide most of a picture, complete it, and show both next to the truth."""


@verb(example="tensorfill bench quick -o results", work="bench")
def bench(
    plan: Annotated[
        str | None, typer.Argument(metavar="PLAN", help="A plan that ships (see --list), or a .toml file.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder with the data files; else TENSORFILL_DATA.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Where the rows go. Default: bench-PLAN.")
    ] = None,
    methods: Annotated[str | None, typer.Option(help="Only these, by name or label: nonneg-dual,dual.")] = None,
    datasets: Annotated[str | None, typer.Option(help="Only these: hall,baboon.")] = None,
    experiments: Annotated[str | None, typer.Option(help="Only these: table.")] = None,
    seeds: Annotated[
        int | None, typer.Option(help="How many seeds, in every experiment that has more than one in the plan.")
    ] = None,
    rates: Annotated[str | None, typer.Option(help="Shares to keep, instead of those of the plan: 0.05,0.1.")] = None,
    patterns: Annotated[
        str | None, typer.Option(help="Patterns of holes, instead of those of the plan: uniform,blocks.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Runs at a time; each may use its share of the cores. Default: 4, or all cores.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE", help="processes, processes:4, or a Dask cluster, tcp://host:8786, for runs elsewhere."
        ),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds after which a method is asked to stop, instead of those of the plan.")
    ] = None,
    with_files: Annotated[
        list[Path] | None,
        typer.Option("--with", metavar="FILE", help="A Python file with a METHOD or a DATASET of your own; it is run."),
    ] = None,
    again: Annotated[
        str | None, typer.Option(help="Run again what is there: 'failed' (crashed and timed out too), or 'all'.")
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="Show what would run, or the plans that ship.")] = False,
) -> None:
    """Measure methods on datasets, each run in a process of its own.

    Stopped at any moment and started again, it runs only what is missing. A method or a dataset of your own joins every
    experiment of the plan.
    """


@verb(example="tensorfill report bench-paper -o report", work="bench")
def report(
    rows: Annotated[Path, typer.Argument(metavar="ROWS", help="The folder that bench wrote, or its rows.jsonl.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder to write; an earlier report is replaced.")],
    force: Annotated[
        bool, typer.Option("--force", help="Write into a folder that holds other files, beside them.")
    ] = False,
) -> None:
    """Make tables, figures and one HTML page out of rows.

    Nothing is measured: every number comes from the rows, or from the paper. A row that cannot be read is named and
    left out.
    """


@verb(example="tensorfill serve photo.png", work="serve")
def serve(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="What is open from the beginning, as for complete.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port; else 8377, or any that is free.")] = None,
    host: Annotated[
        str | None,
        typer.Option(
            help="An address of this machine, so that others can reach the page; with it come all who know the key "
            "in the printed address. Default: this machine alone."
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> None:
    """Open a local web page to paint holes and watch them fill in; nothing is sent anywhere.

    Its address is printed on a line of its own. Ctrl-C stops it.
    """
