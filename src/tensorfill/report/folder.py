"""The folder of a report: replaced as a whole, and never one that holds something else."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import UnreadableFile

MARK = ".tensorfill-report"
"""A file in every report that lists what was written; nothing else may be replaced."""


def check_folder(folder: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written, or that holds files which are not of a report."""
    with _explain_errors(folder):
        if os.path.islink(os.path.realpath(folder)):
            raise UnreadableFile(f"{folder} is a link that leads back to itself; give a folder for the report.")
        if folder.exists() and not folder.is_dir():
            raise UnreadableFile(f"{folder} is a file; give a folder for the report.")
        with suppress(FileNotFoundError):  # the folder one is in was deleted
            if os.path.realpath(folder) == os.path.realpath(os.getcwd()):
                sentence = "The report cannot replace the folder you are in; give the name of a folder for it."
                raise UnreadableFile(sentence)
        parent = next(place for place in Path(os.path.realpath(folder)).parents if place.exists())
        if folder.exists() and not _is_writable(folder):
            raise UnreadableFile(f"The report may not be written: permission denied in {folder}.")
        if not folder.exists() and not _is_writable(parent):
            raise UnreadableFile(f"The folder {folder} may not be made: permission denied in {parent}.")
        others = sorted(_find_foreign(folder))
    if others and not force:
        named = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        raise UnreadableFile(
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
        raise UnreadableFile(f"{folder} cannot be written: {error.strerror or error}.") from error


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
