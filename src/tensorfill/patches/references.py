"""Which reference patches are worth solving for: those with something missing, where the start is off."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from .model import Triple

_AROUND = 9  # sites along every mode over which squared misfits are averaged
_TILE = 32  # sites along two modes: settings are compared on some of these tiles
_SAMPLED, _FEWEST = 6, 3  # of so many tiles one is taken, unless that makes fewer

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


def touching(missing: Mask, patch: Triple) -> Mask:
    """First sites of patches with something missing; sites as three modes."""
    found = missing
    for mode, side in enumerate(patch):
        wide = found.copy()
        for step in range(1, side):
            by_index, ahead = np.moveaxis(wide, mode, 0), np.moveaxis(found, mode, 0)
            by_index[:-step] |= ahead[step:]
        found = wide
    return found


def local_misfit(squares: Floats, known: Floats) -> Floats:
    """The mean squared misfit around every site, from its sum over known bands and their number."""
    size = [min(_AROUND, extent) for extent in squares.shape]
    total, count = (uniform_filter(part, size, mode="constant") for part in (squares, known))
    usual = float(squares.sum(dtype=np.float64) / max(float(known.sum(dtype=np.float64)), 1.0))
    return np.asarray((total + 1e-3 * usual) / (count + 1e-3), dtype=np.float32)


def worst(misfit: Floats, share: float) -> Mask:
    """The fewest sites that hold this share of the squared error."""
    ordered = np.sort(misfit, axis=None)[::-1]
    covered = np.cumsum(ordered, dtype=np.float64)
    return np.asarray(misfit >= ordered[int(np.searchsorted(covered, share * covered[-1]))])


def patches_around(sites: Mask, patch: Triple) -> Mask:
    """First sites of the patches that have one of these sites in the middle."""
    return np.asarray(np.roll(sites, [-(side // 2) for side in patch], axis=(0, 1, 2)))


def sample_tiles(misfit: Floats) -> Mask:
    """Some tiles of a picture of misfits: every so many-th, from those with the largest sum to the smallest.

    The second is the first to be taken: where most of the error is in a few tiles, groups are solved for only there.
    """
    rows, columns = (np.arange(size) // _TILE for size in misfit.shape)
    number_of = np.add.outer(rows * (columns[-1] + 1), columns)
    totals = np.bincount(number_of.reshape(-1), misfit.reshape(-1))
    ordered = np.argsort(-totals, kind="stable")
    step = max(1, min(_SAMPLED, len(ordered) // _FEWEST))
    return np.isin(number_of, ordered[min(1, step - 1) :: step])
