"""Settings as people type them: `10`, `10,10,3`, `tau=100`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from ..bounds import Bounds
from ..errors import InvalidSetting

Number = TypeVar("Number", int, float)


def rank_from(text: str) -> int | tuple[int, ...]:
    """One rank for every mode, or one each.

    >>> rank_from("10"), rank_from("10, 10, 3")
    (10, (10, 10, 3))
    """
    return _one_or_several(text, int, "--rank takes whole numbers, one for all modes or one per mode, like 10,10,3")


def weights_from(text: str) -> float | tuple[float, ...]:
    """One weight for every mode, or one each.

    >>> weights_from("0.5"), weights_from("1,1,2")
    (0.5, (1.0, 1.0, 2.0))
    """
    return _one_or_several(text, float, "--lam takes numbers, one for all modes or one per mode, like 1,1,1")


def bounds_from(lower: str, upper: str) -> Bounds:
    """Numbers, or none for no bound.

    >>> bounds_from("-1000", "none"), bounds_from("none", "0.5")
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


def settings_from(assignments: Sequence[str], taken: Collection[str] = ()) -> dict[str, Any]:
    """Settings from `name=value`; values are numbers, several of them, true, false, none or words.

    >>> settings_from(["tau=100", "rank_max=20,20,3", "standardize=true", "weights=dynamic"])
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
