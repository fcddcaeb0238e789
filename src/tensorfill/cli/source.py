"""Source: how inputs are read and what is missing in them, as the options of a verb say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from ..errors import InvalidInput, InvalidSetting, must_be
from ..formats import Contents, DataFile, Entries, read_mask
from ..formats.contents import Reading, TableWords
from ..formats.masks import Means
from ..formats.missing_values import (
    check_growth,
    check_tolerance,
    declare_frames_missing,
    declare_known,
    declare_slices_missing,
    declare_value_missing,
    describe_rim,
    grow_holes,
)
from ..formats.scratch import Scratch
from ..telling import listening
from .options import MissingOptions, ReadingOptions
from .progress import ProgressLine

_MOST = 10**6  # nobody has more frames, and 0-999999999999 must not fill the memory


@dataclass(frozen=True)
class Source:
    """Options about reading, checked before anything is read."""

    how: Reading = field(default_factory=Reading)
    masks: tuple[tuple[Path, Means | None], ...] = ()
    missing: tuple[float, ...] | None = None
    tolerance: float = 0.0
    grow: int = 0
    missing_frames: tuple[int, ...] = ()
    missing_slices: tuple[tuple[int, tuple[int, ...]], ...] = ()

    @classmethod
    def of(cls, reading: ReadingOptions, missingness: MissingOptions | None = None) -> Source:
        """From options as they are typed."""
        how = Reading(
            size=None if reading.size is None else parse_size(reading.size),
            gray=reading.gray,
            frames=None if reading.frames is None else parse_range(reading.frames),
            table=TableWords.of(reading.table),
            dataset=reading.value,
            coordinates=None if reading.coordinates is None else parse_names(reading.coordinates),
        )
        given = missingness or MissingOptions()
        _check_together(given)
        masks = [(path, means) for path, means in ((given.observed, "known"), (given.mask, given.mask_means)) if path]
        return cls(
            how=how,
            masks=cast(tuple[tuple[Path, Means | None], ...], tuple(masks)),
            missing=None if given.missing is None else parse_values(given.missing),
            tolerance=check_tolerance(given.tolerance) if given.tolerance else 0.0,
            grow=check_growth(given.grow) if given.grow else 0,
            missing_frames=() if given.missing_frames is None else parse_indices(given.missing_frames),
            missing_slices=tuple(parse_slices(text) for text in given.missing_slices or ()),
        )

    def read(self, file: DataFile, scratch: Scratch | None = None) -> Contents | Entries:
        """The data, with all that is missing in it; what is large is on disk, if there is a `scratch`."""
        found = file.read(self.how, scratch)
        if isinstance(found, Entries):
            if self._says_what_is_missing:
                raise InvalidInput(
                    f"{file.path} is a table, in which what is missing is not listed, or has no value; leave out "
                    "options that say what is missing."
                )
            return found
        for mask_path, means in self.masks:
            mask, notes = read_mask(mask_path, found.shape, means, size=self.how.size, scratch=scratch)
            found = replace(declare_known(found, mask), notes=(*found.notes, *notes))
        try:
            return self._with_holes(found)
        except InvalidInput as error:
            raise InvalidInput(f"{file.path}: {error}") from error

    @property
    def _says_what_is_missing(self) -> bool:
        said = self.masks or self.missing_frames or self.missing_slices or self.grow
        return bool(said) or self.missing is not None

    def _with_holes(self, found: Contents) -> Contents:
        """What is missing by value, wider if that is asked for; then whole slices, which have no rim."""
        if self.missing is not None:
            found = declare_value_missing(found, self.missing, self.tolerance)
        if self.grow:
            found = grow_holes(found, self.grow)
        if self.masks or self.missing is not None:
            tolerance = None if self.missing is None else self.tolerance
            found = replace(found, notes=(*found.notes, *describe_rim(found, self.grow, tolerance)))
        if self.missing_frames:
            found = declare_frames_missing(found, self.missing_frames)
        for mode, indices in self.missing_slices:
            found = declare_slices_missing(found, mode, indices)
        return found


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """A line on a terminal that says what is read, and how far that is, for verbs that have no other progress."""
    with ProgressLine() as line, listening(line.enter):
        line.begin(path.name, 0.0, "reading")
        yield


def as_array(found: Contents | Entries) -> Contents:
    """The whole array, also of a table."""
    return found if isinstance(found, Contents) else found.contents()


def _check_together(given: MissingOptions) -> None:
    """Refuse options that mean nothing without another one."""
    if given.mask_means not in (None, "missing", "known"):
        raise InvalidSetting(must_be("mask_means", "be missing or known", given.mask_means))
    if given.mask_means is not None and given.mask is None:
        raise InvalidSetting("--mask-means says how to read the file of --mask; add --mask FILE.")
    if given.tolerance is not None and given.missing is None:
        raise InvalidSetting("--tolerance says how far from the value of --missing is still it; add --missing VALUE.")


# Options as people type them


def parse_names(text: str) -> tuple[str, ...]:
    """Names with commas between them.

    >>> parse_names("userId, movieId")
    ('userId', 'movieId')
    """
    return tuple(name.strip() for name in text.split(","))


def parse_indices(text: str, option: str = "--missing-frames") -> tuple[int, ...]:
    """Indices, and ranges of them that include both ends.

    >>> parse_indices("10-12, 20")
    (10, 11, 12, 20)
    """
    found: list[int] = []
    for part in text.split(","):
        ends = _ends(part)
        if ends is None or ends[1] - ends[0] >= _MOST or len(found) >= _MOST:
            raise InvalidSetting(
                f"{option} takes indices counted from 0 and ranges of them, like 10-12,20. Got {text!r} instead."
            )
        found.extend(range(ends[0], ends[1] + 1))
    return tuple(dict.fromkeys(found))


def parse_slices(text: str) -> tuple[int, tuple[int, ...]]:
    """A mode, counted from 1, and indices of it.

    >>> parse_slices("3:10-12,20")
    (3, (10, 11, 12, 20))
    """
    mode, colon, indices = text.partition(":")
    if not colon or not mode.strip().isdecimal():
        raise InvalidSetting(
            "--missing-slices takes a mode, counted from 1, and indices of it, counted from 0, like 3:10-12,20. "
            f"Got {text!r} instead."
        )
    return int(mode), parse_indices(indices, "--missing-slices MODE:INDICES")


def parse_range(text: str) -> tuple[int, int]:
    """The first and the last frame.

    >>> parse_range("0-99"), parse_range("7")
    ((0, 99), (7, 7))
    """
    ends = _ends(text)
    if ends is None:
        raise InvalidSetting(
            f"--frames takes the first and the last frame, counted from 0, like 0-99. Got {text!r} instead."
        )
    return ends


def _ends(text: str) -> tuple[int, int] | None:
    """The first and the last of a range, or of one number; None if it is neither."""
    first, dash, last = text.strip().partition("-")
    if not first.isdecimal() or not (last.isdecimal() if dash else True):
        return None
    start, end = int(first), int(last) if dash else int(first)
    return (start, end) if start <= end else None


def parse_size(text: str) -> tuple[int, int]:
    """Columns and rows.

    >>> parse_size("176x144")
    (176, 144)
    """
    columns, cross, rows = text.lower().replace("×", "x").partition("x")
    if not (cross and columns.strip().isdecimal() and rows.strip().isdecimal() and int(columns) and int(rows)):
        raise InvalidSetting(f"--size takes columns x rows, like 176x144. Got {text!r} instead.")
    return int(columns), int(rows)


def parse_values(text: str) -> tuple[float, ...]:
    """One value, or one for every channel.

    >>> parse_values("0"), parse_values("255,0,255")
    ((0.0,), (255.0, 0.0, 255.0))
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(
            f"--missing takes a value, or one for every channel, like 0 or 255,0,255. Got {text!r} instead."
        ) from None
