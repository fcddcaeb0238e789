"""Source: how inputs are read and what is missing in them, as the options of a verb say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..errors import InvalidInput, InvalidSetting, must_be
from .typed_places import frames_from, range_from, size_from, values_from

if TYPE_CHECKING:
    from ..formats import Contents, Entries
    from ..formats.mask import Means


@dataclass(frozen=True)
class Source:
    """Options about reading, checked before anything is read."""

    format: str | None = None
    size: tuple[int, int] | None = None
    gray: bool = False
    frames: tuple[int, int] | None = None
    masks: tuple[tuple[Path, Means | None], ...] = ()
    missing: tuple[float, ...] | None = None
    missing_frames: tuple[int, ...] = ()
    table: str | None = None

    @classmethod
    def of(
        cls,
        format: str | None,
        size: str | None,
        gray: bool,
        frames: str | None,
        observed: Path | None,
        mask: Path | None,
        mask_means: str | None,
        missing: str | None,
        missing_frames: str | None,
        table: str | None = None,
    ) -> Source:
        """From options as they are typed."""
        from ..formats.table_words import TableWords

        TableWords.of(table)  # refuses what is no word for a table before anything is read
        if mask_means not in (None, "missing", "known"):
            raise InvalidSetting(must_be("mask-means", "be missing or known", mask_means))
        if mask_means is not None and mask is None:
            raise InvalidSetting("--mask-means says how to read the file of --mask; add --mask FILE.")
        masks: list[tuple[Path, Means | None]] = []
        if observed is not None:
            masks.append((observed, "known"))
        if mask is not None:
            masks.append((mask, cast("Means | None", mask_means)))
        return cls(
            format=format,
            size=None if size is None else size_from(size),
            gray=gray,
            frames=None if frames is None else range_from(frames),
            masks=tuple(masks),
            missing=None if missing is None else values_from(missing),
            missing_frames=() if missing_frames is None else frames_from(missing_frames),
            table=table,
        )

    def read(self, path: Path) -> Contents | Entries:
        """The data, with all that is missing in it."""
        from .. import formats
        from ..formats.holes import without_frames, without_value

        found = formats.read(
            path, format=self.format, size=self.size, gray=self.gray, frames=self.frames, table=self.table
        )
        if not isinstance(found, formats.Contents):
            if self.masks or self.missing is not None or self.missing_frames:
                raise InvalidInput(
                    f"{path} is a table, in which what is missing is not listed, or has no value; leave out options "
                    "that say what is missing."
                )
            return found
        for mask_path, means in self.masks:
            mask, notes = formats.read_mask(mask_path, found.shape, means, size=self.size)
            # Not without its NaNs: one that is marked observed is a mistake that the library points out.
            both = mask if found.observed is None else found.observed & mask
            found = replace(found, observed=both, notes=(*found.notes, *notes))
        if self.missing is not None:
            before = found.known().sum()
            found = without_value(found, self.missing)
            if found.known().sum() == before:
                told = ", ".join(f"{value:g}" for value in self.missing)
                found = replace(
                    found, notes=(*found.notes, f"Nothing in {path} is {told}, so --missing finds no hole.")
                )
        if self.missing_frames:
            found = without_frames(found, self.missing_frames)
        return found
