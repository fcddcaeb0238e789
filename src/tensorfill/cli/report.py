"""`tensorfill report`: tables, figures and one page from the rows of a bench."""

from __future__ import annotations

import platform
from pathlib import Path

from .. import __version__
from ..report.writing import check_report, write_report
from ..rows import read_rows
from .console import show_notes, show_table
from .running import ignore_interrupts


def report(rows: Path, output: Path, force: bool) -> None:
    """Write a report."""
    check_report(output, force=force)
    found = read_rows(rows)
    made_with = f"tensorfill {__version__} and Python {platform.python_version()}"
    written = write_report(found, output, made_with=made_with, force=force)
    with ignore_interrupts():
        show_notes(written.problems)
        show_notes(written.left_out)
        figures = [name for name in written.files if name.startswith("figures/") and name.endswith(".svg")]
        tables = [name for name in written.files if name.startswith("tables/") and name.endswith(".tex")]
        datasets = {row.data.name for row in found.rows}
        methods = {row.method for row in found.rows}
        show_table(
            [
                ("rows", f"{len(found.rows):,}: {len(datasets)} datasets, {len(methods)} methods"),
                ("tables", f"{len(tables)} in {output / 'tables'} (.md, .csv, .tex), cells.csv, runs.csv"),
                ("figures", f"{len(figures)} in {output / 'figures'} (.png, .svg)"),
                ("against the paper", str(output / "reproduction.md")),
                ("look at", str(output / "index.html")),
            ]
        )
