"""MATLAB's .mat files: variables by name, up to version 7, and 7.3, which is HDF5 inside."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents
from ..damage import Extra, damaged, readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..source import open_source
from ..unkept import unkept
from . import matlab_hdf5, matlab_v4, matlab_v5
from .choice import DATA, OBSERVED, chosen, mask_of
from .matlab_variable import KIND

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
_LARGEST = 2**31 - 2**16  # bytes of a variable in version 5
_DTYPES = ("b1", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")


class Matlab(Format):
    """.mat files."""

    name: ClassVar[str] = "mat"
    extensions: ClassVar[tuple[str, ...]] = (".mat",)
    holds_mask: ClassVar[bool] = True
    kind: ClassVar[str] = KIND
    guarded: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """The variable that is asked for, or `data`, or the only matrix; and `observed`, if it is there."""
        with open_source(path) as file, readable(path, KIND):
            start = file.read(matlab_hdf5.USER_BLOCK + len(matlab_hdf5.SIGNATURE))
            hdf5 = start.startswith(matlab_hdf5.SIGNATURE) or start.endswith(matlab_hdf5.SIGNATURE)
            if not hdf5:
                file.seek(0)
                return _read_older(file, path, how.dataset, matlab_v4 if 0 in start[:4] else matlab_v5)
        return matlab_hdf5.read(path, how.dataset)

    def write(self, path: Path, contents: Contents) -> None:
        """Packed without loss, as version 7, or as 7.3 if the array came from there or is larger than 2 GB."""
        from scipy import io

        name = _variable(contents.metadata.variable)
        if _newest(contents):
            matlab_hdf5.write(path, name, contents)
            return
        arrays = {name: _native(contents.data)}
        if contents.observed is not None:
            arrays[OBSERVED] = contents.observed
        io.savemat(str(path), arrays, appendmat=False, do_compression=True)

    def extra_for(self, contents: Contents) -> Extra | None:
        """Version 7.3 is HDF5."""
        return Extra("h5py", "hyperspectral") if _newest(contents) else None

    def refuses(self, contents: Contents) -> str | None:
        """MATLAB has no half precision and nothing longer than double."""
        if contents.dtype.str[1:] not in _DTYPES:
            return f"MATLAB has no numbers of type {contents.dtype}: convert them to float64, or write .npy or .h5."
        if contents.ndim > 32:
            return f"A .mat file holds at most 32 modes, and this array has {contents.ndim}: write .npy."
        return None

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Names and shapes that MATLAB does not have."""
        told: tuple[str, ...] = ()
        asked, shape = contents.metadata.variable, contents.shape
        if asked and _variable(asked) != asked:
            told += (f"MATLAB has no name such as '{asked}', so the array is called '{_variable(asked)}'.",)
        if contents.ndim < 2:
            now = (1, 1) if not shape else (1, *shape)
            told += (f"MATLAB has no arrays of {contents.ndim} modes: {shape} becomes {now}.",)
        elif contents.ndim > 2 and shape[-1] == 1:
            told += (f"MATLAB itself leaves out sizes of 1 at the end of {shape}; tensorfill reads them again.",)
        return told + unkept(contents, KIND)


def read_variable(path: Path, variable: str | None = None) -> NDArray[Any]:
    """A variable as MATLAB shows it, first index first; without a name, the only one, or `data`."""
    return np.asarray(Matlab().read(path, Reading(variable)))


def _read_older(file: BinaryIO, path: Path, asked: str | None, version: ModuleType) -> Contents:
    there = {variable.name: variable for variable in version.variables(file, path)}
    if not file.tell():
        raise damaged(path, KIND)
    found = {name: variable.found() for name, variable in there.items()}
    name = chosen(path, found, asked, "variable")
    data = there[name].values(path)
    mask, notes = mask_of(path, name, found)
    observed = None if mask is None else there[mask].values(path)
    return Contents(data, observed, notes, Metadata(variable=name))


def _newest(contents: Contents) -> bool:
    told = contents.metadata.header if contents.metadata.header_of == Matlab.name else {}
    return told.get("version") == matlab_hdf5.VERSION or contents.data.nbytes > _LARGEST


def _variable(asked: str | None) -> str:
    """The last part of a path, if MATLAB could call a variable so."""
    last = (asked or "").rpartition("/")[2]
    return last if _NAME.fullmatch(last) and last != OBSERVED else DATA


def _native(data: NDArray[Any]) -> NDArray[Any]:
    return np.atleast_2d(data.astype(data.dtype.newbyteorder("="), copy=False))
