"""One round of mending: all patches of a grid that touch a hole, and the weighted average of what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numerics.threads import share
from .mending import mend_patches
from .model import GroupModel, Triple
from .references import touching

_PIECES = 32  # that reference patches are cut into, whatever the number of threads

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Mended:
    """What patches say of missing sites: a row per coefficient, a column for each of `sites`."""

    sites: NDArray[np.intp]
    means: Floats
    """Those of x where no patch said anything."""
    variance: Floats
    """With how much patches disagree; NaN where none said anything."""


def mend(
    x: Floats,
    missing: Mask,
    model: GroupModel,
    common: Floats,
    shift: Triple = (0, 0, 0),
    where: Mask | None = None,
) -> Mended:
    """One round from x, coefficients of sites; `missing` has three modes.

    With `where`, only patches that touch these of the missing sites.
    """
    extent: Triple = (missing.shape[0], missing.shape[1], missing.shape[2])
    active = touching(missing if where is None else where, model.patch)
    a, b, c = np.meshgrid(*model.grid(extent, shift), indexing="ij")
    references = ((a * extent[1] + b) * extent[2] + c).reshape(-1)
    pieces = np.array_split(references[active.reshape(-1)[references]], _PIECES)
    offsets = model.offsets(extent)
    settings = np.array(extent), np.array(model.patch), np.array(model.window), offsets
    known = ~missing.reshape(-1)
    found: list[Floats] = [np.zeros((3, 0), np.float32)] * len(pieces)

    def work(number: int) -> None:
        piece = pieces[number]
        if len(piece):
            own = np.zeros((3, len(x) * int(piece[-1] - piece[0] + offsets[-1] + 1)), np.float32)
            mend_patches(
                x.reshape(-1),
                known,
                *settings,
                piece,
                model.members,
                model.informers,
                np.float32(model.strength),
                np.float32(model.noise),
                common,
                int(piece[0]),
                own,
            )
            found[number] = own

    share(work, len(pieces))
    sites = np.flatnonzero(missing)
    sums = np.zeros((3, len(x), len(sites)), np.float32)
    for piece, own in zip(pieces, found, strict=True):  # in order, whoever was ready first
        if len(piece):
            columns = slice(*np.searchsorted(sites, [piece[0], piece[-1] + offsets[-1] + 1]))
            sums[:, :, columns] += own.reshape(3, len(x), -1)[:, :, sites[columns] - piece[0]]
    change, weights, squares = sums
    reached = (weights > 0) & np.isfinite(change) & np.isfinite(weights)
    weights = np.where(reached, weights, np.float32(1))
    change = np.where(reached, change / weights, np.float32(0))
    variance = np.where(reached, np.maximum(squares / weights - change**2, 0), np.float32(np.nan))
    return Mended(sites, x[:, sites] + change, np.asarray(variance, dtype=np.float32))
