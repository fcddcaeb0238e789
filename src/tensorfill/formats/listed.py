"""Every format there is, and whether a folder is one clip or many files. Adding a format is a file and a line here."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Literal

from ..errors import InvalidInput, TensorfillError, UnreadableFile
from .damage import readable
from .format import Format
from .pictures.frames import Numbered, find_clip, find_sets
from .pictures.tiff_pages import open_tiff

_LISTED = (
    "arrays.numpy_files:NumpyArray",
    "arrays.numpy_files:NumpyArchive",
    "pictures.png:Png",
    "pictures.by_pillow:Jpeg",
    "pictures.tiff:Tiff",
    "pictures.gif:Gif",
    "pictures.by_pillow:Bmp",
    "pictures.by_pillow:Webp",
    "videos.containers:Mkv",
    "videos.containers:Mp4",
    "videos.containers:Avi",
    "videos.containers:Y4m",
    "videos.raw_yuv:Yuv",
    "pictures.frames:Frames",
    "arrays.matlab:Matlab",
    "arrays.hdf5:Hdf5",
    "arrays.envi:Envi",
    "arrays.nifti:Nifti",
    "arrays.zarr_store:ZarrZip",
    "arrays.zarr_store:Zarr",
    "tables.csv_table:CsvTable",
    "tables.frostt:Frostt",
    "tables.parquet_table:ParquetTable",
)
"""MODULE:CLASS, modules of this package."""


def _load(entry: str) -> Format:
    module, name = entry.split(":")
    found: Format = getattr(import_module(f".{module}", __package__), name)()
    return found


FORMATS: tuple[Format, ...] = tuple(map(_load, _LISTED))

Role = Literal["clip", "files"]


def known_extensions() -> tuple[str, ...]:
    """Every extension that can be read and written."""
    return tuple(extension for form in FORMATS for extension in form.extensions)


def decide_role(folder: Path) -> Role:
    """Whether a folder is read as one clip or file by file; refused where it could well be either. Decided here alone.

    It is a clip if there are two numbered pictures or more, of one size, and no other data. A damaged picture has no
    size: reading the clip will name it.
    """
    files = list_data_files(folder)
    try:
        clip = find_clip(folder)
    except (OSError, TensorfillError):
        if len(find_sets(folder)) > 1:
            raise _either(folder, "clips, one for each of the names before the numbers", len(files)) from None
        return "files"
    if len(clip.names) < 2 or not _have_one_size(clip):
        return "files"
    if set(clip.names.values()) < set(files):
        first = clip.names[clip.numbers[0]]
        raise _either(folder, f"one clip of {len(clip.names)} pictures such as {first}", len(files))
    return "clip"


def is_clip(folder: Path) -> bool:
    """Whether a folder is one clip beyond doubt."""
    try:
        return decide_role(folder) == "clip"
    except TensorfillError:
        return False


def check_clip(folder: Path) -> None:
    """Refuse to read a folder of files of their own as a whole."""
    if folder.is_dir() and (files := list_data_files(folder)) and decide_role(folder) == "files":
        count = f"{len(files)} files" if len(files) > 1 else "one file"
        raise InvalidInput(
            f"{folder} holds {count} and no clip of numbered pictures of one size; give a file in it, such as "
            f"{folder / files[0]}, or say format='frames' if it is meant to be a clip."
        )


def list_data_files(folder: Path) -> list[str]:
    """The names of all files, and folders, in it whose extension is a known one; hidden ones are not looked at."""
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError as error:
        raise UnreadableFile(f"{folder} cannot be read: {error.strerror or error}.") from error
    return sorted(name for name in names if name.lower().endswith(known_extensions()) and not name.startswith("."))


def _either(folder: Path, clip: str, count: int) -> InvalidInput:
    return InvalidInput(
        f"{folder} could be {clip}, or {count} files of their own: say format='frames' for a clip, or complete --each "
        "for the files; a clip in a folder of its own needs neither."
    )


def _have_one_size(clip: Numbered) -> bool:
    return len({_read_size(clip.folder / name) for name in clip.names.values()} - {None}) <= 1


def _read_size(path: Path) -> tuple[int, int] | None:
    """Rows and columns, from the header alone; None if it cannot be read."""
    from PIL import Image

    with suppress(TensorfillError), readable(path, "a picture"), path.open("rb") as file:
        if path.suffix.lower().startswith(".tif"):
            with open_tiff(file) as pages:
                return int(pages[0].imagelength), int(pages[0].imagewidth)
        with Image.open(path, formats=("PNG", "JPEG", "BMP", "WEBP")) as image:
            return image.height, image.width
    return None
