"""NumPy's own files: one array in a .npy, where NaN is missing; several by name in a .npz, also masks."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ...telling import Phase, tell_phase
from ...tensor import entries
from ..contents import Contents, Metadata, Reading, check_mask, check_numbers
from ..damage import check_room, damaged, open_source, readable
from ..file_array import FileArray, cut, is_in_memory, take
from ..format import Format
from ..scratch import Scratch
from .named_arrays import DATA, OBSERVED, Found, choose, list_members, load_with_mask

_LONG = 2**27  # bytes that take a while


class NumpyArray(Format):
    """.npy files."""

    name: ClassVar[str] = "npy"
    extensions: ClassVar[tuple[str, ...]] = (".npy",)
    kind: ClassVar[str] = "a .npy file"
    keeps: ClassVar[tuple[str, ...] | None] = ()

    def decode(self, path: Path, how: Reading) -> Contents:
        """The array, which must hold numbers."""
        with open_source(path) as file, readable(path, self.kind):
            size = path.stat().st_size
            data = _read_array(file, path, size, stored=size, scratch=how.scratch, mapped=True)
        check_numbers(data, str(path))
        return Contents(data)

    def write(self, path: Path, contents: Contents) -> None:
        """The array alone."""
        with path.open("xb") as file:
            _write_array(file, contents.data)

    def page_mode(self, contents: Contents) -> int | None:
        """The first."""
        return 0 if contents.ndim else None


class NumpyArchive(Format):
    """.npz files."""

    name: ClassVar[str] = "npz"
    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    holds_mask: ClassVar[bool] = True
    keeps_old_mask: ClassVar[bool] = True
    kind: ClassVar[str] = "a .npz file"
    keeps: ClassVar[tuple[str, ...] | None] = ()

    def decode(self, path: Path, how: Reading) -> Contents:
        """The array that is asked for, or `data`, or the only one of two modes; and its mask, if there is one."""
        with readable(path, self.kind), zipfile.ZipFile(path) as archive:
            found = {name: _describe(archive, entry) for name, entry in _members(archive, path).items()}
            # What `data` holds, also if that is no numbers, is told when it is loaded.
            name = DATA if how.dataset is None and DATA in found else choose(path, found, how.dataset)
            if how.dataset is None:
                _check_names(path, name, found)
            data, observed, notes = load_with_mask(
                path, name, found, lambda each: _load(archive, each, path, how.scratch)
            )
        check_numbers(data, f"'{name}' in {path}")
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
                    _write_array(cast(BinaryIO, member), array)

    def page_mode(self, contents: Contents) -> int | None:
        """The first."""
        return 0 if contents.ndim else None


def read_observed(path: Path, scratch: Scratch | None = None) -> NDArray[np.bool_] | None:
    """The mask under `observed` in a .npz file; None if there is none."""
    with readable(path, NumpyArchive.kind), zipfile.ZipFile(path) as archive:
        if OBSERVED not in _members(archive, path):
            return None
        mask = _load(archive, OBSERVED, path, scratch)
    check_mask(mask, f"'{OBSERVED}' in {path}")
    return mask


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    return {entry.filename.removesuffix(".npy"): entry for entry in list_members(archive, path)}


def _describe(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Found:
    """Shape and dtype, from the header alone; without a dtype if this is no array of numbers."""
    with suppress(Exception), archive.open(entry) as file:  # a damaged array is told when it is the one that is meant
        shape, _, dtype = _read_header(cast(BinaryIO, file))
        return Found(shape, None if dtype.hasobject else dtype)
    return Found((), None)


def _check_names(path: Path, name: str, found: dict[str, Found]) -> None:
    """Refuse a sparse matrix of SciPy, and something else than a mask under the name of one."""
    if {"format", "shape", DATA} <= found.keys() and found.keys() & {"indptr", "row", "offsets"}:
        raise InvalidInput(
            f"{path} holds a sparse matrix of SciPy, in which what is not stored is 0, not missing; save its "
            ".toarray(), or a table (.tns, .csv) of its known entries."
        )
    if OBSERVED not in found or name == OBSERVED or f"{name}_{OBSERVED}" in found:
        return
    mask = found[OBSERVED]
    if mask.dtype is not None:
        check_mask(np.empty(0, mask.dtype), f"'{OBSERVED}' in {path}")
    if mask.shape != found[name].shape:
        raise InvalidInput(
            f"'{OBSERVED}' in {path} must have the shape of '{name}', {found[name].shape}. Got {mask.shape} instead; "
            f"the mask of '{name}' may also be called '{name}_{OBSERVED}'."
        )


def _load(archive: zipfile.ZipFile, name: str, path: Path, scratch: Scratch | None = None) -> NDArray[Any]:
    entry = _members(archive, path)[name]
    with archive.open(entry) as file:
        return _read_array(cast(BinaryIO, file), path, entry.file_size, entry.compress_size, scratch=scratch)


def _read_header(file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether the first index runs fastest, and dtype."""
    first = npy.read_magic(file) == (1, 0)
    return npy.read_array_header_1_0(file) if first else npy.read_array_header_2_0(file)


def _read_array(
    file: BinaryIO, path: Path, size: int, stored: int, *, scratch: Scratch | None, mapped: bool = False
) -> NDArray[Any]:
    """The array in .npy bytes, `size` of them in all, `stored` as they are in the file.

    With a `scratch`, a large one is not in memory: it stays in its file, if that can be `mapped`, or goes to the disk.
    """
    shape, fortran, dtype = _read_header(file)
    if dtype.hasobject:
        raise UnreadableFile(
            f"{path} holds Python objects (a pickled array), which are not loaded because they could run any "
            "program; save it as an array of numbers."
        )
    wanted = entries(shape) * dtype.itemsize
    on_disk = scratch is not None and scratch.takes(wanted)
    if on_disk and mapped:
        if file.tell() + wanted != size:
            raise damaged(path, NumpyArray.kind)
        axes = range(len(shape))[:: -1 if fortran else 1]
        return cast(NDArray[Any], FileArray.of(path.absolute(), dtype, shape, axes, file.tell()))
    check_room(path, shape, dtype.itemsize, stored, scratch=scratch)
    if wanted > size:
        raise damaged(path, NumpyArray.kind)
    if wanted > _LONG:
        tell_phase(Phase(f"reading {wanted / 1e6:,.0f} MB"))
    if on_disk and scratch is not None:
        there = scratch.receive(file, shape[::-1] if fortran else shape, dtype)
        data = cast(NDArray[Any], there.T if fortran else there)
    else:
        file.seek(0)
        data = npy.read_array(file, allow_pickle=False)
    if file.read(1):  # at the end of a member of a .npz, its checksum is looked at
        raise damaged(path, NumpyArray.kind)
    return data.astype(dtype.newbyteorder("="), copy=False) if isinstance(data, np.ndarray) else data


def _write_array(file: BinaryIO, data: NDArray[Any]) -> None:
    """An array with its header, piece by piece. Not by NumPy, which hands files to C: lost last bytes go unnoticed."""
    fortran = is_in_memory(data) and data.flags.f_contiguous and not data.flags.c_contiguous
    told = {"descr": npy.dtype_to_descr(data.dtype), "fortran_order": fortran, "shape": data.shape}
    npy.write_array_header_1_0(file, told)
    in_order = data.T if fortran else data
    for region in cut(in_order.shape, data.dtype.itemsize):
        file.write(np.ascontiguousarray(take(in_order, region)).reshape(-1).view(np.uint8).data)
