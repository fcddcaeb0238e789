"""What groups start from: an estimate without some entries that are held out, and one with all that is known.

Where only strokes are missing, narrow holes through all bands such as scratches and writing, work around them is
enough: a thin plate fills them, and strokes like them are held out elsewhere. Nothing has to be learned about the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_dilation, distance_transform_cdt

from ..missingness import Missingness, collapse
from ..numerics.thin_plate import fill_by_thin_plate
from ..selection.judge import Judge
from ..tensor import SHORT
from .layout import Floats, Layout, Mask
from .settings import PatchSettings, StrokeSettings

_USUAL = StrokeSettings()


@dataclass(frozen=True, eq=False)
class Start:
    """What groups start from, in units in which the largest known value is 1."""

    mask: Mask
    values: Floats
    """Known values; anything elsewhere."""
    held: Mask
    judge: Judge
    before: Floats
    """An estimate that has not seen the held-out entries."""
    after: Floats
    """The same with all that is known."""
    noise: float
    places: frozenset[int]
    floor: float
    strokes: bool = False
    """Whether only a few narrow holes are missing, and the rest is known."""

    def error(self, predicted: Floats) -> float:
        """Of predictions of held-out entries, in order."""
        return self.judge.error(np.maximum(predicted, self.floor) - self.values[self.held])

    def share(self, predicted: Floats, others: Floats, settings: PatchSettings) -> float:
        """How much of predictions, and the rest of others, makes the smallest squared error."""
        change = (predicted - others).astype(np.float64)
        squares = float(np.sum(change**2))
        if len(change) < settings.enough_for_share or squares == 0:
            return 1.0
        best = np.sum((self.values[self.held] - others) * change) / squares
        return float(np.clip(best, settings.least_share, 1.0))

    def odds(self, predicted: Floats, others: Floats) -> float:
        """By how many standard errors the squared errors of predictions are larger than those of others."""
        truth = self.values[self.held].astype(np.float64)
        return self.judge.odds(predicted - truth, others - truth)


@dataclass(frozen=True, eq=False)
class Strokes:
    """Where they are."""

    layout: Layout
    """Of modes along which they vary."""
    missing: Mask
    """Sites, in three modes."""
    settings: StrokeSettings

    @classmethod
    def of(cls, pattern: Missingness, settings: StrokeSettings = _USUAL) -> Strokes | None:
        """The holes of a pattern, if they are strokes."""
        mask = pattern.mask
        if mask.mean() < 1 - settings.few or mask.all() or not pattern.structured or pattern.any_lost:
            return None
        small = collapse(mask)
        modes = tuple(mode for mode, size in enumerate(small.shape) if size > 1)
        if len(modes) not in (2, 3) or min(small.shape[mode] for mode in modes) <= SHORT:
            return None
        layout = Layout(mask.shape, modes)
        missing = ~layout.planar(small)[0].reshape(layout.extent)
        deepest = int(distance_transform_cdt(missing, "chessboard").max())
        shortest = min(small.shape[mode] for mode in modes)
        most = max(min(settings.deepest, settings.most_deep * shortest), settings.least_deep * shortest)
        return cls(layout, missing, settings) if deepest <= most else None


def start_from_strokes(
    strokes: Strokes, pattern: Missingness, values: Floats, floor: float, rng: np.random.Generator
) -> Start:
    """A thin plate through what is known, with strokes like the missing ones held out."""
    layout, missing, settings = strokes.layout, strokes.missing, strokes.settings
    planar = layout.planar(values).reshape(-1, *layout.extent)
    held = _hold_out_strokes(missing, rng, settings)
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
        noise=_rough_noise(planar, missing, settings),
        places=frozenset(layout.searched[:2]),
        floor=floor,
        strokes=True,
    )


def _fill(planar: Floats, missing: Mask, floor: float) -> Floats:
    filled = planar.copy()
    filled[:, missing] = np.maximum(fill_by_thin_plate(planar, missing), floor)
    return filled


def _hold_out_strokes(missing: Mask, rng: np.random.Generator, settings: StrokeSettings) -> Mask:
    """Some of the missing sites, moved to where all is known."""
    near = binary_dilation(
        missing, np.ones([1 if size == 1 else 3 for size in missing.shape]), iterations=settings.apart
    )
    best = np.zeros_like(missing)
    for _ in range(settings.shifts):
        steps = [
            int(rng.choice((-1, 1)) * rng.integers(settings.nearest, settings.farthest)) % size
            for size in missing.shape
        ]
        moved = np.roll(missing, steps, axis=(0, 1, 2)) & ~near
        if np.count_nonzero(moved) > np.count_nonzero(best):
            best = moved
    wanted = max(settings.held * np.count_nonzero(missing), settings.fewest_held)
    rows, columns, layers = (np.arange(size) // settings.tile for size in best.shape)
    tiles = np.add.outer(np.add.outer(rows * (columns[-1] + 1), columns) * (layers[-1] + 1), layers)
    counts = np.bincount(tiles.reshape(-1), best.reshape(-1))
    order = rng.permutation(np.flatnonzero(counts))
    chosen = order[np.cumsum(counts[order]) - counts[order] < wanted]
    return best & np.isin(tiles, chosen)


def _rough_noise(planar: Floats, missing: Mask, settings: StrokeSettings) -> float:
    """σ² from second differences along the last mode, which are small where a picture is smooth: from their median."""
    step = -(-missing.size // settings.looked_at)  # some rows of a large one are enough
    planar, missing = planar[:, ::step], missing[::step]
    differences = np.abs(planar[..., 2:] - 2 * planar[..., 1:-1] + planar[..., :-2])
    known = ~(missing[..., 2:] | missing[..., 1:-1] | missing[..., :-2])
    median = float(np.median(differences[:, known])) if known.any() else 0.0
    return max(settings.noise * (1.4826 * median) ** 2 / 6, settings.least_noise)
