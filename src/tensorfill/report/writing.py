"""Writing a report: every table, figure and page of it, from rows to a folder that is replaced as a whole."""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from ..errors import InvalidInput, UnwritableFile
from ..rows import Rows
from .drawing import Drawn, LeftOut, figure_files, matplotlib_folder
from .evidence import Evidence
from .page import Contents, render_page
from .pictures import collect_albums
from .plots import draw_figures
from .reproduction import TITLE, describe_reproduction
from .table import Table, lines_to_csv, page_to_markdown, to_csv, to_latex, to_markdown
from .tables import list_cells, list_runs, tabulate_datasets, tabulate_failures, tabulate_measures, tabulate_results

NEEDED = ("matplotlib", "jinja2")
_FORMATS = {"md": to_markdown, "csv": to_csv, "tex": to_latex}


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


# The folder

MARK = ".tensorfill-report"
"""A file in every report that lists what was written; nothing else may be replaced."""


def check_folder(folder: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written, or that holds files which are not of a report."""
    with _explain_errors(folder):
        if os.path.islink(os.path.realpath(folder)):
            raise UnwritableFile(f"{folder} is a link that leads back to itself; give a folder for the report.")
        if folder.exists() and not folder.is_dir():
            raise UnwritableFile(f"{folder} is a file; give a folder for the report.")
        with suppress(FileNotFoundError):  # the folder one is in was deleted
            if os.path.realpath(folder) == os.path.realpath(os.getcwd()):
                sentence = "The report cannot replace the folder you are in; give the name of a folder for it."
                raise UnwritableFile(sentence)
        parent = next(place for place in Path(os.path.realpath(folder)).parents if place.exists())
        if folder.exists() and not _is_writable(folder):
            raise UnwritableFile(f"The report may not be written: permission denied in {folder}.")
        if not folder.exists() and not _is_writable(parent):
            raise UnwritableFile(f"The folder {folder} may not be made: permission denied in {parent}.")
        others = sorted(_find_foreign(folder))
    if others and not force:
        named = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        raise UnwritableFile(
            f"{folder} holds files that are not of a report ({named}); give another folder, or add --force to write "
            "the report beside them."
        )


@contextmanager
def replace_folder(folder: Path, *, force: bool) -> Iterator[Path]:
    """A new folder to write into, which takes the place of `folder` when the block ends well, else vanishes.

    Files of others in the old folder are kept; with `force`, those named like a file of the report are replaced.
    A folder that cannot be renamed, as where a container has its output, is filled file by file.
    """
    check_folder(folder, force=force)
    target = Path(os.path.realpath(folder))
    stays = target.is_dir() and (os.path.ismount(target) or not _is_writable(target.parent))
    part = (target if stays else target.parent) / f".{target.name}-{secrets.token_hex(4)}.part"
    try:
        with _explain_errors(folder):
            target.parent.mkdir(parents=True, exist_ok=True)
            part.mkdir()
            yield part
            written = sorted(path.relative_to(part).as_posix() for path in part.rglob("*") if path.is_file())
            (part / MARK).write_text("\n".join(written) + "\n", encoding="utf-8")
            if stays:
                _move_in(part, target)
            else:
                _swap(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _explain_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwritableFile(f"{folder} cannot be written: {error.strerror or error}.") from error


def _is_writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _find_foreign(folder: Path) -> set[str]:
    """The files in a folder that no report wrote there."""
    files = [path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()] if folder.is_dir() else []
    return {path.relative_to(folder).as_posix() for path in files} - _read_mark(folder)


def _read_mark(folder: Path) -> set[str]:
    """What the report that is there consists of."""
    mark = folder / MARK
    return set(mark.read_text(encoding="utf-8").splitlines()) | {MARK} if mark.is_file() else set()


def _move_in(part: Path, target: Path) -> None:
    before = _read_mark(target)
    made = [path.relative_to(part) for path in sorted(part.rglob("*")) if path.is_file()]
    for name in made:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).replace(target / name)
    for gone in before - {name.as_posix() for name in made}:
        (target / gone).unlink(missing_ok=True)


def _swap(part: Path, target: Path) -> None:
    kept = _find_foreign(target)
    old = part.with_suffix(".old")
    if target.exists():
        target.rename(old)
    try:
        part.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    for name in kept:
        if not (target / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (old / name).rename(target / name)
    shutil.rmtree(old, ignore_errors=True)
