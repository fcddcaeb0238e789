"""Format: what every file format offers, one class each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..completion import Completion
from ..labels import Axes
from .contents import Contents, Reading, describe_loss
from .damage import Extra
from .entries import Entries
from .guarded import decode_guarded
from .tables.listing import Listing


class Format(ABC):
    """Reads and writes one kind of file."""

    name: ClassVar[str]
    """What `--format` calls it."""
    extensions: ClassVar[tuple[str, ...]]
    picture: ClassVar[bool] = False
    """Whether this is for looking at: few dtypes, and floats are shades between 0 and 1."""
    folder: ClassVar[bool] = False
    """Whether this is a folder rather than a file."""

    holds_mask: ClassVar[bool] = False
    """Whether a file of this format says itself which entries are known."""
    keeps_old_mask: ClassVar[bool] = False
    """Whether a completed file of this format still says which entries had been known, for `score`."""
    holds_alpha: ClassVar[bool] = False
    """Whether pixels may be transparent, which means missing."""
    lossless_extension: ClassVar[str | None] = None
    """What is written instead where nobody asked for this format, because it loses."""
    extra: ClassVar[Extra | None] = None
    """The library that this format is read and written with, if that is not always installed."""
    kind: ClassVar[str] = "a file"
    """What such a file is called in a sentence, such as "a .mat file"."""
    keeps: ClassVar[tuple[str, ...] | None] = None
    """The fields of metadata that have a place in its files; None if it says itself, in `losses`, what is lost."""
    guarded: ClassVar[bool] = False
    """Whether it is decoded in a child process, because its library may crash, hang or fill the memory."""

    def read(self, path: Path, how: Reading) -> Contents | Entries:
        """What is in the file; damage is an `UnreadableFile`."""
        if self.guarded:
            return decode_guarded(type(self), self.kind, path, how)
        found = self.decode(path, how)
        return found if how.scratch is None or isinstance(found, Entries) else found.put_down(how.scratch)

    @abstractmethod
    def decode(self, path: Path, how: Reading) -> Contents | Entries:
        """What is in the file, read in this process; `damage.allow` is told what decoding takes."""

    @abstractmethod
    def write(self, path: Path, contents: Contents) -> None:
        """Write an array that is not refused to `path`, a name in an empty folder where files beside it are welcome."""

    def refuses(self, contents: Contents) -> str | None:
        """Why this cannot be written in this format, in one sentence; None if it can."""
        return None

    def fill(self, source: Contents | Entries, done: Completion, *, raw: bool = False) -> Contents | Entries:
        """What was read, without its holes, as a file of this format holds it; `raw` is the model itself."""
        if isinstance(source, Entries):
            return source.complete(done)
        tensor = done.model if raw else done.tensor
        if self.picture and tensor.dtype.kind == "f":
            tensor = np.clip(tensor, 0, 1)  # the observed values are between 0 and 1; a filled one may not be
        # An .npz also tells what had been known, for `score`; elsewhere a mask would mean that holes are left.
        return source.fill(tensor, done.observed.mask() if self.keeps_old_mask else None)

    def page_mode(self, contents: Contents) -> int | None:
        """The mode along which a file is written page by page, each when it is there; None if there is none."""
        return None

    def extra_for(self, contents: Contents) -> Extra | None:
        """The library that is needed to write this, if that is not always installed."""
        return self.extra

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """What writing this in this format changes, a sentence each."""
        return () if self.keeps is None else describe_loss(contents, self.kind, *self.keeps)

    def strangers(self, path: Path) -> tuple[str, ...]:
        """What is in a folder at `path` that this format would not have put there."""
        return ()

    def companions(self, path: Path) -> tuple[Path, ...]:
        """Other files that belong to the one at `path`."""
        return ()


class TableFormat(Format):
    """A format that lists entries by their coordinates."""

    @abstractmethod
    def write_entries(self, path: Path, entries: Entries) -> None:
        """Write every entry that has a value."""

    @abstractmethod
    def read_listing(self, path: Path, how: Reading, axes: Axes) -> Listing:
        """A table of wanted entries, as it comes; `axes` are those of the data that they are wanted of."""

    @abstractmethod
    def write_listing(self, path: Path, listing: Listing, axes: Axes) -> None:
        """Write it with all its columns, or, where there are only numbers, its coordinates and what was found."""

    def refuses_listing(self, axes: Axes) -> str | None:
        """Why entries with such labels cannot be listed in this format, in one sentence; None if they can."""
        return None

    def losses_of(self, entries: Entries) -> tuple[str, ...]:
        """What writing this table in this format changes, a sentence each."""
        return ()

    def write(self, path: Path, contents: Contents) -> None:
        """The known entries of a full array."""
        self.write_entries(path, Entries.from_contents(contents))
