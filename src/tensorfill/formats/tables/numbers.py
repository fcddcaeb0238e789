"""Numbers as text, so that reading the text gives the same number again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def number_texts(values: NDArray[Any]) -> Iterator[str]:
    """The shortest texts of the values as float64, or whole numbers; True is 1.

    >>> list(number_texts(np.array([0.1, 3.0, np.inf]))), list(number_texts(np.array([True, False])))
    (['0.1', '3.0', 'inf'], ['1', '0'])
    """
    if values.dtype.kind == "f":
        return map(repr, values.astype(np.float64).tolist())
    return map(str, values.astype(np.uint8).tolist() if values.dtype.kind == "b" else values.tolist())


def joined_numbers(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Parts in one array: whole numbers stay whole if 64 bits can hold them all."""
    kinds = {part.dtype.kind for part in parts}
    if kinds == {"i", "u"} and all(part.min(initial=0) >= 0 for part in parts):
        return np.concatenate([part.astype(np.uint64) for part in parts])
    return np.concatenate(parts)


def parsed_numbers(texts: Sequence[str]) -> NDArray[Any]:
    """The numbers in texts: int64 or uint64 if all are whole, bool if all are true or false, else float64.

    >>> [parsed_numbers(texts).dtype.name for texts in (["1", "-2"], ["1", "2.0"], ["true", "False"])]
    ['int64', 'float64', 'bool']
    """
    if "_" in "".join(texts):
        raise ValueError("Python reads 1_000 as a number, files do not mean it")
    try:
        whole = list(map(int, texts))
    except ValueError:
        return _parsed_others(texts)
    smallest, largest = min(whole, default=0), max(whole, default=0)
    if smallest >= -(2**63) and largest < 2**63:
        return np.array(whole, dtype=np.int64)
    return np.array(whole, dtype=np.uint64 if smallest >= 0 and largest < 2**64 else np.float64)


def _parsed_others(texts: Sequence[str]) -> NDArray[Any]:
    try:
        return np.array(list(map(float, texts)), dtype=np.float64)
    except ValueError:
        plain = [text.strip().lower() for text in texts]
        if not set(plain) <= {"true", "false"}:
            raise
        return np.array([text == "true" for text in plain], dtype=bool)
