"""Completing: one file after the other, with progress, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

from .. import formats
from ..errors import TensorfillError
from . import summary
from .app import INTERRUPTED, USER_ERROR, Stopped
from .console import show_notes, show_table
from .forecasting import check_memory, forecast_of
from .progress import ProgressLine
from .running import run, uninterrupted

if TYPE_CHECKING:
    from ..completion import Completion
    from .job import Job


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

    def run(self) -> None:
        """Complete all; with several files, one that cannot be completed does not stop the others."""
        several = len(self.jobs) > 1
        for job in self.jobs:
            self._check(job)
        try:
            with ProgressLine(len(self.jobs), quiet=self.quiet) as progress:
                for job in self.jobs:
                    try:
                        self._one(job, progress)
                    except TensorfillError as error:
                        if not several:
                            raise
                        self._failures.append(f"{job.input}: {error}")
                        progress.say(f"Error: {error}")
                    finally:
                        progress.finish()
        except Stopped as stopped:
            if not several:
                raise
            raise Stopped(f"{stopped} {self._count()}") from None
        self._tell(several)

    def _check(self, job: Job) -> None:
        from ..methods.registry import method_for

        job.check_places(method_for(self.arguments["method"], self.settings))

    def _one(self, job: Job, progress: ProgressLine) -> None:
        progress.begin(job.input.name, 0.0)
        source = job.read()
        expected = forecast_of(source, self.arguments["method"], self.settings)
        check_memory(source, str(job.input), expected)
        progress.begin(job.input.name, expected.seconds)
        for note in source.notes:
            progress.say(f"Note: {note}")
        data, observed = _given(source, self.arguments["negatives"])
        done, notes = run(data, observed, progress=progress, **self.arguments, **self.settings)
        progress.pause()
        with uninterrupted():
            losses = job.write(source, done)
            self._reports.append(job.told(done, losses))
            self._show(job, done, (*notes, *losses))
        if done.stop.kind == "interrupted":
            raise typer.Exit(INTERRUPTED)
        if job.uncertainty is not None:
            told = job.uncertainty.write(done)
            if not self.quiet:
                show_notes((told,), err=self.json)

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
            typer.echo(
                f"{job.input} → {job.output}: {done.method}, {done.observed.share:.1%} known, {done.seconds:.1f} s"
            )
        show_notes((*notes, *stopped), err=False)

    def _tell(self, several: bool) -> None:
        if several and self.json:
            typer.echo(summary.as_json({"files": self._reports, "failures": self._failures}))
        elif several and not self.quiet:
            typer.echo(self._count())
        if self._failures:
            if self.quiet:
                for failure in self._failures:
                    typer.echo(f"Error: {failure}", err=True)
            raise typer.Exit(USER_ERROR)

    def _count(self) -> str:
        failed = f", {len(self._failures)} could not be completed" if self._failures else ""
        return f"{len(self._reports)} of {len(self.jobs)} files completed{failed}."


def _given(source: formats.Contents | formats.Entries, negatives: Any) -> tuple[Any, Any]:
    if isinstance(source, formats.Entries):
        return source.observed_tensor(negatives), None
    return source.data, source.observed
