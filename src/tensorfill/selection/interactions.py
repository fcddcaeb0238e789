"""Tables of interactions, such as ratings: recognised by what is known of them alone.

Few entries are known; of some indices there are many, of most hardly any; and nothing is next to anything: what two
known entries have in common beyond their indices' own effects does not depend on whether they are neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..observed import ObservedTensor
from ..tensor import SHORT, Array, entries


@dataclass(frozen=True, kw_only=True)
class Recognising:
    """From when on a tensor counts as a table of interactions."""

    few: float = 0.2  # share of known entries, at most
    least: int = 200  # known entries
    uneven: float = 3.0  # variance of how many are known of an index, over what chance would make it, in some mode
    sample: int = 20_000  # known entries whose neighbours are looked for
    enough: int = 50  # neighbours that tell whether a mode has an order
    alike: float = 0.4  # correlation of neighbours from which on it has one


RECOGNISING = Recognising()


def is_table_of_interactions(observed: ObservedTensor, settings: Recognising = RECOGNISING) -> bool:
    """Whether what is known looks like one."""
    if observed.share > settings.few or observed.count < settings.least:
        return False
    indices = np.unravel_index(observed.positions, observed.shape)
    if max(map(_unevenness, indices, observed.shape)) < settings.uneven:
        return False
    left = _without_effects(observed.values, indices, observed.shape)
    return not any(
        _neighbours_correlate(observed, left, indices[mode], mode, settings)
        for mode, size in enumerate(observed.shape)
        if size > SHORT
    )


def _unevenness(indices: NDArray[np.intp], size: int) -> float:
    """The variance of how many entries are known of an index, over their mean: 1 by chance."""
    counts = np.bincount(indices, minlength=size)
    return float(counts.var() / counts.mean())


def _without_effects(values: Array, indices: tuple[NDArray[np.intp], ...], shape: tuple[int, ...]) -> Array:
    """Values less the mean, and the mean of what is left of every index, mode by mode."""
    left: Array = values - values.mean()
    for numbers, size in zip(indices, shape, strict=True):
        counts = np.bincount(numbers, minlength=size)
        left = left - (np.bincount(numbers, left, minlength=size) / np.maximum(counts, 1))[numbers]
    return np.asarray(left)


def _neighbours_correlate(
    observed: ObservedTensor, left: Array, indices: NDArray[np.intp], mode: int, settings: Recognising
) -> bool:
    """Whether known entries that are next to each other along a mode are alike in what is left of them."""
    step = entries(observed.shape[mode + 1 :])
    some = np.linspace(0, observed.count - 1, min(settings.sample, observed.count)).astype(np.int64)
    some = some[indices[some] + 1 < observed.shape[mode]]
    wanted = observed.positions[some] + step
    nearest = np.searchsorted(observed.positions, wanted).clip(max=observed.count - 1)
    both = observed.positions[nearest] == wanted
    if np.count_nonzero(both) < settings.enough:
        return False
    one, other = left[some[both]], left[nearest[both]]
    size = float(np.sqrt(np.mean(one**2) * np.mean(other**2)))
    return size > 0 and float(np.mean(one * other)) > settings.alike * size
