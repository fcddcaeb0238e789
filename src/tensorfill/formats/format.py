"""Format: what every file format offers, one file of this folder each."""

from typing import Any, BinaryIO, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from .contents import Contents


class Format(Protocol):
    """Reads and writes one kind of file. `name` is what messages call the file."""

    extensions: ClassVar[tuple[str, ...]]
    picture: ClassVar[bool]
    """Whether this is for looking at: few dtypes, floats in [0, 1], a 2-D mask serves every channel."""

    def read(self, file: BinaryIO, name: str) -> Contents:
        """The array in the file."""
        ...

    def read_mask(self, file: BinaryIO, name: str) -> NDArray[np.bool_]:
        """The mask in the file, True where known."""
        ...

    def refuses(self, data: NDArray[Any]) -> str | None:
        """Why this array cannot be written in this format, in one sentence; None if it can."""
        ...

    def losses(self, data: NDArray[Any]) -> tuple[str, ...]:
        """What writing this array in this format changes, a sentence each."""
        ...

    def write(self, file: BinaryIO, contents: Contents) -> None:
        """Write an array that is not refused."""
        ...
