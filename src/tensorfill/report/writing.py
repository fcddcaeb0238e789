"""Writing a report: every table, figure and page of it, from rows to a finished folder."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from ..errors import InvalidInput
from ..private_folder import private_folder
from ..rows import Rows
from .evidence import Evidence
from .figures import draw_figures
from .figures.drawing import Drawn, LeftOut, figure_files
from .folder import check_folder, replace_folder
from .page import Contents, render_page
from .pictures import collect_albums
from .render import lines_to_csv, page_to_markdown, to_csv, to_latex, to_markdown
from .reproduction import TITLE, describe_reproduction
from .table import Table
from .tables import list_cells, list_runs, tabulate_datasets, tabulate_failures, tabulate_measures, tabulate_results

NEEDED = ("matplotlib", "jinja2")
_FORMATS = {"md": to_markdown, "csv": to_csv, "tex": to_latex}
_MATPLOTLIB_FOLDERS = ("MPLCONFIGDIR", "XDG_CACHE_HOME")  # its own, and that of the library that lists fonts for it


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
    with replace_folder(folder, force=force) as part:
        with matplotlib_folder(part / ".matplotlib"):
            contents, drawings = _gather(Evidence.of(found), made_with)
        files = {name: text.encode() for name, text in _render(contents)}
        files |= {f"figures/{name}": image for name, image in drawings.items()}
        for name, content in files.items():
            path = part / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
    left_out = tuple(f"{figure.title} is left out: {figure.why}" for figure in contents.left_out)
    return Written(tuple(files), left_out, contents.evidence.problems)


def _gather(evidence: Evidence, made_with: str) -> tuple[Contents, dict[str, bytes]]:
    """What the page shows, and the files of all figures."""
    albums, lost = collect_albums(evidence)
    evidence = replace(evidence, problems=(*evidence.problems, *lost))
    figures = draw_figures(evidence, albums)
    drawn = [figure for figure in figures if isinstance(figure, Drawn)]
    files = {name: content for figure in drawn for name, content in figure_files(figure)}
    count = itertools.count(1)

    def number_next(table: Table) -> Table:
        return replace(table, title=f"Table {next(count)}. {table.title}")

    contents = Contents(
        evidence=evidence,
        # In the order of the page, for tables are number_next as they come.
        results=tuple(map(number_next, tabulate_results(evidence))),
        failures=number_next(failures) if (failures := tabulate_failures(evidence)) else None,
        measures={
            setup: tuple((measure, number_next(table)) for measure, table in group)
            for setup, group in tabulate_measures(evidence).items()
        },
        datasets=number_next(tabulate_datasets(evidence)),
        figures=tuple((figure, files[f"{figure.name}.svg"].decode()) for figure in drawn if figure.on_page),
        left_out=tuple(figure for figure in figures if isinstance(figure, LeftOut)),
        albums=albums,
        reproduction=describe_reproduction(evidence, made_with),
        made_with=made_with,
    )
    return contents, files


def _render(contents: Contents) -> Iterator[tuple[str, str]]:
    """Name and text of every file but the figures, in the order in which a person would look at them."""
    tables = [
        *contents.results,
        *([contents.failures] if contents.failures else []),
        *(table for group in contents.measures.values() for _, table in group),
        contents.datasets,
    ]
    yield "index.html", render_page(contents)
    yield "reproduction.md", page_to_markdown(TITLE, contents.reproduction)
    yield "tables.md", "# Tables\n\n" + "\n".join(map(to_markdown, tables))
    for table in tables:
        for ending, render in _FORMATS.items():
            yield f"tables/{table.name}.{ending}", render(table)
    yield "tables/cells.csv", lines_to_csv(list_cells(contents.evidence))
    yield "tables/runs.csv", lines_to_csv(list_runs(contents.evidence.rows))


@contextmanager
def matplotlib_folder(spare: Path) -> Iterator[None]:
    """Without a home to write in, name matplotlib a temporary folder, or else `spare`: it would warn, or fail.

    It keeps its settings and its list of fonts there. `spare` does not outlast the block.
    """
    if _MATPLOTLIB_FOLDERS[0] in os.environ or sys.platform in ("win32", "darwin") or _has_home():
        yield
        return
    before = {name: os.environ.get(name) for name in _MATPLOTLIB_FOLDERS}
    spare.mkdir()
    os.environ |= dict.fromkeys(_MATPLOTLIB_FOLDERS, str(private_folder() or spare))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        shutil.rmtree(spare, ignore_errors=True)


def _has_home() -> bool:
    """Whether there can be folders for settings and for what is kept."""
    try:
        home = Path.home()
    except RuntimeError:  # a user without a name
        return False
    places = {"XDG_CONFIG_HOME": home / ".config", "XDG_CACHE_HOME": home / ".cache"}
    return all(_can_be_made(Path(os.environ.get(name) or usual)) for name, usual in places.items())


def _can_be_made(folder: Path) -> bool:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
