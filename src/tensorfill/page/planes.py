"""Planes: how any tensor is looked at, as pictures of rows and columns with eight bits for each shade.

A tensor of shape (row, column, …[, channel]) has a plane for every index of the modes between. What can be missing is
a site: a place of a plane, with all its channels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formats import Contents
from ..formats.missing_values import has_channels
from ..views import shades_of

_COLOURS = 3
_LOOKED_AT = 2_000_000


@dataclass(frozen=True)
class Layout:
    """Which modes of a tensor are rows and columns, which lie between, and whether the last one is of channels."""

    shape: tuple[int, ...]
    channels: int
    """How many, 0 if there is no mode of channels."""

    @classmethod
    def of(cls, contents: Contents) -> Layout:
        """Of what was read."""
        return cls(contents.shape, contents.shape[-1] if contents.ndim > 2 and has_channels(contents) else 0)

    @property
    def between(self) -> tuple[int, ...]:
        """The sizes of the modes that planes are counted by."""
        return self.shape[2:-1] if self.channels else self.shape[2:]

    @property
    def count(self) -> int:
        """How many planes there are."""
        return math.prod(self.between)

    @property
    def sites(self) -> tuple[int, ...]:
        """The shape of what can be missing, planes first: (plane, row, column)."""
        return self.count, *self.shape[:2]

    @property
    def depth(self) -> int:
        """How many bytes a shown site has: three in colour, else one."""
        return _COLOURS if self.channels >= _COLOURS else 1

    def index(self, plane: int) -> tuple[Any, ...]:
        """What picks a plane out of the tensor, with its channels."""
        return (slice(None), slice(None), *(int(part) for part in np.unravel_index(plane, self.between or (1,))))[
            : 2 + len(self.between)
        ]

    def planes_first(self, sites: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Sites of shape (row, column, …) as (plane, row, column)."""
        return np.moveaxis(sites.reshape(*self.shape[:2], self.count), -1, 0)

    def as_tensor(self, sites: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The way back, and the same for every channel."""
        whole = np.moveaxis(sites, 0, -1).reshape(*self.shape[:2], *self.between)
        return np.ascontiguousarray(np.broadcast_to(whole[..., None], self.shape) if self.channels else whole)

    def all_known(self, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which sites are known in all their channels, planes first."""
        return self.planes_first(np.asarray(known.all(axis=-1)) if self.channels else known)


@dataclass(frozen=True)
class Shades:
    """The values shown as black and as white."""

    black: float
    white: float

    @classmethod
    def of(cls, data: NDArray[Any], known: NDArray[np.bool_]) -> Shades:
        """Those that show what is known best."""
        if data.dtype == np.bool_:
            return cls(0.0, 1.0)
        step = max(1, data.size // _LOOKED_AT)
        some = data.reshape(-1)[::step][known.reshape(-1)[::step]]
        if not some.size:
            some = data[known]
        black, white = shades_of(some) if some.size else (0.0, 1.0)
        return cls(float(black), float(white))

    def draw(self, part: NDArray[Any]) -> NDArray[np.uint8]:
        """Values as eight bits."""
        if part.dtype == np.uint8 and (self.black, self.white) == (0.0, 255.0):
            return part
        scaled = (part.astype(np.float32) - np.float32(self.black)) * np.float32(255 / (self.white - self.black))
        return np.asarray(np.rint(np.clip(np.nan_to_num(scaled, nan=0.0), 0, 255)), dtype=np.uint8)


def draw_plane(tensor: NDArray[Any], layout: Layout, shades: Shades, plane: int) -> NDArray[np.uint8]:
    """One plane as bytes: (row, column, 3) in colour, else (row, column)."""
    part = tensor[layout.index(plane)]
    if layout.channels:
        part = part[..., :_COLOURS] if layout.depth == _COLOURS else part[..., 0]
    return np.ascontiguousarray(shades.draw(part))


def draw_all(tensor: NDArray[Any], layout: Layout, shades: Shades) -> Iterator[bytes]:
    """Every plane, one after the other."""
    for plane in range(layout.count):
        yield draw_plane(tensor, layout, shades, plane).tobytes()


def pack(sites: NDArray[np.bool_]) -> bytes:
    """Eight sites in a byte, the first in its highest bit."""
    return np.packbits(sites.reshape(-1)).tobytes()


def unpack(packed: bytes, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The way back; raises ValueError for another length."""
    size = math.prod(shape)
    if len(packed) != -(-size // 8):
        raise ValueError("not as many sites as there are")
    return np.unpackbits(np.frombuffer(packed, np.uint8), count=size).view(np.bool_).reshape(shape)
