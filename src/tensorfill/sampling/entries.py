"""Known entries of a sparse tensor, taken out at random or at the end: nothing of the size of the tensor is built."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..observed import ObservedTensor
from ..tensor import Array, entries


@dataclass(frozen=True, eq=False)
class HeldEntries:
    """Entries by their coordinates, and their values."""

    coordinates: NDArray[np.int64]
    values: Array


def hold_out_entries(data: ObservedTensor, count: int, rng: np.random.Generator) -> tuple[ObservedTensor, HeldEntries]:
    """The tensor without so many of its known entries, drawn at random, and those; one at least is left."""
    return _split(data, rng.choice(data.count, min(count, data.count - 1), replace=False))


def hold_out_last(
    data: ObservedTensor, count: int, mode: int, rng: np.random.Generator
) -> tuple[ObservedTensor, HeldEntries]:
    """The same for the last entries along a mode, such as the newest ratings; drawn where not all at an index are."""
    drawn = rng.permutation(data.count)
    order = drawn[np.argsort(_indices(data, mode)[drawn], kind="stable")]
    return _split(data, order[data.count - min(count, data.count - 1) :])


def _split(data: ObservedTensor, held: NDArray[np.intp]) -> tuple[ObservedTensor, HeldEntries]:
    inside = np.zeros(data.count, dtype=bool)
    inside[held] = True
    where = np.stack(np.unravel_index(data.positions[inside], data.shape), axis=1).astype(np.int64)
    return _keep(data, ~inside), HeldEntries(where, data.values[inside])


def take_slices(data: ObservedTensor, most: int, rng: np.random.Generator) -> ObservedTensor:
    """The tensor with about so many of its known entries at most: all those of some slices of its longest mode.

    So each of these slices keeps what is known of it, as a user keeps all ratings.
    """
    if data.count <= most:
        return data
    mode = int(np.argmax(data.shape))
    indices = _indices(data, mode)
    counts = np.bincount(indices, minlength=data.shape[mode])
    drawn = rng.permutation(data.shape[mode])
    chosen = np.zeros(data.shape[mode], dtype=bool)
    chosen[drawn[np.cumsum(counts[drawn]) <= most]] = True
    inside = chosen[indices]
    return _keep(data, inside) if inside.any() else data


def _indices(data: ObservedTensor, mode: int) -> NDArray[np.int64]:
    """Of known entries along a mode."""
    return np.asarray(data.positions // entries(data.shape[mode + 1 :]) % data.shape[mode])


def _keep(data: ObservedTensor, inside: NDArray[np.bool_]) -> ObservedTensor:
    return replace(data, positions=data.positions[inside], known=data.known[inside])
