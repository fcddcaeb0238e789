"""A run as the server knows it: what was wished for, how far it is, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from ..bounds import Bounds
from ..errors import TensorfillError
from ..methods.auto import method_for
from ..methods.registry import make
from .processes import Working
from .reading import Words

_MOST_POINTS = 300
_LONGEST_WORD, _MOST_VALUES = 100, 32
_LARGEST_SEED = 2**63
_LARGEST_SIDE = 100_000


@dataclass(frozen=True)
class Wish:
    """What is asked of the library."""

    method: str
    settings: dict[str, Any]
    seed: int = 0
    lower: float | None = 0
    upper: float | None = None
    time_limit: float | None = None
    holes: str | None = None

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Wish:
        """From what a client sent, all of it checked."""
        settings = message.get("settings") or {}
        if not isinstance(settings, dict) or len(settings) > _MOST_VALUES:
            raise HTTPException(400, "The settings must be names with values.")
        wish = cls(
            method=_word(message.get("method", "auto")),
            settings={_word(name): _setting(value) for name, value in settings.items()},
            seed=whole_number(message.get("seed", 0), 0, _LARGEST_SEED),
            lower=_number_or_none(message.get("lower", 0)),
            upper=_number_or_none(message.get("upper")),
            time_limit=_number_or_none(message.get("time_limit")),
            holes=None if message.get("holes") is None else _word(message["holes"]),
        )
        try:
            make(method_for(wish.method, wish.settings), wish.settings)
            Bounds.of(wish.lower, wish.upper)
        except TensorfillError as error:
            raise HTTPException(422, str(error)) from None
        if wish.time_limit is not None and wish.time_limit <= 0:
            raise HTTPException(422, "The time limit must be a number of seconds above 0.")
        return wish

    def told(self) -> dict[str, Any]:
        """Everything but the mask, for the worker."""
        return {name: value for name, value in asdict(self).items() if name != "holes"}


def read_words(message: Mapping[str, Any]) -> Words:
    """What a user adds about a file."""
    words = Words()
    if message.get("table") is not None:
        words["table"] = _word(message["table"])
    if message.get("array") is not None:
        words["array"] = _word(message["array"])
    if message.get("size") is not None:
        size = message["size"]
        if not isinstance(size, list) or len(size) != 2:
            raise HTTPException(422, "The size is two numbers: columns and rows.")
        words["size"] = [whole_number(part, 1, _LARGEST_SIDE) for part in size]
    return words


def whole_number(value: object, least: int, most: int) -> int:
    """A whole number of this range, or a refusal."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise HTTPException(422, f"A whole number from {least} to {most} is needed.")
    return value


def number(value: object, least: float, most: float) -> float:
    """A number of this range, or a refusal."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise HTTPException(422, f"A number from {least:g} to {most:g} is needed.")
    return float(value)


def _number_or_none(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise HTTPException(422, "A number is needed, or nothing.")
    return value


def _word(value: object) -> str:
    if not isinstance(value, str) or not value or len(value) > _LONGEST_WORD:
        raise HTTPException(422, "A short name is needed.")
    return value


def _setting(value: object) -> Any:
    if isinstance(value, list) and len(value) <= _MOST_VALUES:
        return tuple(_setting(part) for part in value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return _word(value)


@dataclass
class Run:
    """One run: queued, running, done, stopped (before there was anything to keep) or failed."""

    id: str
    item: str
    folder: Path
    wish: Wish
    plane: int = 0
    state: str = "queued"
    error: str = ""
    stopping: bool = False
    phase: str = ""
    iteration: int = 0
    elapsed: float = 0.0
    left: float | None = None
    curve_name: str = "Cost"
    curve: list[tuple[float, float]] = field(default_factory=list)
    picture: int = 0
    picture_plane: int = 0
    summary: dict[str, Any] | None = None
    components: list[dict[str, float]] = field(default_factory=list)
    uncertainty: float | None = None
    extras: bool = False
    """Whether all is worked out that comes after the result."""
    working: Working | None = None

    def hear(self, message: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Take in what its process tells; returns the event for the page."""
        if "result" in message and self.state == "running":
            self.state, self.summary = "done", dict(message["result"])
            return "run", self.told()
        self.phase = str(message.get("phase", self.phase))
        self.elapsed = float(message.get("elapsed", self.elapsed))
        self.left = message.get("left", self.left)
        self.curve_name = str(message.get("curve", self.curve_name))
        if message.get("iteration") is not None:
            self.iteration = int(message["iteration"])
            if message.get("cost") is not None:
                self._add_point(float(message["cost"]))
        if "picture" in message:
            self.picture, self.picture_plane = int(message["picture"]), int(message["plane"])
        return "progress", self.progress()

    def _add_point(self, cost: float) -> None:
        self.curve.append((round(self.elapsed, 3), cost))
        if len(self.curve) > _MOST_POINTS:
            self.curve = self.curve[::2]

    def finish(self, answer: Mapping[str, Any]) -> None:
        """All is done."""
        self.components, self.uncertainty, self.extras = answer["components"], answer["uncertainty"], True

    def fail(self, state: str, sentence: str) -> None:
        """It has ended; what comes after a result is not missed, and what ended it first is what is said."""
        if self.state in ("queued", "running"):
            self.state, self.error = state, sentence
        self.extras = True

    def progress(self) -> dict[str, Any]:
        """What changes while it runs."""
        return {
            "id": self.id,
            "phase": self.phase,
            "iteration": self.iteration,
            "elapsed": self.elapsed,
            "left": self.left,
            "curve_name": self.curve_name,
            "point": self.curve[-1] if self.curve else None,
            "picture": self.picture,
            "picture_plane": self.picture_plane,
        }

    def told(self) -> dict[str, Any]:
        """What clients know of it."""
        return {
            **self.progress(),
            "item": self.item,
            "state": self.state,
            "error": self.error,
            "stopping": self.stopping,
            "curve": self.curve,
            "summary": self.summary,
            "components": self.components,
            "uncertainty": self.uncertainty,
            "extras": self.extras,
            **asdict(self.wish),
        }
