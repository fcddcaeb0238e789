"""Options as people type them: `10-12,20`, `176x144`, `255,0,255`, `10,10,3`, `tau=100`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from ..bounds import Bounds
from ..errors import InvalidSetting

Number = TypeVar("Number", int, float)

_MOST = 10**6  # nobody has more frames, and 0-999999999999 must not fill the memory


def parse_indices(text: str, option: str = "--missing-frames") -> tuple[int, ...]:
    """Indices, and ranges of them that include both ends.

    >>> parse_indices("10-12, 20")
    (10, 11, 12, 20)
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or not (last.isdecimal() if dash else True):
            raise _wrong_indices(option, text)
        start, end = int(first), int(last) if dash else int(first)
        if end < start or end - start >= _MOST or len(found) >= _MOST:
            raise _wrong_indices(option, text)
        found.extend(range(start, end + 1))
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


def _wrong_indices(option: str, text: str) -> InvalidSetting:
    return InvalidSetting(
        f"{option} takes indices counted from 0 and ranges of them, like 10-12,20. Got {text!r} instead."
    )


def parse_range(text: str) -> tuple[int, int]:
    """The first and the last frame.

    >>> parse_range("0-99"), parse_range("7")
    ((0, 99), (7, 7))
    """
    first, dash, last = text.strip().partition("-")
    if first.isdecimal() and (last.isdecimal() if dash else True):
        start, end = int(first), int(last) if dash else int(first)
        if start <= end:
            return start, end
    raise InvalidSetting(
        f"--frames takes the first and the last frame, counted from 0, like 0-99. Got {text!r} instead."
    )


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


def parse_rank(text: str) -> int | tuple[int, ...]:
    """One rank for every mode, or one each.

    >>> parse_rank("10"), parse_rank("10, 10, 3")
    (10, (10, 10, 3))
    """
    return _one_or_several(text, int, "--rank takes whole numbers, one for all modes or one per mode, like 10,10,3")


def parse_weights(text: str) -> float | tuple[float, ...]:
    """One weight for every mode, or one each.

    >>> parse_weights("0.5"), parse_weights("1,1,2")
    (0.5, (1.0, 1.0, 2.0))
    """
    return _one_or_several(text, float, "--lam takes numbers, one for all modes or one per mode, like 1,1,1")


def parse_bounds(lower: str, upper: str) -> Bounds:
    """Numbers, or none for no bound.

    >>> parse_bounds("-1000", "none"), parse_bounds("none", "0.5")
    (Bounds(lower=-1000, upper=None), Bounds(lower=None, upper=0.5))
    """
    return Bounds.of(_bound("--lower", lower), _bound("--upper", upper))


def _bound(option: str, text: str) -> int | float | None:
    if text.strip().lower() == "none":
        return None
    try:
        found = _number(text)
    except ValueError:
        found = float("nan")
    if not math.isfinite(found):
        raise InvalidSetting(f"{option} takes a number, or none for no bound. Got {text!r} instead.")
    return found


def parse_settings(assignments: Sequence[str], taken: Collection[str] = ()) -> dict[str, Any]:
    """Settings from `name=value`; values are numbers, several of them, true, false, none or words.

    >>> parse_settings(["tau=100", "rank_max=20,20,3", "standardize=true", "weights=dynamic"])
    {'tau': 100, 'rank_max': (20, 20, 3), 'standardize': True, 'weights': 'dynamic'}
    """
    found: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        name = name.replace("-", "_")
        if not (name.isidentifier() and equals and value):
            raise InvalidSetting(f"--set takes NAME=VALUE, like tau=100. Got {assignment!r} instead.")
        if name in found or name in taken:
            raise InvalidSetting(f"The setting {name!r} is given twice; give it once.")
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        parts = tuple(_number(part) for part in text.split(",") if part.strip())
    except ValueError:
        return text
    return parts if "," in text else parts[0]


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _one_or_several(text: str, kind: Callable[[str], Number], rule: str) -> Number | tuple[Number, ...]:
    try:
        numbers = tuple(kind(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(f"{rule}. Got {text!r} instead.") from None
    return numbers if len(numbers) > 1 else numbers[0]
