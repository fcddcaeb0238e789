"""One array of a MATLAB file: .mat up to version 7 through SciPy, version 7.3 (which is HDF5) through h5py."""

from __future__ import annotations

import struct
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, UnreadableFile
from .contents import check_numbers
from .source import open_source

_HDF5 = b"\x89HDF\r\n\x1a\n"
_USER_BLOCK = 512  # MATLAB's own header, in front of the HDF5 file
_DAMAGED = (ValueError, TypeError, KeyError, IndexError, OSError, EOFError, RuntimeError, struct.error, zlib.error)


def read_variable(path: Path, variable: str | None = None) -> NDArray[Any]:
    """A variable as MATLAB shows it, first index first; without a name, the only variable there is."""
    with open_source(path) as file:
        start = file.read(_USER_BLOCK + len(_HDF5))
    hdf5 = start.startswith(_HDF5) or start[_USER_BLOCK:] == _HDF5
    found = _read_hdf5(path, variable) if hdf5 else _read_older(path, variable)
    check_numbers(found, f"{_called(variable)} in {path}")
    return found


def _read_older(path: Path, variable: str | None) -> NDArray[Any]:
    from scipy import io
    from scipy.io.matlab import MatReadError

    try:
        name = _chosen(path, variable, [entry[0] for entry in io.whosmat(path)])
        return np.asarray(io.loadmat(path, variable_names=[name])[name])
    except (InvalidInput, UnreadableFile):
        raise
    except (MatReadError, *_DAMAGED) as error:
        raise _damaged(path) from error


def _read_hdf5(path: Path, variable: str | None) -> NDArray[Any]:
    try:
        h5py: Any = import_module("h5py")
    except ImportError as error:
        raise UnreadableFile(
            f"{path} is a MATLAB 7.3 file, which needs h5py: pip install 'tensorfill[hyperspectral]'"
        ) from error
    try:
        with h5py.File(path, "r") as file:
            found = file[_chosen(path, variable, [name for name in file if not name.startswith("#")])]
            if not isinstance(found, h5py.Dataset):
                raise InvalidInput(f"{_called(variable)} in {path} must be an array of numbers, not a structure.")
            # The file is written column by column, so its axes come out in reverse.
            return np.asarray(found[()]).T
    except (InvalidInput, UnreadableFile):
        raise
    except _DAMAGED as error:
        raise _damaged(path) from error


def _chosen(path: Path, variable: str | None, there: list[str]) -> str:
    names = ", ".join(f"'{name}'" for name in there) or "none"
    if variable is None and len(there) == 1:
        return there[0]
    if variable is None:
        raise UnreadableFile(f"{path} should hold one variable. The variables in it are: {names}.")
    if variable not in there:
        raise UnreadableFile(f"{path} has no variable '{variable}'. The variables in it are: {names}.")
    return variable


def _called(variable: str | None) -> str:
    return "The variable" if variable is None else f"'{variable}'"


def _damaged(path: Path) -> UnreadableFile:
    return UnreadableFile(
        f"{path} is not a readable .mat file: it is damaged, cut short, or something else by that name."
    )
