"""`tensorfill hide`: make holes in complete data, to see how well they can be filled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .app import app

if TYPE_CHECKING:
    from ..formats import Contents, Entries


@app.command(epilog="Example: tensorfill hide photo.png -o holes.npz --keep 0.1")
def hide(
    input: Annotated[Path, typer.Argument(metavar="INPUT", help="The data: picture, video, array …")],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="What is left: .npz holds the mask too, .png and .tif as transparency."),
    ],
    keep: Annotated[float, typer.Option(help="The share of entries to keep, above 0 and at most 1.")] = 0.1,
    pattern: Annotated[
        str,
        typer.Option(
            help="What is hidden together: uniform (nothing), pixels, fibres, blocks, boxes, lines, frames, slices, "
            "scratches or text; fibres-2, slices-1: along that mode."
        ),
    ] = "uniform",
    write_mask: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the mask, in which white, 1 or True means known."),
    ] = None,
    format: options.InputFormat = None,
    size: options.Size = None,
    gray: options.Gray = False,
    frames: options.Frames = None,
    table: options.Table = None,
    seed: Annotated[int, typer.Option(help="The same seed hides the same entries.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are already there.")] = False,
) -> None:
    """Hide entries at random, or whole regions, and write what is left.

    Hidden entries are really gone from the output: NaN in floating-point data, 0 otherwise. In a table their rows stay,
    without a value.
    """
    import numpy as np

    from .. import formats, sampling
    from ..formats.format import TableFormat
    from .apart import check_apart
    from .console import say, show_notes
    from .running import reading, uninterrupted
    from .source import Source

    written = [("output", output)] if write_mask is None else [("output", output), ("mask", write_mask)]
    check_apart([("input", input)], written)
    for _, path in written:
        formats.check_place(path, force=force)
    asked = Source.of(format, size, gray, frames, None, None, None, None, None, table=table)
    with reading(input):
        given = asked.read(input)
    show_notes(given.notes)
    source = given if isinstance(given, formats.Contents) else given.contents()
    observed = source.known(sampling.mask(pattern, source.shape, keep, seed))
    gone = np.nan if source.dtype.kind == "f" else 0
    left: Contents | Entries
    if isinstance(given, formats.Entries) and isinstance(formats.format_of(output), TableFormat):
        left = given.without(~observed[tuple(given.coordinates.T)])  # a table with its labels
    else:
        left = source.holed(np.where(observed, source.data, np.asarray(gone, dtype=source.dtype)), observed)
        if write_mask is None:
            _check_holds(output, left)
        formats.check_writable(output, left)
    with uninterrupted():
        losses = formats.write(output, left, force=force)
        if write_mask is not None:
            formats.write(write_mask, _mask_file(write_mask, observed, source), force=force)
        count, size_ = int(observed.sum()), observed.size
        say(f"Kept {count:,} of {size_:,} entries ({count / max(size_, 1):.1%}) in {output}.")
        if write_mask is not None:
            say(f"The mask is {write_mask}; complete takes it with --mask {write_mask} --mask-means known.")
        show_notes(losses)


def _check_holds(output: Path, left: Contents) -> None:
    """Refuse an output in which holes could not be told from black."""
    from .. import formats
    from ..errors import InvalidInput
    from ..formats.format import TableFormat

    form = formats.format_of(output)
    by_value = left.dtype.kind == "f" and not form.picture
    by_alpha = form.holds_alpha and left.metadata.alpha is not None
    if not (form.holds_mask or by_value or by_alpha or isinstance(form, TableFormat)):
        raise InvalidInput(
            f"{output} cannot tell what is hidden from what is 0; write an .npz, which holds the mask, or add "
            "--write-mask FILE."
        )


def _mask_file(path: Path, observed: object, source: Contents) -> Contents:
    """The mask as its format can hold it: boolean, or black and white; one channel if all are alike."""
    import numpy as np

    from .. import formats

    mask = np.asarray(observed)
    kind = source.metadata.kind
    coloured = mask.ndim == {"picture": 3, "video": 4}.get(kind, 0)
    if coloured and (mask == mask[..., :1]).all():
        mask = mask[..., 0]
    form = formats.format_of(path)
    if not form.picture and form.name in ("npy", "npz"):
        return formats.Contents(mask)
    if kind == "video" and form.picture and (mask == mask[:, :, :1]).all() and form.name in ("png", "tiff"):
        mask = mask[:, :, 0]
    return formats.Contents(mask.astype(np.uint8) * np.uint8(255), metadata=source.plain_metadata())
