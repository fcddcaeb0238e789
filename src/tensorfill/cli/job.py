"""Job: the files of one completion, checked before the long work and written after it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import formats
from ..bounds import Bounds
from ..errors import InvalidInput, InvalidSetting, must_be
from . import summary
from .apart import Named
from .source import Source
from .uncertainty_file import UncertaintyFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..completion import Completion


@dataclass(frozen=True)
class Job:
    """What is read and what is written."""

    input: Path
    output: Path
    report: Path | None = None
    preview: Path | None = None
    uncertainty: UncertaintyFile | None = None
    source: Source = field(default_factory=Source)
    output_format: str | None = None
    seed: int = 0
    raw: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    force: bool = False

    def check_places(self, method: str) -> None:
        """Refuse, before anything is read, what could not be written in the end."""
        if self.seed < 0:
            raise InvalidSetting(must_be("seed", "be 0 or more", self.seed))
        picture = formats.format_of(self.output, self.output_format).picture
        formats.check_place(self.output, force=self.force, format=self.output_format)
        if self.raw and picture:
            raise InvalidInput(
                f"--raw writes floating-point values outside what a picture holds; write .npy, .npz or .tif. "
                f"Got {self.output} instead."
            )
        if self.preview is not None:
            if not formats.format_of(self.preview).picture:
                raise InvalidInput(f"The preview is a picture, such as preview.png. Got {self.preview} instead.")
            formats.check_place(self.preview, force=self.force)
        if self.report is not None:
            formats.check_target(self.report, force=self.force)
        if self.uncertainty is not None:
            self.uncertainty.check_place(method)

    @property
    def inputs(self) -> list[Named]:
        """What is read."""
        return [("input", self.input), *(("mask", path) for path, _ in self.source.masks)]

    @property
    def outputs(self) -> list[Named]:
        """What is written."""
        uncertainty = None if self.uncertainty is None else self.uncertainty.path
        named = (("report", self.report), ("preview", self.preview), ("uncertainty", uncertainty))
        return [("output", self.output), *((what, path) for what, path in named if path is not None)]

    def read(self) -> formats.Contents | formats.Entries:
        """The data and what is known of it, refused if its completion would not fit the output."""
        source = self.source.read(self.input)
        if isinstance(source, formats.Contents) and not source.known().any():
            why = "all its entries are missing" if source.data.size else f"its shape is {source.shape}"
            raise InvalidInput(f"There is nothing to complete {self.input} from: {why}.")
        if isinstance(source, formats.Entries):
            self._check_table_fits(source)
        elif not self.raw:
            self._check_fits(source)
        if self.preview is not None and not isinstance(source, formats.Contents):
            raise InvalidInput(f"There is no preview of a table such as {self.input}; leave out --preview.")
        if self.uncertainty is not None:
            self.uncertainty.check_fits(source.shape)
        return source

    def _check_table_fits(self, source: formats.Entries) -> None:
        import numpy as np

        if not isinstance(formats.format_of(self.output, self.output_format), formats.TableFormat):
            example = np.broadcast_to(np.zeros((), source.dtype), source.shape)
            formats.check_writable(self.output, formats.Contents(example), format=self.output_format)

    def _check_fits(self, source: formats.Contents) -> None:
        import numpy as np

        example = source
        if formats.format_of(self.output, self.output_format).picture and source.data.dtype.kind == "f":
            # Only what is known counts; values out of bounds are the library's to refuse or clip.
            inside = self.bounds.lowered(self.bounds.raised(source.data))
            example = replace(source, data=np.where(source.known(), inside, 0))
        formats.check_writable(self.output, example, format=self.output_format)

    def write(self, source: formats.Contents | formats.Entries, done: Completion) -> tuple[str, ...]:
        """Write the output, the preview and the report; returns what the format of the output changes."""
        losses = formats.write(self.output, self._result(source, done), format=self.output_format, force=self.force)
        if self.preview is not None and isinstance(source, formats.Contents):
            from .preview import preview

            formats.write(self.preview, formats.Contents(preview(source, done)), force=self.force)
        if self.report is not None:
            with formats.atomically(self.report, force=self.force) as file:
                file.write(summary.as_json(self.told(done, losses)).encode())
        return losses

    def told(self, done: Completion, losses: tuple[str, ...]) -> dict[str, Any]:
        """All there is to know about the run."""
        report = summary.report(done, seed=self.seed, input_name=str(self.input), output_name=str(self.output))
        return {**report, "losses": list(losses)}

    def _result(self, source: formats.Contents | formats.Entries, done: Completion) -> Any:
        if isinstance(source, formats.Entries):
            return source.completed(done)
        tensor: NDArray[Any] = done.model if self.raw else done.tensor
        if formats.format_of(self.output, self.output_format).picture and tensor.dtype.kind == "f":
            import numpy as np

            tensor = np.clip(tensor, 0, 1)  # the observed values are between 0 and 1; a filled one may not be
        # An .npz also tells what had been known, for `score`; elsewhere a mask would mean that holes are left.
        told = formats.format_of(self.output, self.output_format).name == "npz"
        return source.filled(tensor, done.observed.mask() if told else None)
