"""`tensorfill report`: tables, figures and one page from the rows of a bench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app


@app.command(epilog="Example: tensorfill report bench-paper -o report")
def report(
    rows: Annotated[Path, typer.Argument(metavar="ROWS", help="The folder that bench wrote, or its rows.jsonl.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder to write; an earlier report is replaced.")],
    force: Annotated[
        bool, typer.Option("--force", help="Write into a folder that holds other files, beside them.")
    ] = False,
) -> None:
    """Make tables, figures and one HTML page out of rows.

    Nothing is measured: every number comes from the rows, or from the paper. A row that cannot be read is named and
    left out.
    """
    import platform

    from .. import __version__
    from ..report.writing import check_report, write_report
    from ..rows import read_rows
    from .console import show_notes, show_table
    from .running import uninterrupted

    check_report(output, force=force)
    found = read_rows(rows)
    made_with = f"tensorfill {__version__} and Python {platform.python_version()}"
    written = write_report(found, output, made_with=made_with, force=force)
    with uninterrupted():
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
