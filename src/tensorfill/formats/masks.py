"""Masks in files of their own: which entries of other data are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, UnreadableFile
from ..tensor import spread_mask
from .arrays.numpy_files import NumpyArchive, read_observed
from .contents import Contents, Reading
from .data_file import DataFile

Means = Literal["missing", "known"]


def read_mask(
    path: Path, shape: Sequence[int], mask_means: Means | None = None, *, size: tuple[int, int] | None = None
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """The mask in a file, True where known, for an array of this shape; and what a user should know about it.

    `mask_means` says what True, or whatever is not 0 or black, stands for. Only an .npz with `observed` says so itself.
    """
    file = DataFile.of(path)
    if isinstance(file.form, NumpyArchive) and file.array is None:
        observed = read_observed(path)
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
    found = file.read(Reading(size=size))
    contents = found if isinstance(found, Contents) else found.contents()
    marked, notes = _find_marked(contents, path, mask_means)
    spread = _spread(marked, tuple(shape), path)
    return (spread if mask_means == "known" else ~spread), notes


def _find_marked(contents: Contents, path: Path, means: Means) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """True where the mask is not 0, not NaN and not transparent; with shades between, where it is nearer to the top."""
    values, there = contents.data, contents.known()
    if values.dtype.kind == "b":
        return values & there, ()
    levels = np.unique(values[there])
    if not there.all() and len(levels) > 2:
        note = f"{path} has holes of its own, so these are its mask, and its values are not."
        return _drop_equal_channels(there, contents), (note,)
    if len(levels) <= 2 and (not len(levels) or levels[0] == 0 or len(levels) == 1):
        return _drop_equal_channels((values != 0) & there, contents), ()
    middle = float(levels[-1]) / 2
    between = int(np.count_nonzero(there & (values > 0) & (values < levels[-1])))
    note = (
        f"The mask {path} has {between:,} entries between 0 and its largest value, {levels[-1]:g}; "
        f"those above {middle:g} count as {means}."
    )
    return _drop_equal_channels((values > middle) & there, contents), (note,)


def _drop_equal_channels(marked: NDArray[np.bool_], contents: Contents) -> NDArray[np.bool_]:
    """One channel, if a mask in colour has the same in all."""
    kind = contents.metadata.kind
    colour = marked.ndim == {"picture": 3, "video": 4}.get(kind, 0)
    return marked[..., 0] if colour and (marked == marked[..., :1]).all() else marked


def _spread(mask: NDArray[np.bool_], shape: tuple[int, ...], path: Path) -> NDArray[np.bool_]:
    """The mask for every entry: modes it does not have, or has once, are all alike."""
    spread = spread_mask(mask, shape)
    if spread is None:
        raise InvalidInput(
            f"The mask in {path} must have the shape of the data, {shape}, or that of its first modes, or 1 instead of "
            f"a size. Got {mask.shape} instead."
        )
    return spread
