"""What groups are tried with: the modes they search, and a model that suits the data's shape, holes and noise."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..tensor import SHORT
from .layout import Layout, Triple, direction_count
from .settings import PatchSettings

LARGEST_PATCH = 1024
"""Entries that a patch may have at most, if its side is given: what it costs grows with their cube."""

_SAMPLE = 20_000  # patches that tell what all have in common
_USUAL = PatchSettings()


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What a user has settled; None: to be chosen."""

    modes: tuple[int, ...] | None = None
    """Counted from 0."""
    side: int | None = None
    """Of a patch."""
    reach: int | None = None
    """Of the window, to either side."""
    members: int | None = None
    noise: float | None = None
    """σ²."""


@dataclass(frozen=True, kw_only=True)
class GroupModel:
    """Settings of a round; sizes along the three modes of a `Layout`."""

    patch: Triple
    window: Triple
    """How far similar patches are looked for, to either side."""
    stride: Triple
    """From one reference patch to the next."""
    members: int
    """How many patches of a group are solved for."""
    informers: int
    """How many its Gaussian is learned from."""
    strength: float
    """So many patches the covariance that all have in common counts for."""
    noise: float
    """σ², of values as they come."""
    relaxation: float = 1.6
    """By how much more than groups say estimates move from round to round."""
    passes: int = 2
    every: int = 8
    """The conditional covariances of a group are those of every so many-th patch."""

    def offsets(self, extent: Triple) -> NDArray[np.int64]:
        """From the first site of a patch to each of its sites."""
        a, b, c = np.meshgrid(*map(np.arange, self.patch), indexing="ij")
        return np.asarray((a * extent[1] + b) * extent[2] + c, dtype=np.int64).reshape(-1)

    def grid(self, extent: Triple, shift: Triple) -> tuple[NDArray[np.int64], ...]:
        """Where reference patches begin along every mode; borders are always covered."""
        found = []
        for size, side, stride, at in zip(extent, self.patch, self.stride, shift, strict=True):
            last = size - side
            found.append(np.unique(np.concatenate([[0], np.arange(at % stride, last + 1, stride), [last]])))
        return tuple(found)


def first_sites(
    grid: tuple[NDArray[np.int64], ...], extent: Triple, active: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Numbers of the sites of a grid along all modes; with `active`, one entry per site, only of these."""
    a, b, c = np.meshgrid(*grid, indexing="ij")
    found = ((a * extent[1] + b) * extent[2] + c).reshape(-1)
    return np.asarray(found if active is None else found[active[found]])


def common_covariance(
    x: NDArray[np.float32], model: GroupModel, extent: Triple, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Σ₀: the covariance of patches anywhere, the mean of each coefficient of a patch removed."""
    offsets = model.offsets(extent)
    places = [rng.integers(0, size - side + 1, _SAMPLE) for size, side in zip(extent, model.patch, strict=True)]
    first = (places[0] * extent[1] + places[1]) * extent[2] + places[2]
    patches = x[:, first[:, None] + offsets]  # coefficient, patch, site
    patches = patches - patches.mean(axis=2, keepdims=True)
    rows = np.moveaxis(patches, 1, 0).reshape(_SAMPLE, -1)
    return np.asarray(rows.T @ rows / _SAMPLE, dtype=np.float32)


def possible_layouts(
    shape: tuple[int, ...], places: frozenset[int], wishes: Wishes, settings: PatchSettings = _USUAL
) -> tuple[Layout, ...]:
    """Ways to see a tensor as sites with bands, the likelier first; none if fewer than two modes have neighbours, or
    there are too few sites for any two to be similar.

    `places` are the two modes along which distant entries have least in common.
    """
    found = _layouts(shape, places) if wishes.modes is None else (Layout(shape, wishes.modes),)
    least = settings.model.fewest_sites
    return tuple(
        layout for layout in found if math.prod(layout.extent) >= least and _fits(layout, wishes.side, settings)
    )


def _fits(layout: Layout, side: int | None, settings: PatchSettings) -> bool:
    """Whether a patch with this side is not too large; where a mode is shorter, so is the patch."""
    sizes = [min(side or 1, size) for size in layout.extent]
    return direction_count(layout.band_count, settings.model) * math.prod(sizes) <= LARGEST_PATCH


def longest_side(shape: tuple[int, ...], modes: tuple[int, ...] | None, settings: PatchSettings = _USUAL) -> int:
    """The longest side that a patch can have along these modes, counted from 0; by default, along the best two."""
    several = combinations(range(len(shape)), 2) if modes is None else (modes,)
    return max(_longest_side(Layout(shape, searched), settings) for searched in several)


def _longest_side(layout: Layout, settings: PatchSettings) -> int:
    sides = range(1, min(layout.shape[mode] for mode in layout.searched) + 1)
    return max(1, bisect_left(sides, True, key=lambda side: not _fits(layout, side, settings)))


def has_similar_patches(shape: tuple[int, ...], settings: PatchSettings = _USUAL) -> bool:
    """Whether a tensor is large enough for patches to have others like them."""
    long = sorted((mode for mode, size in enumerate(shape) if size > SHORT), key=lambda mode: -shape[mode])
    return bool(possible_layouts(shape, frozenset(long[:2]), Wishes(), settings))


def _layouts(shape: tuple[int, ...], places: frozenset[int]) -> tuple[Layout, ...]:
    long = [mode for mode, size in enumerate(shape) if size > SHORT]
    if len(long) < 2:
        return ()
    found = []
    flat = tuple(sorted(places))
    if len(long) > 2:
        third = [mode for mode in long if mode not in places][-1]
        found.append(Layout(shape, tuple(sorted((*flat, third)))))
    found.append(Layout(shape, flat))
    return tuple(found)


def first_model(
    layout: Layout,
    share: float,
    noise: float,
    wishes: Wishes,
    settings: PatchSettings = _USUAL,
    *,
    strokes: bool = False,
) -> GroupModel:
    """For data of which this share is known, with this σ² of the start.

    If only `strokes` are missing, most patches of a group are complete: fewer have to be solved for.
    """
    chosen, modes, many = settings.model, len(layout.searched), layout.band_count > SHORT
    side = _side(layout, share, settings) if wishes.side is None else wishes.side
    stride = side if side <= 3 else round(chosen.overlap * side)
    reach = chosen.reach_of_many_bands if many else chosen.reach_on_strokes if strokes else chosen.reach
    window = chosen.reach_in_volumes if modes > 2 else (reach, 0, reach)
    if wishes.reach is not None:
        window = _within(layout.pad([wishes.reach] * modes, 0), layout.extent)
    usual = chosen.members_on_strokes if strokes else chosen.members
    members = usual if wishes.members is None else min(wishes.members, _candidates(window, layout.extent))
    volume = chosen.informers_in_volumes if modes > 2 else chosen.informers
    least = noise if noise > chosen.untold_noise else noise / chosen.other_noise
    return GroupModel(
        patch=_within(layout.pad([side] * modes, 1), layout.extent),
        window=window,
        stride=layout.pad([stride] * modes, 1),
        members=members,
        informers=round((chosen.informers_on_strokes if strokes else volume) * members),
        strength=chosen.strength,
        noise=_noise(least, wishes, settings),
        relaxation=chosen.relaxation_of_many_bands if many else chosen.relaxation,
        passes=chosen.passes,
    )


def fit_model(model: GroupModel, extent: Triple) -> GroupModel:
    """The same for sites of another extent."""
    return replace(model, patch=_within(model.patch, extent), window=_within(model.window, extent))


def mending_model(layout: Layout, noise: float, wishes: Wishes, settings: PatchSettings = _USUAL) -> GroupModel:
    """For strokes in a picture with few bands, with this σ²."""
    reach = settings.mending.near if wishes.reach is None else wishes.reach
    window = _within(layout.pad([reach] * len(layout.searched), 0), layout.extent)
    usual = settings.mending.likest if wishes.members is None else wishes.members
    members = min(usual, _candidates(window, layout.extent))
    model = GroupModel(
        patch=(1, 1, 1),
        window=window,
        stride=(1, 1, 1),
        members=members,
        informers=settings.mending.informers * members,
        strength=settings.model.strength,
        noise=_noise(noise, wishes, settings),
    )
    return with_side(layout, model, mending_sides(wishes, settings)[0])


def _noise(noise: float, wishes: Wishes, settings: PatchSettings) -> float:
    """σ² of groups, next to that of the start, within what single precision can work with."""
    chosen = settings.model.noise * noise if wishes.noise is None else wishes.noise
    return min(max(chosen, settings.model.least_noise), settings.model.most_noise)


def mending_sides(wishes: Wishes, settings: PatchSettings = _USUAL) -> tuple[int, ...]:
    """Sides of patches for rounds that are averaged, the first one also for those before."""
    sides = settings.mending.sides
    return sides if wishes.side is None else (wishes.side,) * len(sides)


def with_side(layout: Layout, model: GroupModel, side: int) -> GroupModel:
    """The model with other patches."""
    modes = len(layout.searched)
    return replace(
        model,
        patch=_within(layout.pad([side] * modes, 1), layout.extent),
        stride=layout.pad([max(1, side // 2)] * modes, 1),
    )


def _side(layout: Layout, share: float, settings: PatchSettings) -> int:
    """The longest side with which a patch is not too large, nor to be solved for from too many entries.

    Those are the known ones, or the missing ones if bands are their own coefficients and fewer are missing.
    """
    if layout.band_count <= SHORT:
        share = min(share, 1 - share)
    most = settings.model
    count, modes, side = direction_count(layout.band_count, most), len(layout.searched), 2
    while (
        side < most.longest
        and count * (side + 1) ** modes <= most.largest
        and share * layout.band_count * (side + 1) ** modes <= most.most_known
    ):
        side += 1
    return side


def other_noises(model: GroupModel, wishes: Wishes, settings: PatchSettings = _USUAL) -> Iterator[GroupModel]:
    """With less noise, and with more."""
    if wishes.noise is None:
        yield replace(model, noise=model.noise / settings.model.other_noise)
        yield replace(model, noise=model.noise * settings.model.other_noise)


def other_groups(model: GroupModel, wishes: Wishes, settings: PatchSettings = _USUAL) -> Iterator[GroupModel]:
    """With fewer, more distant matches, as a façade has them; with a window that is as wide along all modes."""
    if wishes.reach is not None:
        return
    a, b, c = model.window
    if b:
        yield replace(model, window=(settings.model.equal_reach_in_volumes,) * 3)
    elif wishes.members is None:
        yield replace(model, window=(2 * a, 0, 2 * c), members=model.members // 2, informers=model.informers // 2)


def _candidates(window: Triple, extent: Triple) -> int:
    """How many patches a window holds at most."""
    return math.prod(min(2 * reach + 1, size) for reach, size in zip(window, extent, strict=True))


def _within(sides: Triple, extent: Triple) -> Triple:
    return min(sides[0], extent[0]), min(sides[1], extent[1]), min(sides[2], extent[2])
