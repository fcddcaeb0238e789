"""Rows made up for the tests of the report: round numbers, tiny pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tensorfill.report.evidence import Evidence
from tensorfill.rows import ROWS_FILE, DataCard, Row, Rows


def card(name: str = "hall", **changes: Any) -> DataCard:
    """A dataset of the paper, there and exact unless said otherwise."""
    kind = "image" if name in ("baboon", "splash", "cat") else "video"
    plain = DataCard(
        name=name,
        title=name.capitalize(),
        kind=kind,
        shape=(144, 176, 150),
        source="somewhere",
        licence="unclear",
        how_to_get=f"get {name} from https://example.org/{name}",
        in_paper=name not in ("cat", "syn"),
        file=f"{name}.npz",
        sha256="ab" * 32,
    )
    return replace(plain, **changes)


def row(data: DataCard | str = "hall", label: str = "nonneg-dual", rmse: float | None = 0.04, **changes: Any) -> Row:
    """A run that ended well unless said otherwise."""
    plain = Row(
        data=card(data) if isinstance(data, str) else data,
        experiment="table",
        method=label,
        label=label,
        settings={},
        seed=0,
        rate=0.1,
        pattern="uniform",
        status="ok",
        rmse=rmse,
        rmse_unobserved=None if rmse is None else rmse * 1.05,
        psnr=None if rmse is None else -20 * float(np.log10(rmse)),
        ssim=0.8,
        smallest=-0.1,
        negative_share=0.02,
        seconds=1.5,
        iterations=30,
        peak_memory=3 * 2**20,
        stop="gap",
        versions={"tensorfill": "9.8.7"},
    )
    return replace(plain, **changes)


def bad(
    status: str, data: DataCard | str = "hall", label: str = "ffw", error: str = "It went wrong.", **changes: Any
) -> Row:
    """A run that did not end well."""
    nothing: dict[str, Any] = dict.fromkeys(
        ("rmse_unobserved", "psnr", "ssim", "smallest", "negative_share", "seconds")
    )
    nothing |= {"stop": None, "iterations": None, "peak_memory": None, **changes}
    return row(data, label, None, status=status, error=error, **nothing)


def seeds(data: DataCard | str, label: str, *errors: float, **changes: Any) -> list[Row]:
    """The same run with several seeds."""
    return [row(data, label, rmse, seed=seed, **changes) for seed, rmse in enumerate(errors)]


def evidence(*rows: Row, problems: tuple[str, ...] = (), folder: Path = Path()) -> Evidence:
    """These rows as the report sees them."""
    return Evidence.of(Rows(rows, problems, folder))


def write(folder: Path, rows: list[Row], *more_lines: str) -> Path:
    """A folder of rows as the bench leaves it; more lines are written as they are."""
    folder.mkdir(exist_ok=True)
    lines = [*(row.as_json() for row in rows), *more_lines]
    (folder / ROWS_FILE).write_text("\n".join(lines), encoding="utf-8")
    return folder


def picture(folder: Path, name: str, shade: int = 100, size: tuple[int, int] = (8, 6), *, colour: bool = False) -> str:
    """A tiny picture in one shade; returns its path below the folder."""
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    shape = (*reversed(size), 3) if colour else tuple(reversed(size))
    Image.fromarray(np.full(shape, shade, np.uint8)).save(folder / "pictures" / f"{name}.png")
    return f"pictures/{name}.png"


def full_bench(folder: Path) -> list[Row]:
    """Rows for every table and figure."""
    curve = ((0, 0.1, 0.3), (1, 0.5, 0.1), (5, 1.0, 0.05))
    truth, observed = picture(folder, "truth", 200), picture(folder, "observed", 10)
    rows: list[Row] = []
    for place, label in enumerate(("nonneg-dual", "dual", "zero-fill")):
        pictures = {"truth": truth, "observed": observed, "model": picture(folder, label, 50 + place)}
        if label != "zero-fill":
            pictures |= {f"component {k}": picture(folder, f"{label}-{k}", 20 * k) for k in (1, 2, 3)}
        rows.append(row("hall", label, 0.04 + 0.1 * place, curve=curve, pictures=pictures))
    for label in ("nonneg-dual", "dual"):
        rows += [row("hall", label, 0.1 / x, experiment="ranks", settings={"rank": [x, x, x]}) for x in (1, 5, 20)]
        rows += [row("hall", label, 0.01 / rate, experiment="rates", rate=rate) for rate in (0.05, 0.1, 0.5)]
    return rows
