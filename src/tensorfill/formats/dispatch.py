"""Reading and writing any known file: its extension picks the format."""

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ..errors import InvalidInput, UnreadableFile
from .contents import Contents
from .format import Format
from .numpy_archive import NumpyArchive
from .numpy_array import NumpyArray
from .picture import Jpeg, Png
from .source import open_source
from .target import atomically

_FORMATS: tuple[Format, ...] = (NumpyArray(), NumpyArchive(), Png(), Jpeg())


def known_extensions() -> tuple[str, ...]:
    """Every extension that can be read and written."""
    return tuple(extension for form in _FORMATS for extension in form.extensions)


def format_of(path: Path) -> Format:
    """The format a file name promises."""
    extension = path.suffix.lower()
    for form in _FORMATS:
        if extension in form.extensions:
            return form
    said = f"its extension '{path.suffix}' is not known" if path.suffix else "it has no extension"
    raise UnreadableFile(
        f"The format of {path} cannot be told: {said}. The known ones are: {', '.join(known_extensions())}."
    )


def read(path: Path) -> Contents:
    """The array in a file and which of its entries are known."""
    with open_source(path) as file:
        return format_of(path).read(file, str(path))


def check_writable(path: Path, data: NDArray[Any]) -> None:
    """Refuse an array that the format of `path` cannot hold."""
    if refusal := format_of(path).refuses(data):
        raise InvalidInput(refusal)


def write(path: Path, contents: Contents) -> tuple[str, ...]:
    """Write atomically, replacing what is there; returns sentences about what the format changes."""
    check_writable(path, contents.data)
    form = format_of(path)
    with atomically(path) as file:
        form.write(file, contents)
    return form.losses(contents.data)
