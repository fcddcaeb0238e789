"""Pictures of the runs, found by dataset and method; a picture whose file is gone is left out and named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..rows import Row
from .evidence import SWEEPS, Evidence


@dataclass(frozen=True)
class Shot:
    """One method's picture of a dataset."""

    label: str
    path: Path
    rmse: float | None
    components: tuple[Path, ...]
    time_limited: bool


@dataclass(frozen=True)
class Album:
    """All pictures of a dataset at one sampling rate."""

    dataset: str
    title: str
    rate: float
    truth: Path | None
    observed: Path | None
    shots: tuple[Shot, ...]


def albums(evidence: Evidence) -> tuple[tuple[Album, ...], tuple[str, ...]]:
    """An album per dataset with pictures, and a sentence per picture that is named in a row but not there."""
    problems: list[str] = []
    found = []
    for name in evidence.cards:
        rows = [
            row for row in evidence.rows if row.data.name == name and row.status == "ok" and "model" in row.pictures
        ]
        rows = [row for row in rows if row.experiment not in SWEEPS] or rows
        if not rows:
            continue
        rate = 0.1 if any(row.rate == 0.1 for row in rows) else min(row.rate for row in rows)
        rows = sorted((row for row in rows if row.rate == rate), key=lambda row: row.seed)
        shots = [shot for label in evidence.labels if (shot := _shot(evidence, rows, label, problems))]
        truth, observed = (_first(evidence, rows, role, problems) for role in ("truth", "observed"))
        if shots:
            found.append(Album(name, evidence.title(name), rate, truth, observed, tuple(shots)))
    return tuple(found), tuple(dict.fromkeys(problems))


def _shot(evidence: Evidence, rows: list[Row], label: str, problems: list[str]) -> Shot | None:
    row = next((row for row in rows if row.label == label), None)
    path = _path(evidence, row.pictures, "model", problems) if row else None
    if row is None or path is None:
        return None
    roles = sorted((role for role in row.pictures if role.startswith("component ")), key=_number)
    parts = [_path(evidence, row.pictures, role, problems) for role in roles]
    return Shot(label, path, row.rmse, tuple(part for part in parts if part), row.stop == "time")


def _first(evidence: Evidence, rows: list[Row], role: str, problems: list[str]) -> Path | None:
    return next((path for row in rows if (path := _path(evidence, row.pictures, role, problems))), None)


def _path(evidence: Evidence, pictures: Mapping[str, str], role: str, problems: list[str]) -> Path | None:
    """The file of a picture; only below the folder of the rows, whatever a row says."""
    if role not in pictures:
        return None
    path = evidence.folder / pictures[role]
    inside = path.resolve().is_relative_to(evidence.folder.resolve())
    if inside and path.is_file() and _readable(path):
        return path
    what = "cannot be read" if inside and path.is_file() else "is not there"
    problems.append(f"The picture {pictures[role]} is named in a row but {what}; it is left out.")
    return None


@cache
def _readable(path: Path) -> bool:
    from PIL import Image

    try:
        with Image.open(path) as picture:
            picture.load()
    except (OSError, ValueError, SyntaxError):  # all three are what a damaged picture raises
        return False
    return True


def _number(role: str) -> tuple[int, str]:
    last = role.rsplit(" ", 1)[-1]
    return (int(last), role) if last.isdigit() else (10**6, role)
