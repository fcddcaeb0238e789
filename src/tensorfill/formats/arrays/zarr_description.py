"""What a Zarr array says about itself, and whether the codecs it names may be used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UnreadableFile
from .choice import Found
from .zarr_store import Description

NUMBERS = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)
_CODECS = {
    "bytes", "transpose", "sharding_indexed", "crc32c", "endian",
    "blosc", "gzip", "zlib", "zstd", "lz4", "bz2", "lzma", "shuffle", "delta", "packbits", "bitround", "quantize",
    "fixedscaleoffset", "astype", "crc32", "adler32", "fletcher32", "jenkins_lookup3",
}  # fmt: skip


def found(said: Description) -> Found:
    """Shape and dtype."""
    shape = tuple(int(size) for size in said["shape"])
    named = said["data_type"] if "data_type" in said else said["dtype"]
    if not isinstance(named, str):
        return Found(shape, None)
    if "data_type" in said:
        return Found(shape, np.dtype(named) if named in NUMBERS else None)
    dtype = np.dtype(named)
    return Found(shape, dtype.newbyteorder("=") if dtype.kind in "biuf" else None)


def check_codecs(said: Description, path: Path) -> None:
    """Refuse what is not known to unpack numbers alone: the codec `pickle` could run any program."""
    for name in _codecs(said):
        if name.removeprefix("numcodecs.") not in _CODECS:
            raise UnreadableFile(
                f"{path} is packed by the codec '{name}', which is not used here; store it with zstd, gzip or blosc."
            )


def _codecs(said: Description) -> Iterator[str]:
    for step in said.get("codecs") or ():
        if isinstance(step, str):
            yield step
            continue
        yield str(step["name"])
        inner: dict[str, Any] = step.get("configuration") or {}
        if "codecs" in inner:
            yield from _codecs(inner)
            yield from _codecs({"codecs": inner.get("index_codecs")})
    if said.get("storage_transformers"):
        yield "storage_transformers"
    for step in (*(said.get("filters") or ()), said.get("compressor")):
        if step is not None and "codecs" not in said:
            yield str(step["id"])
