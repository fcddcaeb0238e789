"""Labels: what a table calls the indices of a mode, put into an order that people expect."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..entries import Labels

_DIGITS = re.compile("([0-9]+)")


def ordered(found: Sequence[Any]) -> tuple[Labels | None, NDArray[np.int64]]:
    """Distinct labels in order, None if they are 0, 1, …; and, for every label found, which index it has now.

    Words stay in the order they are found in: whoever lists January before February knows which comes first.
    """
    order = list(range(len(found)))
    if not _only_words(found):
        order.sort(key=[_key(label) for label in found].__getitem__)
    index = np.empty(len(found), dtype=np.int64)
    index[order] = np.arange(len(found))
    labels = tuple(found[place] for place in order)
    return (None if counts_from_zero(labels) else labels), index


def counts_from_zero(labels: Sequence[Any]) -> bool:
    """Whether these are the whole numbers 0, 1, 2, …, in order."""
    return all(type(label) is int and label == index for index, label in enumerate(labels))


def from_texts(texts: Sequence[str]) -> tuple[Labels | None, NDArray[np.int64]]:
    """As `ordered`, for labels that were read as text: whole numbers, if all are written as such; else text.

    >>> from_texts(["10", "9"])[0], from_texts(["010", "9"])[0]
    ((9, 10), ('9', '010'))
    >>> from_texts(["b", "a10", "a9"])[0], from_texts(["2.5", "0.25"])[0], from_texts(["May", "April"])[0]
    (('a9', 'a10', 'b'), ('0.25', '2.5'), ('May', 'April'))
    """
    stripped = [text.strip() for text in texts]
    if len(set(stripped)) == len(texts) and all(map(_is_whole, stripped)):
        return ordered([int(text) for text in stripped])
    numbers = [_number(text) for text in stripped]
    if all(map(math.isfinite, numbers)):
        order = sorted(range(len(texts)), key=lambda place: (numbers[place], texts[place]))
        index = np.empty(len(texts), dtype=np.int64)
        index[order] = np.arange(len(texts))
        return tuple(texts[place] for place in order), index
    return ordered(texts)


def _only_words(labels: Sequence[Any]) -> bool:
    return all(isinstance(label, str) and not _DIGITS.search(label) for label in labels)


def _is_whole(text: str) -> bool:
    # 007 is a name, and so is a number that no table would hold as one
    return len(text) < 19 and text.removeprefix("-").isdecimal() and str(int(text)) == text


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _key(label: Any) -> Any:
    if not isinstance(label, str):
        return label
    parts = _DIGITS.split(label)
    # Digits compare as numbers do, without making numbers of them: there may be thousands.
    counts = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    mixed = [part for pair in zip(parts[::2], [*counts, (0, "")], strict=True) for part in pair]
    return mixed, label
