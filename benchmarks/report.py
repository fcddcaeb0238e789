"""What the benchmarks share at their end: a table for people, and the same in JSON for programs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[int] = (0,)) -> str:
    """A Markdown table with aligned columns: those with words to the left, those with numbers to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    rule = [":" + "-" * (width - 1) if i in words else "-" * (width - 1) + ":" for i, width in enumerate(widths)]

    def line(row: Sequence[str]) -> str:
        cells = (str.ljust if i in words else str.rjust for i in range(len(row)))
        return (
            "| " + " | ".join(align(cell, width) for align, cell, width in zip(cells, row, widths, strict=True)) + " |"
        )

    return "\n".join(map(line, (head, rule, *rows)))


def save(name: str, results: Any, packages: Sequence[str] = (), *, say_so: bool = True) -> None:
    """Write results to results/NAME.json, with what they were measured on."""
    RESULTS.mkdir(exist_ok=True)
    about = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        "packages": {package: version(package) for package in ("tensorfill", "numpy", "scipy", "numba", *packages)},
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"about": about, "results": results}, indent=2) + "\n")
    if say_so:
        print(f"\nAlso in {path.relative_to(RESULTS.parent.parent)}.")


def version(package: str) -> str:
    """The installed version of a package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
