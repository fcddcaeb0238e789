"""Rows folder: where the rows of a bench are kept, whole and each once, whatever happens to the bench.

A row is one line, written at once and synced. What a killed bench left half written is put right when the next one
opens the folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import InvalidInput, UnwritableFile
from ..formats import atomically
from ..rows import ROWS_FILE, TITLE_FILE, Row, parse_rows
from .pictures import FOLDER as PICTURES

CORRUPT_FILE = "rows.corrupt.jsonl"
_LOCK_FILE = ".lock"


class RowsFolder:
    """The rows of a folder, held by one bench at a time."""

    def __init__(self, path: Path, title: str = "") -> None:
        self.path = path
        self.rows: dict[str, Row] = {}
        self.notes: list[str] = []
        """What had to be put right, a sentence each."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = _lock_folder(path)
        except OSError as error:
            raise UnwritableFile(f"The folder {path} cannot be used: {error.strerror or error}.") from error
        try:
            self._open()
            if title:
                (path / TITLE_FILE).write_text(f"{title}\n", encoding="utf-8")
        except OSError as error:
            self.close()
            raise UnwritableFile(f"The rows in {path} cannot be used: {error.strerror or error}.") from error

    def append(self, row: Row) -> None:
        """Keep a finished row for good."""
        line = row.as_json().encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        except OSError as error:
            raise UnwritableFile(f"{self.path / ROWS_FILE} cannot be written: {error.strerror or error}.") from error
        self.rows[row.id] = row

    def drop(self, ids: Collection[str]) -> None:
        """Forget rows that are to be found anew."""
        if not self.rows.keys() & set(ids):
            return
        self.rows = {id: row for id, row in self.rows.items() if id not in ids}
        self._rewrite()

    def has_pictures(self, row: Row) -> bool:
        """Whether a row has pictures, and all of them are there."""
        return bool(row.pictures) and all((self.path / path).is_file() for path in row.pictures.values())

    def close(self) -> None:
        """Let others have the folder."""
        for name in ("_file", "_lock"):
            descriptor = self.__dict__.pop(name, None)
            if descriptor is not None:
                os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> None:
        for part in (self.path / PICTURES).glob(".tensorfill-*.part"):
            shutil.rmtree(part, ignore_errors=True)  # of a worker that was killed while it wrote
        file = self.path / ROWS_FILE
        whole, _, half = (file.read_bytes() if file.exists() else b"").rpartition(b"\n")
        corrupt = []
        repeated = 0
        for number, line, row in parse_rows(whole):
            if isinstance(row, str):
                corrupt.append(line)
                self.notes.append(f"Line {number} of {file} was moved to {CORRUPT_FILE}: {row}.")
                continue
            repeated += row.id in self.rows
            self.rows[row.id] = row
        if half:
            self.notes.append(f"The last line of {file} was only half written; its run is done again.")
        if corrupt:
            self._move_aside(corrupt)
        if half or corrupt or repeated:
            self._rewrite()
        else:
            self._reopen()

    def _move_aside(self, lines: list[bytes]) -> None:
        with (self.path / CORRUPT_FILE).open("ab") as file:
            file.write(b"\n".join(lines) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _rewrite(self) -> None:
        with atomically(self.path / ROWS_FILE) as file:
            file.write("".join(f"{row.as_json()}\n" for row in self.rows.values()).encode())
        self._reopen()

    def _reopen(self) -> None:
        before = self.__dict__.pop("_file", None)
        if before is not None:
            os.close(before)
        self._file = os.open(self.path / ROWS_FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def _lock_folder(folder: Path) -> int | None:
    """Hold the folder until the descriptor is closed, or the process ends; None where there are no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = os.open(folder / _LOCK_FILE, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise InvalidInput(
            f"Another bench is writing to {folder} right now; wait for it to end, or give another folder with -o."
        ) from None
    return descriptor
