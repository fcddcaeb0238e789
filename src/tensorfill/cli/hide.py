"""`tensorfill hide`: make holes in complete data, to see how well they can be filled."""

from pathlib import Path
from typing import Annotated

import typer

from .app import app


@app.command(epilog="Example: tensorfill hide photo.png -o holes.npz --keep 0.1")
def hide(
    input: Annotated[Path, typer.Argument(metavar="INPUT", help="The data: .npy, .npz, .png or .jpg.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The .npz to write: keys data and observed.")],
    keep: Annotated[float, typer.Option(help="The share of entries to keep, above 0 and at most 1.")] = 0.1,
    pattern: Annotated[
        str,
        typer.Option(
            help="What is hidden together: uniform (nothing), pixels, fibres, blocks, boxes, lines, frames, slices, "
            "scratches or text; fibres-2, slices-1: along that mode."
        ),
    ] = "uniform",
    seed: Annotated[int, typer.Option(help="The same seed hides the same entries.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the output if it is already there.")] = False,
) -> None:
    """Hide entries at random, or whole regions, and write what is left.

    Hidden entries are really gone from the output: NaN in floating-point data, 0 otherwise.
    """
    import numpy as np

    from .. import formats, sampling
    from ..errors import InvalidInput
    from .console import show_notes
    from .running import uninterrupted

    formats.check_target(output, force=force)
    if output.suffix.lower() != ".npz":
        raise InvalidInput(f"The output of hide must be an .npz file, which also holds the mask. Got {output} instead.")
    source = formats.read(input)
    show_notes(source.notes)
    observed = source.known(sampling.mask(pattern, source.data.shape, keep, seed))
    gone = np.nan if source.data.dtype.kind == "f" else 0
    left = np.where(observed, source.data, np.asarray(gone, dtype=source.data.dtype))
    with uninterrupted():
        formats.write(output, formats.Contents(left, observed))
        count, size = int(observed.sum()), observed.size
        typer.echo(f"Kept {count:,} of {size:,} entries ({count / max(size, 1):.1%}) in {output}.")
