"""Long tables of counts."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .case import Case, Checks, shades
from .material import Mask, Material


def csv_of_counts(material: Material, folder: Path) -> Case:
    """Counts with words for coordinates; of the missing ones, some rows have no value and some are not there."""
    known = counted(material)
    rows = [",".join(material.columns)]
    for number, place in enumerate(np.ndindex(*material.counts.shape)):
        value = str(material.counts[place]) if known[place] else ""
        if value or number % 2:
            rows.append(",".join((*_named(material, place), value)))
    (folder / "counts.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return Case(
        "csv",
        "CSV of counts with words for coordinates",
        material.counts,
        known,
        ("counts.csv",),
        folder / "counts-filled.csv",
        check=lambda found: _labels_kept(found, material),
        view=(lambda data: np.kron(shades(data, material.counts), np.ones((16, 16), np.uint8)))
        if material.counts.ndim == 2
        else None,
    )


def parquet_table(material: Material, folder: Path) -> Case:
    """The counts again; missing rows are not there."""
    import polars

    known = counted(material)
    places = np.argwhere(known)
    columns: dict[str, Any] = {
        name: [material.labels[mode][index] for index in places[:, mode]]
        for mode, name in enumerate(material.columns[:-1])
    }
    columns[material.columns[-1]] = material.counts[known].astype(np.int32)
    polars.DataFrame(columns).write_parquet(folder / "counts.parquet")
    return Case(
        "parquet",
        "Parquet of counts with words for coordinates",
        material.counts.astype(np.int32),
        known,
        ("counts.parquet",),
        folder / "counts-filled.parquet",
        check=lambda found: _labels_kept(found, material),
    )


def tns_table(material: Material, folder: Path) -> Case:
    """Ink in scanned digits, counted in boxes: image × row × column."""
    from sklearn.datasets import load_digits

    truth = load_digits().images[:300].astype(np.int64)
    known = np.random.default_rng(5).random(truth.shape) < 0.5
    rows = [" ".join(map(str, (*(place + 1), truth[tuple(place)]))) for place in np.argwhere(known)]
    with gzip.open(folder / "digits.tns.gz", "wt") as file:
        file.write("# ink in boxes\n" + "\n".join(rows) + "\n")
    return Case(
        "tns",
        ".tns.gz of counts: 50 % not there",
        truth,
        known,
        ("digits.tns.gz",),
        folder / "digits-filled.tns.gz",
    )


def counted(material: Material) -> Mask:
    """Which counts are known: four of five."""
    return np.random.default_rng(6).random(material.counts.shape) < 0.8


def _named(material: Material, place: Sequence[int]) -> list[str]:
    return [own[index] for own, index in zip(material.labels, place, strict=True)]


def _labels_kept(found: Any, material: Material) -> Checks:
    return {
        "labels": all(set(own) == set(told) for own, told in zip(material.labels, found.labels, strict=True)),
        "columns": tuple(found.columns) == material.columns,
    }
