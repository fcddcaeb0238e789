"""`tensorfill complete` and `components`: one file after the other or several at a time, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import typer
from numpy.typing import NDArray

from ..completion import Completion
from ..errors import TensorfillError
from ..formats import Contents, DataFile
from ..interrupting import INTERRUPTED
from ..tiles.workers import workers_at
from .app import USER_ERROR, Stopped, describe
from .console import say, show_json, show_notes, show_table
from .job import Job, check_apart, find_jobs, make_folder, name_inputs
from .one_file import Afterword, Outcome, complete_apart, complete_file
from .options import BoundOptions, MissingOptions, ReadingOptions, SolvingOptions, TileOptions, WritingOptions
from .progress import ProgressLine
from .solving import Solving, TileWishes, check_memory, ignore_interrupts
from .source import Source, as_array, reading

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
        inputs = [named for job in self.jobs for named in name_inputs(job.input, job.source)]
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


# The parts that add up to a completed tensor, as files to look at


def components(
    input: Path,
    output: Path,
    reading: ReadingOptions,
    missingness: MissingOptions,
    bounds: BoundOptions,
    output_format: str | None,
    method: str,
    rank: str | None,
    set_: list[str] | None,
    time_limit: float | None,
    seed: int,
    force: bool,
) -> None:
    """Complete one file and write the components of its completion."""
    options = SolvingOptions(method=method, rank=rank, set_=set_, time_limit=time_limit, seed=seed)
    asked = Solving.of(options, bounds)
    source, file, data = _read(input, reading, missingness)
    extension = _choose_extension(data, output_format)
    make_folder(output)
    count = data.ndim  # how many components there are is not known before, but most methods have one for each mode
    files = _component_files(output, extension, count)
    check_apart(name_inputs(file, source), [("component", place.files) for place in files])
    for place in files:
        place.check_place(force=force)
    check_memory(data, str(file), asked.forecast(data)[0])
    done, notes = asked.run_alone(data)
    with ignore_interrupts():
        files = _component_files(output, extension, len(done.components))
        for place in files[count:]:
            place.check_place(force=force)
        rows = []
        for place, component in zip(files, done.components, strict=True):
            shown = _stretch(component) if place.form.picture else component
            place.write(Contents(shown, metadata=data.plain_metadata()), force=force)
            rows.append((str(place), f"{component.min():.4g}", f"{component.max():.4g}"))
        show_table(rows, headings=("file", "smallest", "largest"))
        show_notes((*notes, *_note_count(done, len(rows), count)), err=False)
        if done.stop.kind == "interrupted":
            show_notes(("Stopped by Ctrl-C; these are the components so far.",), err=False)
            raise typer.Exit(INTERRUPTED)


def _read(input: Path, options: ReadingOptions, missingness: MissingOptions) -> tuple[Source, DataFile, Contents]:
    source = Source.of(options, missingness)
    with reading(input):
        file = DataFile.of(input, options.format)
        data = as_array(source.read(file))
    show_notes(data.notes)
    return source, file, data


def _component_files(folder: Path, extension: str, count: int) -> list[DataFile]:
    return [DataFile.of(folder / f"component-{number + 1}{extension}") for number in range(count)]


def _choose_extension(source: Contents, output_format: str | None) -> str:
    """A picture for what is one, a clip for three modes and for colour video, else numbers."""
    if output_format is not None:
        found = DataFile.of("component", output_format).form
        return found.extensions[0] if found.extensions else ""
    shape = source.shape
    if len(shape) == 2 or (len(shape) == 3 and shape[2] == 3):
        return ".png"
    return ".mkv" if len(shape) == 3 or (len(shape) == 4 and shape[3] == 3) else ".npy"


def _note_count(done: Completion, found: int, modes: int) -> tuple[str, ...]:
    """That there is not one component for each mode, and a constant among them if they are counted from one."""
    if found == modes:
        return ()
    told = f"{done.method} is a sum of {found}, not of one component for each of the {modes} modes"
    counted_from = "the smallest known value" if done.lower is None else "the lower bound"
    return (f"{told}{'' if done.lower == 0 else f': a constant is among them, as they count from {counted_from}'}.",)


def _stretch(component: NDArray[Any]) -> NDArray[np.uint8]:
    """Values from the smallest to the largest as 8 bits."""
    low, high = float(component.min()), float(component.max())
    return np.rint((component - low) * (255 / (high - low) if high > low else 0.0)).astype(np.uint8)
