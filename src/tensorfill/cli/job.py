"""Job: the files of one completion, checked before the long work and written after it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import formats
from ..errors import InvalidInput, InvalidSetting, must_be
from . import summary

if TYPE_CHECKING:
    from ..completion import Completion


@dataclass(frozen=True)
class Job:
    """What is read and what is written."""

    input: Path
    output: Path
    report: Path | None
    mask: Path | None
    seed: int
    raw: bool
    clip_negative: bool
    force: bool

    def check_places(self) -> None:
        """Refuse, before anything is read, what could not be written in the end."""
        if self.seed < 0:
            raise InvalidSetting(must_be("seed", "be 0 or more", self.seed))
        picture = formats.format_of(self.output).picture
        formats.check_target(self.output, force=self.force)
        if self.raw and picture:
            raise InvalidInput(
                f"--raw writes floating-point values outside what a picture holds; write .npy or .npz. "
                f"Got {self.output} instead."
            )
        if self.report is not None:
            formats.check_target(self.report, force=self.force)
            if self.report.resolve() == self.output.resolve():
                raise InvalidInput(f"The output and the report cannot both be {self.output}.")

    def read(self) -> formats.Contents:
        """The data and what is known of it, refused if its completion would not fit the output."""
        source = formats.read(self.input)
        mask = None if self.mask is None else formats.read_mask(self.mask, source.data.shape)
        if source.observed is not None or mask is not None:
            # Not without its NaNs: one that is marked observed is a mistake that the library points out.
            marked = source.observed if mask is None else mask if source.observed is None else source.observed & mask
            source = formats.Contents(source.data, marked, source.notes)
        if not self.raw:
            self._check_fits(source)
        return source

    def _check_fits(self, source: formats.Contents) -> None:
        import numpy as np

        example = source.data
        if formats.format_of(self.output).picture and example.dtype.kind == "f":
            # Only what is known counts; negative values are the library's to refuse or clip.
            example = np.where(source.known(), np.maximum(example, 0), 0)
        formats.check_writable(self.output, example)

    def write(self, done: Completion) -> tuple[str, ...]:
        """Write the output and the report; returns what the format of the output changes."""
        import numpy as np

        tensor = done.model if self.raw else done.tensor
        if formats.format_of(self.output).picture and tensor.dtype.kind == "f":
            tensor = np.minimum(tensor, 1)  # the observed values are not above 1; a filled one may be
        losses = formats.write(self.output, formats.Contents(tensor, done.observed.mask()))
        if self.report is not None:
            told = summary.report(done, seed=self.seed, input_name=str(self.input), output_name=str(self.output))
            with formats.atomically(self.report) as file:
                file.write(summary.as_json(told).encode())
        return losses
