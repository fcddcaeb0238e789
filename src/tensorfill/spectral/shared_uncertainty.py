"""How sure tiles are of themselves: by a law that was fitted to held-out entries of windows, and draws of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..selection.variance_law import Evidence, VarianceLaw, join_evidence
from .bases import Numbers
from .uncertainty import Uncertainty


@dataclass(frozen=True)
class Calibration:
    """What held-out entries of one kind have told."""

    factor: float
    """What deviations by the law are multiplied by."""
    error: float
    """Root mean square."""
    pieces: int
    """How many independent things were held out."""


@dataclass(frozen=True, eq=False)
class SharedLaw:
    """A law of deviations, and what is known of the kinds of entries."""

    law: VarianceLaw
    usual: Calibration | None
    apart: Calibration | None
    """Of lost slices and large holes, where these are a kind of their own; None if none was held out."""

    def deviations(self, tile: Uncertainty, entries: Numbers) -> Numbers:
        """The standard deviations of a tile of which nothing was held out; `entries` is its estimate."""
        posterior, slopes = tile.posterior(tile.data.mask)
        around = tile.surroundings.fit_around(tile.values, entries, slopes)
        found = self.law.logarithms(posterior.logarithms(tile.data.mask), around)
        found *= 0.5
        np.exp(found, out=found)
        pattern = tile.pattern
        apart = pattern.apart if pattern.mixed or pattern.any_deep else np.zeros_like(tile.data.mask)
        for kind, where in ((self.apart, apart), (self.usual, ~apart)):
            if kind is None:
                tile.limit(found, where, 0)
                continue
            found[where] *= found.dtype.type(kind.factor)
            tile.widen(found, where & ~tile.data.mask, kind.error)
            tile.limit(found, where, kind.pieces)
        return found


def learn_law(windows: Sequence[tuple[Uncertainty, Numbers]]) -> SharedLaw | None:
    """From windows, each with an estimate that has not seen its held-out entries; None if nothing was held out."""
    seen: list[Evidence] = []
    apart: list[np.ndarray] = []
    pieces = {True: 0, False: 0}
    for window, before in windows:
        if not window.held.any():
            continue
        seen.append(window.evidence(before)[0])
        flags = np.zeros(len(seen[-1].squares), dtype=bool)
        for kind in window.kinds():
            is_apart = bool(kind.held.any()) and bool((kind.entries & window.pattern.apart).any())
            flags |= kind.held & is_apart
            pieces[is_apart] += kind.pieces if kind.held.any() else 0
        apart.append(flags)
    if not seen:
        return None
    whole, flags = join_evidence(seen), np.concatenate(apart)
    law = VarianceLaw.fitted(whole)
    usual, others = (
        Calibration(law.factor(part), float(np.sqrt(part.squares.mean())), pieces[is_apart])
        if len((part := whole.where(flags == is_apart)).squares)
        else None
        for is_apart in (False, True)
    )
    return SharedLaw(law, usual, others)
