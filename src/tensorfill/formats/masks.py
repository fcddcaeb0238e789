"""Masks in files of their own: which entries of other data are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, UnreadableFile
from ..tensor import spread_mask
from .arrays.numpy_files import NumpyArchive, read_observed
from .contents import Contents, Reading
from .data_file import DataFile
from .file_array import FileArray, fill_by_pieces, order_of, pieces
from .pictures.pixels import has_equal_channels
from .scratch import Scratch, allocate

Means = Literal["missing", "known"]


def read_mask(
    path: Path,
    shape: Sequence[int],
    mask_means: Means | None = None,
    *,
    size: tuple[int, int] | None = None,
    scratch: Scratch | None = None,
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """The mask in a file, True where known, for an array of this shape; and what a user should know about it.

    `mask_means` says what True, or whatever is not 0 or black, stands for. Only an .npz with `observed` says so itself.
    With a `scratch`, a large one is on disk.
    """
    file = DataFile.of(path)
    if isinstance(file.form, NumpyArchive) and file.array is None:
        observed = read_observed(path, scratch)
        if observed is not None and mask_means != "missing":
            return _spread(observed, tuple(shape), path), ()
    if file.form.name == "jpeg":
        raise UnreadableFile(
            f"{path} cannot serve as a mask: a .jpg blurs what is known into what is not; save it as .png."
        )
    if mask_means is None:
        raise InvalidInput(
            f"The mask in {path} could mean either: add mask_means='missing' if what is white, 1 or True is to be "
            "filled, or mask_means='known' if it is to be kept."
        )
    found = file.read(Reading(size=size), scratch)
    contents = found if isinstance(found, Contents) else found.contents()
    known, notes = _find_known(contents, path, mask_means)
    return _spread(_drop_equal_channels(known, contents), tuple(shape), path), notes


def _find_known(contents: Contents, path: Path, means: Means) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """True where the mask says that entries are known.

    It marks what is not 0, not NaN and not transparent; with shades between, what is nearer to the top.
    """
    if contents.dtype.kind == "b":
        return _mark(contents, lambda values, there: values & there, means), ()
    levels = _find_levels(contents)
    if len(levels) > 2 and not contents.all_known:
        note = f"{path} has holes of its own, so these are its mask, and its values are not."
        return _mark(contents, lambda values, there: there, means), (note,)
    if len(levels) <= 2 and (not len(levels) or levels[0] == 0 or len(levels) == 1):
        return _mark(contents, lambda values, there: (values != 0) & there, means), ()
    largest, middle = levels[-1], float(levels[-1]) / 2
    between = 0
    for region in pieces(contents.data):
        values, there = contents.part(region)
        between += int(np.count_nonzero(there & (values > 0) & (values < largest)))
    note = (
        f"The mask {path} has {between:,} entries between 0 and its largest value, {largest:g}; "
        f"those above {middle:g} count as {means}."
    )
    return _mark(contents, lambda values, there: (values > middle) & there, means), (note,)


def _find_levels(contents: Contents) -> NDArray[Any]:
    """The values that are known, in order; of more than three only the first two and the last."""
    levels = np.empty(0, contents.dtype)
    for region in pieces(contents.data):
        values, there = contents.part(region)
        levels = np.union1d(levels, values[there])
        levels = levels if len(levels) <= 3 else levels[[0, 1, -1]]
    return levels


def _mark(
    contents: Contents, marks: Callable[[NDArray[Any], NDArray[np.bool_]], NDArray[np.bool_]], means: Means
) -> NDArray[np.bool_]:
    """What is known, where `marks` says from values and what is there of them what a mask marks."""
    known: NDArray[np.bool_] = allocate(contents.scratch, contents.shape, bool, order_of(contents.data))
    fill_by_pieces(known, lambda region: marks(*contents.part(region)) ^ (means == "missing"))
    return known


def _drop_equal_channels(known: NDArray[np.bool_], contents: Contents) -> NDArray[np.bool_]:
    """One channel, if a mask in colour has the same in all."""
    colour = known.ndim == {"picture": 3, "video": 4}.get(contents.metadata.kind, 0) and contents.dtype.kind != "b"
    if not colour or not has_equal_channels(known):
        return known
    return known.part((..., 0)) if isinstance(known, FileArray) else known[..., 0]


def _spread(mask: NDArray[np.bool_], shape: tuple[int, ...], path: Path) -> NDArray[np.bool_]:
    """The mask for every entry: modes it does not have, or has once, are all alike."""
    if isinstance(mask, FileArray):
        spread: NDArray[np.bool_] | None = mask.spread(lambda each: spread_mask(each, shape))
    else:
        spread = spread_mask(mask, shape)
    if spread is None:
        raise InvalidInput(
            f"The mask in {path} must have the shape of the data, {shape}, or that of its first modes, or 1 instead of "
            f"a size. Got {mask.shape} instead."
        )
    return spread
