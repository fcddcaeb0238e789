"""DataFile: a file, its format and which of its arrays is meant, decided once; then read, checked and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, UnreadableFile, UnwritableFile
from ..tensor import spread_mask
from .arrays.numpy_files import NumpyArchive, read_observed
from .contents import Contents
from .damage import check_source, require
from .entries import Entries
from .format import Format, TableFormat
from .listed import CLIP, INSIDE, AnyPath, check_clip, find_format, locate
from .missing_values import check_growth, declare_value_missing, grow_holes
from .reading import Reading, TableWords
from .staging import check_target, put_in_place

Means = Literal["missing", "known"]


@dataclass(frozen=True)
class DataFile:
    """A file that is there, or is to be written."""

    path: Path
    form: Format
    array: str | None = None
    """Which of its arrays is meant: what stands after `::` in its name."""
    named: bool = False
    """Whether the user named the format."""

    @classmethod
    def of(cls, path: AnyPath, format: str | None = None) -> DataFile:
        """The format is the one of this name, or else the one that the file's name promises."""
        file, array = locate(path)
        return cls(file, find_format(file, format), array, format is not None)

    def __str__(self) -> str:
        return str(self.path) if self.array is None else f"{self.path}{INSIDE}{self.array}"

    @property
    def files(self) -> tuple[Path, ...]:
        """The file itself, and those that belong to it."""
        return self.path, *self.form.companions(self.path)

    def read(self, how: Reading) -> Contents | Entries:
        """What is in it."""
        check_source(self.path, folder=self.form.folder)
        guessed = self.form.name == CLIP and not self.named
        if guessed:
            check_clip(self.path)
        found = self.form.read(self.path, replace(how, dataset=self.array))
        if guessed:
            note = f"{self.path} is read as one clip of its numbered pictures; complete --each takes each by itself."
            found = replace(found, notes=(note, *found.notes))
        return found

    def check_place(self, *, force: bool) -> None:
        """Refuse a place that cannot be written, here or at all, or that is taken unless `force`."""
        if self.form.extra is not None:
            require(*self.form.extra, self.path)
        check_target(self.path, force=force, folder=self.form.folder)
        if self.form.folder and self.path.is_dir() and (strange := self.form.strangers(self.path)):
            raise UnwritableFile(
                f"{self.path} is not replaced, because there is something else in it: {strange[0]}; give another "
                "folder."
            )
        for companion in self.form.companions(self.path):
            check_target(companion, force=force)

    def check_holds(self, contents: Contents) -> None:
        """Refuse an array that the format cannot hold, or only with a library that is not installed."""
        if refusal := self.form.refuses(contents):
            raise InvalidInput(refusal)
        if extra := self.form.extra_for(contents):
            require(*extra, self.path)

    def write(self, contents: Contents | Entries, *, force: bool = True) -> tuple[str, ...]:
        """Write all or nothing, replacing what is there if `force`; returns sentences about what the format changes."""
        if self.array is not None:
            contents = replace(contents, metadata=replace(contents.metadata, variable=self.array))
        if self.form.extra is not None:  # said of this file, not of the stage on which it is written
            require(*self.form.extra, self.path)
        if isinstance(contents, Entries) and isinstance(self.form, TableFormat):
            with put_in_place(self.path, force=force) as part:
                self.form.write_entries(part, contents)
            return self.form.losses_of(contents)
        whole = contents.contents() if isinstance(contents, Entries) else contents
        self.check_holds(whole)
        with put_in_place(self.path, force=force) as part:
            self.form.write(part, whole)
        return self.form.losses(whole)


def read(
    path: AnyPath,
    *,
    format: str | None = None,
    size: tuple[int, int] | None = None,
    gray: bool = False,
    frames: tuple[int, int] | None = None,
    table: str | None = None,
    missing: float | Sequence[float] | None = None,
    tolerance: float = 0.0,
    grow: int = 0,
) -> Contents | Entries:
    """What is in a file: an array with what is known of it, or, from a table, entries with their coordinates.

    Parameters
    ----------
    path
        The file. `scan.h5::images` is the array `images` in it; a folder is a clip of numbered pictures.
    format
        The name of its format, if the extension does not tell.
    size
        Columns and rows of raw video.
    gray
        Brightness alone, of pictures and videos in colour.
    frames
        The first and the last frame to read of a video, counted from 0.
    table
        How a table is laid out, if it can be read in several ways: "wide" (a matrix) or "long" (a line per entry), and
        "header", "no-header", "labels", "no-labels", "decimal-comma" or "decimal-point", with commas between them.
    missing
        A value that means missing, or a colour such as (255, 0, 0).
    tolerance
        How far from `missing` a value may be, in each channel, to be missing too.
    grow
        By how many pixels holes are made wider, in rows and columns, because their edges are blurred.
    """
    how = Reading(size=size, gray=gray, frames=frames, table=TableWords.of(table))
    file = DataFile.of(path, format)
    found = file.read(how)
    if missing is None and not grow:
        return found
    if not isinstance(found, Contents):
        raise InvalidInput(
            f"{file.path} is a table, in which what is missing is not listed: leave out 'missing', 'grow'."
        )
    if missing is not None:
        found = declare_value_missing(found, np.atleast_1d(np.asarray(missing, dtype=np.float64)).tolist(), tolerance)
    return grow_holes(found, check_growth(grow)) if grow else found


def read_contents(path: AnyPath, *, format: str | None = None) -> Contents:
    """As `read`, but a table becomes a full array."""
    found = read(path, format=format)
    return found if isinstance(found, Contents) else found.contents()


def write(
    path: AnyPath, contents: Contents | Entries, *, format: str | None = None, force: bool = True
) -> tuple[str, ...]:
    """Write all or nothing, replacing what is there if `force`; returns sentences about what the format changes."""
    return DataFile.of(path, format).write(contents, force=force)


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
