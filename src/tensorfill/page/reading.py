"""Reading, in a worker: a file becomes planes to look at, the sites that are known, and facts about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypedDict

import numpy as np

from ..errors import InvalidInput, TooLarge
from ..formats import Contents, DataFile, Entries, read_mask
from ..formats.contents import Reading, TableWords
from ..formats.tables.forms import find_wide
from ..tensor import entries
from .planes import Layout, Shades, draw_all, pack
from .samples import write_sample

MOST_ENTRIES = 250_000_000
_MOST_LABELS = 2_000


class Words(TypedDict, total=False):
    """What a user adds that a file itself does not say."""

    table: str
    """How a table is laid out, as in `--table`."""
    array: str
    """Which of its arrays is meant: what stands after `::`."""
    size: list[int]
    """Columns and rows of raw video."""


class Teller(Protocol):
    """Hears what a task tells."""

    wanted: dict[str, Any]

    def tell(self, **message: Any) -> None:
        """Send it on."""


def open_sample(outlet: Teller, *, folder: str, sample: str) -> dict[str, Any]:
    """Make one of the samples, and open it."""
    path = write_sample(sample, Path(folder))
    return {"file": path.name, **open_file(outlet, path=str(path), name=path.name, folder=folder)}


def open_file(outlet: Teller, *, path: str, name: str, folder: str, words: Words | None = None) -> dict[str, Any]:
    """Read the file; leaves planes.bin, known.bin and data.npy in `folder`."""
    del outlet
    found = read_file(Path(path), words or {})
    contents, layout = _as_array(found)
    place = Path(folder)
    known = contents.known()
    shades = Shades.of(contents.data, known)
    with open(place / "planes.bin", "wb") as file:
        for plane in draw_all(contents.data, layout, shades):
            file.write(plane)
    (place / "known.bin").write_bytes(pack(layout.all_known(known)))
    np.save(place / "data.npy", contents.data)
    return {
        **_describe(contents, known),
        **describe_layout(layout),
        "black": shades.black,
        "white": shades.white,
        "format": DataFile.of(path).form.name,
        "labels": _labels(found),
        "columns": list(found.columns) if isinstance(found, Entries) else [],
        "is_table": isinstance(found, Entries),
        "notes": list(found.notes),
    }


def read_file(path: Path, words: Words) -> Contents | Entries:
    """What is in it, by the same reader as the command's."""
    columns, rows = words.get("size") or (None, None)
    size = None if columns is None or rows is None else (columns, rows)
    file = DataFile.of(path)
    file = replace(file, array=words.get("array") or file.array)
    return file.read(Reading(table=TableWords.of(words.get("table")), size=size))


def filled_file(folder: Path, path: Path) -> DataFile:
    """Where the result goes that was read from `path`: into a file of the same format."""
    return _file_like(path, folder, "filled")


def holes_file(folder: Path, path: Path) -> DataFile:
    """Where a table is written that was read from `path` and had holes painted into it."""
    return _file_like(path, folder, "holes")


def _file_like(path: Path, folder: Path, name: str) -> DataFile:
    read = DataFile.of(path)
    if not read.form.extensions:
        return DataFile.of(folder / name, read.form.name)
    _, dot, extension = read.path.name.partition(".")
    return replace(DataFile.of(folder / f"{name}{dot}{extension}"), array=read.array)


def open_mask(
    outlet: Teller, *, path: str, name: str, folder: str, shape: list[int], channels: int, means: str
) -> dict[str, Any]:
    """The sites that a mask file declares missing, as `answer.bin`."""
    del outlet, name
    known, notes = read_mask(Path(path), shape, "missing" if means == "missing" else "known")
    layout = Layout(tuple(shape), channels)
    (Path(folder) / "answer.bin").write_bytes(pack(~layout.all_known(known)))
    return {"notes": list(notes)}


def _as_array(found: Contents | Entries) -> tuple[Contents, Layout]:
    total = entries(found.shape)
    if total > MOST_ENTRIES:
        raise TooLarge(
            f"These are {total:,} entries, and the page shows at most {MOST_ENTRIES:,}; use tensorfill complete."
        )
    if len(found.shape) < 2 or not total:
        raise InvalidInput(f"What is filled has two modes or more, and some entries; this has shape {found.shape}.")
    contents = found if isinstance(found, Contents) else found.contents()
    return contents, Layout.of(contents)


def describe_layout(layout: Layout) -> dict[str, Any]:
    """What a client must know to ask for planes."""
    return {
        "shape": list(layout.shape),
        "channels": layout.channels,
        "planes": layout.count,
        "between": list(layout.between),
        "depth": layout.depth,
    }


def _describe(contents: Contents, known: Any) -> dict[str, Any]:
    facts, values = contents.metadata, contents.data[known]
    return {
        "kind": facts.kind,
        "dtype": str(contents.dtype),
        "known_share": float(known.mean()),
        "smallest": float(values.min()) if values.size else None,
        "largest": float(values.max()) if values.size else None,
        "frame_rate": None if facts.frame_rate is None else float(facts.frame_rate),
        "bands": list(facts.band_names)[:_MOST_LABELS],
        "wavelengths": [float(length) for length in facts.wavelengths][:_MOST_LABELS],
        "wavelength_unit": facts.wavelength_unit,
    }


def _labels(found: Contents | Entries) -> list[list[str] | None]:
    """What a table calls its indices, where it does and where they can be told apart."""
    if isinstance(found, Entries):
        names: tuple[Any, ...] = found.labels
    else:
        wide = find_wide(found)
        names = (None,) * len(found.shape) if wide is None else (wide.labels, wide.columns)
    return [None if own is None or len(own) > _MOST_LABELS else [str(label)[:80] for label in own] for own in names]
