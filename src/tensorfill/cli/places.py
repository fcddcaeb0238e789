"""Which files are completed and where each result goes, and that nothing that is written replaces what is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput, UnreadableFile, UnwritableFile
from ..formats import DataFile, known_extensions
from ..formats.listed import decide_role, is_clip, list_data_files

Named = tuple[str, tuple[Path, ...]]
"""What a file is, as in "the mask", and all files that belong to it, itself first."""


@dataclass(frozen=True)
class Place:
    """A file to complete and the file to write."""

    input: DataFile
    output: DataFile


def find_places(
    inputs: Sequence[Path], output: Path, *, each: bool, format: str | None, output_format: str | None
) -> list[Place]:
    """Every input with its output; with several inputs, or a folder of files, `output` is a folder that is made."""
    output_format = _format_of_frames(inputs, output, output_format, each=each)
    paths = [file for path in inputs for file in _files(path, each=each, format=format)]
    several = len(paths) > 1 or any(path not in inputs for path in paths)
    into_folder = several or (output.is_dir() and not _names_a_folder(output, output_format))
    if not into_folder:
        return [Place(DataFile.of(paths[0], format), DataFile.of(output, output_format))]
    make_folder(output)
    files = [DataFile.of(path, format) for path in paths]
    found = [Place(file, DataFile.of(output / _output_name(file, output_format), output_format)) for file in files]
    seen: dict[Path, Path] = {}
    for place in found:
        if place.output.path in seen:
            raise InvalidInput(
                f"{seen[place.output.path]} and {place.input.path} would both be written to {place.output.path}; "
                "complete them into different folders."
            )
        seen[place.output.path] = place.input.path
    return found


def path_beside(path: Path | None, place: Place, extension: str, *, several: bool) -> Path | None:
    """Where something about a file goes: `path` itself or, with several files, a file in the folder `path`."""
    if path is None or not several:
        return path
    make_folder(path)
    return path / f"{place.output.path.name}{extension}"


def make_folder(folder: Path) -> None:
    """Make it if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise UnwritableFile(f"{folder} is a file; give a folder for the results.") from error
    except OSError as error:
        raise UnwritableFile(f"The folder {folder} cannot be made: {error.strerror or error}.") from error


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


def _format_of_frames(inputs: Sequence[Path], output: Path, output_format: str | None, *, each: bool) -> str | None:
    """Frames for frames, where the output has no extension; else what the user says."""
    plain = output_format is None and not each and len(inputs) == 1 and not output.suffix and not output.is_dir()
    return "frames" if plain and inputs[0].is_dir() and is_clip(inputs[0]) else output_format


def _files(path: Path, *, each: bool, format: str | None) -> list[Path]:
    """The path itself, or the files in it if it is a folder that is not one clip or store."""
    if not path.is_dir():
        return [path]
    if not each and (format is not None or _extension_known(path) or decide_role(path) == "clip"):
        return [path]
    files = [path / name for name in list_data_files(path)]
    if not files:
        raise UnreadableFile(
            f"There is nothing in {path} that can be completed. The known extensions are: "
            f"{', '.join(known_extensions())}."
        )
    return files


def _extension_known(path: Path) -> bool:
    return any(path.name.lower().endswith(extension) for extension in known_extensions())


def _names_a_folder(output: Path, output_format: str | None) -> bool:
    """Whether the output itself is a folder of its format, such as a .zarr."""
    return output_format is not None or _extension_known(output)


def _output_name(file: DataFile, output_format: str | None) -> str:
    """The name of the input; what its format would lose is written in one that does not."""
    name = file.path.name
    extension = next((known for known in file.form.extensions if name.lower().endswith(known)), "")
    stem = name[: len(name) - len(extension)]
    if output_format is not None:
        wanted = DataFile.of(file.path, output_format).form.extensions
        return stem + (wanted[0] if wanted else "")
    return stem + (file.form.lossless_extension or name[len(stem) :])
