"""PNG pictures: gray or colour, 8 or 16 bits, with or without alpha, every bit kept."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Contents
from ..damage import readable
from ..reading import Reading
from ..source import open_source
from . import png_sixteen_bit
from .png_about import about_chunks, read_about
from .png_chunks import FIRST_CHUNK_END, Chunk, Header, checked_chunks
from .png_pixels import check_pixels
from .profile import fitting_profile
from .still import StillPicture, opened, picture_contents, pixels, stored_samples

_KIND = "a .png picture"


class Png(StillPicture):
    """.png files, which keep every bit."""

    name: ClassVar[str] = "png"
    extensions: ClassVar[tuple[str, ...]] = (".png",)
    holds_alpha: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3, fully transparent pixels marked as missing.

        Palettes become RGB, and 1, 2 or 4 bits of gray become 8.
        """
        with open_source(path) as file, readable(path, _KIND):
            header, chunks = checked_chunks(file, path, _KIND)
            if header.bits == 16 and not header.interlaced:
                data, alpha = png_sixteen_bit.read(file, header, chunks, path)
                return picture_contents(data, alpha, how, about=read_about(file, chunks))
            about = read_about(file, chunks)
        if header.bits == 16 and (header.colour != 0 or any(chunk.kind == b"tRNS" for chunk in chunks)):
            raise UnreadableFile(
                f"{path} is an interlaced 16-bit picture in colour or with alpha, which cannot be read; "
                "save it without interlacing."
            )
        data, alpha, notes = _by_pillow(path, header, chunks)
        return picture_contents(data, alpha, how, notes, about)

    def write(self, path: Path, contents: Contents) -> None:
        """The array as a picture, with its alpha and all that is told about it; the mask is not kept."""
        samples = stored_samples(contents)
        about = about_chunks(contents.metadata, fitting_profile(contents.metadata, 3 if contents.ndim == 3 else 1))
        if samples.dtype == np.uint16:
            png_sixteen_bit.write(path, samples, about)
        else:
            _write_bytes(path, samples, about)

    def _holds(self, data: NDArray[Any]) -> bool:
        return super()._holds(data) or (data.dtype.kind == "u" and data.dtype.itemsize == 2)

    def _holdings(self) -> str:
        return "8-bit or 16-bit arrays (or floating point in [0, 1]) of shape (rows, columns) or (rows, columns, 3)"

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Rounded floats, and alpha that belongs to something else."""
        alpha, data = contents.metadata.alpha, contents.data
        if alpha is None or alpha.shape == data.shape[:2]:
            return super().losses(contents)
        lost = (
            f"The transparency, of shape {alpha.shape}, does not belong to the array of shape {data.shape}; left out."
        )
        return (*super().losses(contents), lost)


def _by_pillow(
    path: Path, header: Header, chunks: tuple[Chunk, ...]
) -> tuple[NDArray[Any], NDArray[Any] | None, tuple[str, ...]]:
    notes = []
    with open_source(path) as file, opened(path, _KIND, "PNG") as image:
        check_pixels(file, header, chunks, path, _KIND)
        if getattr(image, "n_frames", 1) > 1:
            notes.append(f"{path} is animated; only its first frame is read.")
        image.load()
        if header.colour == 0 and header.bits < 8:
            notes.append(f"{path} has {header.bits}-bit grays; they are read as 8-bit ones, from 0 to 255.")
            key, top = image.info.pop("transparency", None), 2**header.bits - 1
            image = image.convert("L")
            if isinstance(key, int):
                # Pillow scales pixels of 2 and 4 bits to 8, but not the value that means transparent.
                image.info["transparency"] = min(key, top) * (255 // top)
        data, alpha = pixels(image)
    return data, alpha, tuple(notes)


def _write_bytes(path: Path, data: NDArray[Any], about: bytes) -> None:
    from PIL import Image

    plain = io.BytesIO()
    Image.fromarray(data).save(plain, format="PNG")
    packed = plain.getbuffer()
    with path.open("xb") as file:
        for part in (packed[:FIRST_CHUNK_END], about, packed[FIRST_CHUNK_END:]):
            file.write(part)
