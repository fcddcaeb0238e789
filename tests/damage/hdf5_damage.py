"""Damaged HDF5 files, and .mat files of version 7.3, which are HDF5 inside."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import h5py
import numpy as np
from damaged import Damaged, Sound, content_of, one, packed, whole
from numpy_damage import NUMBERS
from pickles import Marker
from vast import GIGABYTES, zlib_zeros

from tensorfill import formats
from tensorfill.formats import Contents, Metadata

_SIGNATURE = 8


def hdf5_sounds() -> tuple[Sound, ...]:
    """The signature counts, what is packed has a checksum, and newer files have one in front."""
    ours = content_of("a.h5", lambda path: formats.write(path, Contents(NUMBERS, NUMBERS < 0.7)))
    newest = made(
        lambda file: file.create_dataset("data", data=NUMBERS, chunks=(3, 5, 4), fletcher32=True), libver="latest"
    )
    plain = made(lambda file: file.create_dataset("scan/cube", data=NUMBERS))
    return (
        whole("hdf5", "a.h5", ours, (0, _SIGNATURE), *_chunks(ours)),
        whole("hdf5 of the newest kind", "a.h5", newest, (0, 48), *_chunks(newest)),
        whole("hdf5 not packed", "a.hdf5", plain, (0, _SIGNATURE)),
    )


def newest_matlab_sounds() -> tuple[Sound, ...]:
    """As HDF5, behind 512 bytes of MATLAB's own."""
    metadata = Metadata(variable="data", header={"version": "7.3"}, header_of="mat")
    content = content_of("a.mat", lambda path: formats.write(path, Contents(NUMBERS, metadata=metadata)))
    return (whole("mat 7.3", "a.mat", content, (512, 512 + _SIGNATURE), *_chunks(content)),)


def made(fill: Callable[[Any], object], **how: Any) -> bytes:
    """An HDF5 file, filled by a function."""
    memory = io.BytesIO()
    with h5py.File(memory, "w", **how) as file:
        fill(file)
    return memory.getvalue()


def _chunks(content: bytes) -> Iterator[tuple[int, int, int]]:
    with h5py.File(io.BytesIO(content)) as file:
        for dataset in file.values():
            for index in range(dataset.id.get_num_chunks()):
                chunk = dataset.id.get_chunk_info(index)
                yield packed(chunk.byte_offset, chunk.byte_offset + chunk.size)


def _fills(rng: np.random.Generator, marker: Marker) -> dict[str, Callable[[Any], object]]:
    """What to put into a file, by what is wrong with it."""
    big = int(rng.integers(10**6, 10**9))

    def bomb(file: Any) -> None:
        packed = file.create_dataset("data", (4, 4), "f8", chunks=(4, 4), compression="gzip")
        packed.id.write_direct_chunk((0, 0), zlib_zeros(2 * GIGABYTES))

    def virtual(file: Any) -> None:
        layout = h5py.VirtualLayout((6, 5), "f8")
        layout[:] = h5py.VirtualSource("/etc/passwd", "data", (6, 5))
        file.create_virtual_dataset("data", layout)

    def external_link(file: Any) -> None:
        file["data"] = h5py.ExternalLink("/etc/passwd", "/data")

    def soft_links(file: Any) -> None:
        file["a"], file["b"] = h5py.SoftLink("/b"), h5py.SoftLink("/a")

    def filtered(file: Any) -> None:
        file.create_dataset("data", (4, 4), "f8", chunks=(4, 4), compression=32_017, allow_unknown_filter=True)

    def masked(file: Any) -> None:
        file["data"], file["data_observed"] = NUMBERS, np.zeros(NUMBERS.shape, bool)

    def several(file: Any) -> None:
        file["a"], file["b"] = NUMBERS, NUMBERS

    def references(file: Any) -> None:
        dataset = file.create_dataset("data", (2, 2), h5py.ref_dtype)
        dataset[0, 0] = dataset.ref

    outside = [("/etc/passwd", 0, 240)]
    pickled = np.frombuffer(marker.pickle(rng), np.uint8).tobytes()
    return {
        "too large": lambda file: file.create_dataset("data", (big, big), "f8", chunks=(100, 100)),
        "of a long mode": lambda file: file.create_dataset("data", (big * big, 2), "f8", chunks=(1000, 2)),
        "of dust": lambda file: file.create_dataset("data", (10_000, 10_000), "u1", chunks=(1, 1)),
        "with a bomb in it": bomb,
        "whose values are elsewhere": lambda file: file.create_dataset("data", (6, 5), "f8", external=outside),
        "that is virtual": virtual,
        "that is a link to another file": external_link,
        "of links in a circle": soft_links,
        "packed by an unknown filter": filtered,
        "of text": lambda file: file.create_dataset("data", data=["a", "b"]),
        "of records": lambda file: file.create_dataset("data", data=np.zeros((2, 2), "i4,f8")),
        "of complex numbers": lambda file: file.create_dataset("data", data=NUMBERS * 1j),
        "of a pickle": lambda file: file.create_dataset("data", data=np.void(pickled)),
        "of a pickle as text": lambda file: file.create_dataset("data", data=np.bytes_(pickled.rstrip(b"\0"))),
        "of references": references,
        "of groups alone": lambda file: file.create_group("data/more"),
        "of several arrays": several,
        "all nan": lambda file: file.create_dataset("data", data=np.full((6, 5, 4), np.nan)),
        "of which nothing is known": masked,
        "of nothing": lambda file: file.create_dataset("data", data=np.empty((0, 5))),
    }


def hdf5_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Sizes, filters and links; nothing known."""
    for what, fill in _fills(rng, marker).items():
        yield one(f"hdf5 {what}", "a.h5", made(fill))


def newest_matlab_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """The same, as a .mat file."""
    chosen = ("too large", "with a bomb in it", "that is a link to another file", "all nan", "of a pickle")
    fills = _fills(rng, marker)
    for what in chosen:
        yield one(f"mat 7.3 {what}", "a.mat", made(fills[what], userblock_size=512))
