"""Completing a file in tiles: what is too large for memory is read, completed and written piece by piece."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import numpy as np

from ..completion import Completion
from ..estimates.estimate import DenseEstimate
from ..formats import Contents
from ..formats.arriving import ArrivingArray
from ..formats.file_array import fill_by_pieces, take
from ..formats.scratch import Scratch
from ..interrupting import time_limited
from ..large.on_disk import Output, complete_on_disk, run_identity, settled_tiling
from ..large.one_tile import model_dtype
from ..large.planning import TileForecast, forecast_tiles, plan, tiles_at_a_time
from ..methods.task import Asked
from ..observed import ObservedTensor
from ..tensor import SHORT
from ..tiles.checkpoint import Checkpoint
from ..tiles.run import TILE, Workers
from ..tiles.tensors import Part, Survey, survey
from ..tiles.tiling import Region, Tiling
from ..tiles.workers import workers_at
from .job import Job
from .preview import preview
from .progress import ProgressLine
from .solving import Solving, TileWishes, attended, ignore_interrupts

STOPPED_EARLY = ("time", "interrupted", "watch")
"""Kinds of reasons to stop after which a run may go on another time."""

_LOOKED_AT = 16  # slices of a mode, among which the one with most holes is shown
_READ = 2**24  # bytes of a file at a time


@dataclass(frozen=True, eq=False)
class ContentsTensor:
    """What a file holds, as a tensor of which parts are read."""

    contents: Contents

    @property
    def shape(self) -> tuple[int, ...]:
        return self.contents.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.contents.dtype

    def part(self, region: Region) -> Part:
        values, known = self.contents.part(region)
        return np.array(values), known


@dataclass(frozen=True, eq=False)
class InTiles:
    """A file that is completed in tiles."""

    job: Job
    solving: Solving
    wishes: TileWishes
    source: Contents
    scratch: Scratch
    asked: Asked
    seen: Survey
    tiling: Tiling
    expected: TileForecast

    @classmethod
    def of(cls, job: Job, solving: Solving, wishes: TileWishes, source: Contents, scratch: Scratch) -> InTiles | None:
        """None if it is better completed whole; refused if what is known is nothing that could be completed."""
        if wishes.tile is None:
            return None
        asked = Asked.of(solving.method, solving.settings, solving.bounds, "clip" if solving.clip else "raise")
        page = job.output.form.page_mode(source)
        leading = 0 if page is None else page
        seen = survey(ContentsTensor(source), asked.bounds, asked.negatives, leading)
        share = seen.share(source.shape)
        tiling = plan(source.shape, asked, share, wishes.tile, leading=leading)
        if tiling is None:
            return None
        return cls(job, solving, wishes, source, scratch, asked, seen, tiling, forecast_tiles(tiling, asked, share))

    @property
    def _share(self) -> float:
        return self.seen.share(self.source.shape)

    def seconds_of(self, what: str) -> float:
        """How long a part of the work takes, by what it is called."""
        return self.expected.each if what == TILE else self.expected.learning

    def complete(self, line: ProgressLine) -> tuple[Completion, tuple[str, ...]]:
        """Complete it and write all that is wanted; also returns what the format of the output changes."""
        output = self._make_output()
        limit = self.solving.time_limit
        with (
            self._checkpoint() as checkpoint,
            workers_at(self.wishes.scheduler, tiles_at_a_time(self.tiling, self.asked, self._share)) as workers,
            time_limited(float("inf") if limit is None else limit),
            attended(line),
        ):
            found, losses = self._complete(output, line, workers, checkpoint)
        if checkpoint is not None and found.stop.kind not in STOPPED_EARLY:
            checkpoint.remove()
        with ignore_interrupts():
            beside = self._write_beside(found, output)
        return replace(found, notes=(*found.notes, *beside)), losses

    def _complete(
        self, output: Output, line: ProgressLine, workers: Workers, checkpoint: Checkpoint | None
    ) -> tuple[Completion, tuple[str, ...]]:
        tiling = self.tiling if checkpoint is None else settled_tiling(checkpoint, self.tiling)
        with Writer(self.job, self._fill(output.values), tiling.leading) as writer:
            found = complete_on_disk(
                ContentsTensor(self.source),
                self.asked,
                tiling,
                self.seen,
                _seed_of(self.solving),
                replace(output, done=writer.advance),
                line.watch,
                workers,
                checkpoint,
            )
            line.tell("writing")
        return found, writer.losses

    def _checkpoint(self) -> AbstractContextManager[Checkpoint | None]:
        """Where finished tiles are kept, if that is worth it, or asked for."""
        folder = self.wishes.folder_for(self.job.output.path, self.expected.seconds)
        if folder is None:
            return nullcontext()
        return checkpoint_at(folder, self.job, self.solving, self.wishes, self.source.shape)

    # What is written

    def _make_output(self) -> Output:
        """Room on disk, in the order in which pages are written."""
        shape, leading = self.source.shape, self.tiling.leading
        axes = [leading, *(mode for mode in range(len(shape)) if mode != leading)]
        dtype = self.source.dtype if not self.job.raw else model_dtype(self.source.dtype)
        unsure = None if self.job.uncertainty is None else self.scratch.allocate(shape, np.float32, axes)
        return Output(
            values=self.scratch.allocate(shape, dtype, axes),
            deviations=unsure,
            raw=self.job.raw,
            keep_observed=self.solving.keep_observed,
            within=(0.0, 1.0) if self.job.output.form.picture and dtype.kind == "f" else None,
        )

    def _fill(self, values: Any) -> Contents:
        return self.source.fill(values, self._known() if self.job.output.form.keeps_old_mask else None)

    def _known(self) -> Any:
        """What is known, on disk."""
        known = self.scratch.allocate(self.source.shape, np.bool_)
        fill_by_pieces(known, self.source.known_in)
        return known

    def _write_beside(self, done: Completion, output: Output) -> tuple[str, ...]:
        """The preview and the deviations; returns what a user should know about them."""
        if self.job.preview is not None:
            part, shown = self._slice_to_show(done, output)
            self.job.preview.write(Contents(preview(part, shown)), force=self.job.force)
        if (file := self.job.uncertainty) is None:
            return ()
        return (self.job.write_uncertainty(file, output.deviations, self._known(), self.scratch),)

    def _slice_to_show(self, done: Completion, output: Output) -> tuple[Contents, Completion]:
        """One slice of what is shown in two modes, the one with most holes, and its completion."""
        region = [slice(0, size) for size in self.source.shape]
        for mode in range(2, len(region)):
            if self.source.shape[mode] > SHORT:
                region[mode] = self._find_most_holes(tuple(region), mode)
        values, known = ContentsTensor(self.source).part(tuple(region))
        estimate = DenseEstimate(np.asarray(take(output.values, tuple(region)), np.float64))
        part = replace(self.source, data=values, observed=known, scratch=None)
        return part, replace(done, observed=ObservedTensor.from_array(values, known, lower=None), estimate=estimate)

    def _find_most_holes(self, region: Region, mode: int) -> slice:
        """Of some indices of a mode the one where most is missing, but not all."""
        found, most = slice(0, 1), -1
        for index in np.unique(np.linspace(0, self.source.shape[mode] - 1, _LOOKED_AT).astype(int)).tolist():
            here = (*region[:mode], slice(index, index + 1), *region[mode + 1 :])
            known = self.source.known_in(here)
            missing = known.size - int(np.count_nonzero(known))
            if most < missing < known.size:
                found, most = here[mode], missing
        return found


# What is kept


def checkpoint_at(folder: Path, job: Job, solving: Solving, wishes: TileWishes, shape: Sequence[int]) -> Checkpoint:
    """What is kept of a run in a folder, if it is the same run."""
    asked = Asked.of(solving.method, solving.settings, solving.bounds, "clip" if solving.clip else "raise")
    unsure = job.uncertainty is not None
    identity = run_identity(fingerprint(job), asked, _seed_of(solving), wishes.tile, shape, deviations=unsure)
    return Checkpoint(folder, identity, fresh=wishes.fresh)


def _seed_of(solving: Solving) -> int:
    return int(np.random.default_rng(solving.seed).integers(2**62))


# The output


class Writer:
    """Writes the output in a thread, page by page as they are done; all or nothing, as always."""

    def __init__(self, job: Job, contents: Contents, leading: int) -> None:
        self._job = job
        self._arriving = ArrivingArray(contents.data, leading)
        self._contents = replace(contents, data=cast(Any, self._arriving))
        self._thread = threading.Thread(target=self._write, name="tensorfill-writer")
        self._error: BaseException | None = None
        self.losses: tuple[str, ...] = ()

    def advance(self, end: int) -> None:
        """All before this index is done; what has kept the file from being written is raised here."""
        if self._error is not None:
            raise self._error
        self._arriving.advance(end)

    def _write(self) -> None:
        try:
            self.losses = self._job.output.write(self._contents, force=self._job.force)
        except BaseException as error:  # it is raised where the work is done
            self._error = error

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ignore_interrupts():
            if error is not None:
                self._arriving.abort(error)
            self._thread.join()
        if error is None and self._error is not None:
            raise self._error


def fingerprint(job: Job) -> str:
    """All that is read and how, in a word: the same files read in another way are another input."""
    digest = hashlib.blake2b(repr(job.source).encode(), digest_size=16)
    for file in [str(job.input), *(str(path) for path, _ in job.source.masks)]:
        digest.update(file.encode())
    for path in (job.input.path, *(path for path, _ in job.source.masks)):
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.is_file():
                digest.update(os.fsencode(each.relative_to(path)))
                with each.open("rb") as stream:
                    for block in iter(partial(stream.read, _READ), b""):
                        digest.update(block)
    return digest.hexdigest()
