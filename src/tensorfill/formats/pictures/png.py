"""PNG pictures: gray or colour, 8 or 16 bits, with or without alpha, every bit kept."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Contents
from ..damage import damaged, readable
from ..reading import Reading
from ..room import check_room
from ..source import open_source
from .png_chunks import FIRST_CHUNK_END, Chunks, about_chunks
from .still import StillPicture, alpha_losses, fit_profile, open_picture, split_alpha, to_contents, to_stored_samples


class Png(StillPicture):
    """.png files, which keep every bit."""

    name: ClassVar[str] = "png"
    extensions: ClassVar[tuple[str, ...]] = (".png",)
    kind: ClassVar[str] = "a .png picture"
    holds_alpha: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3, fully transparent pixels marked as missing.

        Palettes become RGB, and 1, 2 or 4 bits of gray become 8.
        """
        with open_source(path) as file, readable(path, self.kind):
            chunks = Chunks(file)
            about = chunks.read_about()
            if chunks.bits == 16 and not chunks.interlaced:
                from .png_sixteen_bit import read_sixteen_bit

                check_room(path, (chunks.height, chunks.width, chunks.channels), 2, path.stat().st_size)
                return to_contents(*read_sixteen_bit(chunks), how, about=about)
            if chunks.bits == 16 and (chunks.colour != 0 or chunks.body(b"tRNS")):
                raise UnreadableFile(
                    f"{path} is an interlaced 16-bit picture in colour or with alpha, which cannot be read; "
                    "save it without interlacing."
                )
            data, alpha, notes = self._decode_by_pillow(path, chunks)
        return to_contents(data, alpha, how, notes, about)

    def _decode_by_pillow(
        self, path: Path, chunks: Chunks
    ) -> tuple[NDArray[Any], NDArray[Any] | None, tuple[str, ...]]:
        notes = []
        with open_picture(path, self.kind, "PNG") as image:
            if sum(map(len, chunks.inflate(chunks.size))) < chunks.size:  # Pillow would take what is missing for black
                raise damaged(path, self.kind)
            if getattr(image, "n_frames", 1) > 1:
                notes.append(f"{path} is animated; only its first frame is read.")
            image.load()
            if chunks.colour == 0 and chunks.bits < 8:
                notes.append(f"{path} has {chunks.bits}-bit grays; they are read as 8-bit ones, from 0 to 255.")
                key, top = image.info.pop("transparency", None), 2**chunks.bits - 1
                image = image.convert("L")
                if isinstance(key, int):
                    # Pillow scales pixels of 2 and 4 bits to 8, but not the value that means transparent.
                    image.info["transparency"] = min(key, top) * (255 // top)
            data, alpha = split_alpha(image)
        return data, alpha, tuple(notes)

    def write(self, path: Path, contents: Contents) -> None:
        """The array as a picture, with its alpha and metadata; the mask is not kept."""
        samples = to_stored_samples(contents)
        about = about_chunks(contents.metadata, fit_profile(contents.metadata, 3 if contents.ndim == 3 else 1))
        if samples.dtype == np.uint16:
            from .png_sixteen_bit import write_sixteen_bit

            write_sixteen_bit(path, samples, about)
        else:
            _write_bytes(path, samples, about)

    def _holds(self, data: NDArray[Any]) -> bool:
        return super()._holds(data) or (data.dtype.kind == "u" and data.dtype.itemsize == 2)

    def _holdings(self) -> str:
        return "8-bit or 16-bit arrays (or floating point in [0, 1]) of shape (rows, columns) or (rows, columns, 3)"

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Rounded floats, and alpha that belongs to something else."""
        return (*super().losses(contents), *alpha_losses(contents, channels=contents.ndim == 3))


def _write_bytes(path: Path, data: NDArray[Any], about: bytes) -> None:
    from PIL import Image

    plain = io.BytesIO()
    Image.fromarray(data).save(plain, format="PNG")
    packed = plain.getbuffer()
    with path.open("xb") as file:
        for part in (packed[:FIRST_CHUNK_END], about, packed[FIRST_CHUNK_END:]):
            file.write(part)
