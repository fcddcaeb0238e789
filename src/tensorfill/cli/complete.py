"""`tensorfill complete`: one file after the other, with progress, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from ..bounds import Bounds
from ..completion import Completion
from ..errors import TensorfillError
from ..formats import DataFile
from ..interrupting import INTERRUPTED
from ..methods.auto import method_for
from ..methods.registry import make
from ..telling import listening
from . import summary
from .app import USER_ERROR, Stopped
from .console import say, show_notes, show_table
from .flags import as_flags
from .forecasting import check_memory, forecast_of, seconds_of_methods
from .job import Job
from .options import BoundOptions, MissingOptions, ReadingOptions
from .places import check_apart, find_places, path_beside
from .progress import ProgressLine
from .running import ignore_interrupts, run
from .source import Source
from .typed import parse_bounds, parse_rank, parse_settings, parse_weights
from .uncertainty_file import UncertaintyFile
from .verbs import SolvingOptions, WritingOptions

_NO_MEMORY = "There is not enough memory for data of this size on this machine."
_SETTINGS = (
    *("effort", "C", "max_iter", "gradient_tolerance", "gap_tolerance"),
    *("inner", "optimizer", "start", "nonnegative_on"),
)
"""Settings that are passed on as they are typed."""


def complete(
    inputs: list[Path],
    output: Path,
    reading: ReadingOptions,
    missingness: MissingOptions,
    solving: SolvingOptions,
    bounds: BoundOptions,
    writing: WritingOptions,
    each: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Complete every input."""
    settings = _settings_of(solving)
    limits = parse_bounds(bounds.lower, bounds.upper)
    source = Source.of(reading, missingness)
    places = find_places(inputs, output, each=each, format=reading.format, output_format=writing.output_format)
    several = len(places) > 1
    jobs = []
    for place in places:
        preview = path_beside(writing.preview, place, ".png", several=several)
        uncertainty = path_beside(writing.uncertainty, place, ".npy", several=several)
        jobs.append(
            Job(
                input=place.input,
                output=place.output,
                report=path_beside(writing.report, place, ".json", several=several),
                preview=None if preview is None else DataFile.of(preview),
                uncertainty=None if uncertainty is None else UncertaintyFile(DataFile.of(uncertainty), writing.force),
                source=source,
                seed=solving.seed,
                raw=writing.raw,
                bounds=limits,
                force=writing.force,
            )
        )
    arguments = _arguments_of(solving, limits)
    Completing(jobs, arguments, settings, json=json, quiet=quiet).run()


def _settings_of(solving: SolvingOptions) -> dict[str, Any]:
    """Settings of the method: those that have options of their own, and those of --set."""
    given = {
        **{name: getattr(solving, name) for name in _SETTINGS},
        "rank": None if solving.rank is None else parse_rank(solving.rank),
        "lam": None if solving.lam is None else parse_weights(solving.lam),
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    return chosen | parse_settings(solving.set_ or (), taken=chosen)


def _arguments_of(solving: SolvingOptions, bounds: Bounds) -> dict[str, Any]:
    """What every completion gets."""
    arguments = {
        "method": solving.method,
        "keep_observed": not solving.no_keep_observed,
        "negatives": "clip" if solving.clip_negative else "raise",
        "random_state": solving.seed,
        "time_limit": solving.time_limit,
    }
    return arguments if bounds == Bounds() else {**arguments, "lower": bounds.lower, "upper": bounds.upper}


@dataclass
class Completing:
    """The files of one command."""

    jobs: Sequence[Job]
    arguments: Mapping[str, Any]
    """What every completion gets."""
    settings: Mapping[str, Any]
    """Settings of the method."""
    json: bool = False
    quiet: bool = False
    _reports: list[dict[str, Any]] = field(default_factory=list)
    _failures: list[str] = field(default_factory=list)
    _interrupted: bool = False
    _unwritten: str = ""

    def run(self) -> None:
        """Complete all; with several files, one that cannot be completed does not stop the others, but Ctrl-C does."""
        check_apart(
            [named for job in self.jobs for named in job.inputs], [named for job in self.jobs for named in job.outputs]
        )
        self._check()
        with ProgressLine(len(self.jobs), quiet=self.quiet) as progress:
            for job in self.jobs:
                try:
                    self._complete(job, progress)
                except (TensorfillError, MemoryError) as error:
                    if not self._several:
                        raise
                    self._fail(job, error, progress)
                except (Stopped, KeyboardInterrupt):
                    if not self._several:
                        raise
                    self._interrupted = True
                    self._unwritten = f", {job.output.path} not written"
                finally:
                    progress.finish()
                if self._interrupted:
                    break
        self._conclude()

    @property
    def _several(self) -> bool:
        return len(self.jobs) > 1

    def _check(self) -> None:
        """Refuse, before anything is read, settings that no data would suit, and places that cannot be written."""
        method = method_for(self.arguments["method"], self.settings)
        make(method, self.settings)
        for job in self.jobs:
            job.check_places(method)

    def _complete(self, job: Job, progress: ProgressLine) -> None:
        name = job.input.path.name
        progress.begin(name, 0.0, "reading")
        with listening(progress.enter):
            source = job.read()
        expected = forecast_of(source, self.arguments["method"], self.settings)
        check_memory(source, str(job.input), expected)
        limit = self.arguments["time_limit"]
        progress.begin(
            name,
            expected.seconds if limit is None else min(limit, expected.seconds),
            seconds_of=seconds_of_methods(source) if limit is None else None,
        )
        for note in source.notes:
            progress.say(f"Note: {note}")
        done, notes = run(source, progress=progress, **self.arguments, **self.settings)
        with ignore_interrupts():
            progress.tell("writing")
            losses = job.write(source, done)
            progress.pause()
            self._reports.append(job.describe(done, losses))
            self._show(job, done, (*notes, *losses))
        self._interrupted = done.stop.kind == "interrupted"
        if job.uncertainty is not None and not self._interrupted:
            self._write_uncertainty(job.uncertainty, done, progress)

    def _write_uncertainty(self, file: UncertaintyFile, done: Completion, progress: ProgressLine) -> None:
        progress.begin(file.file.path.name, 0.0, "working out how unsure each entry is")
        try:
            note = file.write(done)
        except typer.Exit:  # by Ctrl-C, which it has reported
            self._interrupted = True
            return
        finally:
            progress.pause()
        if not self.quiet:
            show_notes((note,), err=self.json)

    def _fail(self, job: Job, error: Exception, progress: ProgressLine) -> None:
        sentence = as_flags(str(error)) if isinstance(error, TensorfillError) else _NO_MEMORY
        if str(job.input.path) not in sentence:
            sentence = f"{job.input}: {sentence}"
        self._failures.append(sentence)
        progress.say(f"Error: {sentence}")

    def _show(self, job: Job, done: Completion, notes: tuple[str, ...]) -> None:
        if self.quiet:
            return
        notes = (*notes, *_describe_interrupt(job, done))
        if self.json:
            show_notes(notes)
            if not self._several:
                typer.echo(summary.as_json(self._reports[-1]))
            return
        if self._several:
            say(f"{job.input} → {job.output}: {done.method}, {done.observed.share:.1%} known, {done.seconds:.1f} s")
        else:
            show_table([*summary.lines(done), ("written to", str(job.output))])
        show_notes(notes, err=False)

    def _conclude(self) -> None:
        """Say what became of all of them, and end with the right code."""
        if self._several and self.json:
            typer.echo(summary.as_json({"files": self._reports, "failures": self._failures}))
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


def _describe_interrupt(job: Job, done: Completion) -> list[str]:
    if done.stop.kind != "interrupted":
        return []
    notes = [f"Stopped by Ctrl-C; {job.output} holds the best so far."]
    return notes if job.uncertainty is None else [*notes, f"{job.uncertainty.file.path} was not written."]
