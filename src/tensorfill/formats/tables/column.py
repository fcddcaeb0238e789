"""Column: one column of a table, whichever file or library it comes from, and the order of its labels."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...labels import Labels

Codes = NDArray[np.int64]
_DIGITS = re.compile("([0-9]+)")
_LARGEST_CODE = 2**62
_MEASURED_SHARE = 0.5  # of distinct values among numbers with decimals: coordinates come up again and again


def _code_nothing() -> tuple[Codes, Labels]:
    return np.zeros(0, dtype=np.int64), ()


@dataclass(frozen=True, eq=False)
class Column:
    """One column. `numbers` is None where it holds anything else, and 0 in rows that are not `known`."""

    name: str
    kind: str
    """What its type is called in sentences."""
    numbers: NDArray[Any] | None
    known: NDArray[np.bool_]
    code: Callable[[], tuple[Codes, Labels]] = _code_nothing
    """Finds the label of every row, as an index into all labels; -1 where there is none."""
    order: Callable[[Sequence[Any]], tuple[Labels, Codes]] | None = None
    """Puts labels into the order that people expect, if they are not in it."""
    has_decimals: bool = False
    is_mixed: bool = False
    """Whether some of its fields are numbers and others are not."""

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        return repr(self.name[:60])

    @cached_property
    def found(self) -> tuple[Codes, Labels]:
        """For every row, which label it has, and the labels, in any order."""
        return self.code()

    @property
    def codes(self) -> Codes:
        """Numbers that are the same for rows with the same label; -1 for those without one."""
        return self.found[0]

    @cached_property
    def coded(self) -> tuple[Codes, Labels]:
        """The index of every row, and what indices are called, in their order."""
        codes, labels = self.found
        if self.order is None:
            return codes, labels
        labels, index = self.order(labels)
        return np.append(index, -1)[codes], labels

    @cached_property
    def first_rows(self) -> Codes:
        """For every label, the first row that has it; no row may be without one."""
        return np.unique(self.coded[0], return_index=True)[1].astype(np.int64)

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers, or truths."""
        return self.numbers is not None

    @property
    def is_float(self) -> bool:
        """Whether it holds numbers with a fraction."""
        return self.numbers is not None and self.numbers.dtype.kind == "f"

    @property
    def is_whole(self) -> bool:
        """Whether every row has something in it."""
        return bool(self.known.all())

    @property
    def is_empty(self) -> bool:
        """Whether no row has anything in it."""
        return not self.known.any()

    @property
    def holds_words(self) -> bool:
        """Whether nothing in it is a number."""
        return not (self.is_number or self.is_mixed or self.is_empty)

    @property
    def repeats(self) -> bool:
        """Whether a label comes up more than once."""
        return len(self.found[1]) < int(np.count_nonzero(self.known))

    @property
    def is_measured(self) -> bool:
        """Whether these are numbers that nobody would take for coordinates: with decimals, and mostly different."""
        distinct_enough = _MEASURED_SHARE * int(np.count_nonzero(self.known))
        return self.is_number and self.has_decimals and len(self.found[1]) > distinct_enough

    @property
    def could_be_names(self) -> bool:
        """Whether numbers could name something, as years and wavelengths do: all different, and whole or in order."""
        if self.numbers is None or not self.is_whole or len(np.unique(self.numbers)) < len(self.numbers):
            return False
        ordered = np.sort(self.numbers)
        in_order = np.array_equal(self.numbers, ordered) or np.array_equal(self.numbers, ordered[::-1])
        return not self.has_decimals or in_order

    @property
    def counts_by_one(self) -> bool:
        """Whether these are at least three whole numbers from 0 on, each larger by one than the one before."""
        if self.numbers is None or self.has_decimals or not self.is_whole or len(self.numbers) < 3:
            return False
        return bool(self.numbers[0] >= 0 and (np.diff(self.numbers) == 1).all())


def combine(columns: Sequence[Column]) -> Codes:
    """A number for every row, the same for rows that are alike in all these columns."""
    together, size = np.zeros(len(columns[0].known), dtype=np.int64), 1
    for column in columns:
        span = len(column.found[1]) + 1
        if size * span > _LARGEST_CODE:  # counted anew, so that products stay small
            together = np.unique(together, return_inverse=True)[1].reshape(-1).astype(np.int64)
            size = len(together)
        together, size = together * span + column.codes + 1, size * span
    return together


def are_distinct(columns: Sequence[Column]) -> bool:
    """Whether no two rows are alike in these columns."""
    return bool(columns) and count_distinct(combine(columns)) == len(columns[0].known)


def count_distinct(codes: Codes) -> int:
    """How many different numbers there are; sorting them is several times as fast as NumPy's own `unique`."""
    return len(codes) and 1 + int(np.count_nonzero(np.diff(np.sort(codes))))


def quote_names(columns: Sequence[Column]) -> str:
    """The names of columns, as a user would type them in a list."""
    return ", ".join(column.title for column in columns)


def order_labels(found: Sequence[Any]) -> tuple[Labels, Codes]:
    """Distinct labels in order; and, for every label found, which index it has now.

    Words stay in the order they are found in: whoever lists January before February knows which comes first.
    """
    only_words = all(isinstance(label, str) and not _DIGITS.search(label) for label in found)
    return _sort_by(found, None if only_words else [_make_key(label) for label in found])


def order_texts(texts: Sequence[str]) -> tuple[Labels, Codes]:
    """As `order_labels`, for labels that were read as text: whole numbers, if all are written as such; else text.

    >>> order_texts(["10", "9"])[0], order_texts(["010", "9"])[0]
    ((9, 10), ('9', '010'))
    >>> order_texts(["b", "a10", "a9"])[0], order_texts(["2.5", "0.25"])[0], order_texts(["May", "April"])[0]
    (('a9', 'a10', 'b'), ('0.25', '2.5'), ('May', 'April'))
    """
    stripped = [text.strip() for text in texts]
    if len(set(stripped)) == len(texts) and all(map(is_whole_number, stripped)):
        return order_labels([int(text) for text in stripped])
    try:
        keys = list(zip(map(float, stripped), texts, strict=True))
    except ValueError:
        return order_labels(texts)
    return _sort_by(texts, keys) if all(math.isfinite(number) for number, _ in keys) else order_labels(texts)


def counts_from_zero(labels: Sequence[Any]) -> bool:
    """Whether these are the whole numbers 0, 1, 2, …, in order."""
    return all(type(label) is int and label == index for index, label in enumerate(labels))


def _sort_by(found: Sequence[Any], keys: Sequence[Any] | None) -> tuple[Labels, Codes]:
    order = list(range(len(found)))
    if keys is not None:
        order.sort(key=keys.__getitem__)
    index = np.empty(len(found), dtype=np.int64)
    index[order] = np.arange(len(found))
    return tuple(found[place] for place in order), index


def is_whole_number(text: str) -> bool:
    """Whether this is how a table writes a whole number of 64 bits."""
    # 007 is a name, and so is a number that no table would hold as one
    return len(text) < 19 and text.removeprefix("-").isdecimal() and str(int(text)) == text


def _make_key(label: Any) -> Any:
    if not isinstance(label, str):
        return label
    parts = _DIGITS.split(label)
    # Digits compare as numbers do, without making numbers of them: there may be thousands.
    counts = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    mixed = [part for pair in zip(parts[::2], [*counts, (0, "")], strict=True) for part in pair]
    return mixed, label
