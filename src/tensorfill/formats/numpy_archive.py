"""A .npz archive: the array under `data` and, where given, the mask under `observed`."""

import zipfile
import zlib
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, UnreadableFile
from .contents import Contents, check_mask, check_numbers
from .numpy_array import load_array

DATA = "data"
OBSERVED = "observed"
# RuntimeError: the archive is encrypted; NotImplementedError: an unknown compression.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


class NumpyArchive:
    """.npz files."""

    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    picture: ClassVar[bool] = False

    def read(self, file: BinaryIO, name: str) -> Contents:
        """`data`, which must be there, and `observed`, which may be."""
        arrays = _load(file, name, (DATA, OBSERVED), required=DATA)
        data, observed = arrays[DATA], arrays.get(OBSERVED)
        check_numbers(data, f"'{DATA}' in {name}")
        if observed is not None:
            check_mask(observed, f"'{OBSERVED}' in {name}")
            if observed.shape != data.shape:
                raise InvalidInput(
                    f"'{OBSERVED}' in {name} must have the shape of '{DATA}', {data.shape}. "
                    f"Got {observed.shape} instead."
                )
        return Contents(data, observed)

    def read_mask(self, file: BinaryIO, name: str) -> NDArray[np.bool_]:
        """`observed`, which must be there."""
        mask = _load(file, name, (OBSERVED,), required=OBSERVED)[OBSERVED]
        check_mask(mask, f"'{OBSERVED}' in {name}")
        return mask

    def refuses(self, data: NDArray[Any]) -> str | None:
        """Every array fits."""
        return None

    def losses(self, data: NDArray[Any]) -> tuple[str, ...]:
        """Nothing is lost."""
        return ()

    def write(self, file: BinaryIO, contents: Contents) -> None:
        """Both arrays, compressed."""
        if contents.observed is None:
            np.savez_compressed(file, data=contents.data)
        else:
            np.savez_compressed(file, data=contents.data, observed=contents.observed)


def _load(file: BinaryIO, name: str, wanted: tuple[str, ...], required: str) -> dict[str, NDArray[Any]]:
    try:
        with zipfile.ZipFile(file) as archive:
            members = {entry.removesuffix(".npy"): entry for entry in archive.namelist()}
            if required not in members:
                there = ", ".join(f"'{key}'" for key in members) or "none"
                raise UnreadableFile(f"{name} has no array '{required}'. The arrays in it are: {there}.")
            return {key: _member(archive, members[key], name) for key in wanted if key in members}
    except _DAMAGED as error:
        raise UnreadableFile(
            f"{name} is not a readable .npz file: it is damaged, cut short, or something else by that name."
        ) from error


def _member(archive: zipfile.ZipFile, entry: str, name: str) -> NDArray[Any]:
    with archive.open(entry) as file:
        return load_array(file, f"{entry} in {name}")  # type: ignore[arg-type]  # ZipExtFile reads bytes
