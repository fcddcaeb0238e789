"""The text in a TIFF file about its pages: as it came, where it still holds; else what this package writes."""

from __future__ import annotations

from dataclasses import replace

from ..contents import Contents
from .tiff_description import Description, described


def with_description(contents: Contents, text: bytes, told: Description, *, whole: bool = True) -> Contents:
    """The same, remembering a text that others wrote, and of which array; of a part, not what is about the whole."""
    kept = told.text.encode() if text.startswith(b"{") else text
    if not kept or not (whole or told.text):
        return contents
    header = {**contents.metadata.header, "text": kept, "shape": contents.shape, "dtype": contents.dtype.str}
    header["plain"] = bool(told.text)
    return replace(contents, metadata=replace(contents.metadata, header=header, header_of="tiff"))


def told_description(contents: Contents, stored: tuple[int, ...], axes: str) -> bytes:
    """The text for these pages, of which `stored` and `axes` are the modes as they are in the file.

    What ImageJ, OME and others wrote is written again, if the array is still of the shape and type that it is about. A
    text that is for people stays with a picture in any case, and goes into the one of this package otherwise.
    """
    metadata = contents.metadata
    header = metadata.header if metadata.header_of == "tiff" else {}
    text: bytes = header.get("text", b"")
    same = (header.get("shape"), header.get("dtype")) == (contents.shape, contents.dtype.str)
    plain = bool(header.get("plain", True))
    if text and (same or (plain and metadata.kind == "picture")):
        return text
    return described(metadata, stored, axes, text.decode("utf-8", "replace") if plain else "").encode()
