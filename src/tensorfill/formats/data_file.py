"""DataFile: a file, its format and which of its arrays is meant, decided once; then read, checked and written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..errors import InvalidInput, InvalidSetting, UnreadableFile, UnwritableFile
from ..labels import Axes
from .arrays.envi import find_header_beside
from .contents import Contents, Reading, TableWords
from .damage import check_source, require
from .entries import Entries
from .format import Format, TableFormat
from .listed import FORMATS, check_clip, known_extensions
from .missing_values import check_growth, declare_value_missing, grow_holes
from .scratch import Scratch
from .staging import check_target, put_in_place
from .tables.listing import Listing

AnyPath = str | os.PathLike[str]
INSIDE = "::"
CLIP = "frames"


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
        return cls(file, _find_format(file, format), array, format is not None)

    def __str__(self) -> str:
        return str(self.path) if self.array is None else f"{self.path}{INSIDE}{self.array}"

    @property
    def files(self) -> tuple[Path, ...]:
        """The file itself, and those that belong to it."""
        return self.path, *self.form.companions(self.path)

    def read(self, how: Reading, scratch: Scratch | None = None) -> Contents | Entries:
        """What is in it; arrays that are large are not in memory, if there is a `scratch`, but on disk."""
        check_source(self.path, folder=self.form.folder)
        guessed = self.form.name == CLIP and not self.named
        if guessed:
            check_clip(self.path)
        if how.coordinates is not None and not isinstance(self.form, TableFormat):
            raise InvalidInput(f"{self.path} is no table, so it has no columns of coordinates; leave them out.")
        dataset = how.dataset if self.array is None else self.array
        found = self.form.read(self.path, replace(how, dataset=dataset, scratch=scratch))
        if scratch is not None and isinstance(found, Contents) and found.on_disk:
            found = replace(found, scratch=scratch)
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

    def write_listing(self, listing: Listing, axes: Axes, *, force: bool = True) -> None:
        """Write a table of wanted entries, all or nothing, replacing what is there if `force`."""
        assert isinstance(self.form, TableFormat)
        if self.form.extra is not None:
            require(*self.form.extra, self.path)
        with put_in_place(self.path, force=force) as part:
            self.form.write_listing(part, listing, axes)

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
    coordinates: Sequence[str] | None = None,
    value: str | None = None,
    missing: float | Sequence[float] | None = None,
    tolerance: float = 0.0,
    grow: int = 0,
) -> Contents | Entries:
    """Read a file: an array and what is known of it, or, from a table, entries with their coordinates.

    Parameters
    ----------
    path : str or path-like
        The file. `scan.h5::images` is the array `images` in it; a folder is a clip of numbered pictures.
    format : str, optional
        The name of its format, if the extension does not tell.
    size : tuple of int, optional
        Columns and rows of raw video, in pixels.
    gray : bool, default False
        Read only the brightness of pictures and videos in colour.
    frames : tuple of int, optional
        The first and the last frame to read of a video, counted from 0; both are read.
    table : str, optional
        How a table is laid out, if it can be read in several ways: "wide" (a matrix) or "long" (a line per entry), and
        "header", "no-header", "labels", "no-labels", "decimal-comma" or "decimal-point", with commas between them.
    coordinates : sequence of str, optional
        The columns of a long table that are coordinates, by name or by number from 1 on; others but that of the values
        are left out. By default all columns but that of the values.
    value : str, optional
        The column of a long table that has the values.
    missing : float or sequence of float, optional
        A value that means missing, or a colour such as (255, 0, 0), in the units of the file.
    tolerance : float, default 0
        How far from `missing` a value may be, in each channel, to be missing too.
    grow : int, default 0
        Widen holes by this many pixels, in rows and columns, because their edges are blurred.

    Returns
    -------
    Contents or Entries
        `Contents` holds an array and a mask, `Entries` the rows of a long table. `tensorfill.complete` takes both.

    Raises
    ------
    TensorfillError
        If the file is not there, is damaged, or does not have the format that its name says.

    See Also
    --------
    tensorfill.write : the inverse.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "depths.npy")
    ...     np.save(path, np.array([[4, 5, -1], [4, 6, 7]]))
    ...     depths = read(path, missing=-1)
    >>> depths.known().tolist()
    [[True, True, False], [True, True, True]]
    """
    chosen = None if coordinates is None else tuple(map(str, coordinates))
    words = TableWords.of(table)
    how = Reading(dataset=value, size=size, gray=gray, frames=frames, table=words, coordinates=chosen)
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


# Which file is meant, and its format


def format_of(path: Path, name: str | None = None) -> Format:
    """The format of this name, or else the one that the file's name promises."""
    return DataFile.of(path, name).form


def _find_format(file: Path, name: str | None) -> Format:
    if name is not None:
        return _find_named(name)
    for form in FORMATS:
        # .tns.gz is an extension, and .gz is none
        if any(file.name.lower().endswith(extension) for extension in form.extensions) and file.name[0] != ".":
            return form
    if os.path.isdir(file):
        return _find_named(CLIP)
    if pointer := find_header_beside(file):
        raise UnreadableFile(pointer)
    said = f"its extension '{file.suffix}' is not known" if file.suffix else "it has no extension"
    raise UnreadableFile(
        f"The format of {file} cannot be told: {said}. The known ones are: {', '.join(known_extensions())}."
    )


def _find_named(name: str) -> Format:
    wanted = name.lower().removeprefix(".")
    for form in FORMATS:
        if wanted == form.name or f".{wanted}" in form.extensions:
            return form
    raise InvalidSetting(
        f"There is no format '{name}'. The known ones are: {', '.join(form.name for form in FORMATS)}."
    )


def locate(path: AnyPath) -> tuple[Path, str | None]:
    """The file, and what stands after `::` in its name: which of its arrays is meant."""
    text = os.fspath(path)
    if not text:
        raise InvalidInput("The name of the file is empty.")
    if INSIDE not in text or os.path.exists(text):
        return Path(text), None
    file, _, inside = text.rpartition(INSIDE)
    if not file or not inside:
        raise InvalidInput(f"An array in a file is written as FILE::NAME, such as scan.h5::images. Got {text} instead.")
    return Path(file), inside
