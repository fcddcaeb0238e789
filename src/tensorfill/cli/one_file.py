"""Completing one file: whole or in tiles; and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..completion import Completion
from ..errors import InvalidSetting
from ..formats import Contents, DataFile, Entries
from ..formats.scratch import Scratch
from ..telling import listening
from .console import report_on, summarise
from .in_tiles import InTiles
from .job import Job
from .progress import ProgressLine
from .solving import Solving, TileWishes, check_memory, ignore_interrupts


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
        for note in source.notes:
            line.note(note)
        tiles = _cut(job, solving, wishes, source, scratch)
        if tiles is None:
            source, done, notes = _complete_whole(job, solving, source, line)
        else:
            line.begin(job.input.path.name, tiles.expected.seconds, seconds_of=tiles.seconds_of)
            done, losses = tiles.complete(line)
            notes = done.notes
        with ignore_interrupts():
            if tiles is None:
                line.tell("writing")
                losses = job.write(source, done)
            outcome = _tell(job, solving, done, notes, losses)
            line.pause()
            yield outcome
    if job.uncertainty is not None and tiles is None and not outcome.interrupted:
        yield _write_uncertainty(job, job.uncertainty, done, line)


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
    job: Job, solving: Solving, source: Contents | Entries, line: ProgressLine
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
    return source, *solving.run(source, line)


def _tell(job: Job, solving: Solving, done: Completion, notes: tuple[str, ...], losses: tuple[str, ...]) -> Outcome:
    """Write the report, and sum up."""
    names = {"input": str(job.input), "output": str(job.output)}
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


def _write_uncertainty(job: Job, file: DataFile, done: Completion, line: ProgressLine) -> Afterword:
    """Work it out and write it; Ctrl-C leaves it out."""
    line.begin(file.path.name, 0.0, "working out how unsure each entry is")
    note = f"{file} was not written"
    try:
        deviations = done.uncertainty
    except KeyboardInterrupt:
        return Afterword(note, interrupted=True)
    except InvalidSetting as error:  # auto may end with a method that does not tell
        return Afterword(f"{note}: {error}")
    else:
        with ignore_interrupts():
            return Afterword(job.write_uncertainty(file, deviations, done.observed.mask()))
    finally:
        line.pause()
