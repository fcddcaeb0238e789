"""`tensorfill hide`: make holes in complete data, to see how well they can be filled."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .. import sampling
from ..errors import InvalidInput
from ..formats import Contents, DataFile, Entries, TableFormat
from .console import say, show_notes
from .options import ReadingOptions
from .places import check_apart
from .running import ignore_interrupts
from .running import reading as show_reading
from .source import Source


def hide(
    input: Path,
    output: Path,
    reading: ReadingOptions,
    keep: float,
    pattern: str,
    write_mask: Path | None,
    seed: int,
    force: bool,
) -> None:
    """Hide entries of one file."""
    target = DataFile.of(output)
    mask_file = None if write_mask is None else DataFile.of(write_mask)
    written = [("output", target)] if mask_file is None else [("output", target), ("mask", mask_file)]
    file = DataFile.of(input, reading.format)
    check_apart([("input", file.files)], [(what, place.files) for what, place in written])
    for _, place in written:
        place.check_place(force=force)
    asked = Source.of(reading)
    with show_reading(input):
        given = asked.read(file)
    show_notes(given.notes)
    source = given if isinstance(given, Contents) else given.contents()
    observed = source.known(sampling.mask(pattern, source.shape, keep, seed))
    gone = np.nan if source.dtype.kind == "f" else 0
    left: Contents | Entries
    if isinstance(given, Entries) and isinstance(target.form, TableFormat):
        left = given.without(~observed[tuple(given.coordinates.T)])  # a table with its labels
    else:
        left = source.hide(np.where(observed, source.data, np.asarray(gone, dtype=source.dtype)), observed)
        if mask_file is None:
            _check_holds(target, left)
        target.check_holds(left)
    with ignore_interrupts():
        losses = target.write(left, force=force)
        if mask_file is not None:
            mask_file.write(_mask_contents(mask_file, observed, source), force=force)
        count, size = int(observed.sum()), observed.size
        say(f"Kept {count:,} of {size:,} entries ({count / max(size, 1):.1%}) in {output}.")
        if mask_file is not None:
            say(f"The mask is {write_mask}; complete takes it with --mask {write_mask} --mask-means known.")
        show_notes(losses)


def _check_holds(output: DataFile, left: Contents) -> None:
    """Refuse an output in which holes could not be told from black."""
    form = output.form
    by_value = left.dtype.kind == "f" and not form.picture
    by_alpha = form.holds_alpha and left.metadata.alpha is not None
    if not (form.holds_mask or by_value or by_alpha or isinstance(form, TableFormat)):
        raise InvalidInput(
            f"{output} cannot tell what is hidden from what is 0; write an .npz, which holds the mask, or add "
            "--write-mask FILE."
        )


def _mask_contents(file: DataFile, observed: object, source: Contents) -> Contents:
    """The mask as its format can hold it: boolean, or black and white; one channel if all are alike."""
    mask = np.asarray(observed)
    kind = source.metadata.kind
    coloured = mask.ndim == {"picture": 3, "video": 4}.get(kind, 0)
    if coloured and (mask == mask[..., :1]).all():
        mask = mask[..., 0]
    form = file.form
    if not form.picture and form.name in ("npy", "npz"):
        return Contents(mask)
    if kind == "video" and form.picture and (mask == mask[:, :, :1]).all() and form.name in ("png", "tiff"):
        mask = mask[:, :, 0]
    return Contents(mask.astype(np.uint8) * np.uint8(255), metadata=source.plain_metadata())
