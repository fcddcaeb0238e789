"""Which files are completed and where each result goes: one file, several, or all in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import formats
from ..errors import InvalidInput, UnreadableFile


@dataclass(frozen=True)
class Place:
    """A file to complete and the file to write."""

    input: Path
    output: Path


def places(
    inputs: Sequence[Path],
    output: Path,
    *,
    each: bool = False,
    format: str | None = None,
    output_format: str | None = None,
) -> list[Place]:
    """Every input with its output; with several inputs, or a folder of files, `output` is a folder that is made."""
    files = [file for path in inputs for file in _files(path, each=each, format=format)]
    several = len(files) > 1 or any(path not in inputs for path in files)
    into_folder = several or (output.is_dir() and not _names_a_folder(output, output_format))
    if not into_folder:
        return [Place(files[0], output)]
    make_folder(output)
    found = [Place(file, output / _output_name(file, format, output_format)) for file in files]
    seen: dict[Path, Path] = {}
    for place in found:
        if place.output in seen:
            raise InvalidInput(
                f"{seen[place.output]} and {place.input} would both be written to {place.output}; complete them into "
                "different folders."
            )
        seen[place.output] = place.input
    return found


def format_for(inputs: Sequence[Path], output: Path, output_format: str | None, *, each: bool) -> str | None:
    """The format of the output, if it is not for its name to tell: frames for frames, where it has no extension."""
    from ..formats.folder_role import is_clip

    plain = output_format is None and not each and len(inputs) == 1 and not output.suffix and not output.is_dir()
    return "frames" if plain and inputs[0].is_dir() and is_clip(inputs[0]) else output_format


def beside(path: Path | None, place: Place, extension: str, *, several: bool) -> Path | None:
    """Where something about a file goes: `path` itself or, with several files, a file in the folder `path`."""
    if path is None or not several:
        return path
    make_folder(path)
    return path / f"{place.output.name}{extension}"


def _files(path: Path, *, each: bool, format: str | None) -> list[Path]:
    """The path itself, or the files in it if it is a folder that is not one clip or store."""
    from ..formats.folder_role import data_files, folder_role

    if not path.is_dir() or formats.located(path)[1] is not None:
        return [path]
    if not each and (format is not None or _extension_known(path) or folder_role(path) == "clip"):
        return [path]
    files = [path / name for name in data_files(path)]
    if not files:
        raise UnreadableFile(
            f"There is nothing in {path} that can be completed. The known extensions are: "
            f"{', '.join(formats.known_extensions())}."
        )
    return files


def _extension_known(path: Path) -> bool:
    return any(path.name.lower().endswith(extension) for extension in formats.known_extensions())


def _names_a_folder(output: Path, output_format: str | None) -> bool:
    """Whether the output itself is a folder of its format, such as a .zarr."""
    return output_format is not None or _extension_known(output)


def _output_name(file: Path, format: str | None, output_format: str | None) -> str:
    """The name of the input; what its format would lose is written in one that does not."""
    plain = formats.located(file)[0]
    form = formats.format_of(plain, format)
    extension = next((e for e in form.extensions if plain.name.lower().endswith(e)), "")
    stem = plain.name[: len(plain.name) - len(extension)]
    if output_format is not None:
        wanted = formats.format_of(plain, output_format).extensions
        return stem + (wanted[0] if wanted else "")
    return stem + (form.lossless_extension or plain.name[len(stem) :])


def make_folder(folder: Path) -> None:
    """Make it if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise UnreadableFile(f"{folder} is a file; give a folder for the results.") from error
    except OSError as error:
        raise UnreadableFile(f"The folder {folder} cannot be made: {error.strerror or error}.") from error
