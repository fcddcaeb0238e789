"""Runner: goes through the runs that are missing in a folder and keeps every answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import DataNotFound
from ..rows import Row, Status
from .dataset import Dataset
from .extras import Extras
from .measuring import Place
from .on_cluster import run_tasks_on
from .plan import Run, rows_without_data
from .rows_folder import RowsFolder
from .workers import LOGS, Task, cores, run_tasks

Again = Literal["failed", "all"]
FAILURES: tuple[Status, ...] = ("failed", "crashed", "timed out")


class Show:
    """Somebody who is told how a bench goes; this one says nothing."""

    def begin(self, runs: Sequence[Run], kept: Sequence[Row], jobs: int) -> None:
        """All runs whose data is there, and the rows that are there already."""

    def started(self, run: Run) -> None:
        """A worker has begun."""

    def finished(self, run: Run, row: Row, seconds: float) -> None:
        """Its row is kept. The seconds are those of the whole worker."""

    def note(self, sentence: str) -> None:
        """Something a user should know."""

    def glance(self) -> None:
        """A moment has passed."""


@dataclass(frozen=True)
class Bench:
    """What to run, and with what."""

    runs: tuple[Run, ...]
    extras: Extras
    folder: Path
    data: Path | None = None
    files: tuple[Path, ...] = ()
    """Of one's own: those `extras` came from, for the workers."""
    jobs: int = 1
    scheduler: str | None = None
    """The address of a Dask cluster, if runs go there."""
    again: Again | None = None
    """Which of the rows that are there to find anew."""
    title: str = ""
    """Of the plan, for the report."""
    grace: float = 60.0
    """A worker is killed when it has taken this many seconds on top of twice the time limit of its run."""

    def place(self, run: Run) -> Place:
        """Where a run works. The cores are shared by the jobs."""
        versions = self.extras.versions_for(run.method, run.data.name)
        # Names that hold in other processes, too, wherever they are.
        data = None if self.data is None else self.data.absolute()
        return Place(data, self.folder.absolute(), max(1, cores() // self.jobs), versions)


def run_bench(bench: Bench, show: Show) -> Counter[Status]:
    """Run what is missing; how many rows of each status there are in the end, those of other plans left out."""
    with RowsFolder(bench.folder, bench.title) as folder:
        for note in folder.notes:
            show.note(note)
        absent = find_absent_data({run.data.name: bench.extras.known[run.data.name] for run in bench.runs}, bench.data)
        runs = tuple(run for run in bench.runs if run.data.name not in absent)
        folder.drop(_find_outdated(bench, runs, folder, there={run.data.name for run in runs}))
        missing = _find_missing(bench.runs, absent, folder)
        for row in missing:
            if row.id not in folder.rows:
                folder.append(row)
        ids = {run.id for run in bench.runs} | {row.id for row in missing}
        show.begin(runs, [row for id, row in folder.rows.items() if id in ids], bench.jobs)
        for sentence in absent.values():
            show.note(sentence)
        _run_missing([run for run in runs if run.id not in folder.rows], bench, folder, show)
        return Counter(row.status for id, row in folder.rows.items() if id in ids)


def find_absent_data(datasets: Mapping[str, Dataset], folder: Path | None) -> dict[str, str]:
    """For every dataset whose data is not there, the sentence that says where to get it."""
    absent = {}
    for name, dataset in datasets.items():
        if dataset.make is None:
            try:
                dataset.find_file(folder)
            except DataNotFound as error:
                absent[name] = str(error)
    return absent


def _find_missing(runs: tuple[Run, ...], absent: Mapping[str, str], folder: RowsFolder) -> list[Row]:
    """Rows that say so, but not beside those of a time when the data was there."""

    def place(row: Row) -> tuple[str, str, str]:
        return row.experiment, row.data.name, row.label

    answered = {place(row) for row in folder.rows.values() if row.status != "no data"}
    return [row for row in rows_without_data(runs, absent) if place(row) not in answered]


def _find_outdated(bench: Bench, runs: Sequence[Run], folder: RowsFolder, there: Collection[str]) -> set[str]:
    """Rows that are to be found anew: as asked; the data has come; the file of a method or of data is another one now;
    a curve or pictures are wanted now that were not, or that somebody removed."""
    found = {id for id, row in folder.rows.items() if row.status == "no data" and row.data.name in there}
    for run in runs:
        row = folder.rows.get(run.id)
        if row is None:
            continue
        asked = bench.again == "all" or (bench.again == "failed" and row.status in FAILURES)
        files = bench.extras.versions_for(run.method, run.data.name)
        changed = any(row.versions.get(name) != digest for name, digest in files.items())
        curve = run.curve and not row.curve
        pictures = run.pictures and not folder.has_pictures(row)
        if asked or changed or (row.status == "ok" and (curve or pictures)):
            found.add(run.id)
    return found


def _run_missing(runs: Sequence[Run], bench: Bench, folder: RowsFolder, show: Show) -> None:
    tasks = [Task(run, bench.place(run), bench.files) for run in runs]

    def started(task: Task) -> None:
        show.started(task.run)

    if bench.scheduler is None:
        found = run_tasks(tasks, jobs=bench.jobs, grace=bench.grace, started=started)
    else:
        found = run_tasks_on(bench.scheduler, tasks, grace=bench.grace, started=started)
    try:
        with closing(found):
            for answer in found:
                if answer is None:
                    show.glance()
                    continue
                folder.append(answer.row)
                show.finished(answer.task.run, answer.row, answer.seconds)
    finally:
        _tidy_logs(folder)


def _tidy_logs(folder: RowsFolder) -> None:
    """Keep the logs of what went wrong, and drop those that a killed bench left too."""
    logs = folder.path / LOGS
    for log in logs.glob("*.log"):
        row = folder.rows.get(log.stem)
        if row is None or row.status not in FAILURES:
            log.unlink()
    if logs.is_dir() and not any(logs.iterdir()):
        logs.rmdir()
