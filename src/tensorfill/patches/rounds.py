"""One round: all groups of a grid of reference patches, and the weighted average of what they say of every site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numerics.threads import share
from .groups import solve_groups
from .model import GroupModel, Triple

_BANDS = 32  # pieces that reference patches are cut into along the first mode, whatever the number of threads
_AT_A_TIME = 16  # of them have sums of their own at the same time, so that memory is bounded

# σ² relative to the trace of Σ. With less noise, rounding would make it indefinite: in single or in double precision.
_SINGLE, _DOUBLE = 2e-5, 4e-14
_TINY = 1e-5  # relative to that of Σ₀: noise that single precision would take for more than it is, in too many groups
_MOST_EXACT = 2_000_000  # coefficients: beyond that time and memory count for more

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PatchData:
    """What groups are conditioned on: bands of sites, and how coefficients make them."""

    extent: Triple
    values: Floats
    """Band, site: what is observed less what the basis cannot tell."""
    known: NDArray[np.bool_]
    basis: Floats
    """From coefficients to bands."""
    plain: bool
    """Whether the basis is the identity."""


@dataclass(frozen=True, eq=False)
class Average:
    """What groups say of every coefficient, next to the x they started from."""

    change: Floats
    """Zero where no group said anything."""
    variance: Floats
    """Posterior variances, and how much groups disagree; NaN where none said anything."""


def average_groups(
    x: NDArray[Any],
    data: PatchData,
    model: GroupModel,
    common: NDArray[Any],
    shift: Triple = (0, 0, 0),
    active: NDArray[np.bool_] | None = None,
) -> Average:
    """One round from x, coefficients of sites. With `active`, only reference patches that begin at such a site.

    If noise is tiny, work is done in double precision, which takes half as long again.
    """
    exact = model.noise < _TINY * float(np.trace(common)) and x.size <= _MOST_EXACT
    kind = np.float64 if exact else np.float32
    x, values, basis, common = (np.asarray(part, dtype=kind) for part in (x, data.values, data.basis, common))
    extent = data.extent
    grid = model.grid(extent, shift)
    bands = np.array_split(grid[0], min(len(grid[0]), _BANDS))
    sums = np.zeros((3, *x.shape), kind)
    plane = extent[1] * extent[2]
    settings = (
        np.array(extent),
        np.array(model.patch),
        np.array(model.window),
        model.offsets(extent),
    )

    def solve(band: NDArray[np.int64]) -> tuple[int, Floats]:
        a, b, c = np.meshgrid(band, grid[1], grid[2], indexing="ij")
        references = ((a * extent[1] + b) * extent[2] + c).reshape(-1)
        if active is not None:
            references = references[active[references]]
        if not len(references):
            return 0, sums[:, :, :0]
        low = max(0, int(band[0]) - model.window[0])
        high = min(extent[0], int(band[-1]) + model.window[0] + model.patch[0])
        own = np.zeros((3, len(x) * (high - low) * plane), kind)
        solve_groups(
            x.reshape(-1),
            values.reshape(-1),
            data.known.reshape(-1),
            basis,
            data.plain,
            *settings,
            references,
            model.members,
            model.informers,
            model.passes,
            model.every,
            kind(model.strength),
            kind(model.noise),
            kind(_DOUBLE if exact else _SINGLE),
            common,
            low * plane,
            own,
        )
        return low * plane, own.reshape(3, len(x), -1)

    for start in range(0, len(bands), _AT_A_TIME):
        some = bands[start : start + _AT_A_TIME]
        found: list[tuple[int, Floats]] = [(0, sums[:, :, :0])] * len(some)

        def work(piece: int, some: Any = some, found: Any = found) -> None:
            found[piece] = solve(some[piece])

        share(work, len(some))
        for first, own in found:  # in order, whoever was ready first
            sums[:, :, first : first + own.shape[2]] += own
    change, weights, variance = sums  # in place, for arrays are large
    reached = (weights > 0) & np.isfinite(change) & np.isfinite(weights)
    np.maximum(weights, np.finfo(np.float32).tiny, out=weights)
    change /= weights
    variance /= weights
    variance -= np.square(change, out=weights)
    change[~reached] = 0
    variance[~reached] = np.nan
    return Average(change.astype(np.float32, copy=False), variance.astype(np.float32, copy=False))
