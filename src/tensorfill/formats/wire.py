"""Values as bytes between two processes: JSON in front, then the numbers as they are in memory. Never a pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .. import errors
from .contents import Contents
from .metadata import Density, Metadata

_LENGTH = 8
_LONGEST = 2**28
_PLAIN = "biufSU"


def send(stream: BinaryIO, value: Any) -> None:
    """Write all of it: contents, or anything made of numbers, text, bytes, arrays, tuples and mappings."""
    arrays: list[NDArray[Any]] = []
    packed = _pack(value, arrays)
    _send_front(stream, {"value": packed, "arrays": [[array.dtype.str, array.shape] for array in arrays]})
    for array in arrays:
        stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    stream.flush()


def send_error(stream: BinaryIO, error: errors.TensorfillError) -> None:
    """Write what was wrong instead."""
    _send_front(stream, {"error": type(error).__name__, "sentence": str(error)})
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """What `send` wrote; raises what `send_error` told, and EOFError or ValueError for anything else."""
    length = int.from_bytes(_exactly(stream, _LENGTH))
    if length > _LONGEST:
        raise ValueError("not what was agreed on")
    front = json.loads(_exactly(stream, length))
    if "error" in front:
        raise getattr(errors, front["error"])(front["sentence"])
    arrays = [_array(stream, np.dtype(dtype), tuple(shape)) for dtype, shape in front["arrays"]]
    return _unpack(front["value"], arrays)


def _send_front(stream: BinaryIO, front: Mapping[str, Any]) -> None:
    text = json.dumps(front).encode()
    stream.write(len(text).to_bytes(_LENGTH))
    stream.write(text)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    got = stream.read(length)
    if len(got) < length:
        raise EOFError
    return got


def _array(stream: BinaryIO, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if dtype.kind not in _PLAIN:
        raise ValueError("not what was agreed on")
    array = np.empty(shape, dtype=dtype)
    into = array.reshape(-1).view(np.uint8).data
    filled = 0
    while filled < len(into):
        got = stream.readinto(into[filled:])  # type: ignore[attr-defined]
        if not got:
            raise EOFError
        filled += got
    return array


def _pack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """As JSON, where every object is one pair of a type and a value."""
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, np.ndarray | np.generic):
        arrays.append(np.asarray(value))
        return {"array" if isinstance(value, np.ndarray) else "number": len(arrays) - 1}
    if isinstance(value, Contents | Metadata):
        told = {field.name: getattr(value, field.name) for field in fields(value)}
        return {type(value).__name__: _pack(told, arrays)}
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


def _unpack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return [_unpack(entry, arrays) for entry in value]
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
        case "Contents":
            return Contents(**_unpack(inner, arrays))
        case "Metadata":
            return Metadata(**_unpack(inner, arrays))
        case "Density":
            return Density(*_unpack(inner, arrays))
        case "fraction":
            return Fraction(inner)
        case "tuple":
            return tuple(_unpack(entry, arrays) for entry in inner)
        case _:
            return {key: _unpack(entry, arrays) for key, entry in inner}
