"""Fields of a table of text: what is missing, which numbers they hold, and numbers as text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column import Codes, Column

_MISSING = frozenset(("", "na", "n/a", "nan", "-nan", "null", "none"))
_WITH_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")


def is_missing(text: str) -> bool:
    """Whether a field has no value."""
    return text.strip().lower() in _MISSING


def parse_number(text: str, decimal: str = ".") -> float | None:
    """The number that a field holds, if any; true and false are 1 and 0."""
    plain = _with_point(text.strip().lower(), decimal)
    if plain in ("true", "false"):
        return float(plain == "true")
    try:
        number = math.nan if "_" in plain else float(plain)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def parse_numbers(texts: Sequence[str], decimal: str = ".") -> NDArray[Any]:
    """The numbers in texts: int64 or uint64 if all are whole, bool if all are true or false, else float64.

    >>> [parse_numbers(texts).dtype.name for texts in (["1", "-2"], ["1", "2.0"], ["true", "False"])]
    ['int64', 'float64', 'bool']
    """
    if "_" in "".join(texts):
        raise ValueError("Python reads 1_000 as a number, files do not mean it")
    if decimal != ".":
        texts = [_with_point(text, decimal) for text in texts]
    kinds = ((int, np.int64), (_parse_natural, np.uint64), (float, np.float64), (_parse_truth, np.bool_))
    for parse, dtype in kinds:
        try:
            return np.array(list(map(parse, texts)), dtype=dtype)
        except (ValueError, OverflowError):
            continue
    raise ValueError("not all of them are numbers, or all true or false")


def _parse_natural(text: str) -> int:
    """Raises ValueError for a negative number, which older versions of NumPy would take for a large one."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _parse_truth(text: str) -> bool:
    """Raises ValueError for anything but true and false."""
    return bool(("false", "true").index(text.strip().lower()))


def join_numbers(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Parts in one array: whole numbers stay whole if 64 bits can hold them all."""
    kinds = {part.dtype.kind for part in parts}
    if kinds == {"i", "u"} and all(part.min(initial=0) >= 0 for part in parts):
        return np.concatenate([part.astype(np.uint64) for part in parts])
    return np.concatenate(parts)


def format_numbers(values: NDArray[Any], decimal: str = ".") -> Iterator[str]:
    """The shortest texts that give the same float64 or whole number again, or true and false as Python writes them.

    >>> list(format_numbers(np.array([0.1, 3.0, np.inf]), ",")), list(format_numbers(np.array([True, False])))
    (['0,1', '3,0', 'inf'], ['True', 'False'])
    """
    if values.dtype.kind != "f":
        return map(str, values.tolist())
    texts = map(repr, values.astype(np.float64).tolist())
    return texts if decimal == "." else (text.replace(".", decimal) for text in texts)


def find_decimal_signs(fields: Iterable[str]) -> tuple[str | None, str | None, bool]:
    """A number with a decimal comma, one with a decimal point, and whether all commas could be between thousands."""
    comma = point = None
    thousands = True
    for text in map(str.strip, fields):
        if "," in text and (_WITH_COMMA.fullmatch(text) or _THOUSANDS.fullmatch(text)):
            comma = comma or text
            thousands = thousands and _THOUSANDS.fullmatch(text) is not None
        elif "." in text and point is None and parse_number(text) is not None:
            point = text
    return comma, point, thousands


def make_column(name: str, fields: Sequence[str], decimal: str) -> Column:
    """The column that these fields make up."""
    texts = [text.strip() for text in fields]
    known = np.array([not is_missing(text) for text in texts], dtype=bool)
    found = [parse_number(text, decimal) if there else 0.0 for text, there in zip(texts, known, strict=True)]
    numbers = [text for text, number, there in zip(texts, found, known, strict=True) if there and number is not None]
    holds_numbers = len(numbers) == np.count_nonzero(known)

    def code() -> tuple[Codes, tuple[str, ...]]:
        seen: dict[str, int] = {}
        codes = [seen.setdefault(text, len(seen)) if there else -1 for text, there in zip(texts, known, strict=True)]
        return np.array(codes, dtype=np.int64), tuple(seen)

    return Column(
        name,
        "text",
        np.array(found, dtype=np.float64) if holds_numbers else None,
        known,
        code,
        has_decimals=any(not text.lstrip("+-").isdecimal() for text in numbers),
        is_mixed=bool(numbers) and not holds_numbers,
    )


def _with_point(text: str, decimal: str) -> str:
    """A number as Python writes it; "1.5" is none where the decimal sign is a comma."""
    if decimal == ".":
        return text
    return text.replace(",", ".") if "." not in text else f"{text}?"
