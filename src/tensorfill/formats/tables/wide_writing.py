"""A wide table of text, written as it was read: fields that hold the same number as before stay as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents
from .csv_writing import label_text
from .numbers import number_texts
from .wide import Wide, WrittenFields


def wide_lines(contents: Contents, wide: Wide, tabs: bool) -> Iterator[str]:
    """The whole file, a line at a time."""
    written = wide.written or WrittenFields(np.empty((0, 0), dtype=object), ",", ".", "\n", False)
    delimiter = "\t" if tabs else written.delimiter.replace("\t", ",")
    quotes = written.quotes_names
    columns = [_texts(contents, wide, place, written.decimal) for place in range(contents.shape[1])]
    labels = None if wide.labels is None else [_quoted(label_text(label), delimiter, quotes) for label in wide.labels]
    if wide.columns is not None:
        names = [_quoted(name, delimiter, quotes) for name in wide.columns]
        corner = [] if labels is None else [_quoted(wide.corner, delimiter, quotes)]
        yield delimiter.join([*corner, *names]) + written.line_end
    for place, row in enumerate(zip(*columns, strict=True)):
        fields = [_quoted(text, delimiter) for text in row]
        yield delimiter.join(fields if labels is None else [labels[place], *fields]) + written.line_end


def _texts(contents: Contents, wide: Wide, place: int, decimal: str) -> list[str]:
    """The fields of a column."""
    values, known = contents.data[:, place], contents.known()[:, place]
    had = wide.known[:, place]
    same = known & had & (values == wide.values[:, place])
    old = None if wide.written is None else wide.written.fields[:, place]
    texts: NDArray[np.object_] = np.full(len(values), _missing_mark(wide), dtype=object)
    texts[known] = [text.replace(".", decimal) for text in _number_texts(values[known])]
    if old is not None:
        keeps = same | (~known & ~had)
        texts[keeps] = old[keeps]
        digits = _decimals(old[had], decimal)
        if digits is not None and values.dtype.kind == "f":
            filled = known & ~had
            texts[filled] = [f"{value:.{digits}f}".replace(".", decimal) for value in values[filled].tolist()]
    return list(texts)


def _number_texts(values: NDArray[Any]) -> Iterator[str]:
    return map(str, values.tolist()) if values.dtype.kind == "b" else number_texts(values)


def _decimals(texts: Sequence[str] | NDArray[np.object_], decimal: str) -> int | None:
    """The most decimals in a column, which filled numbers get, too; None if that cannot be told."""
    parts = [text.strip().lstrip("+-").partition(decimal)[::2] for text in texts]
    if not parts or not all(whole.isdecimal() and (not part or part.isdecimal()) for whole, part in parts):
        return None
    return max(len(part) for _, part in parts)


def _missing_mark(wide: Wide) -> str:
    """What stands for a missing number: what most often does in the file."""
    marks = Counter(() if wide.written is None else wide.written.fields[~wide.known].tolist())
    mark = str(marks.most_common(1)[0][0]) if marks else ""
    blank = wide.labels is None and wide.values.shape[1] == 1  # a line with nothing in it is none
    return mark or ("NA" if blank else "")


def _quoted(text: str, delimiter: str, always: bool = False) -> str:
    if not always and not {delimiter, '"', "\r", "\n"} & set(text):
        return text
    return '"' + text.replace('"', '""') + '"'
