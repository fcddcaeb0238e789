"""What the benchmarks share: their arguments, tables printed as they grow, and where figures go in the end.

A table is printed for people; the same figures go into results/NAME.json for programs, with what they were measured on,
and with `--write` between the marks of a page.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, TypeVar

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
RESULTS = Path(__file__).parent / "results"
Result = TypeVar("Result")


def make_parser(doc: str | None, *, data: Literal["required", "optional"] | None = None) -> argparse.ArgumentParser:
    """A parser whose help is the program's docstring as it stands; `data` says whether it takes a folder of data."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if data is not None:
        parser.add_argument("--data", type=Path, required=data == "required", help="folder with the data files")
    return parser


def names_from(given: str | None, known: Iterable[str], what: str, more: Iterable[str] = ()) -> list[str]:
    """The names that were asked for, or all but `more`; unknown ones end the program before it works for an hour."""
    usual = list(known)
    every = dict.fromkeys((*usual, *more))
    names = usual if given is None else given.split(",")
    if unknown := [name for name in names if name not in every]:
        raise SystemExit(f"There is no {what} called {', '.join(unknown)}. Known are: {', '.join(every)}.")
    return names


class GrowingTable:
    """A Markdown table that is printed cell by cell as they are found, for some take minutes."""

    def __init__(self, *head: str) -> None:
        self._lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
        print(self, flush=True)

    def add(self, cells: Iterable[str]) -> None:
        """Print a row, and keep it."""
        line = ""
        for cell in cells:
            print(f"| {cell} ", end="", flush=True)
            line += f"| {cell} "
        print("|", flush=True)
        self._lines.append(f"{line}|")

    def __str__(self) -> str:
        return "\n".join(self._lines)


def put(page: Path, mark: str, table: object) -> None:
    """Write a table into a page between its marks."""
    page.write_text(insert(page.read_text(encoding="utf-8"), mark, table, page.name), encoding="utf-8")


def insert(text: str, mark: str, table: object, name: str = "The page") -> str:
    """The text of a page with a new table between its marks."""
    begin, end = f"<!-- {mark}:begin -->", f"<!-- {mark}:end -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"{name} has no {begin} with {end} after it, so the table was not put there.")
    return f"{before}{begin}\n{table}\n{end}{after}"


def run_apart(*arguments: str, **environment: str) -> Any:
    """What the running program prints, as JSON on its last line, in a process of its own with these arguments."""
    command = [sys.executable, sys.argv[0], *arguments]
    ran = subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(ran.stdout.splitlines()[-1])


def count_cores() -> int:
    """How many this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def render_table(head: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[int] = (0,)) -> str:
    """A Markdown table with aligned columns: those with words to the left, those with numbers to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    rule = [":" + "-" * (width - 1) if i in words else "-" * (width - 1) + ":" for i, width in enumerate(widths)]

    def line(row: Sequence[str]) -> str:
        cells = (str.ljust if i in words else str.rjust for i in range(len(row)))
        return (
            "| " + " | ".join(align(cell, width) for align, cell, width in zip(cells, row, widths, strict=True)) + " |"
        )

    return "\n".join(map(line, (head, rule, *rows)))


def show(
    head: Sequence[str],
    found: Iterable[Result],
    spell: Callable[[Result], Sequence[str]],
    words: Sequence[int] = (0,),
    title: str = "",
) -> tuple[list[Result], str]:
    """Print a row for each result when it is found, then all as a table with aligned columns; give both back."""
    results, rows = [], []
    for result in found:
        results.append(result)
        rows.append(spell(result))
        print(" | ".join(rows[-1]), flush=True)
    table = render_table(head, rows, words)
    print(f"\n{title}{table}")
    return results, table


def save_results(name: str, results: Any, packages: Sequence[str] = (), *, say_so: bool = True) -> None:
    """Write results to results/NAME.json, with what they were measured on."""
    RESULTS.mkdir(exist_ok=True)
    about = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": count_cores(),
        "python": platform.python_version(),
        "packages": {package: version(package) for package in ("tensorfill", "numpy", "scipy", "numba", *packages)},
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"about": about, "results": results}, indent=2) + "\n")
    if say_so:
        print(f"\nAlso in {path.relative_to(ROOT)}.")


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
