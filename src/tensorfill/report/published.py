"""Published figures: what the paper's table says, cell by cell, as far as it is at hand."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations


@dataclass(frozen=True)
class PublishedRow:
    """One row of the paper's table: its name there, the method or label of ours it belongs to, RMSE by dataset."""

    name: str
    method: str
    rmse: Mapping[str, float]


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

    def rmse(self, dataset: str, label: str, method: str) -> float | None:
        """The paper's figure for a cell of ours."""
        row = self.row(label, method)
        return None if row is None else row.rmse.get(dataset)

    def repeated(self) -> tuple[tuple[str, str, str, float], ...]:
        """(dataset, name, name, figure) where two rows have the same digits."""
        return tuple(
            (dataset, one.name, other.name, one.rmse[dataset])
            for dataset in self.datasets
            for one, other in combinations(self.rows, 2)
            if dataset in one.rmse and one.rmse[dataset] == other.rmse.get(dataset)
        )


@cache
def published() -> Published:
    """The figures of `published.toml`."""
    found = tomllib.loads((files(__package__) / "published.toml").read_text(encoding="utf-8"))
    rows = tuple(PublishedRow(row["name"], row["method"], row["rmse"]) for row in found["row"])
    return Published(found["rate"], found["pattern"], tuple(found["datasets"]), rows)
