"""Damaged Zarr stores, in folders and in zip files."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from damaged import Damaged, Link, Pieces, Pipe, Sound, content_of, one, packed, whole, written
from numpy_damage import NUMBERS, bomb, payloads, zipped
from pickles import Marker
from vast import GIGABYTES, MEGABYTES, gzip_zeros

from tensorfill import formats
from tensorfill.formats import Contents


def _stored(path: Path, data: Any = NUMBERS, **how: Any) -> None:
    array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, **how)
    array[...] = data


def zarr_sounds() -> tuple[Sound, ...]:
    """Descriptions and pieces cannot be cut; what is packed by gzip or has a checksum cannot change."""
    ours = written("a.zarr", lambda path: formats.write(path, Contents(NUMBERS, NUMBERS < 0.7)))
    sums = {"compressors": None, "filters": None, "serializer": zarr.codecs.BytesCodec()}
    checked = written("a.zarr", lambda path: _stored(path, **{**sums, "compressors": [zarr.codecs.Crc32cCodec()]}))
    older = written("a.zarr", lambda path: _stored(path, zarr_format=2, compressors={"id": "gzip", "level": 5}))
    return (
        _folder("zarr", ours),
        _folder("zarr with checksums", checked, "c/0/0/0"),
        _folder("zarr of version 2", older, "0.0.0", gzipped=True),
    )


def _folder(what: str, files: dict[str, bytes], piece: str = "", *, gzipped: bool = False) -> Sound:
    ends = {name: len(content.rstrip()) for name, content in files.items()}
    checked = [
        (name, *(packed(10, len(content)) if gzipped else (0, len(content), 1)))
        for name, content in files.items()
        if piece and name.endswith(piece)
    ]
    return Sound(what, "a.zarr", files, tuple(checked), ends)


def _said(files: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    name = next(name for name in ("a.zarr/zarr.json", "a.zarr/.zarray") if name in files)
    return {**files, name: json.dumps({**json.loads(files[name]), **changes}).encode()}


def zarr_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Descriptions that are wrong, codecs that would run programs, links, bombs, nothing known."""
    files = written("a.zarr", lambda path: _stored(path, chunks=(6, 5, 4)))
    older = written("a.zarr", lambda path: _stored(path, zarr_format=2, chunks=(6, 5, 4), compressors={"id": "gzip"}))
    said, piece, older_piece = "a.zarr/zarr.json", "a.zarr/c/0/0/0", "a.zarr/0.0.0"
    big = int(rng.integers(10**6, 10**9))
    grid = {"name": "regular", "configuration": {"chunk_shape": [big, big, big]}}
    codecs = json.loads(files[said])["codecs"]
    changes: dict[str, dict[str, Any]] = {
        "too large": {"shape": [big, big, big]},
        "negative": {"shape": [-6, 5, 4]},
        "without shape": {"shape": None},
        "of text as shape": {"shape": "654"},
        "with vast pieces": {"chunk_grid": grid},
        "of another kind of numbers": {"data_type": "float1024"},
        "of objects": {"data_type": "object"},
        "packed by a pickle": {"codecs": [*codecs, {"name": "numcodecs.pickle", "configuration": {}}]},
        "packed by nobody knows what": {"codecs": [{"name": "what"}]},
        "without codecs": {"codecs": []},
        "of version 99": {"zarr_format": 99},
        "of no kind": {"node_type": "what"},
        "with transformers": {"storage_transformers": [{"name": "what"}]},
        "of nothing": {"shape": [0, 5, 4]},
    }
    for what, change in changes.items():
        yield Damaged(f"zarr {what}", "a.zarr", _said(files, **change))
    pickled = {"dtype": "|O", "filters": [{"id": "pickle"}], "compressor": None, "fill_value": None}
    older_changes: dict[str, dict[str, Any]] = {
        "of pickles": pickled,
        "with a filter that unpickles": {"filters": [{"id": "pickle"}]},
        "packed by a pickle": {"compressor": {"id": "pickle"}},
        "too large": {"shape": [big, big, big]},
        "of dust": {"shape": [2000, 2000, 1], "chunks": [1, 1, 1]},
        "of text": {"dtype": "<U3"},
    }
    for what, change in older_changes.items():
        broken = {**_said(older, **change), older_piece: marker.pickle(rng)}
        yield Damaged(f"zarr 2 {what}", "a.zarr", broken)
    yield Damaged("zarr that nests without end", "a.zarr", {**files, said: b"[" * 200_000})
    links: dict[str, Pieces] = {
        "piece that is a link": {**files, piece: Link("@secret.txt")},
        "piece that is a link to a sound one": {**files, piece: Link("../../../../b"), "b": files[piece]},
        "piece that is a pipe": {**files, piece: Pipe()},
        "piece of no bytes": {**files, piece: b""},
        "piece that is a pickle": {**files, piece: marker.pickle(rng)},
        "description that is a link": {**files, said: Link("@secret.txt")},
        "folder that is a link": {said: files[said], "a.zarr/c": Link("../b"), "b/0/0/0": files[piece]},
    }
    for what, broken in links.items():
        yield Damaged(f"zarr with a {what}", "a.zarr", broken)
    yield Damaged("zarr 2 bomb", "a.zarr", {**older, older_piece: gzip_zeros(2 * GIGABYTES, b"")})
    frame = b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 2**50) + b"\x01\x00\x00"
    yield Damaged("zarr with a piece said to be vast", "a.zarr", {**files, piece: frame})
    blosc = struct.pack("<BBBBIII", 2, 1, 0, 8, 2**31 - 17, 2**31 - 17, 200) + rng.bytes(184)
    tight = _said(older, compressor={"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0})
    yield Damaged("zarr 2 with a piece of blosc said to be vast", "a.zarr", {**tight, older_piece: blosc})
    nothing = written("a.zarr", lambda path: _stored(path, np.full((6, 5, 4), np.nan)))
    yield Damaged("zarr all nan", "a.zarr", nothing)
    yield Damaged("zarr without pieces, all nan", "a.zarr", {said: _said(files, fill_value="NaN")[said]})
    yield Damaged("zarr of no files", "a.zarr", {"a.zarr/": b""})


def zarr_zip_sounds() -> tuple[Sound, ...]:
    """Every file in a zip file has a checksum."""
    content = content_of("a.zarr.zip", lambda path: formats.write(path, Contents(NUMBERS)))
    return (whole("zarr zip", "a.zarr.zip", content, *payloads(content, "zarr.json", "c/0/0/0")),)


def zarr_zip_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Names that lead elsewhere, and bombs."""
    files = written("a.zarr", lambda path: _stored(path, chunks=(6, 5, 4)))
    inside = {name.removeprefix("a.zarr/"): content for name, content in files.items()}
    said, piece = inside["zarr.json"], inside["c/0/0/0"]
    for name in ("../../evil", "/etc/evil", "a/../../evil"):
        yield one(f"zarr zip with {name}", "a.zarr.zip", zipped({**inside, name: b"evil"}))
    yield one("zarr zip whose array is outside", "a.zarr.zip", zipped({"../zarr.json": said, "../c/0/0/0": piece}))
    yield one("zarr zip of nothing", "a.zarr.zip", zipped({}))
    yield one("zarr zip with an empty piece", "a.zarr.zip", zipped({**inside, "c/0/0/0": b""}))
    yield one("zarr zip with a pickle", "a.zarr.zip", zipped({**inside, "c/0/0/0": marker.pickle(rng)}))
    yield one("zarr zip with a vast description", "a.zarr.zip", bomb("zarr.json", said, 200 * MEGABYTES, len(said)))
    plain = json.loads(said)
    plain["codecs"] = [
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "gzip", "configuration": {"level": 5}},
    ]
    bombed = {"zarr.json": json.dumps(plain).encode(), "c/0/0/0": gzip_zeros(2 * GIGABYTES, gzip.compress(b""))}
    yield one("zarr zip bomb", "a.zarr.zip", zipped(bombed))
    nothing = content_of("a.zarr.zip", lambda path: formats.write(path, Contents(np.full((6, 5, 4), np.nan))))
    yield one("zarr zip all nan", "a.zarr.zip", nothing)
