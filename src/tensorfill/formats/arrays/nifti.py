"""NIfTI: a volume, or several over time, with a header that says where it lies in space."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ...tensor import entries
from ..contents import Contents, Metadata, Reading, check_numbers, describe_loss
from ..damage import Extra, check_room, damaged, open_source, readable, require
from ..file_array import FileArray, cut, fill_by_pieces, is_in_memory, order_of, take
from ..format import Format
from ..scratch import Scratch, allocate

_NIBABEL = Extra("nibabel", "volumes")
_KINDS = {
    b"\x5c\x01\x00\x00": ("Nifti1Header", "<"),
    b"\x00\x00\x01\x5c": ("Nifti1Header", ">"),
    b"\x1c\x02\x00\x00": ("Nifti2Header", "<"),
    b"\x00\x00\x02\x1c": ("Nifti2Header", ">"),
}
"""How a file begins, with the length of its header: nibabel's class for it, and the order of bytes."""
_LARGEST_EXTENSIONS = 2**26  # bytes
_DTYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")
_LONGEST = 32767  # of a mode, in NIfTI-1


class Nifti(Format):
    """.nii and .nii.gz files."""

    name: ClassVar[str] = "nifti"
    extensions: ClassVar[tuple[str, ...]] = (".nii", ".nii.gz")
    extra: ClassVar[Extra | None] = _NIBABEL
    kind: ClassVar[str] = "a NIfTI file"

    def decode(self, path: Path, how: Reading) -> Contents:
        """The volume (i, j, k[, t]) with its header; scaled, if the header says so."""
        nibabel = require(*_NIBABEL, path)
        with open_source(path) as raw, readable(path, self.kind):
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
            front = _read_front(nibabel, file, path)
            header = _parse(nibabel, front)
            data = _read_values(nibabel, file, header, path, None if packed else len(front), how.scratch)
            slope, shift = header.get_slope_inter()
            affine = np.asarray(header.get_best_affine(), dtype=np.float64)
        notes: tuple[str, ...] = ()
        if (slope, shift) not in ((1, 0), (None, None)):
            notes = (
                f"{path} stores {data.dtype} to be multiplied by {slope:g}, plus {shift:g}: it is read as float64.",
            )
            data = _scale(data, np.float64(slope), np.float64(shift), how.scratch)
        metadata = Metadata(kind="volume", affine=affine, header={"bytes": front}, header_of=self.name)
        return Contents(data, None, notes, metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """With the header it came with, in this machine's order of bytes, and not scaled."""
        front = _make_front(require(*_NIBABEL, path), contents)
        native = contents.dtype.newbyteorder("=")
        packed = path.name.lower().endswith(".gz")
        with path.open("xb") as raw, cast(BinaryIO, gzip.GzipFile("", "wb", 6, raw, 0)) if packed else raw as file:
            file.write(front)
            for region in cut(contents.shape, native.itemsize, range(contents.ndim)[::-1]):  # the first runs fastest
                values = np.ascontiguousarray(take(contents.data, region).T, dtype=native)
                file.write(values.reshape(-1).view(np.uint8).data)

    def page_mode(self, contents: Contents) -> int | None:
        """The last."""
        return contents.ndim - 1 if contents.ndim else None

    def refuses(self, contents: Contents) -> str | None:
        """More than seven modes, nothing at all, and types NIfTI does not have."""
        if not 1 <= contents.ndim <= 7 or 0 in contents.shape:
            return f"NIfTI holds one to seven modes, none of them empty. Got an array of size {contents.shape}."
        if contents.dtype.str[1:] not in _DTYPES:
            return f"NIfTI has no numbers of type {contents.dtype}: convert them to float32 or uint8, or write .npy."
        return None

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """A mask, unless NaN says the same, and digits of the affine map."""
        notes = describe_loss(contents, self.kind, "affine", mask=False)
        affine = contents.metadata.affine
        if affine is not None:
            kept = np.vstack([affine[:3].astype(np.float32), [0, 0, 0, 1]])
            if not np.array_equal(affine, kept, equal_nan=True):
                notes += ("NIfTI keeps three rows of the affine map, in single precision.",)
        return notes


def _parse(nibabel: Any, front: bytes) -> Any:
    """The header in the first bytes of a file, with all fields as they are."""
    name, order = _KINDS[front[:4]]
    kind = getattr(nibabel, name)
    return kind(front[: kind.sizeof_hdr], order, check=False)


def _read_front(nibabel: Any, file: BinaryIO, path: Path) -> bytes:
    """All bytes before the values: the header and its extensions."""
    start = file.read(4)
    size = getattr(nibabel, _KINDS[start][0]).sizeof_hdr
    front = start + file.read(size - 4)
    header = _parse(nibabel, front)
    if bytes(header["magic"])[:3] not in (b"n+1", b"n+2"):
        raise UnreadableFile(f"{path} is not a NIfTI file in one piece (.nii): pairs of .hdr and .img are not read.")
    offset = int(header["vox_offset"])
    if not size <= offset <= size + _LARGEST_EXTENSIONS:
        raise damaged(path, Nifti.kind)
    return front + file.read(offset - size)


def _read_values(
    nibabel: Any, file: BinaryIO, header: Any, path: Path, offset: int | None, scratch: Scratch | None
) -> NDArray[Any]:
    """The values as they are stored, in this machine's order of bytes.

    Large ones stay where they are, from `offset` on, or go to `scratch` if they are packed and there is none.
    """
    shape, dtype = header.get_data_shape(), header.get_data_dtype()
    if not 1 <= header["dim"][0] <= 7 or min(shape) < 1:
        raise damaged(path, Nifti.kind)
    check_numbers(np.empty(0, dtype), str(path))
    length = entries(shape) * dtype.itemsize
    large = scratch is not None and scratch.takes(length)
    if large and offset is not None:
        if path.stat().st_size != offset + length:
            raise damaged(path, Nifti.kind)
        return cast(NDArray[Any], FileArray.of(path.absolute(), dtype, shape[::-1], offset=offset).T)
    check_room(path, shape, dtype.itemsize, path.stat().st_size, scratch=scratch)
    if large and scratch is not None:
        there = scratch.receive(file, shape[::-1], dtype).T
        if file.read(1):
            raise damaged(path, Nifti.kind)
        return cast(NDArray[Any], there)
    data = nibabel.volumeutils.array_from_file(shape, dtype, file, file.tell(), mmap=False)
    if file.read(1):  # at the end of what is packed, the checksum is looked at
        raise damaged(path, Nifti.kind)
    return cast(NDArray[Any], data.astype(dtype.newbyteorder("="), copy=False))


def _scale(data: NDArray[Any], slope: np.float64, shift: np.float64, scratch: Scratch | None) -> NDArray[Any]:
    if is_in_memory(data):
        return data * slope + shift
    out: NDArray[Any] = allocate(scratch, data.shape, np.float64, order_of(data))
    fill_by_pieces(out, lambda region: take(data, region) * slope + shift)
    return out


def _make_front(nibabel: Any, contents: Contents) -> bytes:
    """All bytes before the values, as they were but for what is not true any more."""
    metadata = contents.metadata
    old = metadata.header["bytes"] if metadata.header_of == Nifti.name else b""
    header = _parse(nibabel, old) if old else nibabel.Nifti1Header()
    if max(contents.shape) > _LONGEST and not isinstance(header, nibabel.Nifti2Header):
        header, old = nibabel.Nifti2Header(), b""
    header = header.as_byteswapped(nibabel.volumeutils.native_code)
    extensions = old[header.sizeof_hdr :] or bytes(4)
    header.set_data_dtype(contents.dtype.newbyteorder("="))
    header["dim"] = 1
    header["dim"][0], header["dim"][1 : contents.ndim + 1] = contents.ndim, contents.shape
    header.set_slope_inter(1, 0)
    affine = metadata.affine
    if affine is not None and not np.array_equal(affine, header.get_best_affine()):
        header.set_sform(affine, code="aligned")
        header["qform_code"] = 0
        header["pixdim"][1:4] = np.sqrt((affine[:3, :3] ** 2).sum(axis=0))
    header["vox_offset"] = header.sizeof_hdr + len(extensions)
    header["magic"] = header.single_magic
    return bytes(header.binaryblock) + extensions
