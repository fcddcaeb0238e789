"""One NumPy array in a .npy file; NaN marks what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ...telling import Phase, tell_phase
from ...tensor import entries
from ..contents import Contents, check_numbers
from ..damage import damaged, readable
from ..format import Format
from ..reading import Reading
from ..room import check_room
from ..source import open_source
from ..unkept import unkept

_KIND = "a .npy file"
_LONG = 2**27  # bytes that take a while


class NumpyArray(Format):
    """.npy files."""

    name: ClassVar[str] = "npy"
    extensions: ClassVar[tuple[str, ...]] = (".npy",)

    def decode(self, path: Path, how: Reading) -> Contents:
        """The array, which must hold numbers."""
        with open_source(path) as file, readable(path, _KIND):
            size = path.stat().st_size
            data = load_array(file, path, size, stored=size)
        check_numbers(data, str(path))
        return Contents(data)

    def write(self, path: Path, contents: Contents) -> None:
        """The array alone."""
        with path.open("xb") as file:
            np.save(_Plain(file), contents.data, allow_pickle=False)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Everything but the numbers."""
        return unkept(contents, _KIND)


class _Plain:
    """A file that NumPy does not recognise as one: it hands real ones to C, where lost last bytes go unnoticed."""

    def __init__(self, file: BinaryIO) -> None:
        self.write = file.write


def load_array(file: BinaryIO, path: Path, size: int, stored: int) -> NDArray[Any]:
    """The array in .npy bytes, `size` of them in all, `stored` as they are in the file; or a clear error.

    The header is looked at before memory is asked for.
    """
    version = npy.read_magic(file)
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, by_slices, dtype = header(file)
    if dtype.hasobject:
        raise UnreadableFile(
            f"{path} holds Python objects (a pickled array), which are not loaded because they could run any "
            "program; save it as an array of numbers."
        )
    wanted = entries(shape) * dtype.itemsize
    check_room(path, shape, dtype.itemsize, stored)
    if wanted > size:
        raise damaged(path, _KIND)
    data = np.empty(entries(shape), dtype=dtype)
    into = data.view(np.uint8).data if wanted else memoryview(bytearray())
    filled = 0
    while filled < wanted:
        piece = file.read(min(wanted - filled, 2**24))
        if not piece:
            raise damaged(path, _KIND)
        into[filled : filled + len(piece)] = piece
        filled += len(piece)
        if wanted > _LONG:
            tell_phase(Phase(f"reading, {filled / 1e6:,.0f} of {wanted / 1e6:,.0f} MB"))
    if file.read(1):
        raise damaged(path, _KIND)
    data = data.astype(dtype.newbyteorder("="), copy=False)
    return data.reshape(shape, order="F" if by_slices else "C")
