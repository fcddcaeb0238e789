"""What a person declares missing without a mask: a value, a colour, dead frames, bands or slices, and wider holes.

And whether a rim of what was removed is left beside the holes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, InvalidSetting, must_be
from ..tensor import entries
from .contents import Contents
from .file_array import Region, fill_by_pieces, order_of, pieces, take
from .scratch import allocate

Mask = NDArray[np.bool_]

_CHANNELS = 4  # a last mode of at most this many indices is one of channels
_WIDEST = 10_000  # pixels; more than that is a slip of the finger
_ROWS = 256
_STEPS = (1.0, 3.2, 6.0)  # pixels beyond the hole
_FADES = 0.12  # share of what was removed
_CONTRAST = 0.15  # of the range of values; less and it cannot be seen
_MORE_OFTEN = 0.1  # share of the pixels at the rim
_FEWEST = 40
_GROW_MORE, _TOLERANT = 2, 40 / 255  # pixels, and share of the range of values, that are proposed
_MOST_PICTURES = 8
_MOST_PIXELS = 20_000


def check_tolerance(tolerance: object) -> float:
    """A number of levels, 0 or more."""
    if isinstance(tolerance, bool) or not isinstance(tolerance, Real) or not 0 <= float(tolerance) < math.inf:
        raise InvalidSetting(must_be("tolerance", "be a number of levels, 0 or more", tolerance))
    return float(tolerance)


def check_growth(grow: object) -> int:
    """A whole number of pixels, 0 or more."""
    if isinstance(grow, bool) or not isinstance(grow, Integral) or not 0 <= int(grow) <= _WIDEST:
        raise InvalidSetting(must_be("grow", f"be a whole number of pixels, 0 … {_WIDEST:,}", grow))
    return int(grow)


def has_channels(contents: Contents) -> bool:
    """Whether the last mode is one of channels, such as colours, rather than of frames, bands or anything else."""
    kind, shape, axes = contents.metadata.kind, contents.shape, contents.metadata.axes
    if axes:
        return axes[-1] == "S" or (axes[-1] == "C" and shape[-1] <= _CHANNELS)
    if kind in ("picture", "video"):
        return len(shape) == (3 if kind == "picture" else 4)
    return kind == "array" and len(shape) > 2 and shape[-1] <= _CHANNELS


def find_frame_mode(contents: Contents) -> int:
    """The mode of frames or bands: what the file calls time, or the last one that is not of channels."""
    shape, axes = contents.shape, contents.metadata.axes
    mode = axes.index("T") if "T" in axes else len(shape) - (2 if has_channels(contents) else 1)
    if mode < 2:
        raise InvalidInput(
            f"There are no frames or bands in data of shape {shape}: they need a mode after rows and columns, and a "
            f"last one of at most {_CHANNELS} is one of channels."
        )
    return mode


def declare_frames_missing(contents: Contents, frames: Sequence[int]) -> Contents:
    """The same with these frames or bands missing, counted from 0."""
    return _declare_indices_missing(contents, find_frame_mode(contents), frames, "frames or bands")


def declare_slices_missing(contents: Contents, mode: int, indices: Sequence[int]) -> Contents:
    """The same with these slices of a mode missing; modes are counted from 1 and slices from 0."""
    if not 1 <= mode <= contents.ndim:
        raise InvalidInput(
            f"The modes of data of shape {contents.shape} are 1 … {contents.ndim}. Got {mode} for missing slices."
        )
    return _declare_indices_missing(contents, mode - 1, indices, f"slices of mode {mode}")


def declare_value_missing(contents: Contents, value: Sequence[float], tolerance: float = 0.0) -> Contents:
    """The same with every entry of this value missing, or every pixel whose channels have these values.

    A value at most `tolerance` away is the same, in each channel. Where there is none, that is refused: a value that
    matches nothing is a slip, and a copy of the file no completion.
    """
    tolerance, found = check_tolerance(tolerance), []
    _check_colour(contents.shape, value)

    def missing(values: NDArray[Any], region: Region) -> Mask:
        matching = _match(values, value, tolerance)
        found.append(bool(matching.any()))
        return matching

    declared = _declare_missing(contents, missing, _whole_pixels(contents.shape) if len(value) > 1 else None)
    if not any(found):
        raise InvalidInput(_describe_no_match(contents.data, value, tolerance))
    return declared


def declare_known(contents: Contents, mask: NDArray[np.bool_]) -> Contents:
    """The same of which only that is known which a mask of its shape says, too.

    Not without its NaNs: one that is marked observed is a mistake that the library points out.
    """
    before = contents.observed
    if before is None:
        return replace(contents, observed=mask)
    if not contents.on_disk:
        return replace(contents, observed=before & mask)
    both: Mask = allocate(contents.scratch, contents.shape, bool, order_of(contents.data))
    fill_by_pieces(both, lambda region: take(before, region) & take(mask, region))
    return replace(contents, observed=both)


def grow_holes(contents: Contents, grow: int) -> Contents:
    """The same with every hole so many pixels wider in rows and columns, a number that is checked."""
    channels, found = has_channels(contents), []
    sizes = contents.shape[:2]

    def keep(region: Region) -> Mask:
        own = list(zip(region[:2], sizes, strict=True))
        around = [slice(max(0, part.start - grow), min(part.stop + grow, size)) for part, size in own]
        inside = [
            slice(part.start - wide.start, part.stop - wide.start) for (part, _), wide in zip(own, around, strict=True)
        ]
        known = contents.known_in((*around, *region[2:]))
        kept = ~grow_mask(~known, grow, channels=channels)[tuple(inside)]
        found.append(bool(kept.any()))
        return kept

    # A piece is at least as high and wide as what is looked at beside it.
    blocks = [min(size, max(1, 2 * grow)) for size in sizes] + [1] * (contents.ndim - len(sizes))
    blocks[-1] = contents.shape[-1] if channels else blocks[-1]
    known: Mask = allocate(contents.scratch, contents.shape, bool, order_of(contents.data))
    fill_by_pieces(known, keep, blocks)
    if not any(found):
        raise InvalidInput(f"With holes {grow} pixels wider nothing is known any more; grow them less.")
    return replace(contents, observed=known)


def grow_mask(missing: NDArray[np.bool_], pixels: int, *, channels: bool) -> NDArray[np.bool_]:
    """The same holes and every pixel at most so many rows and columns away, as the crow flies.

    Codecs, scanners and soft brushes blur the edges of holes. Rows and columns are the first two modes. All `channels`,
    the last mode, of a pixel are missing together; every frame, band or slice is a picture of its own.

    >>> grow_mask(np.eye(1, 5, 2, dtype=bool), 1, channels=False).astype(int).tolist()
    [[0, 1, 1, 1, 0]]
    """
    from scipy.ndimage import distance_transform_edt

    if not pixels:
        return missing
    if missing.ndim < 2:
        raise InvalidInput(f"Holes grow over rows and columns. Got data of shape {missing.shape} instead.")
    planes: NDArray[np.bool_] = np.asarray(missing.any(axis=-1, keepdims=True)) if channels else missing
    wide = planes.copy()
    for rest in np.ndindex(*planes.shape[2:]):
        place = (slice(None), slice(None), *rest)
        if planes[place].any():
            wide[place] = distance_transform_edt(~planes[place]) <= pixels
    return np.broadcast_to(wide, missing.shape).copy()


def _declare_indices_missing(contents: Contents, mode: int, indices: Sequence[int], what: str) -> Contents:
    count = contents.shape[mode]
    beyond = [index for index in indices if not 0 <= index < count]
    if beyond:
        raise InvalidInput(f"The {what} are 0 … {count - 1}. Got {beyond[0]} as a missing one instead.")
    lost = np.zeros([count if other == mode else 1 for other in range(contents.ndim)], dtype=bool)
    lost[(slice(None),) * mode + (list(indices),)] = True

    def missing(values: NDArray[Any], region: Region) -> Mask:
        return lost[(slice(None),) * mode + (region[mode],)]

    return _declare_missing(contents, missing)


def _declare_missing(
    contents: Contents, missing: Callable[[NDArray[Any], Region], Mask], blocks: Sequence[int] | None = None
) -> Contents:
    """The same without what is `missing` of the values of a region."""
    known: Mask = allocate(contents.scratch, contents.shape, bool, order_of(contents.data))

    def keep(region: Region) -> Mask:
        values, there = contents.part(region)  # what is NaN, or missing already, stays missing
        return there & ~missing(values, region)

    fill_by_pieces(known, keep, blocks)
    return replace(contents, observed=known)


def _whole_pixels(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Blocks between which to cut, so that all channels of a pixel are looked at together."""
    return (*[1] * (len(shape) - 1), shape[-1])


def _check_colour(shape: tuple[int, ...], value: Sequence[float]) -> None:
    if len(value) > 1 and (len(shape) < 3 or shape[-1] != len(value)):
        raise InvalidInput(
            f"{len(value)} values stand for a colour, so the last mode must be one of {len(value)} channels. "
            f"Got data of shape {shape} instead."
        )


def _match(data: NDArray[Any], value: Sequence[float], tolerance: float) -> Mask:
    """True for the entries of this value, or for all channels of the pixels of this colour."""
    if len(value) == 1:
        return _match_level(data, value[0], tolerance)
    found = np.ones((*data.shape[:-1], 1), dtype=bool)
    for channel, level in enumerate(value):
        found[..., 0] &= _match_level(data[..., channel], level, tolerance)
    return found


def _match_level(data: NDArray[Any], level: float, tolerance: float) -> NDArray[np.bool_]:
    if np.isnan(level):
        return np.isnan(data) if data.dtype.kind == "f" else np.zeros(data.shape, dtype=bool)
    if not tolerance or data.dtype.kind == "b":
        return np.asarray(data == level)
    return (data >= level - tolerance) & (data <= level + tolerance)


def _describe_no_match(data: NDArray[Any], value: Sequence[float], tolerance: float) -> str:
    wanted = ",".join(f"{level:g}" for level in value)
    within = f" within {tolerance:g}" if tolerance else ""
    what, written = ("pixel", f"({wanted})") if len(value) > 1 else ("entry", wanted)
    sentence = f"No {what} is {wanted}{within}, so missing={written} finds no hole"
    nearest = _find_nearest(data, value)
    if not np.isfinite(nearest):
        return f"{sentence}."
    shown = f"{nearest:g}" if float(f"{nearest:g}") >= nearest else repr(nearest)
    return f"{sentence}; the nearest one is {shown} off, and tolerance={shown} would find it."


def _find_nearest(data: NDArray[Any], value: Sequence[float]) -> float:
    """How far the entry, or the pixel, is from the value that is nearest to it, in the channel furthest off."""
    best = np.inf
    for region in pieces(data, _whole_pixels(data.shape) if len(value) > 1 else None):
        values = take(data, region)
        for start in range(0, len(values), _ROWS):  # in pieces, so that no wide copy of the whole is made
            part = values[start : start + _ROWS].astype(np.float64)
            gaps = np.abs(part - np.asarray(value if len(value) > 1 else value[0]))
            gaps = gaps.max(axis=-1) if len(value) > 1 else gaps
            best = min(best, float(np.min(gaps, initial=np.inf, where=~np.isnan(gaps))))
    return best


def describe_rim(contents: Contents, grow: int, tolerance: float | None) -> tuple[str, ...]:
    """A sentence about a rim, if there is one; `grow` and `tolerance` (None: no value is looked for) made the holes."""
    if not has_rim(contents):
        return ()
    ways = f"grow={grow + _GROW_MORE}"
    wide = _TOLERANT * _find_white(contents.data)
    if tolerance is not None and tolerance < wide:
        ways += f" and tolerance={wide:.2g}" if wide < 1000 else f" and tolerance={round(wide, -3):.0f}"
    return (f"Pixels at the rim of the holes look like what was removed: {ways} may help.",)


def has_rim(contents: Contents) -> bool:
    """Whether the known pixels beside the holes look like what is in the holes, more often than those further out.

    For every known pixel next to a hole, three values are looked at on the way out: right beside the hole (p₁), a
    little further (p₃) and further still (p₆); c is what was removed. u = (c − p₆)/‖c − p₆‖² says which way c is, so
    that ⟨p₁ − p₃, u⟩ is the share of c that fades between the first two, and ⟨p₃ − p₆, u⟩ between the last two. In a
    picture with clean edges the two are alike, whatever the picture shows; a rim makes the first one large much more
    often.
    """
    if contents.metadata.kind not in ("picture", "video") or contents.observed is None:
        return False
    shares = [_find_shares(*picture) for picture in _choose_pictures(contents)]
    near = np.concatenate([share[0] for share in shares] or [np.empty(0)])
    far = np.concatenate([share[1] for share in shares] or [np.empty(0)])
    if len(near) < _FEWEST:
        return False
    more = float((near > _FADES).mean() - np.maximum(far > _FADES, near < -_FADES).mean())
    return more > _MORE_OFTEN


def _choose_pictures(contents: Contents) -> list[tuple[NDArray[Any], NDArray[np.bool_]]]:
    """(row, column, channel) and where it is missing altogether: a few that have holes, with a known part."""
    counts = _count_missing_pixels(contents)
    found = np.argwhere((counts > 0) & (counts < entries(contents.shape[:2])))
    pictures = []
    for rest in found[:: max(1, len(found) // _MOST_PICTURES)].tolist():
        place = [slice(None), slice(None), *(slice(index, index + 1) for index in rest)]
        place += [slice(None)] * (contents.ndim - len(place))
        values, known = contents.part(tuple(place))
        missing: Mask = np.asarray(~known.reshape(*contents.shape[:2], -1).any(axis=-1))
        pictures.append((values.reshape(*contents.shape[:2], -1), missing))
    return pictures


def _count_missing_pixels(contents: Contents) -> NDArray[np.int64]:
    """How many pixels of every picture are missing in all channels."""
    channels = has_channels(contents)
    counts = np.zeros(contents.shape[2:-1] if channels else contents.shape[2:], np.int64)
    for region in pieces(contents.data, _whole_pixels(contents.shape) if channels else None):
        known = contents.known_in(region)
        missing = ~(known.any(axis=-1) if channels else known)
        counts[region[2 : missing.ndim]] += np.count_nonzero(missing, axis=(0, 1))
    return counts


def _find_shares(picture: NDArray[Any], missing: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What fades right beside the holes, and what further out, for pixels whose way out is clear."""
    from scipy.ndimage import distance_transform_edt

    away, nearest = distance_transform_edt(~missing, return_indices=True)
    at = np.argwhere((away >= 1) & (away < 2))
    at = at[:: max(1, len(at) // _MOST_PIXELS)]
    hole = nearest[:, at[:, 0], at[:, 1]].T
    outwards = (at - hole) / np.linalg.norm(at - hole, axis=1, keepdims=True)
    places = [np.rint(hole + step * outwards).astype(int) for step in _STEPS]
    size = np.array(missing.shape)
    clear = np.ones(len(at), dtype=bool)
    for step, place in zip(_STEPS, places, strict=True):
        inside = ((place >= 0) & (place < size)).all(axis=1)
        place[~inside] = 0
        clear &= inside & (away[tuple(place.T)] > step - 1)  # and not near another hole
    removed = picture[tuple(hole.T)].astype(np.float64)
    beside, between, beyond = (picture[tuple(place.T)].astype(np.float64) for place in places)
    way = removed - beyond
    length = (way**2).sum(axis=1)
    clear &= np.isfinite(length) & (np.abs(way).max(axis=1) > _CONTRAST * _find_white(picture))
    way = way[clear] / length[clear, None]
    return ((beside - between)[clear] * way).sum(axis=1), ((between - beyond)[clear] * way).sum(axis=1)


def _find_white(data: NDArray[Any]) -> float:
    """What white is: the largest whole number of the dtype, or 1."""
    return float(np.iinfo(data.dtype).max) if data.dtype.kind in "iu" else 1.0
