"""Pictures of the runs by dataset, pattern of holes and method, and as data addresses small enough for one page."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image

from ..rows import Row
from .evidence import SWEEPS, UNIFORM, Evidence, Setup
from .numbers import percent

BUDGET = 12 * 2**20
"""Bytes that all pictures of a page may take together; their text is a third longer."""


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

    @property
    def decomposed(self) -> Shot | None:
        """The first method that has components."""
        return next((shot for shot in self.shots if shot.components), None)


def collect_albums(evidence: Evidence) -> tuple[tuple[Album, ...], tuple[str, ...]]:
    """An album per dataset and pattern with pictures, and a sentence per picture that is named in a row but not there.

    Those of uniform holes come first. Of several rates a tenth is shown, else the lowest.
    """
    collector = _Collector(evidence)
    found = []
    shown = [row for row in evidence.rows if row.status == "ok" and "model" in row.pictures]
    for pattern in sorted({row.pattern for row in shown}, key=lambda pattern: (pattern != UNIFORM, pattern)):
        for name in evidence.cards:
            rows = [row for row in shown if row.data.name == name and row.pattern == pattern]
            found.append(collector.album(name, [row for row in rows if row.experiment not in SWEEPS] or rows))
    return tuple(album for album in found if album), tuple(dict.fromkeys(collector.problems))


def first_albums(albums: Sequence[Album]) -> tuple[Album, ...]:
    """One album per dataset."""
    first: dict[str, Album] = {}
    for album in albums:
        first.setdefault(album.dataset, album)
    return tuple(first.values())


class _Collector:
    """Finds pictures; `problems` tells which were named in a row and could not be used."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.problems: list[str] = []

    def album(self, name: str, rows: list[Row]) -> Album | None:
        """The album of a dataset from rows of one pattern; None without a picture."""
        if not rows:
            return None
        first = min(rows, key=lambda row: (row.rate != 0.1, row.rate))
        setup = Setup.of(first)
        rows = sorted((row for row in rows if row.rate == first.rate), key=lambda row: row.seed)
        by_label = {row.label: row for row in reversed(rows)}
        shots = [self._shot(by_label[label]) for label in self._evidence.labels if label in by_label]
        found = tuple(shot for shot in shots if shot)
        truth, observed = (
            next((path for row in rows if (path := self._path(row.pictures, role))), None)
            for role in ("truth", "observed")
        )
        title = f"{self._evidence.title(name)}{'' if setup.pattern == UNIFORM else f', {setup.pattern}'}"
        return Album(name, title, setup, truth, observed, found) if found else None

    def _shot(self, row: Row) -> Shot | None:
        path = self._path(row.pictures, "model")
        if path is None:
            return None
        roles = sorted((role for role in row.pictures if role.startswith("component ")), key=_number)
        parts = [self._path(row.pictures, role) for role in roles]
        return Shot(row.label, row.method, path, row.rmse, tuple(part for part in parts if part), row.stop == "time")

    def _path(self, pictures: Mapping[str, str], role: str) -> Path | None:
        """The file of a picture; only below the folder of the rows, whatever a row says."""
        if role not in pictures:
            return None
        folder = self._evidence.folder
        path = folder / pictures[role]
        there = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)) and path.is_file()
        if there and _is_readable(path):
            return path
        what = "cannot be read" if there else "is not there"
        self.problems.append(f"The picture {pictures[role]} is named in a row but {what}; it is left out.")
        return None


@cache
def _is_readable(path: Path) -> bool:
    try:
        with Image.open(path) as picture:
            picture.load()
    except (OSError, ValueError, SyntaxError):  # all three are what a damaged picture raises
        return False
    return True


def _number(role: str) -> tuple[int, str]:
    last = role.rsplit(" ", 1)[-1]
    return (int(last), role) if last.isdigit() else (10**6, role)


# For the page


@dataclass(frozen=True)
class Economy:
    """From how many bytes on a picture becomes a JPEG, of which quality, and how large its sides may be."""

    lossless: int
    quality: int
    side: int


_STEPS = (Economy(120_000, 90, 1024), Economy(60_000, 84, 768), Economy(30_000, 76, 512), Economy(0, 60, 384))


def encode_pictures(paths: Mapping[str, Path], budget: int = BUDGET) -> tuple[dict[str, str], bool]:
    """A data address for every picture, and whether any of them lost something; the first step within the budget."""
    found: dict[str, tuple[str, bytes]] = {}
    for step in _STEPS:
        found = {key: _encode(path, step) for key, path in paths.items()}
        if sum(len(content) for _, content in found.values()) <= budget:
            break
    addresses = {
        key: f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
        for key, (kind, content) in found.items()
    }
    return addresses, any(kind == "jpeg" for kind, _ in found.values())


def _encode(path: Path, economy: Economy) -> tuple[str, bytes]:
    content = path.read_bytes()
    with Image.open(path) as picture:
        kind = (picture.format or "PNG").lower()
        if kind in ("png", "jpeg") and len(content) <= economy.lossless and max(picture.size) <= economy.side:
            return kind, content
        smaller = picture.convert("L" if picture.mode in ("1", "L", "I", "I;16") else "RGB")
        smaller.thumbnail((economy.side, economy.side))
        file = io.BytesIO()
        smaller.save(file, "JPEG", quality=economy.quality, subsampling=0)
    return ("jpeg", file.getvalue()) if file.tell() < len(content) else (kind, content)
