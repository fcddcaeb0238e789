"""Numbers as people type them: `10` or `10,10,3`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

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


def _one_or_several(text: str, kind: Callable[[str], Number], rule: str) -> Number | tuple[Number, ...]:
    try:
        numbers = tuple(kind(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(f"{rule}. Got {text!r} instead.") from None
    return numbers if len(numbers) > 1 else numbers[0]
