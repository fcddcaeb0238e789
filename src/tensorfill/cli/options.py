"""Options that several verbs share, with their help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def method_names(incomplete: str) -> list[str]:
    """Names of methods that begin like this, for the shell."""
    from ..methods.registry import available_methods

    return [name for name in available_methods() if name.startswith(incomplete)]


_BOUND = "NUMBER|none"
Lower = Annotated[
    str, typer.Option(metavar=_BOUND, help="What no entry lies below, as none of the known does; none: no such bound.")
]
Upper = Annotated[str, typer.Option(metavar=_BOUND, help="What no entry lies above; none: no such bound.")]

_READ = "How files are read"
_HOLES = "What is missing"

InputFormat = Annotated[
    str | None,
    typer.Option(
        "--format", help="The format of INPUT, if its name does not tell: png, yuv, csv …", rich_help_panel=_READ
    ),
]
Size = Annotated[
    str | None, typer.Option(metavar="COLUMNSxROWS", help="Of raw video, such as 176x144.", rich_help_panel=_READ)
]
Gray = Annotated[
    bool, typer.Option("--gray", help="Only the brightness of pictures and videos in colour.", rich_help_panel=_READ)
]
Frames = Annotated[
    str | None,
    typer.Option(metavar="FIRST-LAST", help="Read only these frames, counted from 0: 0-99.", rich_help_panel=_READ),
]
Table = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS",
        help="How a table is laid out, if it can be read in several ways: wide (a matrix) or long (a line per entry); "
        "also header, no-header, labels, no-labels, decimal-comma, decimal-point. With commas: wide,no-header.",
        rich_help_panel=_READ,
    ),
]
Observed = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What is known, the same as --mask FILE --mask-means known.",
        rich_help_panel=_HOLES,
    ),
]
Mask = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A mask: picture, video or array of the data's shape, or of its first modes.",
        rich_help_panel=_HOLES,
    ),
]
MaskMeans = Annotated[
    str | None,
    typer.Option(
        metavar="missing|known",
        help="What white, 1 or True in the mask stands for; never guessed.",
        rich_help_panel=_HOLES,
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE", help="A value that means missing: 0, or a colour: 255,0,255.", rich_help_panel=_HOLES
    ),
]
MissingFrames = Annotated[
    str | None,
    typer.Option(
        "--missing-frames",
        "--missing-bands",
        metavar="INDICES",
        help="Dead frames or bands, counted from 0: 10-12,20.",
        rich_help_panel=_HOLES,
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        metavar="LEVELS",
        help="How far a value may be from that of --missing, in each channel: 60, of 0 to 255 in 8-bit pictures.",
        rich_help_panel=_HOLES,
    ),
]
Grow = Annotated[
    int,
    typer.Option(
        metavar="PIXELS",
        help="Make holes wider by so many pixels, because their edges are blurred; not those of --missing-frames.",
        rich_help_panel=_HOLES,
    ),
]
MissingSlices = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODE:INDICES",
        help="Dead slices of any mode, 1 the rows: 3:10-20,40 are indices 10 to 20 and 40 of mode 3; may be repeated.",
        rich_help_panel=_HOLES,
    ),
]
