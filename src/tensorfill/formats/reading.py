"""Reading: what a user adds about a file that the file itself does not say."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..errors import InvalidSetting, must_be

Layout = Literal["wide", "long"]
_MEANINGS: dict[str, dict[str, Any]] = {
    "wide": {"layout": "wide"},
    "long": {"layout": "long"},
    "header": {"header": True},
    "no-header": {"header": False},
    "labels": {"labels": True},
    "no-labels": {"labels": False},
    "decimal-comma": {"decimal": ","},
    "decimal-point": {"decimal": "."},
}


@dataclass(frozen=True)
class TableWords:
    """What a user says about a table that it leaves open itself; None where nothing is said."""

    layout: Layout | None = None
    """Wide is a matrix, a row per line; long is a line per entry, with its coordinates and its value."""
    header: bool | None = None
    """Whether the first line has the names of the columns."""
    labels: bool | None = None
    """Whether the first column of a wide table has the names of the rows."""
    decimal: str | None = None
    """The sign before the decimals of a number."""

    @classmethod
    def of(cls, text: str | None) -> TableWords:
        """From words with commas between them."""
        said = cls()
        for word in (text or "").replace(",", " ").lower().split():
            if word not in _MEANINGS:
                known = f"be made of these words, with commas between them: {', '.join(_MEANINGS)}"
                raise InvalidSetting(must_be("table", known, word))
            ((name, value),) = _MEANINGS[word].items()
            if getattr(said, name) not in (None, value):
                raise InvalidSetting(must_be("table", "not say two things that exclude each other", text))
            said = replace(said, **{name: value})
        return said

    def with_word(self, word: str) -> str:
        """The words said so far and another one, as they are typed."""
        said = TableWords.of(word)
        both = {name: value for part in (self, said) for name, value in vars(part).items() if value is not None}
        return ",".join(word for word, meaning in _MEANINGS.items() if meaning.items() <= both.items())


@dataclass(frozen=True)
class Reading:
    """How to read; each field matters to the formats that know it."""

    dataset: str | None = None
    """Which array of a file with several: what stands after `::`."""
    size: tuple[int, int] | None = None
    """Columns and rows of raw video."""
    gray: bool = False
    """Brightness alone, of pictures and videos in colour."""
    frames: tuple[int, int] | None = None
    """The first and the last frame to read, counted from 0; both are read."""
    table: TableWords = field(default_factory=TableWords)
    """How a table is laid out, where it can be read in several ways."""
