"""A .npz archive: arrays with names, `scan.npz::images` is one of them; and masks, such as the one under `observed`."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...errors import InvalidInput
from ..contents import Contents, check_mask, check_numbers
from ..damage import readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..unkept import unkept
from .choice import DATA, OBSERVED, Found, chosen, mask_of
from .numpy_array import load_array
from .zip_names import members


class NumpyArchive(Format):
    """.npz files."""

    name: ClassVar[str] = "npz"
    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    holds_mask: ClassVar[bool] = True
    keeps_old_mask: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """The array that is asked for, or `data`, or the only one of two modes; and its mask, if there is one."""
        with readable(path, "a .npz file"), zipfile.ZipFile(path) as archive:
            there = {entry.filename.removesuffix(".npy"): entry for entry in members(archive, path)}
            found = {name: _described(archive, entry) for name, entry in there.items()}
            _check_dense(path, found, how.dataset)
            # What `data` holds, also if that is no numbers, is told when it is loaded.
            name = DATA if how.dataset is None and DATA in there else chosen(path, found, how.dataset)
            data = _loaded(archive, there[name], path)
            check_numbers(data, f"'{name}' in {path}")
            mask, notes = mask_of(path, name, found)
            if mask is None and how.dataset is None and OBSERVED in found:
                _check_own_mask(path, name, found)
            observed = None if mask is None else _loaded(archive, there[mask], path)
        return Contents(data, observed, notes, Metadata(variable=name))

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


def _described(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Found:
    """Shape and dtype, from the header alone; without a dtype if this is no array of numbers."""
    try:
        with archive.open(entry) as file:
            version = npy.read_magic(file)
            header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, _, dtype = header(file)
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        return Found((), None)
    return Found(shape, None if dtype.hasobject else dtype)


def _check_dense(path: Path, found: dict[str, Found], asked: str | None) -> None:
    """Refuse a sparse matrix of SciPy: what it calls `data` are its values without their places."""
    if asked is None and {"format", "shape", DATA} <= found.keys() and found.keys() & {"indptr", "row", "offsets"}:
        raise InvalidInput(
            f"{path} holds a sparse matrix of SciPy, in which what is not stored is 0, not missing; save its "
            ".toarray(), or a table (.tns, .csv) of its known entries."
        )


def _check_own_mask(path: Path, name: str, found: dict[str, Found]) -> None:
    """Refuse an archive with an `observed` that is no mask of its array: nobody calls anything else so."""
    there = found[OBSERVED]
    if there.dtype is not None:
        check_mask(np.empty(0, there.dtype), f"'{OBSERVED}' in {path}")
    if name != OBSERVED and there.shape != found[name].shape:
        raise InvalidInput(
            f"'{OBSERVED}' in {path} must have the shape of '{name}', {found[name].shape}. Got {there.shape} instead; "
            f"the mask of '{name}' may also be called '{name}_{OBSERVED}'."
        )


def _loaded(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> NDArray[Any]:
    with archive.open(entry) as file:
        return load_array(cast(BinaryIO, file), path, entry.file_size, entry.compress_size)
