"""Completing: one file after the other, with progress, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

from .. import formats
from ..errors import TensorfillError
from ..interrupting import INTERRUPTED
from ..telling import listening
from . import summary
from .apart import check_apart
from .app import USER_ERROR, Stopped
from .console import say, show_notes, show_table
from .forecasting import check_memory, forecast_of, seconds_of_methods
from .progress import ProgressLine
from .running import run, uninterrupted

if TYPE_CHECKING:
    from ..completion import Completion
    from .job import Job
    from .uncertainty_file import UncertaintyFile


_NO_MEMORY = "There is not enough memory for data of this size on this machine."


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
                    self._one(job, progress)
                except (TensorfillError, MemoryError) as error:
                    if not self._several:
                        raise
                    self._fail(job, error, progress)
                except (Stopped, KeyboardInterrupt):
                    if not self._several:
                        raise
                    self._interrupted = True
                    self._unwritten = f", {job.output} not written"
                finally:
                    progress.finish()
                if self._interrupted:
                    break
        self._tell()

    @property
    def _several(self) -> bool:
        return len(self.jobs) > 1

    def _check(self) -> None:
        """Refuse, before anything is read, settings that no data would suit, and places that cannot be written."""
        from ..methods.registry import make, method_for

        method = method_for(self.arguments["method"], self.settings)
        make(method, self.settings)
        for job in self.jobs:
            job.check_places(method)

    def _one(self, job: Job, progress: ProgressLine) -> None:
        progress.begin(job.input.name, 0.0, "reading")
        with listening(progress.enter):
            source = job.read()
        expected = forecast_of(source, self.arguments["method"], self.settings)
        check_memory(source, str(job.input), expected)
        limit = self.arguments["time_limit"]
        progress.begin(
            job.input.name,
            expected.seconds if limit is None else min(limit, expected.seconds),
            seconds_of=seconds_of_methods(source) if limit is None else None,
        )
        for note in source.notes:
            progress.say(f"Note: {note}")
        data, observed = _given(source)
        done, notes = run(data, observed, progress=progress, **self.arguments, **self.settings)
        with uninterrupted():
            progress.tell("writing")
            losses = job.write(source, done)
            progress.pause()
            self._reports.append(job.told(done, losses))
            self._show(job, done, (*notes, *losses))
        self._interrupted = done.stop.kind == "interrupted"
        if job.uncertainty is not None and not self._interrupted:
            self._write_uncertainty(job.uncertainty, done, progress)

    def _write_uncertainty(self, file: UncertaintyFile, done: Completion, progress: ProgressLine) -> None:
        progress.begin(file.path.name, 0.0, "working out how unsure each entry is")
        try:
            told = file.write(done)
        except typer.Exit:  # by Ctrl-C, of which it has told
            self._interrupted = True
            return
        finally:
            progress.pause()
        if not self.quiet:
            show_notes((told,), err=self.json)

    def _fail(self, job: Job, error: Exception, progress: ProgressLine) -> None:
        sentence = str(error) if isinstance(error, TensorfillError) else _NO_MEMORY
        if str(job.input) not in sentence:
            sentence = f"{job.input}: {sentence}"
        self._failures.append(sentence)
        progress.say(f"Error: {sentence}")

    def _show(self, job: Job, done: Completion, notes: tuple[str, ...]) -> None:
        stopped: list[str] = []
        if done.stop.kind == "interrupted":
            stopped.append(f"Stopped by Ctrl-C; {job.output} holds the best so far.")
            if job.uncertainty is not None:
                stopped.append(f"{job.uncertainty.path} was not written.")
        if self.quiet:
            return
        if self.json:
            show_notes((*notes, *stopped))
            if len(self.jobs) == 1:
                typer.echo(summary.as_json(self._reports[-1]))
            return
        if len(self.jobs) == 1:
            show_table([*summary.lines(done), ("written to", str(job.output))])
        else:
            say(f"{job.input} → {job.output}: {done.method}, {done.observed.share:.1%} known, {done.seconds:.1f} s")
        show_notes((*notes, *stopped), err=False)

    def _tell(self) -> None:
        """What became of all of them."""
        if self._several and self.json:
            typer.echo(summary.as_json({"files": self._reports, "failures": self._failures}))
        elif self._several and not self.quiet and not self._interrupted:
            say(f"{self._count()}.")
        if self.quiet:
            for failure in self._failures:
                say(f"Error: {failure}", err=True)
        if self._interrupted and self._several:
            raise Stopped(f"Stopped by Ctrl-C: {self._count()}{self._unwritten}{self._unstarted()}.")
        if self._interrupted:
            raise typer.Exit(INTERRUPTED)
        if self._failures:
            raise typer.Exit(USER_ERROR)

    def _count(self) -> str:
        failed = f", {len(self._failures)} could not be completed" if self._failures else ""
        return f"{len(self._reports)} of {len(self.jobs)} files completed{failed}"

    def _unstarted(self) -> str:
        left = len(self.jobs) - len(self._reports) - len(self._failures) - bool(self._unwritten)
        return f", {left} not started" if left else ""


def _given(source: formats.Contents | formats.Entries) -> tuple[Any, Any]:
    if isinstance(source, formats.Entries):
        return source.observed_tensor(lower=None), None  # the library looks at bounds
    if source.metadata.columns_apart:
        return source, None
    return source.data, source.observed
