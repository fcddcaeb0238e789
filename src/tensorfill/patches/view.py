"""View: a start seen as sites with bands, the groups that are worth solving for, and a round of all of them.

A round solves all groups of a grid of reference patches, and averages what they say of every site. Only those are worth
it that have something missing, where the start is off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from ..numerics.threads import share
from .groups import solve_groups
from .layout import Bands, Floats, Layout, Mask, Triple
from .planning import GroupModel, common_covariance, first_sites
from .settings import PatchSettings, RoundSettings
from .start import Start

_USUAL = PatchSettings()


@dataclass(frozen=True, eq=False)
class View:
    """Functions of coefficients x, one row for each, a column per site."""

    start: Start
    layout: Layout
    model: GroupModel
    bands: Bands
    x: Floats
    """Those of the start, without held-out entries."""
    common: Floats
    active: Mask
    """First sites of reference patches."""
    settings: PatchSettings

    @classmethod
    def of(cls, start: Start, layout: Layout, model: GroupModel, settings: PatchSettings, seed: int) -> View:
        """That of a start."""
        before = np.maximum(layout.planar(start.before), np.float32(start.floor))
        known = layout.planar(start.mask & ~start.held)
        values = layout.planar(start.values)
        bands = Bands.of(before, known, settings.model)
        x = _put_back(bands, bands.coefficients(before), values, known)
        squares = np.where(known, (values - before) ** 2, np.float32(0)).sum(axis=0).reshape(layout.extent)
        counts = known.sum(axis=0).astype(np.float32).reshape(layout.extent)
        misfit = local_misfit(squares, counts, settings)
        missing = np.asarray((~known).any(axis=0)).reshape(layout.extent)
        covered = settings.covered if len(layout.searched) == 2 else settings.covered_in_volumes
        active = touching(missing, model.patch) & patches_around(worst(misfit, covered), model.patch)
        common = common_covariance(x, model, layout.extent, np.random.default_rng([seed, 1]))
        return cls(start, layout, model, bands, x, common, active.reshape(-1), settings)

    def average(self, x: Floats, known: Mask, shift: Triple, where: Mask | None = None) -> Average:
        """One round from x, if these entries are known; only groups that begin at a site in `where`."""
        values, observed = self.bands.observed(self.layout.planar(self.start.values), self.layout.planar(known))
        direct = self.bands.direct
        basis = np.eye(len(x), dtype=np.float32) if direct else self.bands.basis
        data = PatchData(self.layout.extent, values, observed, basis, direct)
        active = self.active if where is None else self.active & where
        return average_groups(x, data, self.model, self.common, shift, active, self.settings.round)

    def moved(self, x: Floats, known: Mask, average: Average, relaxation: float) -> Floats:
        """x after a round."""
        moved = x + np.float32(relaxation) * average.change
        if self.bands.has_bounds:
            np.maximum(moved, np.float32(self.start.floor), out=moved)
        return self.kept(moved, known)

    def kept(self, x: Floats, known: Mask) -> Floats:
        """x with what is known put back, if that can be said of coefficients."""
        return _put_back(self.bands, x, self.layout.planar(self.start.values), self.layout.planar(known))

    def tensor(self, x: Floats) -> Floats:
        """The tensor, nowhere below the floor."""
        return np.asarray(np.maximum(self.layout.tensor(self.bands.bands(x)), np.float32(self.start.floor)))

    def entries(self, sites: Mask) -> Mask:
        """All bands of some sites."""
        return self.layout.tensor(np.broadcast_to(sites, (self.layout.band_count, sites.size)))


def _put_back(bands: Bands, x: Floats, values: Floats, known: Mask) -> Floats:
    if not bands.direct:
        return x
    observed, where = bands.observed(values, known)
    return np.where(where, observed, x)


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


def local_misfit(squares: Floats, known: Floats, settings: PatchSettings = _USUAL) -> Floats:
    """The mean squared misfit around every site, from its sum over known bands and their number."""
    size = [min(settings.around, extent) for extent in squares.shape]
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


def sample_tiles(misfit: Floats, settings: PatchSettings = _USUAL) -> Mask:
    """Some tiles of a picture of misfits: every so many-th, from those with the largest sum to the smallest.

    The second is the first to be taken: where most of the error is in a few tiles, groups are solved for only there.
    """
    rows, columns = (np.arange(size) // settings.tile for size in misfit.shape)
    number_of = np.add.outer(rows * (columns[-1] + 1), columns)
    totals = np.bincount(number_of.reshape(-1), misfit.reshape(-1))
    ordered = np.argsort(-totals, kind="stable")
    step = max(1, min(settings.sampled, len(ordered) // settings.fewest_tiles))
    return np.isin(number_of, ordered[min(1, step - 1) :: step])


@dataclass(frozen=True, eq=False)
class PatchData:
    """What groups are conditioned on: bands of sites, and how coefficients make them."""

    extent: Triple
    values: NDArray[Any]
    """Band, site: what is observed less what the basis cannot tell."""
    known: NDArray[np.bool_]
    basis: NDArray[Any]
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
    active: Mask | None = None,
    settings: RoundSettings = _USUAL.round,
) -> Average:
    """One round from x, coefficients of sites. With `active`, only reference patches that begin at such a site.

    If noise is tiny, work is done in double precision, which takes half as long again.
    """
    exact = model.noise < settings.tiny * float(np.trace(common)) and x.size <= settings.most_exact
    kind = np.float64 if exact else np.float32
    rounding = kind(settings.rounding_exact if exact else settings.rounding)
    x, common = np.asarray(x, dtype=kind), np.asarray(common, dtype=kind)
    data = replace(data, values=np.asarray(data.values, dtype=kind), basis=np.asarray(data.basis, dtype=kind))
    rows, *others = model.grid(data.extent, shift)
    bands = np.array_split(rows, min(len(rows), settings.pieces))
    sums = np.zeros((3, *x.shape), kind)
    for start in range(0, len(bands), settings.at_a_time):
        some = bands[start : start + settings.at_a_time]
        found: list[tuple[int, NDArray[Any]]] = [(0, sums[:, :, :0])] * len(some)

        def work(piece: int, some: Any = some, found: Any = found) -> None:
            references = first_sites((some[piece], *others), data.extent, active)
            if len(references):
                found[piece] = _solve_band(x, data, model, common, rounding, some[piece], references)

        share(work, len(some))
        for first, own in found:  # in order, whoever was ready first
            sums[:, :, first : first + own.shape[2]] += own
    change, variance = divide_sums(sums)
    return Average(change.astype(np.float32, copy=False), variance.astype(np.float32, copy=False))


def _solve_band(
    x: NDArray[Any],
    data: PatchData,
    model: GroupModel,
    common: NDArray[Any],
    rounding: Any,
    band: NDArray[np.int64],
    references: NDArray[np.int64],
) -> tuple[int, NDArray[Any]]:
    """Sums over the groups of references that begin in a band of the first mode, and the site from which they are."""
    extent, kind = data.extent, x.dtype.type
    plane = extent[1] * extent[2]
    low = max(0, int(band[0]) - model.window[0])
    high = min(extent[0], int(band[-1]) + model.window[0] + model.patch[0])
    own = np.zeros((3, len(x) * (high - low) * plane), kind)
    flat = x.reshape(-1), data.values.reshape(-1), data.known.reshape(-1), data.basis, data.plain
    sizes = np.array(extent), np.array(model.patch), np.array(model.window), model.offsets(extent)
    counts = model.members, model.informers, model.passes, model.every
    numbers = kind(model.strength), kind(model.noise), rounding
    solve_groups(*flat, *sizes, references, *counts, *numbers, common, low * plane, own)
    return low * plane, own.reshape(3, len(x), -1)


def divide_sums(sums: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Weighted means and variances from weighted sums, the weights and weighted squares; in place, as they are large.

    Where nothing was added, the mean is zero and the variance NaN.
    """
    change, weights, variance = sums
    reached = (weights > 0) & np.isfinite(change) & np.isfinite(weights)
    np.maximum(weights, np.finfo(np.float32).tiny, out=weights)
    change /= weights
    variance /= weights
    variance -= np.square(change, out=weights)
    change[~reached] = 0
    variance[~reached] = np.nan
    return change, variance
