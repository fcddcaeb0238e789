"""View: a start seen as sites with bands, with a model for its groups and the groups that are worth solving for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bands import Bands
from .layout import Layout
from .model import GroupModel, Triple, common_covariance
from .references import local_misfit, patches_around, touching, worst
from .rounds import Average, PatchData, average_groups
from .settings import PatchSettings
from .start import Start

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


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

    @classmethod
    def of(cls, start: Start, layout: Layout, model: GroupModel, settings: PatchSettings, seed: int) -> View:
        """That of a start."""
        before = np.maximum(layout.planar(start.before), np.float32(start.floor))
        known = layout.planar(start.mask & ~start.held)
        values = layout.planar(start.values)
        bands = Bands.of(before, known)
        x = _put_back(bands, bands.coefficients(before), values, known)
        squares = np.where(known, (values - before) ** 2, np.float32(0)).sum(axis=0).reshape(layout.extent)
        misfit = local_misfit(squares, known.sum(axis=0).astype(np.float32).reshape(layout.extent))
        missing = np.asarray((~known).any(axis=0)).reshape(layout.extent)
        covered = settings.covered if len(layout.searched) == 2 else settings.covered_in_volumes
        active = touching(missing, model.patch) & patches_around(worst(misfit, covered), model.patch)
        common = common_covariance(x, model, layout.extent, np.random.default_rng([seed, 1]))
        return cls(start, layout, model, bands, x, common, active.reshape(-1))

    def average(self, x: Floats, known: Mask, shift: Triple, where: Mask | None = None) -> Average:
        """One round from x, if these entries are known; only groups that begin at a site in `where`."""
        values, observed = self.bands.observed(self.layout.planar(self.start.values), self.layout.planar(known))
        direct = self.bands.direct
        basis = np.eye(len(x), dtype=np.float32) if direct else self.bands.basis
        data = PatchData(self.layout.extent, values, observed, basis, direct)
        active = self.active if where is None else self.active & where
        return average_groups(x, data, self.model, self.common, shift, active)

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
