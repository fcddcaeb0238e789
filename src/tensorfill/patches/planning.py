"""What groups are tried with: the modes they search, and a model that suits the data's shape, holes and noise."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from ..tensor import SHORT
from .bands import direction_count
from .layout import Layout
from .model import GroupModel, Triple
from .settings import PatchSettings

LARGEST_PATCH = 1024
"""Entries that a patch may have at most, if its side is given: what it costs grows with their cube."""

_LARGEST_CHOSEN = 150  # entries
_MOST_KNOWN = 45  # entries of a patch, on average: what it costs grows with their square
_LONGEST = 6  # side of a patch
_NOISE = 0.4  # of σ² as `spectral` has learned it, which takes what its one prior cannot tell for noise
_FEWEST_SITES = 1000
_FACTOR = 4.0  # by which other noise is tried
_SIDES = 8, 6, 10  # of patches around strokes; averaged, they are better than any of them
_NEAR = 24  # sites to either side within which patches like them are looked for
_LIKEST, _INFORMERS = 20, 8  # patches that count in full, and times as many in all
_UNTOLD = 1e-6  # σ² as `spectral` learns it is no less, so what it takes for that is likely to be less
_LEAST_NOISE, _MOST_NOISE = 1e-12, 1e6  # σ² of values up to 1 that single precision can work with

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


def possible_layouts(shape: tuple[int, ...], places: frozenset[int], wishes: Wishes) -> tuple[Layout, ...]:
    """Ways to see a tensor as sites with bands, the likelier first; none if fewer than two modes have neighbours, or
    there are too few sites for any two to be similar.

    `places` are the two modes along which distant entries have least in common.
    """
    found = _layouts(shape, places) if wishes.modes is None else (Layout(shape, wishes.modes),)
    return tuple(layout for layout in found if math.prod(layout.extent) >= _FEWEST_SITES and _fits(layout, wishes.side))


def _fits(layout: Layout, side: int | None) -> bool:
    """Whether a patch with this side is not too large; where a mode is shorter, so is the patch."""
    sizes = [min(side or 1, size) for size in layout.extent]
    return direction_count(layout.band_count) * math.prod(sizes) <= LARGEST_PATCH


def longest_side(shape: tuple[int, ...], modes: tuple[int, ...] | None) -> int:
    """The longest side that a patch can have along these modes, counted from 0; by default, along the best two."""
    several = combinations(range(len(shape)), 2) if modes is None else (modes,)
    return max(_longest_side(Layout(shape, searched)) for searched in several)


def _longest_side(layout: Layout) -> int:
    sides = range(1, min(layout.shape[mode] for mode in layout.searched) + 1)
    return max(1, bisect_left(sides, True, key=lambda side: not _fits(layout, side)))


def has_similar_patches(shape: tuple[int, ...]) -> bool:
    """Whether a tensor is large enough for patches to have others like them."""
    long = sorted((mode for mode, size in enumerate(shape) if size > SHORT), key=lambda mode: -shape[mode])
    return bool(possible_layouts(shape, frozenset(long[:2]), Wishes()))


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
    modes = len(layout.searched)
    side = _side(layout, share) if wishes.side is None else wishes.side
    stride = side if side <= 3 else round(0.7 * side)
    many = layout.band_count > SHORT
    reach = 12 if many else 24 if strokes else 32
    window: Triple = (5, 5, 15) if modes > 2 else (reach, 0, reach)
    if wishes.reach is not None:
        window = _within(layout.pad([wishes.reach] * modes, 0), layout.extent)
    usual = 20 if strokes else 40
    members = usual if wishes.members is None else min(wishes.members, _candidates(window, layout.extent))
    usual_noise = (_NOISE if noise > _UNTOLD else _NOISE / _FACTOR) * noise
    chosen = usual_noise if wishes.noise is None else wishes.noise
    return GroupModel(
        patch=_within(layout.pad([side] * modes, 1), layout.extent),
        window=window,
        stride=layout.pad([stride] * modes, 1),
        members=members,
        informers=round((4 if strokes else 2 if modes > 2 else 2.5) * members),
        strength=settings.strength,
        noise=min(max(chosen, _LEAST_NOISE), _MOST_NOISE),
        relaxation=settings.relaxation_of_many_bands if many else settings.relaxation,
        passes=settings.passes,
    )


def mending_model(layout: Layout, noise: float, wishes: Wishes) -> GroupModel:
    """For strokes in a picture with few bands, with this σ²."""
    reach = layout.pad([_NEAR if wishes.reach is None else wishes.reach] * len(layout.searched), 0)
    window = _within(reach, layout.extent)
    usual = _LIKEST if wishes.members is None else wishes.members
    members = min(usual, _candidates(window, layout.extent))
    chosen = _NOISE * noise if wishes.noise is None else wishes.noise
    model = GroupModel(
        patch=(1, 1, 1),
        window=window,
        stride=(1, 1, 1),
        members=members,
        informers=_INFORMERS * members,
        strength=1.0,
        noise=min(max(chosen, _LEAST_NOISE), _MOST_NOISE),
    )
    return with_side(layout, model, mending_sides(wishes)[0])


def mending_sides(wishes: Wishes) -> tuple[int, ...]:
    """Sides of patches for rounds that are averaged, the first one also for those before."""
    return _SIDES if wishes.side is None else (wishes.side,) * len(_SIDES)


def with_side(layout: Layout, model: GroupModel, side: int) -> GroupModel:
    """The model with other patches."""
    modes = len(layout.searched)
    return replace(
        model,
        patch=_within(layout.pad([side] * modes, 1), layout.extent),
        stride=layout.pad([max(1, side // 2)] * modes, 1),
    )


def _side(layout: Layout, share: float) -> int:
    """The longest side with which a patch is not too large, nor to be solved for from too many entries.

    Those are the known ones, or the missing ones if bands are their own coefficients and fewer are missing.
    """
    if layout.band_count <= SHORT:
        share = min(share, 1 - share)
    count, modes, side = direction_count(layout.band_count), len(layout.searched), 2
    while (
        side < _LONGEST
        and count * (side + 1) ** modes <= _LARGEST_CHOSEN
        and share * layout.band_count * (side + 1) ** modes <= _MOST_KNOWN
    ):
        side += 1
    return side


def other_noises(model: GroupModel, wishes: Wishes) -> Iterator[GroupModel]:
    """With less noise, and with more."""
    if wishes.noise is None:
        yield replace(model, noise=model.noise / _FACTOR)
        yield replace(model, noise=model.noise * _FACTOR)


def other_groups(model: GroupModel, wishes: Wishes) -> Iterator[GroupModel]:
    """With fewer, more distant matches, as a façade has them; with a window that is as wide along all modes."""
    if wishes.reach is not None:
        return
    a, b, c = model.window
    if b:
        yield replace(model, window=(6, 6, 6))
    elif wishes.members is None:
        yield replace(model, window=(2 * a, 0, 2 * c), members=model.members // 2, informers=model.informers // 2)


def _candidates(window: Triple, extent: Triple) -> int:
    """How many patches a window holds at most."""
    return math.prod(min(2 * reach + 1, size) for reach, size in zip(window, extent, strict=True))


def _within(sides: Triple, extent: Triple) -> Triple:
    return min(sides[0], extent[0]), min(sides[1], extent[1]), min(sides[2], extent[2])
