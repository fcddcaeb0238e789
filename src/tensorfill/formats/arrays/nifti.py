"""NIfTI: a volume, or several over time, with a header that says where it lies in space."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ...tensor import entries
from ..contents import Contents, check_numbers
from ..damage import Extra, damaged, needed, readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from ..source import open_source
from ..unkept import unkept

KIND = "a NIfTI file"
_SIZES = {348: "Nifti1Header", 540: "Nifti2Header"}
_LARGEST_EXTENSIONS = 2**26  # bytes
_DTYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")
_LONGEST = 32767  # of a mode, in NIfTI-1


class Nifti(Format):
    """.nii and .nii.gz files."""

    name: ClassVar[str] = "nifti"
    extensions: ClassVar[tuple[str, ...]] = (".nii", ".nii.gz")
    extra: ClassVar[Extra | None] = Extra("nibabel", "volumes")

    def decode(self, path: Path, how: Reading) -> Contents:
        """The volume (i, j, k[, t]) with its header; scaled, if the header says so."""
        nibabel = needed("nibabel", "volumes", path)
        with open_source(path) as raw, readable(path, KIND):
            stored = path.stat().st_size
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw as file:
                header, front, between = _header(nibabel, file, path)
                data = _values(file, header, path, stored, packed)
            affine = np.asarray(header.get_best_affine(), dtype=np.float64)
        slope, shift = _scaling(header)
        notes: tuple[str, ...] = ()
        if (slope, shift) != (1, 0):
            notes = (
                f"{path} stores {data.dtype} to be multiplied by {slope:g}, plus {shift:g}: it is read as float64.",
            )
            data = data * np.float64(slope) + np.float64(shift)
        metadata = Metadata(
            kind="volume",
            affine=affine,
            header={"bytes": front, "extensions": between},
            header_of=self.name,
        )
        return Contents(data, None, notes, metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """With the header it came with, in this machine's order of bytes, and not scaled."""
        nibabel = needed("nibabel", "volumes", path)
        header, between = _new_header(nibabel, contents)
        content = header.binaryblock + between
        values = np.asfortranarray(contents.data, dtype=contents.dtype.newbyteorder("="))
        packed = path.name.lower().endswith(".gz")
        with path.open("xb") as raw, cast(BinaryIO, gzip.GzipFile("", "wb", 6, raw, 0)) if packed else raw as file:
            file.write(content)
            file.write(values.reshape(-1, order="F").view(np.uint8).data)

    def refuses(self, contents: Contents) -> str | None:
        """More than seven modes, nothing at all, and types NIfTI does not have."""
        if not 1 <= contents.ndim <= 7 or not contents.data.size:
            return f"NIfTI holds one to seven modes, none of them empty. Got an array of size {contents.shape}."
        if contents.dtype.str[1:] not in _DTYPES:
            return f"NIfTI has no numbers of type {contents.dtype}: convert them to float32 or uint8, or write .npy."
        return None

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """A mask, unless NaN says the same, and digits of the affine map."""
        told = unkept(contents, KIND, "affine", mask=False)
        affine = contents.metadata.affine
        if affine is not None and not np.array_equal(affine, _kept_affine(affine), equal_nan=True):
            told += ("NIfTI keeps three rows of the affine map, in single precision.",)
        return told


def _kept_affine(affine: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.vstack([affine[:3].astype(np.float32), [0, 0, 0, 1]]).astype(np.float64)


def _header(nibabel: Any, file: BinaryIO, path: Path) -> tuple[Any, bytes, bytes]:
    """The header, its bytes, and the bytes between it and the values."""
    start = file.read(4)
    little, big = (int.from_bytes(start, order) for order in ("little", "big"))
    size = little if little in _SIZES else big
    if size not in _SIZES:
        raise damaged(path, KIND)
    front = start + file.read(size - 4)
    header = getattr(nibabel, _SIZES[size])(front, "<" if size == little else ">", check=False)
    if bytes(header["magic"])[:3] not in (b"n+1", b"n+2"):
        raise UnreadableFile(f"{path} is not a NIfTI file in one piece (.nii): pairs of .hdr and .img are not read.")
    offset = int(header["vox_offset"])
    if not size <= offset <= size + _LARGEST_EXTENSIONS:
        raise damaged(path, KIND)
    between = file.read(offset - size)
    if len(between) < offset - size:
        raise damaged(path, KIND)
    return header, front, between


def _values(file: BinaryIO, header: Any, path: Path, stored: int, packed: bool) -> NDArray[Any]:
    modes = int(header["dim"][0])
    shape = tuple(int(size) for size in header["dim"][1 : modes + 1])
    if not 1 <= modes <= 7 or min(shape) < 1:
        raise damaged(path, KIND)
    dtype = header.get_data_dtype()
    check_numbers(np.empty(0, dtype), str(path))
    check_room(path, shape, dtype.itemsize, stored)
    wanted = entries(shape) * dtype.itemsize
    if not packed and wanted > stored:
        raise damaged(path, KIND)
    data = np.empty(entries(shape), dtype=dtype)
    into = data.view(np.uint8).data
    filled = 0
    while filled < wanted:
        piece = file.read(min(wanted - filled, 2**24))
        if not piece:
            raise damaged(path, KIND)
        into[filled : filled + len(piece)] = piece
        filled += len(piece)
    if file.read(1):  # at the end of what is packed, the checksum is looked at
        raise damaged(path, KIND)
    return data.astype(dtype.newbyteorder("="), copy=False).reshape(shape, order="F")


def _scaling(header: Any) -> tuple[float, float]:
    """Slope and intercept; a slope of 0 or none means that nothing is scaled."""
    slope, shift = float(header["scl_slope"]), float(header["scl_inter"])
    if not np.isfinite(slope) or slope == 0:
        return 1.0, 0.0
    return slope, shift if np.isfinite(shift) else 0.0


def _new_header(nibabel: Any, contents: Contents) -> tuple[Any, bytes]:
    metadata = contents.metadata
    own = metadata.header if metadata.header_of == Nifti.name else {}
    front, between = own.get("bytes", b""), own.get("extensions", bytes(4))
    large = max(contents.shape) > _LONGEST
    kind = nibabel.Nifti2Header if large or len(front) == 540 else nibabel.Nifti1Header
    if len(front) == kind.sizeof_hdr:
        little = int.from_bytes(front[:4], "little") == len(front)
        header = kind(front, "<" if little else ">", check=False).as_byteswapped(nibabel.volumeutils.native_code)
    else:
        header, between = kind(), bytes(4)
    header.set_data_dtype(contents.dtype.newbyteorder("="))
    header["dim"] = 1
    header["dim"][0], header["dim"][1 : contents.ndim + 1] = contents.ndim, contents.shape
    if _scaling(header) != (1, 0):
        header["scl_slope"], header["scl_inter"] = 1, 0
    affine = metadata.affine
    if affine is not None and not np.array_equal(affine, header.get_best_affine()):
        header.set_sform(affine, code="aligned")
        header["qform_code"] = 0
        header["pixdim"][1:4] = np.sqrt((affine[:3, :3] ** 2).sum(axis=0))
    header["vox_offset"] = kind.sizeof_hdr + len(between)
    header["magic"] = header.single_magic
    return header, between
