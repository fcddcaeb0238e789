"""Files with arrays in them as other programs write them, and decoding them in this process."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import h5py
import nibabel
import numpy as np
import pytest
import zarr
from scipy import io

from tensorfill import formats
from tensorfill.formats import Contents
from tensorfill.formats.arrays.hdf5 import Hdf5
from tensorfill.formats.arrays.matlab import Matlab
from tensorfill.formats.arrays.zarr_store import Zarr

MATLAB = ("mat 4", "mat 5", "mat 7", "mat 7.3")
BY_NAME = ("npz", *MATLAB, "h5", "zarr", "zarr.zip")
"""Kinds of file that hold several arrays."""
_CLASSES = {"float64": "double", "float32": "single", "bool": "logical"}


def decode_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves the start of a process per file; test_guarded_reading.py has one."""
    for form in (Hdf5, Matlab, Zarr):
        monkeypatch.setattr(form, "guarded", False)


def save(folder: Path, kind: str, **arrays: Any) -> Path:
    """A file of this kind, such as "mat 7.3" or "npz", called "a"."""
    extension, _, version = kind.partition(" ")
    path = folder / f"a.{extension}"
    if kind == "npy":
        np.save(path, arrays["data"])
    elif kind == "npz":
        np.savez_compressed(path, **arrays)
    elif extension.startswith("nii"):
        nibabel.save(nibabel.Nifti1Image(arrays["data"], np.eye(4)), path)
    elif kind == "h5":
        with h5py.File(path, "w") as file:
            for name, array in arrays.items():
                file[name] = array
    elif extension.startswith("zarr"):
        with zarr.storage.ZipStore(path, mode="w") if extension.endswith("zip") else nullcontext(path) as store:
            group = zarr.create_group(store)
            for name, array in arrays.items():
                there = np.asarray(array)
                group.create_array(name, shape=there.shape, dtype=there.dtype)[...] = there
    elif version == "7.3":
        _save_newest_matlab(path, **arrays)
    else:
        io.savemat(path, arrays, do_compression=version == "7", format="4" if version == "4" else "5")
    return path


def _save_newest_matlab(path: Path, **arrays: Any) -> None:
    """As MATLAB would write it."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in arrays.items():
            if isinstance(value, dict):
                file.create_group(name).attrs["MATLAB_class"] = np.bytes_("struct")
                continue
            array = np.asarray(value)
            dataset = file.create_dataset(name, data=(array.view(np.uint8) if array.dtype == bool else array).T)
            dataset.attrs["MATLAB_class"] = np.bytes_(_CLASSES.get(array.dtype.name, array.dtype.name))
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


def check_same(back: Contents, sent: Contents, *fields: str) -> None:
    """Data, mask and these fields of the metadata are the same."""
    np.testing.assert_array_equal(back.data, sent.data)
    assert back.dtype == sent.dtype.newbyteorder("=")
    assert (back.observed is None) == (sent.observed is None)
    if sent.observed is not None:
        np.testing.assert_array_equal(back.observed, sent.observed)
    for field in fields:
        np.testing.assert_equal(getattr(back.metadata, field), getattr(sent.metadata, field))


def read(path: Path, name: str | None = None) -> Contents:
    """An array of a file."""
    found = formats.read(f"{path}::{name}" if name else path)
    assert isinstance(found, Contents)
    return found
