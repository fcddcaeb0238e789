"""Writing a report: every table, figure and page of it, from rows to a finished folder."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from ..errors import InvalidInput
from ..rows import Rows
from . import comma_separated, latex, markdown
from .dataset_table import dataset_table
from .drawing_place import drawing_place
from .evidence import Evidence
from .failure_table import failure_table
from .folder import check_folder, whole_folder
from .measure_tables import measures_by_setup
from .page import Contents, page_text
from .pictures import albums
from .reproduction import TITLE, reproduction
from .results_table import results_tables
from .table import Table

NEEDED = ("matplotlib", "jinja2")


@dataclass(frozen=True)
class Written:
    """What a report consists of."""

    files: tuple[str, ...]
    left_out: tuple[str, ...]
    """A sentence per figure for which there were no rows."""
    problems: tuple[str, ...]
    """A sentence per row or picture that could not be used."""


def check_report(folder: Path, *, force: bool) -> None:
    """Refuse, before anything is read, what could not be written in the end."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InvalidInput(
            f"A report needs {' and '.join(missing)}, not installed here: pip install 'tensorfill[report]'."
        )
    check_folder(folder, force=force)


def write_report(found: Rows, folder: Path, *, made_with: str, force: bool = False) -> Written:
    """Write the report of these rows; `made_with` names the versions that make it."""
    check_report(folder, force=force)
    if not found.rows:
        why = f" {found.problems[0]}" if found.problems else ""
        raise InvalidInput(f"There is no readable row in {found.folder}, so there is nothing to report.{why}")
    names: list[str] = []
    with whole_folder(folder, force=force) as part:
        contents, drawings = _drawn(Evidence.of(found), made_with, part)
        for name, content in _files(contents, drawings):
            path = part / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            names.append(name)
    left_out = tuple(f"{figure.title} is left out: {figure.why}" for figure in contents.left_out)
    return Written(tuple(names), left_out, contents.problems)


def _drawn(evidence: Evidence, made_with: str, part: Path) -> tuple[Contents, dict[str, bytes]]:
    """As `_contents`, with a folder in which matplotlib may keep what it needs."""
    spare = part / ".matplotlib"
    spare.mkdir()
    try:
        with drawing_place(spare):
            return _contents(evidence, made_with)
    finally:
        shutil.rmtree(spare, ignore_errors=True)


def _contents(evidence: Evidence, made_with: str) -> tuple[Contents, dict[str, bytes]]:
    """What the page shows, and the files of all figures."""
    from .figures.all_figures import all_figures, files_of
    from .figures.figure import Drawn, LeftOut

    shots, lost = albums(evidence)
    evidence = replace(evidence, problems=(*evidence.problems, *lost))
    figures = all_figures(evidence, shots)
    drawn = [figure for figure in figures if isinstance(figure, Drawn)]
    files = {name: content for figure in drawn for name, content in files_of(figure)}
    failures, count = failure_table(evidence), itertools.count(1)
    # In the order of the page.
    results = tuple(_numbered(table, count) for table in results_tables(evidence))
    failures = None if failures is None else _numbered(failures, count)
    measures = {
        setup: tuple((measure, _numbered(table, count)) for measure, table in group)
        for setup, group in measures_by_setup(evidence).items()
    }
    contents = Contents(
        evidence=evidence,
        datasets=_numbered(dataset_table(evidence), count),
        results=results,
        failures=failures,
        measures=measures,
        figures=tuple((figure, files[f"{figure.name}.svg"].decode()) for figure in drawn if figure.on_page),
        left_out=tuple(figure for figure in figures if isinstance(figure, LeftOut)),
        albums=shots,
        reproduction=reproduction(evidence, made_with),
        problems=evidence.problems,
        made_with=made_with,
    )
    return contents, files


def _numbered(table: Table, count: Iterator[int]) -> Table:
    return replace(table, title=f"Table {next(count)}. {table.title}")


def _files(contents: Contents, drawings: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file, in the order in which a person would look at them."""
    tables = [
        *contents.results,
        *([contents.failures] if contents.failures else []),
        *(table for group in contents.measures.values() for _, table in group),
        contents.datasets,
    ]
    yield "index.html", page_text(contents).encode()
    yield "reproduction.md", markdown.page_text(TITLE, contents.reproduction).encode()
    yield "tables.md", _together(tables).encode()
    writers: dict[str, Callable[[Table], str]] = {
        "md": markdown.table_text,
        "csv": comma_separated.table_text,
        "tex": latex.table_text,
    }
    for table in tables:
        for ending, text in writers.items():
            yield f"tables/{table.name}.{ending}", text(table).encode()
    yield "tables/cells.csv", comma_separated.cells_text(contents.evidence).encode()
    yield "tables/runs.csv", comma_separated.runs_text(contents.evidence.rows).encode()
    for name, content in drawings.items():
        yield f"figures/{name}", content


def _together(tables: Iterable[Table]) -> str:
    return "# Tables\n\n" + "\n".join(markdown.table_text(table) for table in tables)
