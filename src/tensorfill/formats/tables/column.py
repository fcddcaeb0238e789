"""Column: what a column of a table looks like, from which its place in a tensor is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MISSING = frozenset(("", "na", "n/a", "nan", "null", "none"))
_MEASURED_SHARE = 0.5  # of distinct values among numbers with decimals: coordinates come up again and again
_WITH_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")


@dataclass(frozen=True)
class Column:
    """The fields of a column below its name."""

    name: str
    kind: Literal["words", "numbers", "mixed", "empty"]
    """Empty is one in which nothing is known."""
    has_missing: bool
    has_decimals: bool
    distinct: int
    """How many different fields there are, the missing ones not counted."""
    count: int
    """How many fields there are, the missing ones not counted."""

    @property
    def repeats(self) -> bool:
        """Whether a field comes up more than once."""
        return self.distinct < self.count

    @property
    def is_measured(self) -> bool:
        """Whether these are numbers that nobody would take for coordinates: with decimals, and mostly different."""
        return self.kind == "numbers" and self.has_decimals and self.distinct > _MEASURED_SHARE * self.count


def is_missing(text: str) -> bool:
    """Whether a field has no value."""
    return text.strip().lower() in MISSING


def with_point(text: str, decimal: str) -> str:
    """A number in a file's way of writing as Python writes it; "1.5" is none where the decimal sign is a comma."""
    if decimal == ".":
        return text
    return text.replace(",", ".") if "." not in text else f"{text}?"


def number_in(text: str, decimal: str) -> float | None:
    """The number that a field holds; true and false are 1 and 0."""
    plain = with_point(text.strip().lower(), decimal)
    if plain in ("true", "false"):
        return float(plain == "true")
    try:
        return None if "_" in plain or plain in MISSING else float(plain)
    except ValueError:
        return None


def column_of(name: str, fields: Sequence[str], decimal: str) -> Column:
    """What these fields look like."""
    known = [text.strip() for text in fields if not is_missing(text)]
    numbers = [text for text in known if number_in(text, decimal) is not None]
    kind: Literal["words", "numbers", "mixed", "empty"] = "mixed"
    if not known:
        kind = "empty"
    elif not numbers or len(numbers) == len(known):
        kind = "numbers" if numbers else "words"
    decimals = any(not text.lstrip("+-").isdecimal() for text in numbers)
    return Column(name, kind, len(known) < len(fields), decimals, len(set(known)), len(known))


def decimal_signs(fields: Sequence[str]) -> tuple[str | None, str | None, bool]:
    """A number with a decimal comma, one with a decimal point, and whether all commas could be between thousands."""
    comma = point = None
    thousands = True
    for text in map(str.strip, fields):
        if "," in text and (_WITH_COMMA.fullmatch(text) or _THOUSANDS.fullmatch(text)):
            comma = comma or text
            thousands = thousands and _THOUSANDS.fullmatch(text) is not None
        elif "." in text and point is None and number_in(text, ".") is not None:
            point = text
    return comma, point, thousands


def could_be_names(fields: Sequence[str], decimal: str) -> bool:
    """Whether numbers could name something, as years and wavelengths do: all different, and whole or in order."""
    numbers = [number_in(text, decimal) for text in fields]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or len(set(known)) < len(known):
        return False
    whole = all(text.strip().lstrip("+-").isdecimal() for text in fields)
    return whole or known == sorted(known) or known == sorted(known, reverse=True)


def counts_by_one(fields: Sequence[str]) -> bool:
    """Whether these are at least three whole numbers, each larger by one than the one before."""
    if len(fields) < 3 or not all(text.strip().isdecimal() for text in fields):
        return False
    first = int(fields[0])
    return all(int(text) == first + place for place, text in enumerate(fields))
