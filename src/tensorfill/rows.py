"""Rows: what one run of the bench found, one JSON line each. The bench writes them, the report reads them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args

from .errors import InvalidInput

Status = Literal["ok", "refused", "failed", "crashed", "timed out", "no data"]
"""ok; the method refused the tensor; it raised an error; its process died; it was killed; the data is not there."""

ROWS_FILE = "rows.jsonl"
TITLE_FILE = "title.txt"
_LONGEST_TITLE = 1000  # bytes


@dataclass(frozen=True)
class DataCard:
    """What a row tells about its dataset."""

    name: str
    title: str
    kind: str
    """"image", "video", "cube", "counts" or "synthetic"."""
    shape: tuple[int, ...]
    source: str
    licence: str
    how_to_get: str
    in_paper: bool
    approximate: str | None = None
    """Why this is not quite the original data, in one sentence; tables label it."""
    file: str | None = None
    sha256: str | None = None
    """Of the file that was read; of the values, where they are made on the fly; None if the data is not there."""


@dataclass(frozen=True)
class Question:
    """What a run is asked: a method on a dataset, with one mask."""

    data: DataCard
    experiment: str
    """The part of the plan that asked for it, such as "table", "ranks" or "rates"."""
    method: str
    label: str
    """The method as tables call it; differs from `method` where the same one runs at two settings."""
    settings: Mapping[str, Any]
    seed: int
    rate: float
    """The share of the entries that is kept."""
    pattern: str
    """How the others are hidden, by the names of `sampling`."""
    time_limit: float | None = field(default=None, kw_only=True)
    """Seconds after which the method is asked to stop."""

    @cached_property
    def id(self) -> str:
        """The same for the same question, whatever the answer."""
        asked = self.asked()
        asked |= {"data": self.data.name, "settings": dict(self.settings)}
        return sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()[:12]

    def asked(self) -> dict[str, Any]:
        """The question alone, by field."""
        return {entry.name: getattr(self, entry.name) for entry in fields(Question)}


@dataclass(frozen=True)
class Row(Question):
    """One run: what was asked, what came out. Errors are on the scale where the data lies in [0, 1]."""

    status: Status
    error: str | None = None
    """One sentence, where the status is not "ok"."""
    chosen: Mapping[str, Any] = field(default_factory=dict)
    """Every setting as it was used."""
    rmse: float | None = None
    """Of the raw model over all entries, as in the paper."""
    rmse_unobserved: float | None = None
    psnr: float | None = None
    ssim: float | None = None
    """Mean over the slices of the first two modes; None where these are not space."""
    smallest: float | None = None
    negative_share: float | None = None
    seconds: float | None = None
    iterations: int | None = None
    peak_memory: int | None = None
    """Bytes on top of what the process held when `complete` began."""
    stop: str | None = None
    stop_sentence: str | None = None
    relative_gap: float | None = None
    curve: tuple[tuple[int, float, float], ...] = ()
    """(iteration, seconds, RMSE), seen through `watch`."""
    components: tuple[tuple[float, float], ...] = ()
    """Of a model that is a sum: for each component its share <W^(k), W>/‖W‖², and its likeness to the truth."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """Role → path below the folder of the rows: "truth", "observed", "model", "component 1", …"""
    threads: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> str:
        """One line, strict JSON: what is not finite is null."""
        return json.dumps({"id": self.id, **_plain(asdict(self))}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, line: str) -> Row:
        """A row from its line. Keys it doesn't know are left out, so that older programs read newer rows."""
        try:
            found = json.loads(line)
        except json.JSONDecodeError as problem:
            what = problem.msg.removesuffix(" at")
            raise InvalidInput(f"not a whole line of JSON ({what}, at character {problem.pos + 1})") from None
        if not isinstance(found, dict) or not isinstance(found.get("data"), dict):
            raise InvalidInput("not a row: a row is a JSON object with 'data', 'method', 'status' and more")
        try:
            card = _known(DataCard, found["data"])
            values = _known(cls, found)
            card["shape"] = tuple(int(size) for size in card["shape"])
            values["data"] = DataCard(**card)
            values["curve"] = tuple(
                (int(iteration), float(seconds), math.nan if rmse is None else float(rmse))
                for iteration, seconds, rmse in values.get("curve", ())
            )
            values["components"] = tuple(
                (float(share), float(likeness)) for share, likeness in values.get("components", ())
            )
            row = cls(**values)
        except (TypeError, ValueError, KeyError) as problem:
            raise InvalidInput(f"not a row of this version ({problem})") from None
        if row.status not in get_args(Status):
            raise InvalidInput(f"its status {row.status!r} is none of {', '.join(get_args(Status))}")
        return row


@dataclass(frozen=True)
class Rows:
    """The rows of a folder, and a sentence for each line that could not be read."""

    rows: tuple[Row, ...]
    problems: tuple[str, ...]
    folder: Path
    """Where the paths of pictures start."""
    title: str = ""
    """That of the plan they come from, if it is known."""


def parse_rows(content: bytes) -> Iterator[tuple[int, bytes, Row | str]]:
    """Number and text of every line that is not empty, with its row, or why it is none."""
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            try:
                yield number, line, Row.from_json(line.decode("utf-8"))
            except (InvalidInput, UnicodeDecodeError) as problem:
                yield number, line, str(problem)


def read_rows(path: Path) -> Rows:
    """Every readable row of a file, or of `rows.jsonl` in a folder; a bad line is named and left out."""
    file = path / ROWS_FILE if path.is_dir() else path
    if not file.is_file():
        raise InvalidInput(f"There are no rows at {path}: expected a {ROWS_FILE} as `tensorfill bench` writes it.")
    rows: dict[str, Row] = {}
    problems: list[str] = []
    for number, _, row in parse_rows(file.read_bytes()):
        if isinstance(row, str):
            problems.append(f"Line {number} of {file.name} is left out: {row}.")
            continue
        if row.id in rows:
            problems.append(f"Line {number} of {file.name} repeats run {row.id}; the later line counts.")
        rows[row.id] = row
    return Rows(tuple(rows.values()), tuple(problems), file.parent, _title_in(file.parent))


def _title_in(folder: Path) -> str:
    try:
        text = (folder / TITLE_FILE).read_bytes()[:_LONGEST_TITLE]
    except OSError:
        return ""
    return " ".join(text.decode("utf-8", "replace").split())


def _known(kind: type[Any], found: Mapping[str, Any]) -> dict[str, Any]:
    names = {entry.name for entry in fields(kind)}
    return {name: value for name, value in found.items() if name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):
        return _plain(value.item())
    return value
