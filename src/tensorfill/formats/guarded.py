"""Decoding in a child process, for libraries that may crash, hang or fill the memory on damaged files.

Of 1,500 damaged HDF5 files, libhdf5 2.0 crashed on 5 and did not end on 1. Nothing in the same process can catch that.
What goes from one process to the other is JSON, and then the numbers as they are in memory. Never a pickle: whoever
took over the child would have the parent, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from .. import errors
from . import damage
from .contents import Contents, Density, Metadata, Reading, TableWords
from .damage import damaged, readable
from .file_array import FileArray
from .scratch import Scratch

_LENGTH = 8
_LONGEST = 2**28
_PLAIN = "biufSU"
_RECORDS = {record.__name__: record for record in (Contents, Metadata, Reading, TableWords)}
_LONGEST_NAME = 64


def decode_guarded(form: type, kind: str, path: Path, how: Reading) -> Contents:
    """What this format's `decode` returns in the child; its crash is damage of the file, which should be `kind`."""
    question = json.dumps(_pack((form.__module__, form.__name__, os.fspath(path), how), []))
    places = os.pathsep.join([str(Path(__file__).parents[2]), *(place for place in sys.path if place)])
    with (
        readable(path, kind),
        subprocess.Popen(
            [sys.executable, "-P", "-c", f"import {__name__} as guarded; guarded.answer()", question],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": places},
        ) as child,
    ):
        try:
            return cast(Contents, _receive(cast(BinaryIO, child.stdout), how.scratch))
        except (EOFError, LookupError, TypeError, AttributeError) as error:
            raise damaged(path, kind) from error
        finally:
            child.kill()


def answer() -> None:
    """In the child: decode, hand over, and end at once, for a library that stumbled need not tidy up."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not disturb the numbers
    module, name, path, how = _unpack(json.loads(sys.argv[1]), [], None)
    form = getattr(import_module(module), name)()
    damage.start()
    try:
        _send(out, form.decode(Path(path), how).put_down(how.scratch))
    except errors.TensorfillError as error:
        _send_front(out, {"error": type(error).__name__, "sentence": str(error)})
    out.close()
    os._exit(0)


def _send(stream: BinaryIO, contents: Contents) -> None:
    arrays: list[NDArray[Any]] = []
    packed = _pack(contents, arrays)
    _send_front(stream, {"value": packed, "arrays": [[array.dtype.str, array.shape] for array in arrays]})
    for array in arrays:
        stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def _send_front(stream: BinaryIO, front: Mapping[str, Any]) -> None:
    text = json.dumps(front).encode()
    stream.write(len(text).to_bytes(_LENGTH) + text)


def _receive(stream: BinaryIO, scratch: Scratch | None) -> Any:
    """What was sent; raises the error that was, and EOFError or ValueError for anything else."""
    length = int.from_bytes(_read_exactly(stream, _LENGTH))
    if length > _LONGEST:
        raise ValueError("not what was agreed on")
    front = json.loads(_read_exactly(stream, length))
    if "error" in front:
        raise getattr(errors, front["error"])(front["sentence"])
    arrays = [_receive_array(stream, np.dtype(dtype), tuple(shape)) for dtype, shape in front["arrays"]]
    return _unpack(front["value"], arrays, scratch)


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    got = stream.read(length)
    if len(got) < length:
        raise EOFError
    return got


def _receive_array(stream: BinaryIO, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if dtype.kind not in _PLAIN:
        raise ValueError("not what was agreed on")
    array = np.empty(shape, dtype=dtype)
    if stream.readinto(array.reshape(-1).view(np.uint8).data) < array.nbytes:  # type: ignore[attr-defined]
        raise EOFError
    return array


def _pack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """As JSON, where every object is one pair of a type and a value."""
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, np.ndarray | np.generic):
        arrays.append(np.asarray(value))
        return {"array" if isinstance(value, np.ndarray) else "number": len(arrays) - 1}
    if type(value).__name__ in _RECORDS:
        told = {field.name: getattr(value, field.name) for field in fields(value)}
        return {type(value).__name__: _pack(told, arrays)}
    if isinstance(value, FileArray):
        return {"file": [value.path.name, value.stored.str, *map(list, (value.shape, value.strides)), value.offset]}
    if isinstance(value, Scratch):
        return {"scratch": [os.fspath(value.folder), value.large]}
    if isinstance(value, Density):
        return {"Density": _pack([*value], arrays)}
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, Mapping):
        return {"map": [[key, _pack(entry, arrays)] for key, entry in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_pack(entry, arrays) for entry in value]}
    if isinstance(value, list):
        return [_pack(entry, arrays) for entry in value]
    return value


def _unpack(value: Any, arrays: list[NDArray[Any]], scratch: Scratch | None) -> Any:
    """What was packed; files are taken from `scratch` alone."""
    if isinstance(value, list):
        return [_unpack(entry, arrays, scratch) for entry in value]
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    match kind:
        case "array":
            return arrays[inner]
        case "number":
            return arrays[inner][()]
        case "bytes":
            return inner.encode("latin-1")
        case "Density":
            return Density(*_unpack(inner, arrays, scratch))
        case "fraction":
            return Fraction(inner)
        case "tuple":
            return tuple(_unpack(entry, arrays, scratch) for entry in inner)
        case "map":
            return {key: _unpack(entry, arrays, scratch) for key, entry in inner}
        case "file":
            return _find_file(inner, scratch)
        case "scratch":
            return Scratch(Path(inner[0]), inner[1])
        case _:
            return _RECORDS[kind](**_unpack(inner, arrays, scratch))


def _find_file(told: list[Any], scratch: Scratch | None) -> FileArray:
    """An array that was put down in `scratch`; a place elsewhere, or outside of the file, is not believed."""
    name, dtype, shape, strides, offset = told
    stored = np.dtype(dtype)
    if scratch is None or not name.isalnum() or len(name) > _LONGEST_NAME or stored.kind not in _PLAIN:
        raise ValueError("not what was agreed on")
    path = scratch.folder / name
    ends = [(int(size) - 1) * int(stride) for size, stride in zip(shape, strides, strict=True)]
    low, high = int(offset) + sum(min(0, end) for end in ends), int(offset) + sum(max(0, end) for end in ends)
    is_inside = low >= 0 and high + stored.itemsize <= path.lstat().st_size and min(shape, default=1) > 0
    if not is_inside or not path.is_file() or path.is_symlink():
        raise ValueError("not what was agreed on")
    return FileArray(path, stored, tuple(map(int, shape)), tuple(map(int, strides)), int(offset))
