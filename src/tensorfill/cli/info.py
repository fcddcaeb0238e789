"""`tensorfill info`: what is in a file, and about what completing it would take, in tiles or whole."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..bounds import Bounds
from ..errors import TensorfillError
from ..formats import Contents, DataFile, Entries
from ..formats.damage import count_bytes
from ..formats.file_array import pieces
from ..formats.scratch import Scratch, scratch_in
from ..large.planning import forecast_tiles, plan
from ..memory import available_memory
from ..methods.task import Asked
from ..telling import duration
from ..tensor import entries
from .app import describe
from .console import show_json, show_notes, show_table
from .job import SURELY_SMALL
from .options import MissingOptions, ReadingOptions
from .solving import Solving, gigabytes
from .source import Source
from .source import reading as show_reading

_AXES = {"Y": "row", "X": "column", "T": "frame", "Z": "slice", "C": "channel", "S": "colour"}


def info(
    input: Path, reading: ReadingOptions, missingness: MissingOptions, method: str, effort: str | None, json: bool
) -> None:
    """Describe one file."""
    asked = Solving(method, {} if effort is None else {"effort": effort})
    source = Source.of(reading, missingness)
    with _place_for(input) as scratch, show_reading(input):
        file = DataFile.of(input, reading.format)
        found = source.read(file, scratch)
        facts = _describe(file, found, asked)
    if json:
        show_json(facts | {"notes": list(found.notes)})
        return
    show_table([(_name(key), _words(key, value)) for key, value in facts.items() if value is not None])
    show_notes(found.notes, err=False)


@contextmanager
def _place_for(input: Path) -> Iterator[Scratch | None]:
    """A place on disk for what is too large for memory, if that can be."""
    large = False
    with suppress(OSError):  # which reading it will tell
        large = count_bytes(input) >= SURELY_SMALL
    if not large:
        yield None
        return
    with scratch_in(Path(tempfile.gettempdir())) as scratch:
        yield scratch


@dataclass(frozen=True)
class Known:
    """What is known of a file."""

    count: int
    smallest: Any
    largest: Any

    @classmethod
    def of(cls, found: Contents | Entries) -> Known:
        """Looked at piece by piece if it is on disk."""
        if isinstance(found, Contents) and found.on_disk:
            parts = [cls._of(values[known]) for values, known in map(found.part, pieces(found.data))]
            there = [part for part in parts if part.smallest is not None]
            return cls(
                sum(part.count for part in parts),
                min((part.smallest for part in there), default=None),
                max((part.largest for part in there), default=None),
            )
        values = found.data if isinstance(found, Contents) else found.values
        if isinstance(found, Contents) and (found.observed is not None or found.dtype.kind == "f"):
            values = values[found.missingness.mask]
        return cls._of(values)

    @classmethod
    def _of(cls, values: Any) -> Known:
        if not values.size or values.dtype.kind == "b":
            return cls(values.size, None, None)
        return cls(values.size, np.min(values).item(), np.max(values).item())


@dataclass(frozen=True)
class Needs:
    """What completing it would need."""

    bytes: int
    seconds: float
    fits: bool
    tiles: str | None = None

    @classmethod
    def of(cls, file: DataFile, found: Contents | Entries, known: Known, asked: Solving) -> Needs:
        """Whole, or in tiles if that would not fit."""
        on_disk = isinstance(found, Contents) and found.on_disk
        if not on_disk:
            expected, _ = asked.forecast(found)
            if expected.fits or isinstance(found, Entries):
                return cls(expected.bytes, expected.seconds, expected.fits)
        share = known.count / max(1, entries(found.shape))
        what = Asked.of(asked.method, asked.settings, Bounds(), "clip")
        page = file.form.page_mode(found) if isinstance(found, Contents) else None
        tiling = plan(found.shape, what, share, "auto", leading=page or 0)
        if tiling is None:
            whole = found.in_memory() if isinstance(found, Contents) else found
            expected, _ = asked.forecast(whole)
            return cls(expected.bytes, expected.seconds, expected.fits)
        needed = forecast_tiles(tiling, what, share)
        size = " × ".join(map(str, tiling.largest))
        return cls(needed.bytes, needed.seconds, needed.bytes <= available_memory(), f"{tiling.count}, of {size}")


def _describe(file: DataFile, found: Contents | Entries, asked: Solving) -> dict[str, Any]:
    """Everything worth telling."""
    total = entries(found.shape)
    facts, known = found.metadata, Known.of(found)
    needs = Needs.of(file, found, known, asked)
    return {
        "file": str(file),
        "format": file.form.name,
        "kind": facts.kind,
        "shape": list(found.shape),
        "axes": [_AXES.get(letter, "other") for letter in facts.axes] or None,
        "dtype": str(found.dtype),
        "smallest": known.smallest,
        "largest": known.largest,
        "entries": total,
        "known": known.count,
        "missing": total - known.count,
        "missing_share": (total - known.count) / total if total else 0.0,
        "frame_rate": None if facts.frame_rate is None else float(facts.frame_rate),
        "bands": list(facts.band_names) or None,
        "wavelengths": list(facts.wavelengths) or None,
        "what_it_would_do": _advise(found, total, known, needs, asked.method),
        "tiles": needs.tiles,
        "memory_bytes": needs.bytes,
        "memory_free_bytes": available_memory(),
        "seconds": needs.seconds if 0 < known.count < total else 0.0,
    }


def _advise(found: Contents | Entries, total: int, known: Known, needs: Needs, method: str) -> str:
    """What `complete` would do with these data."""
    if known.count == total:
        return "Nothing: no entry is missing. Say what is with --mask, --missing or --missing-frames."
    if known.count == 0:
        return "Nothing: no entry is known."
    if not needs.fits and isinstance(found, Contents):
        return "Refuse: it would not fit into memory; give a part of it, or --gray, or a method that needs less."
    if isinstance(found, Contents) and found.on_disk:
        if known.smallest is not None and known.smallest < 0:
            return f"Refuse: its smallest value is {known.smallest:g}; say --lower none, or another bound."
    else:
        try:
            found.observed_tensor.within(Bounds())
        except TensorfillError as error:  # such as negative values
            return f"Refuse: {describe(error)}"
    how = "" if needs.tiles is None else f", in tiles ({needs.tiles.split(',')[0]})"
    return f"Fill {total - known.count:,} entries by {method}{how}."


def _name(key: str) -> str:
    return {"seconds": "time"}.get(key, key.removesuffix("_bytes").replace("_", " "))


def _words(key: str, value: Any) -> str:
    if key == "shape":
        return " × ".join(map(str, value))
    if key.endswith("_bytes"):
        return f"about {gigabytes(value)}" if key == "memory_bytes" else gigabytes(value)
    if key == "seconds":
        return f"about {duration(value)} on two cores" if value else "none"
    if key == "missing_share":
        return f"{value:.1%}"
    if isinstance(value, list):
        shown = ", ".join(f"{one:g}" if isinstance(one, float) else str(one) for one in value[:5])
        return shown + (f" … ({len(value)})" if len(value) > 5 else "")
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)
