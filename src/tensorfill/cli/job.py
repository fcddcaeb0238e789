"""Job: one file from reading to writing, checked before the long work."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..bounds import Bounds
from ..completion import Completion
from ..errors import InvalidInput, InvalidSetting, TensorfillError, must_be
from ..formats import Contents, DataFile, Entries, TableFormat, atomically, check_target
from . import summary
from .places import Named
from .preview import preview
from .source import Source
from .uncertainty_file import UncertaintyFile


@dataclass(frozen=True)
class Job:
    """What is read and what is written."""

    input: DataFile
    output: DataFile
    report: Path | None = None
    preview: DataFile | None = None
    uncertainty: UncertaintyFile | None = None
    source: Source = field(default_factory=Source)
    seed: int = 0
    raw: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    force: bool = False

    def check_places(self, method: str) -> None:
        """Refuse, before anything is read, what could not be written in the end."""
        if self.seed < 0:
            raise InvalidSetting(must_be("seed", "be 0 or more", self.seed))
        self.output.check_place(force=self.force)
        if self.raw and self.output.form.picture:
            raise InvalidInput(
                f"--raw writes floating-point values outside what a picture holds; write .npy, .npz or .tif. "
                f"Got {self.output.path} instead."
            )
        if self.preview is not None:
            if not self.preview.form.picture:
                raise InvalidInput(f"The preview is a picture, such as preview.png. Got {self.preview.path} instead.")
            self.preview.check_place(force=self.force)
        if self.report is not None:
            check_target(self.report, force=self.force)
        if self.uncertainty is not None:
            self.uncertainty.check_place(method)

    @property
    def inputs(self) -> list[Named]:
        """What is read."""
        return named_inputs(self.input, self.source)

    @property
    def outputs(self) -> list[Named]:
        """What is written."""
        uncertainty = None if self.uncertainty is None else self.uncertainty.file
        report = [] if self.report is None else [("report", (self.report,))]
        others = (("preview", self.preview), ("uncertainty", uncertainty))
        return [("output", self.output.files), *report, *((what, file.files) for what, file in others if file)]

    def read(self) -> Contents | Entries:
        """The data and what is known of it, refused if its completion would not fit the output."""
        source = self.source.read(self.input)
        if isinstance(source, Contents) and not source.missingness.mask.any():
            why = "all its entries are missing" if source.data.size else f"its shape is {source.shape}"
            raise InvalidInput(f"There is nothing to complete {self.input.path} from: {why}.")
        if isinstance(source, Entries):
            self._check_table_fits(source)
        elif not self.raw:
            self._check_fits(source)
        if self.preview is not None and isinstance(source, Entries):
            raise InvalidInput(f"There is no preview of a table such as {self.input.path}; leave out --preview.")
        if self.uncertainty is not None:
            self.uncertainty.check_fits(source.shape)
        return source

    def _check_table_fits(self, source: Entries) -> None:
        if not isinstance(self.output.form, TableFormat):
            self.output.check_holds(Contents(np.broadcast_to(np.zeros((), source.dtype), source.shape)))

    def _check_fits(self, source: Contents) -> None:
        example = source
        if self.output.form.picture and source.data.dtype.kind == "f":
            # Only what is known counts; values out of bounds are the library's to refuse or clip.
            inside = self.bounds.lowered(self.bounds.raised(source.data))
            example = replace(source, data=np.where(source.missingness.mask, inside, 0))
        self.output.check_holds(example)

    def write(self, source: Contents | Entries, done: Completion) -> tuple[str, ...]:
        """Write the output, the preview and the report; returns what the format of the output changes."""
        losses = self.output.write(self._fill(source, done), force=self.force)
        if self.preview is not None and isinstance(source, Contents):
            self.preview.write(Contents(preview(source, done)), force=self.force)
        if self.report is not None:
            with atomically(self.report, force=self.force) as file:
                file.write(summary.as_json(self.describe(done, losses)).encode())
        return losses

    def describe(self, done: Completion, losses: tuple[str, ...]) -> dict[str, Any]:
        """All there is to know about the run."""
        names = {"input_name": str(self.input), "output_name": str(self.output)}
        return {**summary.report(done, seed=self.seed, **names), "losses": list(losses)}

    def _fill(self, source: Contents | Entries, done: Completion) -> Contents | Entries:
        if isinstance(source, Entries):
            return source.complete(done)
        tensor = done.model if self.raw else done.tensor
        if self.output.form.picture and tensor.dtype.kind == "f":
            tensor = np.clip(tensor, 0, 1)  # the observed values are between 0 and 1; a filled one may not be
        # An .npz also tells what had been known, for `score`; elsewhere a mask would mean that holes are left.
        return source.fill(tensor, done.observed.mask() if self.output.form.keeps_old_mask else None)


def named_inputs(file: DataFile, source: Source) -> list[Named]:
    """The data and its masks."""
    return [("input", file.files), *(("mask", _mask_files(path)) for path, _ in source.masks)]


def _mask_files(path: Path) -> tuple[Path, ...]:
    try:
        return DataFile.of(path).files
    except TensorfillError:  # which reading it will tell
        return (path,)
