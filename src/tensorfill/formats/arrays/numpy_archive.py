"""A .npz archive: the array under `data` and, where given, the mask under `observed`."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents, check_mask, check_numbers
from ..damage import readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..unkept import unkept
from .choice import DATA, OBSERVED
from .numpy_array import load_array
from .zip_names import members


class NumpyArchive(Format):
    """.npz files."""

    name: ClassVar[str] = "npz"
    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    holds_mask: ClassVar[bool] = True

    def read(self, path: Path, how: Reading) -> Contents:
        """`data`, or the array that is asked for, or the only one there is; and `observed`, if there."""
        with readable(path, "a .npz file"), zipfile.ZipFile(path) as archive:
            there = {entry.filename.removesuffix(".npy"): entry for entry in members(archive, path)}
            wanted = _wanted(path, there, how.dataset)
            data = _loaded(archive, there[wanted], path)
            observed = _loaded(archive, there[OBSERVED], path) if OBSERVED in there else None
        check_numbers(data, f"'{wanted}' in {path}")
        if observed is not None:
            check_mask(observed, f"'{OBSERVED}' in {path}")
            if observed.shape != data.shape:
                raise InvalidInput(
                    f"'{OBSERVED}' in {path} must have the shape of '{wanted}', {data.shape}. "
                    f"Got {observed.shape} instead."
                )
        return Contents(data, observed, metadata=Metadata(variable=wanted))

    def write(self, path: Path, contents: Contents) -> None:
        """Both arrays, compressed."""
        name = (contents.metadata.variable or "").rpartition("/")[2]
        arrays: dict[str, NDArray[Any]] = {DATA if name in ("", OBSERVED) else name: contents.data}
        if contents.observed is not None:
            arrays[OBSERVED] = contents.observed
        with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    npy.write_array(member, array, allow_pickle=False)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Everything but numbers and mask."""
        return unkept(contents, "a .npz file")


def read_observed(path: Path) -> NDArray[np.bool_] | None:
    """The mask under `observed`; None if there is none."""
    with readable(path, "a .npz file"), zipfile.ZipFile(path) as archive:
        there = {entry.filename.removesuffix(".npy"): entry for entry in members(archive, path)}
        if OBSERVED not in there:
            return None
        mask = _loaded(archive, there[OBSERVED], path)
    check_mask(mask, f"'{OBSERVED}' in {path}")
    return mask


def _wanted(path: Path, there: dict[str, zipfile.ZipInfo], asked: str | None) -> str:
    name = DATA if asked is None else asked
    if name in there:
        return name
    others = [key for key in there if key != OBSERVED]
    if asked is None and len(others) == 1:
        return others[0]
    listed = ", ".join(f"'{key}'" for key in there) or "none"
    raise UnreadableFile(f"{path} has no array '{name}'. The arrays in it are: {listed}.")


def _loaded(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> NDArray[Any]:
    with archive.open(entry) as file:
        return load_array(cast(BinaryIO, file), path, entry.file_size, entry.compress_size)
