"""Job: a file to complete and all that is written about it; found, checked before the long work, read and written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..bounds import Bounds
from ..completion import Completion, as_json
from ..errors import InvalidInput, InvalidSetting, TensorfillError, UnreadableFile, UnwritableFile
from ..formats import Contents, DataFile, Entries, TableFormat, atomically, check_target, format_of, known_extensions
from ..formats.damage import count_bytes
from ..formats.format import Format
from ..formats.listed import decide_role, is_clip, list_data_files
from ..formats.scratch import Scratch, scratch_in
from ..methods.registry import names_of
from .options import WritingOptions
from .preview import draw_deviations, preview
from .source import Source
from .wanted import Wanted, check_tables

SURELY_SMALL = 2**20
"""Bytes of a file that is read into memory: unpacked it is seldom over 250 MB, and never over 2 GB."""


Named = tuple[str, tuple[Path, ...]]
"""What a file is, as in "the mask", and all files that belong to it, itself first."""


@dataclass(frozen=True)
class Job:
    """What is read and what is written."""

    source: Source
    input: DataFile
    output: DataFile
    report: Path | None = None
    preview: DataFile | None = None
    uncertainty: DataFile | None = None
    only: DataFile | None = None
    """The table of the entries that alone are written."""
    raw: bool = False
    force: bool = False

    @property
    def outputs(self) -> list[Named]:
        """What is written."""
        report = [] if self.report is None else [("report", (self.report,))]
        others = (("preview", self.preview), ("uncertainty", self.uncertainty))
        return [("output", self.output.files), *report, *((what, file.files) for what, file in others if file)]

    def with_full_names(self) -> Job:
        """The same for a process that is somewhere else."""

        def full(file: DataFile | None) -> DataFile | None:
            return None if file is None else replace(file, path=file.path.absolute())

        return replace(
            self,
            source=replace(self.source, masks=tuple((path.absolute(), means) for path, means in self.source.masks)),
            input=replace(self.input, path=self.input.path.absolute()),
            output=replace(self.output, path=self.output.path.absolute()),
            report=None if self.report is None else self.report.absolute(),
            preview=full(self.preview),
            uncertainty=full(self.uncertainty),
            only=full(self.only),
        )

    @property
    def inputs(self) -> list[Named]:
        """What is read: the data, its masks, and the list of what is wanted of it."""
        only = [] if self.only is None else [("list of wanted entries", self.only.files)]
        return [*name_inputs(self.input, self.source), *only]

    def check_places(self, method: str) -> None:
        """Refuse, before anything is read, what could not be written in the end."""
        if self.only is not None:
            check_tables(self.only, self.output, self.uncertainty)
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
            self.uncertainty.check_place(force=self.force)
            if method not in (telling := names_of(lambda kind: kind.tells_uncertainty)):
                raise InvalidSetting(
                    f"{method} does not tell how sure it is of an entry, which --uncertainty asks for; "
                    f"take --method {', '.join(telling[:-1])} or {telling[-1]}."
                )

    @contextmanager
    def keeping_large(self, *, always: bool = False) -> Iterator[Scratch | None]:
        """A place on disk for what is too large for memory; None if the input is so small that nothing can be."""
        with suppress(OSError):  # which reading it will tell
            always |= count_bytes(self.input.path) >= SURELY_SMALL
        if not always:
            yield None
            return
        with scratch_in(self.output.path.absolute().parent) as scratch:
            yield scratch

    def read(self, bounds: Bounds, scratch: Scratch | None = None) -> Contents | Entries:
        """The data and what is known of it, refused if its completion would not fit the outputs."""
        source = self.source.read(self.input, scratch)
        if isinstance(source, Contents):
            if source.on_disk:
                self._check_holds_large(source)
                return source
            if not source.missingness.mask.any():
                why = "all its entries are missing" if source.data.size else f"its shape is {source.shape}"
                raise InvalidInput(f"There is nothing to complete {self.input.path} from: {why}.")
            if not self.raw:
                self.output.check_holds(self._example(source, bounds))
        else:
            if not isinstance(self.output.form, TableFormat):
                self.output.check_holds(_blank(source.shape, source.dtype))
            if self.preview is not None:
                raise InvalidInput(f"There is no preview of a table such as {self.input.path}; leave out --preview.")
            if self.only is None:
                source.check_listable()
        if self.uncertainty is not None and self.only is None:
            self.uncertainty.check_holds(_blank(source.shape, np.dtype(np.uint8)))
        return source

    def read_wanted(self, source: Contents | Entries) -> Wanted | None:
        """The entries that are to be written; None if that is all. Refused if an output could not list them."""
        if self.only is None:
            return None
        outputs = [file for file in (self.output, self.uncertainty) if file is not None]
        return Wanted.read(self.only, source, self.input, self.source.how, outputs)

    def _check_holds_large(self, source: Contents) -> None:
        if not self.raw:
            self.output.check_holds(source)
        if self.uncertainty is not None:
            self.uncertainty.check_holds(_blank(source.shape, np.dtype(np.uint8)))

    def _example(self, source: Contents, bounds: Bounds) -> Contents:
        """What the output must be able to hold."""
        if not (self.output.form.picture and source.data.dtype.kind == "f"):
            return source
        # Only what is known counts; values out of bounds are the library's to refuse or clip.
        inside = bounds.lowered(bounds.raised(source.data))
        return replace(source, data=np.where(source.missingness.mask, inside, 0))

    def write(self, source: Contents | Entries, done: Completion, wanted: Wanted | None = None) -> tuple[str, ...]:
        """Write the output and the preview; returns what there is to know about it, and what its format changes."""
        if wanted is not None:
            listing, notes = wanted.answer(done, raw=self.raw)
            self.output.write_listing(listing, wanted.axes, force=self.force)
            return notes
        losses = self.output.write(self.output.form.fill(source, done, raw=self.raw), force=self.force)
        if self.preview is not None and isinstance(source, Contents):
            self.preview.write(Contents(preview(source, done)), force=self.force)
        return losses

    def write_report(self, told: dict[str, Any]) -> None:
        """Write all there is to know about the run, if that is asked for."""
        if self.report is not None:
            with atomically(self.report, force=self.force) as file:
                file.write(as_json(told).encode())

    def write_uncertainty(self, file: DataFile, deviations: Any, known: Any, scratch: Scratch | None = None) -> str:
        """Write deviations in the data's units, or, in a picture, brighter where they are larger.

        Returns what a user should know about the file.
        """
        if not file.form.picture:
            file.write(Contents(deviations, known), force=self.force)
            return f"{file} holds the standard deviation of every entry."
        picture, white = draw_deviations(deviations, scratch)
        file.write(Contents(picture), force=self.force)
        return f"{file} is black where an entry is sure, and white where its deviation is {white:.3g} or more."


def _blank(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Contents:
    """Zeros that take no room."""
    return Contents(np.broadcast_to(np.zeros((), dtype), shape))


# Which files are completed, and where each result goes


def find_jobs(
    inputs: Sequence[Path], output: Path, source: Source, writing: WritingOptions, *, format: str | None, each: bool
) -> list[Job]:
    """A job for every input; with several inputs, or a folder of files, `output` is a folder that is made."""
    pairs = _pair_files(inputs, output, each=each, format=format, output_format=writing.output_format)

    def beside(wanted: Path | None, place: DataFile, extension: str) -> Path | None:
        """The file that is asked for or, with several inputs, one in the folder of this name."""
        if wanted is None or len(pairs) == 1:
            return wanted
        make_folder(wanted)
        return wanted / f"{place.path.name}{extension}"

    def file_beside(wanted: Path | None, place: DataFile, extension: str) -> DataFile | None:
        path = beside(wanted, place, extension)
        return None if path is None else DataFile.of(path)

    return [
        Job(
            source=source,
            input=given,
            output=place,
            report=beside(writing.report, place, ".json"),
            preview=file_beside(writing.preview, place, ".png"),
            uncertainty=file_beside(writing.uncertainty, place, ".npy" if writing.only is None else ".csv"),
            only=None if writing.only is None else DataFile.of(writing.only),
            raw=writing.raw,
            force=writing.force,
        )
        for given, place in pairs
    ]


def _pair_files(
    inputs: Sequence[Path], output: Path, *, each: bool, format: str | None, output_format: str | None
) -> list[tuple[DataFile, DataFile]]:
    """Every input with its output."""
    output_format = _format_of_frames(inputs, output, output_format, each=each)
    paths = [file for path in inputs for file in _list_files(path, each=each, format=format)]
    several = len(paths) > 1 or any(path not in inputs for path in paths)
    # An output such as a .zarr is itself a folder of its format, and not one to write into.
    into_folder = several or (output.is_dir() and output_format is None and not _is_extension_known(output))
    if not into_folder:
        return [(DataFile.of(paths[0], format), DataFile.of(output, output_format))]
    make_folder(output)
    wanted = None if output_format is None else format_of(output, output_format)
    pairs, taken = [], dict[Path, Path]()
    for path in paths:
        file = DataFile.of(path, format)
        place = output / _name_output(file, wanted)
        if place in taken:
            raise InvalidInput(
                f"{taken[place]} and {path} would both be written to {place}; complete them into different folders."
            )
        taken[place] = path
        pairs.append((file, DataFile.of(place, output_format)))
    return pairs


def _format_of_frames(inputs: Sequence[Path], output: Path, output_format: str | None, *, each: bool) -> str | None:
    """Frames for frames, where the output has no extension; else what the user says."""
    plain = output_format is None and not each and len(inputs) == 1 and not output.suffix and not output.is_dir()
    return "frames" if plain and inputs[0].is_dir() and is_clip(inputs[0]) else output_format


def _list_files(path: Path, *, each: bool, format: str | None) -> list[Path]:
    """The path itself, or the files in it if it is a folder that is not one clip or store."""
    if not path.is_dir():
        return [path]
    if not each and (format is not None or _is_extension_known(path) or decide_role(path) == "clip"):
        return [path]
    files = [path / name for name in list_data_files(path)]
    if not files:
        raise UnreadableFile(
            f"There is nothing in {path} that can be completed. The known extensions are: "
            f"{', '.join(known_extensions())}."
        )
    return files


def _is_extension_known(path: Path) -> bool:
    return path.name.lower().endswith(known_extensions())


def _name_output(file: DataFile, wanted: Format | None) -> str:
    """The name of the input; what its format would lose is written in one that does not."""
    name = file.path.name
    extension = next((known for known in file.form.extensions if name.lower().endswith(known)), "")
    stem = name[: len(name) - len(extension)]
    if wanted is not None:
        return stem + (wanted.extensions[0] if wanted.extensions else "")
    return stem + (file.form.lossless_extension or name[len(stem) :])


def make_folder(folder: Path) -> None:
    """Make it if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise UnwritableFile(f"{folder} is a file; give a folder for the results.") from error
    except OSError as error:
        raise UnwritableFile(f"The folder {folder} cannot be made: {error.strerror or error}.") from error


# Nothing that is written replaces what is read


def name_inputs(file: DataFile, source: Source) -> list[Named]:
    """The data and its masks."""
    return [("input", file.files), *(("mask", _mask_files(path)) for path, _ in source.masks)]


def _mask_files(path: Path) -> tuple[Path, ...]:
    try:
        return DataFile.of(path).files
    except TensorfillError:  # which reading it will tell
        return (path,)


def check_apart(inputs: Iterable[Named], outputs: Iterable[Named]) -> None:
    """Refuse an output that is an input or another output, by whatever name, or that has an input in it."""
    taken: dict[object, str] = {}
    around: dict[object, str] = {}
    for what, files in inputs:
        for file in files:
            taken.setdefault(_identify(file), what)
            for folder in Path(os.path.realpath(file)).parents:
                around.setdefault(_identify(folder), what)
    for what, files in outputs:
        for file in files:
            identity = _identify(file)
            if identity in taken:
                raise InvalidInput(f"The {taken[identity]} and the {what} cannot both be {file}; give another name.")
            if identity in around:
                raise InvalidInput(f"The {what} {files[0]} cannot replace the folder of the {around[identity]}.")
            taken[identity] = what


def _identify(path: Path) -> object:
    """The same for two names of one file: through links of both kinds, and where case does not count."""
    place = os.path.realpath(path)
    try:
        found = os.stat(place)
    except (OSError, ValueError):  # it is to be made
        return os.path.normcase(place)
    return (found.st_dev, found.st_ino) if found.st_ino else os.path.normcase(place)
