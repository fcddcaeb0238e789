"""Strokes: narrow holes through all bands, such as scratches and writing, of which there are few.

Then work around the holes is enough: a thin plate fills them, strokes like them are held out elsewhere, and groups are
solved for where a patch touches a hole. Nothing has to be learned about the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, distance_transform_cdt

from ..missingness import Missingness, collapse
from ..numerics.thin_plate import fill_by_thin_plate
from ..selection.judge import Judge
from ..tensor import SHORT
from .layout import Layout
from .start import Start

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_FEW = 0.2  # share of the sites that is missing, at most
_DEEPEST = 4  # sites between a missing one and what is known
_LEAST_DEEP, _MOST_DEEP = 1 / 30, 1 / 8  # of the shortest mode: the same where it is long, or very short
_SHIFTS = 6  # places that are looked at for strokes to hold out
_NEAREST, _FARTHEST = 12, 60  # sites by which strokes are moved along every mode
_APART = 4  # sites between what is held out and what is missing
_TILE = 32  # sites: strokes are held out by tiles
_SHARE, _FEWEST = 0.4, 2000  # of the missing sites, and sites, that are held out
_NOISE = 0.4  # of the squared differences between neighbours that smooth surfaces do not have, in the median
_LOOKED_AT = 2**20  # sites from which noise is told
_LEAST_NOISE = 1e-6  # σ², of values of size 1


@dataclass(frozen=True, eq=False)
class Strokes:
    """Where they are."""

    layout: Layout
    """Of modes along which they vary."""
    missing: Mask
    """Sites, in three modes."""

    @classmethod
    def of(cls, pattern: Missingness) -> Strokes | None:
        """The holes of a pattern, if they are strokes."""
        mask = pattern.mask
        if mask.mean() < 1 - _FEW or mask.all() or not pattern.structured or pattern.any_lost:
            return None
        small = collapse(mask)
        modes = tuple(mode for mode, size in enumerate(small.shape) if size > 1)
        if len(modes) not in (2, 3) or min(small.shape[mode] for mode in modes) <= SHORT:
            return None
        layout = Layout(mask.shape, modes)
        missing = ~layout.planar(small)[0].reshape(layout.extent)
        deepest = int(distance_transform_cdt(missing, "chessboard").max())
        shortest = min(small.shape[mode] for mode in modes)
        most = max(min(_DEEPEST, _MOST_DEEP * shortest), _LEAST_DEEP * shortest)
        return cls(layout, missing) if deepest <= most else None


def start_from_strokes(
    strokes: Strokes, pattern: Missingness, values: Floats, floor: float, rng: np.random.Generator
) -> Start:
    """A thin plate through what is known, with strokes like the missing ones held out."""
    layout, missing = strokes.layout, strokes.missing
    planar = layout.planar(values).reshape(-1, *layout.extent)
    held = _hold_out_strokes(missing, rng)
    before, after = (_fill(planar, sites, floor) for sites in (missing | held, missing))
    everywhere = (layout.band_count, missing.size)
    held_entries = layout.tensor(np.broadcast_to(held.reshape(-1), everywhere)).copy()
    return Start(
        mask=pattern.mask,
        values=values,
        held=held_entries,
        judge=Judge.of(pattern, held_entries),
        before=layout.tensor(before.reshape(everywhere)),
        after=layout.tensor(after.reshape(everywhere)),
        noise=_rough_noise(planar, missing),
        places=frozenset(layout.searched[:2]),
        floor=floor,
        strokes=True,
    )


def _fill(planar: Floats, missing: Mask, floor: float) -> Floats:
    filled = planar.copy()
    filled[:, missing] = np.maximum(fill_by_thin_plate(planar, missing), floor)
    return filled


def _hold_out_strokes(missing: Mask, rng: np.random.Generator) -> Mask:
    """Some of the missing sites, moved to where all is known."""
    near = binary_dilation(missing, np.ones([1 if size == 1 else 3 for size in missing.shape]), iterations=_APART)
    best = np.zeros_like(missing)
    for _ in range(_SHIFTS):
        steps = [int(rng.choice((-1, 1)) * rng.integers(_NEAREST, _FARTHEST)) % size for size in missing.shape]
        moved = np.roll(missing, steps, axis=(0, 1, 2)) & ~near
        if np.count_nonzero(moved) > np.count_nonzero(best):
            best = moved
    wanted = max(_SHARE * np.count_nonzero(missing), _FEWEST)
    rows, columns, layers = (np.arange(size) // _TILE for size in best.shape)
    tiles = np.add.outer(np.add.outer(rows * (columns[-1] + 1), columns) * (layers[-1] + 1), layers)
    counts = np.bincount(tiles.reshape(-1), best.reshape(-1))
    order = rng.permutation(np.flatnonzero(counts))
    chosen = order[np.cumsum(counts[order]) - counts[order] < wanted]
    return best & np.isin(tiles, chosen)


def _rough_noise(planar: Floats, missing: Mask) -> float:
    """σ² from second differences along the last mode, which are small where a picture is smooth: from their median."""
    step = -(-missing.size // _LOOKED_AT)  # some rows of a large one are enough
    planar, missing = planar[:, ::step], missing[::step]
    differences = np.abs(planar[..., 2:] - 2 * planar[..., 1:-1] + planar[..., :-2])
    known = ~(missing[..., 2:] | missing[..., 1:-1] | missing[..., :-2])
    median = float(np.median(differences[:, known])) if known.any() else 0.0
    return max(_NOISE * (1.4826 * median) ** 2 / 6, _LEAST_NOISE)
