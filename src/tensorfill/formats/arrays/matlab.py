"""MATLAB's .mat files: variables by name. SciPy reads them up to version 7; 7.3 is HDF5 inside, and read as such.

SciPy's reader crashes on some damaged files, so that this format is guarded.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ...tensor import entries
from .. import damage
from ..contents import Contents, Metadata, Reading, describe_loss
from ..damage import Extra, check_room, damaged, open_source, readable, require
from ..format import Format
from ..scratch import Scratch
from .hdf5 import H5PY, create_hdf5, describe, load_dataset
from .matlab_variable import write_variable
from .named_arrays import DATA, OBSERVED, Found, choose, load_with_mask

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
_LARGEST = 2**31 - 2**16  # bytes of a variable in version 5
_DTYPES = {
    "logical": "b1", "double": "f8", "single": "f4", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8",
}  # fmt: skip
_OTHERS = {"cell": "a cell array", "struct": "a structure", "char": "text", "sparse": "a sparse matrix"}
_OBJECTS = "__function_workspace__"  # what SciPy calls the nameless variable in which MATLAB keeps objects

_NEWEST = "7.3"
_USER_BLOCK = 512
_HDF5 = b"\x89HDF\r\n\x1a\n"
_TEXT = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Thu Jan  1 00:00:00 1970 HDF5 schema 1.00 ."


class Matlab(Format):
    """.mat files."""

    name: ClassVar[str] = "mat"
    extensions: ClassVar[tuple[str, ...]] = (".mat",)
    holds_mask: ClassVar[bool] = True
    kind: ClassVar[str] = "a .mat file"
    guarded: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """The variable that is asked for, or `data`, or the only matrix; and `observed`, if it is there."""
        with open_source(path) as file, readable(path, self.kind):
            start = file.read(_USER_BLOCK + len(_HDF5))
            newest = start.startswith(_HDF5) or start.endswith(_HDF5)
            return _read_newest(path, how) if newest else _read_older(path, how)

    def write(self, path: Path, contents: Contents) -> None:
        """Packed without loss, as version 7, or as 7.3 if the array came from there or is larger than 2 GB."""
        from scipy.io import savemat

        arrays = {_variable(contents.metadata.variable): contents.data}
        if contents.observed is not None:
            arrays[OBSERVED] = contents.observed
        if _is_newest(contents):
            _write_newest(path, arrays)
            return
        if contents.on_disk:
            savemat(str(path), {}, appendmat=False)
            with path.open("r+b") as file:
                file.seek(0, 2)
                for name, data in arrays.items():
                    write_variable(file, name, data)
            return
        native = {name: np.atleast_2d(data.astype(data.dtype.newbyteorder("="))) for name, data in arrays.items()}
        savemat(str(path), native, appendmat=False, do_compression=True)

    def page_mode(self, contents: Contents) -> int | None:
        """The last: MATLAB's first index runs fastest."""
        return contents.ndim - 1 if contents.ndim else None

    def extra_for(self, contents: Contents) -> Extra | None:
        """Version 7.3 is HDF5."""
        return H5PY if _is_newest(contents) else None

    def refuses(self, contents: Contents) -> str | None:
        """MATLAB has no half precision and nothing longer than double."""
        if contents.dtype.str[1:] not in _DTYPES.values():
            return f"MATLAB has no numbers of type {contents.dtype}: convert them to float64, or write .npy or .h5."
        if contents.ndim > 32:
            return f"A .mat file holds at most 32 modes, and this array has {contents.ndim}: write .npy."
        return None

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Names and shapes that MATLAB does not have."""
        notes: tuple[str, ...] = ()
        asked, shape = contents.metadata.variable, contents.shape
        if asked and _variable(asked) != asked:
            notes += (f"MATLAB has no name such as '{asked}', so the array is called '{_variable(asked)}'.",)
        if contents.ndim < 2:
            now = (1, 1) if not shape else (1, *shape)
            notes += (f"MATLAB has no arrays of {contents.ndim} modes: {shape} becomes {now}.",)
        elif contents.ndim > 2 and shape[-1] == 1:
            notes += (f"MATLAB itself leaves out sizes of 1 at the end of {shape}; tensorfill reads them again.",)
        return notes + describe_loss(contents, self.kind)


def read_variable(path: Path, variable: str | None = None) -> NDArray[Any]:
    """A variable as MATLAB shows it, first index first; without a name, the only one, or `data`."""
    return np.asarray(Matlab().read(path, Reading(variable)))


def _read_older(path: Path, how: Reading) -> Contents:
    """What SciPy finds in a file up to version 7."""
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import matfile_version

    listed = {name: (shape, kind) for name, shape, kind in whosmat(str(path), appendmat=False) if name != _OBJECTS}
    found = {
        name: Found(shape, np.dtype(_DTYPES[kind]) if kind in _DTYPES else None)
        for name, (shape, kind) in listed.items()
    }
    oldest = matfile_version(str(path), appendmat=False)[0] == 0  # version 4, where any type is called double

    def load(name: str) -> NDArray[Any]:
        array = found[name]
        if array.dtype is None:
            raise _no_numbers(path, name, _OTHERS.get(listed[name][1], "an object"))
        check_room(path, array.shape, array.dtype.itemsize, path.stat().st_size)
        damage.allow(8 * entries(array.shape))  # numbers may be stored in a longer type than that of the variable
        values = loadmat(str(path), appendmat=False, variable_names=[name])[name]
        if not isinstance(values, np.ndarray) or values.shape != array.shape:
            raise damaged(path, Matlab.kind)
        if values.dtype.kind == "c":
            raise _no_numbers(path, name, "complex numbers")
        return values.astype(values.dtype.newbyteorder("=") if oldest else array.dtype, copy=False)

    name = choose(path, found, how.dataset, "variable")
    data, observed, notes = load_with_mask(path, name, found, load)
    return Contents(data, observed, notes, Metadata(variable=name))


def _read_newest(path: Path, how: Reading) -> Contents:
    """A variable of version 7.3, which has axes in reverse and types as attributes."""
    h5py = require(*H5PY, path)
    with h5py.File(path, "r") as file:
        there = {name: file[name] for name in file if not name.startswith("#") and _is_hard(file, h5py, name)}
        found = {name: _describe_newest(array, h5py) for name, array in there.items()}
        name = choose(path, found, how.dataset, "variable")
        data, observed, notes = load_with_mask(
            path, name, found, lambda each: _load_newest(there[each], found[each], h5py, path, each, how.scratch)
        )
    metadata = Metadata(variable=name, header={"version": _NEWEST}, header_of=Matlab.name)
    return Contents(data, observed, notes, metadata)


def _is_hard(file: Any, h5py: Any, name: str) -> bool:
    """Whether this is no link, which MATLAB does not make."""
    key = name.encode(errors="surrogateescape")
    return bool(file.id.links.get_info(key).type == h5py.h5l.TYPE_HARD)


def _describe_newest(array: Any, h5py: Any) -> Found:
    matlab_class = _class(array)
    if not isinstance(array, h5py.Dataset) or (matlab_class and matlab_class not in _DTYPES):
        return Found((), None)
    found = describe(array)
    dtype = np.dtype(bool) if matlab_class == "logical" else found.dtype
    if "MATLAB_empty" in array.attrs and found.shape and found.shape[0] < 33:
        return Found(tuple(int(size) for size in array[()]), np.dtype(_DTYPES.get(matlab_class, "f8")))
    return Found(found.shape[::-1], dtype)


def _load_newest(array: Any, found: Found, h5py: Any, path: Path, name: str, scratch: Scratch | None) -> NDArray[Any]:
    if not found.numeric:
        what = "a structure" if isinstance(array, h5py.Group) else _class(array) or "records"
        raise _no_numbers(path, name, what)
    if "MATLAB_empty" in array.attrs:
        if np.prod(found.shape):
            raise UnreadableFile(f"'{name}' in {path} says that it is empty and has a size: it is damaged.")
        return np.empty(found.shape, found.dtype)
    return load_dataset(array, h5py, path, name, scratch, logical=_class(array) == "logical").T


def _class(array: Any) -> str:
    value = array.attrs.get("MATLAB_class", b"")
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _no_numbers(path: Path, name: str, what: str) -> InvalidInput:
    return InvalidInput(f"'{name}' in {path} must hold real numbers (integers or floating point). Got {what} instead.")


def _write_newest(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """A file that MATLAB takes for its own."""
    classes = {dtype: name for name, dtype in _DTYPES.items()}
    with create_hdf5(path, userblock_size=_USER_BLOCK) as file:
        for name, data in arrays.items():
            if data.size:
                dataset = file.store(name, data.T, np.uint8 if data.dtype == np.bool_ else None)
            else:
                dataset = file.file.create_dataset(name, data=np.array(data.shape, dtype=np.uint64))
                dataset.attrs["MATLAB_empty"] = np.uint8(1)
            dataset.attrs["MATLAB_class"] = np.bytes_(classes[data.dtype.str[1:]])
            if data.dtype == np.bool_:
                dataset.attrs["MATLAB_int_decode"] = np.int32(1)
    with path.open("r+b") as raw:
        raw.write(_TEXT.ljust(116) + bytes(8) + b"\x00\x02IM")


def _is_newest(contents: Contents) -> bool:
    header = contents.metadata.header if contents.metadata.header_of == Matlab.name else {}
    return header.get("version") == _NEWEST or contents.data.nbytes > _LARGEST


def _variable(asked: str | None) -> str:
    """The last part of a path, if MATLAB could call a variable so."""
    last = (asked or "").rpartition("/")[2]
    return last if _NAME.fullmatch(last) and last != OBSERVED else DATA
