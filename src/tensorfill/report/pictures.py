"""Pictures of the runs by dataset, pattern of holes and method; one whose file is gone is left out and named."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..rows import Row
from .evidence import SWEEPS, UNIFORM, Evidence, Setup, percent, setup_of


@dataclass(frozen=True)
class Shot:
    """One method's picture of a dataset."""

    label: str
    method: str
    path: Path
    rmse: float | None
    components: tuple[Path, ...]
    time_limited: bool


@dataclass(frozen=True)
class Album:
    """All pictures of a dataset at one sampling rate, with holes of one pattern."""

    dataset: str
    title: str
    setup: Setup
    truth: Path | None
    observed: Path | None
    shots: tuple[Shot, ...]

    @property
    def name(self) -> str:
        """Another one for every album."""
        return self.dataset if self.setup.pattern == UNIFORM else f"{self.dataset}-{self.setup.pattern}"

    @property
    def share(self) -> str:
        """How much was observed, such as "10 %" or "70 % (blocks)"."""
        return f"{percent(self.setup.rate)}{self.setup.holes}"


def albums(evidence: Evidence) -> tuple[tuple[Album, ...], tuple[str, ...]]:
    """An album per dataset and pattern with pictures, and a sentence per picture that is named in a row but not there.

    Those of uniform holes come first. Of several rates a tenth is shown, else the lowest.
    """
    problems: list[str] = []
    found = []
    shown = [row for row in evidence.rows if row.status == "ok" and "model" in row.pictures]
    patterns = sorted({row.pattern for row in shown}, key=lambda pattern: (pattern != UNIFORM, pattern))
    for pattern in patterns:
        for name in evidence.cards:
            rows = [row for row in shown if row.data.name == name and row.pattern == pattern]
            album = _album(evidence, name, [row for row in rows if row.experiment not in SWEEPS] or rows, problems)
            found += [album] if album else []
    return tuple(found), tuple(dict.fromkeys(problems))


def first_albums(found: Sequence[Album]) -> tuple[Album, ...]:
    """One album per dataset."""
    first: dict[str, Album] = {}
    for album in found:
        first.setdefault(album.dataset, album)
    return tuple(first.values())


def _album(evidence: Evidence, name: str, rows: list[Row], problems: list[str]) -> Album | None:
    if not rows:
        return None
    first = min(rows, key=lambda row: (row.rate != 0.1, row.rate))
    setup = setup_of(first)
    rows = sorted((row for row in rows if row.rate == first.rate), key=lambda row: row.seed)
    shots = [shot for label in evidence.labels if (shot := _shot(evidence, rows, label, problems))]
    truth, observed = (_first(evidence, rows, role, problems) for role in ("truth", "observed"))
    title = f"{evidence.title(name)}{'' if setup.pattern == UNIFORM else f', {setup.pattern}'}"
    return Album(name, title, setup, truth, observed, tuple(shots)) if shots else None


def _shot(evidence: Evidence, rows: list[Row], label: str, problems: list[str]) -> Shot | None:
    row = next((row for row in rows if row.label == label), None)
    path = _path(evidence, row.pictures, "model", problems) if row else None
    if row is None or path is None:
        return None
    roles = sorted((role for role in row.pictures if role.startswith("component ")), key=_number)
    parts = [_path(evidence, row.pictures, role, problems) for role in roles]
    return Shot(label, row.method, path, row.rmse, tuple(part for part in parts if part), row.stop == "time")


def _first(evidence: Evidence, rows: list[Row], role: str, problems: list[str]) -> Path | None:
    return next((path for row in rows if (path := _path(evidence, row.pictures, role, problems))), None)


def _path(evidence: Evidence, pictures: Mapping[str, str], role: str, problems: list[str]) -> Path | None:
    """The file of a picture; only below the folder of the rows, whatever a row says."""
    if role not in pictures:
        return None
    path = evidence.folder / pictures[role]
    inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(evidence.folder))
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
