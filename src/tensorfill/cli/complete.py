"""`tensorfill complete`: one file after the other or several at a time, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import typer

from ..completion import Completion
from ..errors import InvalidSetting, TensorfillError, TooLarge
from ..formats import Contents, DataFile, Entries
from ..formats.scratch import Scratch
from ..interrupting import INTERRUPTED
from ..telling import listening
from ..tiles.workers import workers_at
from .app import USER_ERROR, Stopped, describe
from .console import report_on, say, show_json, show_notes, show_table, summarise
from .in_tiles import STOPPED_EARLY, InTiles, checkpoint_at
from .job import Job, check_apart, find_jobs
from .options import BoundOptions, MissingOptions, ReadingOptions, SolvingOptions, TileOptions, WritingOptions
from .progress import ProgressLine
from .solving import Solving, TileWishes, check_memory, ignore_interrupts
from .source import Source
from .wanted import Wanted

_GLANCE = 0.25  # seconds between two looks at whether somebody presses Ctrl-C


def complete(
    inputs: list[Path],
    output: Path,
    reading: ReadingOptions,
    missingness: MissingOptions,
    solving: SolvingOptions,
    bounds: BoundOptions,
    tiles: TileOptions,
    writing: WritingOptions,
    each: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Complete every input."""
    asked, wishes = Solving.of(solving, bounds), TileWishes.of(tiles)
    source = Source.of(reading, missingness)
    jobs = find_jobs(inputs, output, source, writing, format=reading.format, each=each)
    Completing(jobs, asked, wishes, json=json, quiet=quiet).run()


@dataclass
class Completing:
    """The files of one command."""

    jobs: Sequence[Job]
    solving: Solving
    wishes: TileWishes = field(default_factory=TileWishes)
    json: bool = False
    quiet: bool = False
    _reports: list[dict[str, Any]] = field(default_factory=list)
    _failures: list[str] = field(default_factory=list)
    _interrupted: bool = False
    _unwritten: str = ""

    def run(self) -> None:
        """Complete all; with several files, one that cannot be completed does not stop the others, but Ctrl-C does."""
        self._check()
        with ProgressLine(len(self.jobs), quiet=self.quiet) as line:
            if self._several and self.wishes.scheduler is not None:
                self._spread(self.wishes.scheduler, line)
            else:
                self._go_through(line)
        self._conclude()

    @property
    def _several(self) -> bool:
        return len(self.jobs) > 1

    def _check(self) -> None:
        """Refuse, before anything is read, settings that no data would suit, and places that cannot be written."""
        inputs = [named for job in self.jobs for named in job.inputs]
        check_apart(inputs, [named for job in self.jobs for named in job.outputs])
        method = self.solving.chosen
        for job in self.jobs:
            job.check_places(method)

    def _go_through(self, line: ProgressLine) -> None:
        """One after the other."""
        for job in self.jobs:
            try:
                self._take(job, complete_file(job, self.solving, self.wishes, line))
            except (TensorfillError, MemoryError) as error:
                if not self._several:
                    raise
                self._fail(job, error, line)
            except (Stopped, KeyboardInterrupt):
                if not self._several:
                    raise
                self._interrupted = True
                self._unwritten = f", {job.output.path} not written"
            finally:
                line.finish()
            if self._interrupted:
                break

    def _spread(self, scheduler: str, line: ProgressLine) -> None:
        """Several at a time, each by a worker of its own, however its tensor is completed there."""
        there = cast(Any, complete_apart)
        elsewhere = "://" in scheduler
        where = scheduler.replace("threads", "processes")  # warnings and logs are those of a whole process
        line.begin(f"{len(self.jobs)} files", 0.0, "waiting for workers")
        with workers_at(where, len(self.jobs)) as workers:
            asked: dict[Future[Any], Job] = {
                workers.submit(
                    there, job.with_full_names() if elsewhere else job, self.solving, self.wishes.for_one_file
                ): job
                for job in self.jobs
            }
            try:
                while asked:
                    done, _ = wait(asked, timeout=_GLANCE, return_when=FIRST_COMPLETED)
                    for future in done:
                        self._take_answer(asked.pop(future), future, line)
            except KeyboardInterrupt:
                self._interrupted = True
                workers.stop()

    def _take_answer(self, job: Job, future: Future[Any], line: ProgressLine) -> None:
        try:
            self._take(job, future.result())
        except (TensorfillError, MemoryError) as error:
            self._fail(job, error, line)
        line.finish()
        line.begin(f"{len(self.jobs)} files", 0.0, "completing")

    def _take(self, job: Job, told: Iterable[Outcome | Afterword]) -> None:
        """Show what has become of a file, as soon as it is known."""
        for each in told:
            self._interrupted |= each.interrupted
            if isinstance(each, Outcome):
                self._reports.append(each.told)
                self._show(job, each)
            elif each.interrupted:
                say(f"Stopped by Ctrl-C; {each.note}.", err=True)
            elif not self.quiet:
                show_notes((each.note,), err=self.json)

    def _fail(self, job: Job, error: Exception, line: ProgressLine) -> None:
        sentence = describe(error)
        if str(job.input.path) not in sentence:
            sentence = f"{job.input}: {sentence}"
        self._failures.append(sentence)
        line.say(f"Error: {sentence}")

    def _show(self, job: Job, outcome: Outcome) -> None:
        if self.quiet:
            return
        notes = outcome.notes
        if outcome.interrupted:
            notes = (*notes, f"Stopped by Ctrl-C; {job.output} holds the best so far.")
            notes += () if job.uncertainty is None else (f"{job.uncertainty.path} was not written.",)
        if self.json:
            show_notes(notes)
            if not self._several:
                show_json(self._reports[-1])
            return
        if self._several:
            say(outcome.sentence)
        else:
            show_table([*outcome.rows, ("written to", str(job.output))])
        show_notes(notes, err=False)

    def _conclude(self) -> None:
        """Say what became of all of them, and end with the right code."""
        if self._several and self.json:
            show_json({"files": self._reports, "failures": self._failures})
        elif self._several and not self.quiet and not self._interrupted:
            say(f"{self._count()}.")
        if self.quiet:
            for failure in self._failures:
                say(f"Error: {failure}", err=True)
        if self._interrupted and self._several:
            raise Stopped(f"Stopped by Ctrl-C: {self._count()}{self._unwritten}{self._count_unstarted()}.")
        if self._interrupted:
            raise typer.Exit(INTERRUPTED)
        if self._failures:
            raise typer.Exit(USER_ERROR)

    def _count(self) -> str:
        failed = f", {len(self._failures)} could not be completed" if self._failures else ""
        return f"{len(self._reports)} of {len(self.jobs)} files completed{failed}"

    def _count_unstarted(self) -> str:
        left = len(self.jobs) - len(self._reports) - len(self._failures) - bool(self._unwritten)
        return f", {left} not started" if left else ""


# One file


@dataclass(frozen=True)
class Outcome:
    """What has become of a file. A value that travels between processes."""

    told: dict[str, Any]
    """The report."""
    rows: list[tuple[str, str]]
    """The short table."""
    sentence: str
    notes: tuple[str, ...]
    interrupted: bool


@dataclass(frozen=True)
class Afterword:
    """What has become of a file that is worked out when the output is written."""

    note: str
    interrupted: bool = False


def complete_file(job: Job, solving: Solving, wishes: TileWishes, line: ProgressLine) -> Iterator[Outcome | Afterword]:
    """Complete a file, and tell when the output is there, and what is written after that."""
    line.begin(job.input.path.name, 0.0, "reading")
    with job.keeping_large(always=wishes.cut) as scratch:
        with listening(line.enter):
            source = job.read(solving.bounds, scratch)
            wanted = job.read_wanted(source)
        for note in source.notes:
            line.note(note)
        tiles = _cut(job, solving, wishes, source, scratch)
        if tiles is None:
            source, done, notes = _complete_whole(job, solving, wishes, source, line)
        else:
            line.begin(job.input.path.name, tiles.expected.seconds, seconds_of=tiles.seconds_of)
            done, losses = tiles.complete(line)
            notes = done.notes
        with ignore_interrupts():
            if tiles is None:
                line.tell("writing")
                losses = job.write(source, done, wanted)
            outcome = _tell(job, solving, done, notes, losses)
            line.pause()
            yield outcome
    if job.uncertainty is not None and tiles is None and not outcome.interrupted:
        yield _write_uncertainty(job, job.uncertainty, done, wanted, line)


def complete_apart(job: Job, solving: Solving, wishes: TileWishes) -> list[Outcome | Afterword]:
    """The same where nobody watches: in a process that completes a part of many files."""
    with ProgressLine(quiet=True) as line:
        return list(complete_file(job, solving, wishes, line))


def _cut(
    job: Job, solving: Solving, wishes: TileWishes, source: Contents | Entries, scratch: Scratch | None
) -> InTiles | None:
    """The tiles that it is completed in; None if that is whole."""
    if scratch is None or not isinstance(source, Contents):
        return None
    if not (source.on_disk or wishes.cut or not solving.forecast(source)[0].fits):
        return None
    return InTiles.of(job, solving, wishes, source, scratch)


def _complete_whole(
    job: Job, solving: Solving, wishes: TileWishes, source: Contents | Entries, line: ProgressLine
) -> tuple[Contents | Entries, Completion, tuple[str, ...]]:
    """The data in memory, what is found, and what there is to note about it."""
    if isinstance(source, Contents) and source.on_disk:
        source = source.in_memory()
    expected, seconds_of = solving.forecast(source)
    check_memory(source, str(job.input), expected)
    if (limit := solving.time_limit) is None:
        line.begin(job.input.path.name, expected.seconds, seconds_of=seconds_of)
    else:
        line.begin(job.input.path.name, min(limit, expected.seconds))
    folder = wishes.folder_for(job.output.path, expected.seconds)
    if folder is None:
        return source, *solving.run(source, line)
    with checkpoint_at(folder, job, solving, wishes, source.shape) as checkpoint:
        with checkpoint.keep_states():
            done, notes = solving.run(source, line)
        if done.stop.kind not in STOPPED_EARLY:
            checkpoint.remove()
        return source, done, (*notes, *checkpoint.notes)


def _tell(job: Job, solving: Solving, done: Completion, notes: tuple[str, ...], losses: tuple[str, ...]) -> Outcome:
    """Write the report, and sum up."""
    names = {"input": str(job.input), "output": str(job.output)}
    if job.only is not None:
        names["only"] = str(job.only)
    told = {**names, **report_on(done), "seed": solving.seed, "losses": list(losses)}
    job.write_report(told)
    seconds = f"{done.seconds:.1f} s"
    return Outcome(
        told=told,
        rows=summarise(done),
        sentence=f"{job.input} → {job.output}: {done.method}, {done.observed.share:.1%} known, {seconds}",
        notes=(*notes, *losses),
        interrupted=done.stop.kind == "interrupted",
    )


def _write_uncertainty(
    job: Job, file: DataFile, done: Completion, wanted: Wanted | None, line: ProgressLine
) -> Afterword:
    """Work it out and write it; Ctrl-C leaves it out."""
    line.begin(file.path.name, 0.0, "working out how unsure each entry is")
    note = f"{file} was not written"
    try:
        deviations: Any = done.uncertainty if wanted is None else wanted.answer_deviations(done)
    except KeyboardInterrupt:
        return Afterword(note, interrupted=True)
    except (InvalidSetting, TooLarge) as error:  # auto may end with a method that does not tell
        return Afterword(f"{note}: {error}")
    else:
        with ignore_interrupts():
            if wanted is not None:
                file.write_listing(deviations, wanted.axes, force=job.force)
                return Afterword(f"{file} holds the standard deviation of every wanted entry.")
            return Afterword(job.write_uncertainty(file, deviations, done.observed.mask()))
    finally:
        line.pause()
