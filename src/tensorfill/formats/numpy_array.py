"""One NumPy array in a .npy file; NaN marks what is missing."""

from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableFile
from .contents import Contents, check_mask, check_numbers


class NumpyArray:
    """.npy files."""

    extensions: ClassVar[tuple[str, ...]] = (".npy",)
    picture: ClassVar[bool] = False

    def read(self, file: BinaryIO, name: str) -> Contents:
        """The array, which must hold numbers."""
        data = load_array(file, name)
        check_numbers(data, name)
        return Contents(data)

    def read_mask(self, file: BinaryIO, name: str) -> NDArray[np.bool_]:
        """The array, which must be boolean."""
        mask = load_array(file, name)
        check_mask(mask, name)
        return mask

    def refuses(self, data: NDArray[Any]) -> str | None:
        """Every array fits."""
        return None

    def losses(self, data: NDArray[Any]) -> tuple[str, ...]:
        """Nothing is lost."""
        return ()

    def write(self, file: BinaryIO, contents: Contents) -> None:
        """The array alone."""
        np.save(file, contents.data, allow_pickle=False)


def load_array(file: BinaryIO, name: str) -> NDArray[Any]:
    """The array in .npy bytes, or a clear error."""
    try:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError) as error:
        # NumPy has no exception of its own for this; the words are pinned by a test.
        if "Object arrays" in str(error):
            raise UnreadableFile(pickled(name)) from error
        raise UnreadableFile(
            f"{name} is not a readable .npy file: it is damaged, cut short, or something else by that name."
        ) from error
    return array


def pickled(name: str) -> str:
    """The sentence for object arrays."""
    return (
        f"{name} holds Python objects (a pickled array), which are not loaded because they could run any "
        "program; save it as an array of numbers."
    )
