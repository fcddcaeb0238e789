"""Verbs about one data file, `hide` and `score`; the `demo`; and the list of `methods`."""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib.resources import as_file
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from .. import metrics, sampling
from ..errors import InvalidInput
from ..formats import Contents, DataFile, Entries, TableFormat, read_contents, read_mask
from ..formats.contents import Reading
from ..interrupting import INTERRUPTED
from ..methods.registry import available_methods
from .console import say, show_json, show_notes, show_table, summarise, summarise_score
from .job import check_apart, make_folder
from .options import ReadingOptions
from .preview import side_by_side
from .solving import Solving, ignore_interrupts
from .source import Source, as_array
from .source import reading as show_reading


def methods() -> None:
    """One row per method."""
    rows = [
        (name, method.summary, "yes" if method.nonnegative else "no", method.reference)
        for name, method in available_methods().items()
    ]
    show_table(rows, headings=("method", "what it is", "nonnegative", "reference"))


# Holes in complete data, to see how well they can be filled


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
    source = Source.of(reading)
    file, target = DataFile.of(input, reading.format), DataFile.of(output)
    mask_file = None if write_mask is None else DataFile.of(write_mask)
    written = [("output", target), *([] if mask_file is None else [("mask", mask_file)])]
    check_apart([("input", file.files)], [(what, place.files) for what, place in written])
    for _, place in written:
        place.check_place(force=force)
    with show_reading(input):
        given = source.read(file)
    show_notes(given.notes)
    whole = as_array(given)
    observed = whole.known(sampling.mask(pattern, whole.shape, keep, seed))
    left: Contents | Entries
    if isinstance(given, Entries) and isinstance(target.form, TableFormat):
        left = given.without(~observed[tuple(given.coordinates.T)])  # a table with its labels
    else:
        gone = np.asarray(np.nan if whole.dtype.kind == "f" else 0, dtype=whole.dtype)
        left = whole.hide(np.where(observed, whole.data, gone), observed)
        if mask_file is None:
            _check_holds(target, left)
        target.check_holds(left)
    with ignore_interrupts():
        losses = target.write(left, force=force)
        if mask_file is not None:
            mask_file.write(_mask_contents(mask_file, observed, whole), force=force)
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


def _mask_contents(file: DataFile, mask: NDArray[np.bool_], whole: Contents) -> Contents:
    """The mask as its format can hold it: boolean, or black and white; one channel if all are alike."""
    kind, form = whole.metadata.kind, file.form
    coloured = mask.ndim == {"picture": 3, "video": 4}.get(kind, 0)
    if coloured and (mask == mask[..., :1]).all():
        mask = mask[..., 0]
    if form.name in ("npy", "npz"):
        return Contents(mask)
    if kind == "video" and form.name in ("png", "tiff") and (mask == mask[:, :, :1]).all():
        mask = mask[:, :, 0]
    return Contents(mask.astype(np.uint8) * np.uint8(255), metadata=whole.plain_metadata())


# How far an estimate is from the truth


def score(
    truth: Path,
    estimate: Path,
    reading: ReadingOptions,
    observed: Path | None,
    estimate_format: str | None,
    json: bool,
) -> None:
    """Compare two files."""
    how = Source.of(reading).how
    true_file, estimate_file = DataFile.of(truth, reading.format), DataFile.of(estimate, estimate_format)
    true, found = _read(true_file, how), _read(estimate_file, replace(how, frames=None))
    show_notes((*true.notes, *found.notes))
    known = true.known()
    if not known.any():
        raise InvalidInput(f"{truth} has no known entry, so there is nothing to compare with.")
    mask = found.observed
    if observed is not None:
        mask, notes = read_mask(observed, known.shape, "known", size=how.size)
        show_notes(notes)
    values = _on_scale_of(true.data, found, is_picture=estimate_file.form.picture)
    if values.shape == known.shape and not known.all():
        show_notes([f"{int((~known).sum()):,} entries are missing in {truth} itself and are left out."])
        result = metrics.score(true.data[known], values[known], None if mask is None else mask[known])
    else:
        result = metrics.score(true.data, values, mask)
    if json:
        show_json(asdict(result))
        return
    show_table(
        [
            *summarise_score(result),
            ("smallest entry", f"{result.smallest:.6g}"),
            ("negative entries", f"{result.negative_share:.2%}"),
            ("divided by", f"{result.scale:g}"),
        ]
    )


def _read(file: DataFile, how: Reading) -> Contents:
    with show_reading(file.path):
        return as_array(file.read(how))


def _on_scale_of(truth: NDArray[Any], found: Contents, *, is_picture: bool) -> NDArray[Any]:
    """The estimate's values; a picture of floating-point data in [0, 1] was scaled when it was written."""
    if is_picture and truth.dtype.kind == "f" and np.nanmax(truth) <= 1:
        return found.data / float(np.iinfo(found.data.dtype).max)
    return found.data


# Most of a picture that comes with the package is hidden, and filled in again


def demo(output: Path, keep: float, seed: int, force: bool) -> None:
    """Complete the picture."""
    with as_file(package_files("tensorfill.assets") / "cat.png") as cat:
        truth = read_contents(cat).data
    observed = sampling.uniform(truth.shape, keep, seed)
    make_folder(output)
    files = {name: DataFile.of(output / f"{name}.png") for name in ("holes", "completed", "truth", "before-after")}
    again = force or all(file.path.is_file() for file in files.values())  # what an earlier demo left is replaced
    for file in files.values():
        file.check_place(force=again)
    done, notes = Solving(seed=seed).run_alone(Contents(truth, observed))
    with ignore_interrupts():
        holes = np.where(observed, truth, np.uint8(0))
        together = side_by_side({f"{keep:.0%} observed": holes, "completed": done.tensor, "truth": truth})
        for file, picture in zip(files.values(), (holes, done.tensor, truth, together), strict=True):
            file.write(Contents(picture), force=again)
        result = metrics.score(truth, done.tensor, observed)
        look_at = ("look at", str(files["before-after"].path))
        show_table([*summarise(done), *summarise_score(result), ("pictures in", str(output)), look_at])
        show_notes(notes, err=False)
    if done.stop.kind == "interrupted":
        raise typer.Exit(INTERRUPTED)
