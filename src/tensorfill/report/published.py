"""Published figures: what the paper's table says, cell by cell."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import combinations
from typing import Any

from .table import Entry, Text, rank, words


@dataclass(frozen=True)
class PublishedRow:
    """One method of the paper's table: its name there, the method or label of ours it belongs to, RMSE by dataset."""

    name: str
    method: str
    label: str
    """The label of ours that its cells are judged by, where it is there."""
    digits: Mapping[str, str]
    """The figures as they are printed."""

    @cached_property
    def rmse(self) -> dict[str, float]:
        """The figures as numbers."""
        return {dataset: float(text) for dataset, text in self.digits.items()}


@dataclass(frozen=True)
class Published:
    """The paper's table and the setup it holds for."""

    rate: float
    pattern: str
    datasets: tuple[str, ...]
    rows: tuple[PublishedRow, ...]

    def row(self, label: str, method: str) -> PublishedRow | None:
        """The paper's row for a label of ours, or else for its method."""
        by_name = {row.method: row for row in self.rows}
        return by_name.get(label) or by_name.get(method)

    def named(self, name: str) -> PublishedRow:
        """The row with a name of the paper's."""
        return next(row for row in self.rows if row.name == name)

    def rmse(self, dataset: str, label: str, method: str) -> float | None:
        """The paper's figure for a cell of ours."""
        row = self.row(label, method)
        return None if row is None else row.rmse.get(dataset)

    @property
    def cells(self) -> int:
        """How many figures there are."""
        return sum(len(row.digits) for row in self.rows)

    def place(self, dataset: str, row: PublishedRow) -> int | None:
        """0 for the best figure of a dataset, which the paper sets in bold, 1 for the second, which it underlines."""
        return rank([other.rmse.get(dataset) for other in self.rows])[self.rows.index(row)]

    def entry(self, row: PublishedRow, dataset: str) -> Entry:
        """A figure with its digits, the best of the paper's methods in bold and the second underlined, as there."""
        if dataset not in row.digits:
            return words("–", quiet=True)
        place = self.place(dataset, row)
        return Entry((Text(row.digits[dataset], bold=place == 0, underline=place == 1),), row.rmse[dataset])

    def repeated(self) -> tuple[tuple[str, str, str, str], ...]:
        """(dataset, name, name, figure) where two methods have the same digits."""
        return tuple(
            (dataset, one.name, other.name, one.digits[dataset])
            for dataset in self.datasets
            for one, other in combinations(self.rows, 2)
            if dataset in one.digits and one.digits[dataset] == other.digits.get(dataset)
        )


@cache
def load_published() -> Published:
    """The figures of `published.toml`."""
    found = read_data("published.toml")
    table: dict[str, list[str]] = found["rmse"]
    rows = tuple(
        PublishedRow(
            column["name"],
            column["method"],
            column.get("label", column["method"]),
            {dataset: figures[place] for dataset, figures in table.items()},
        )
        for place, column in enumerate(found["columns"])
    )
    return Published(found["rate"], found["pattern"], tuple(table), rows)


@cache
def read_data(name: str) -> dict[str, Any]:
    """A TOML file that lies beside this one."""
    return tomllib.loads((files(__package__) / name).read_text(encoding="utf-8"))
