"""The rim of holes: whether known pixels right beside them still look like what was removed.

For every known pixel next to a hole, three values are looked at on the way out: right beside the hole (p₁), a little
further (p₃) and further still (p₆); c is what was removed. u = (c − p₆)/‖c − p₆‖² says which way c is, so that
⟨p₁ − p₃, u⟩ is the share of c that fades between the first two, and ⟨p₃ − p₆, u⟩ between the last two. In a picture
with clean edges the two are alike, whatever the picture shows; a rim makes the first one large much more often.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .contents import Contents
from .missing_values import has_channels

_STEPS = (1.0, 3.2, 6.0)  # pixels beyond the hole
_FADES = 0.12  # share of what was removed
_CONTRAST = 0.15  # of the range of values; less and it cannot be seen
_MORE_OFTEN = 0.1  # share of the pixels at the rim
_FEWEST = 40
_GROW_MORE, _TOLERANT = 2, 40 / 255  # pixels, and share of the range of values, that are proposed
_MOST_PICTURES = 8
_MOST_PIXELS = 20_000


def describe_rim(contents: Contents, grow: int, tolerance: float | None) -> tuple[str, ...]:
    """A sentence about a rim, if there is one; `grow` and `tolerance` (None: no value is looked for) made the holes."""
    if not has_rim(contents):
        return ()
    ways = f"--grow {grow + _GROW_MORE}"
    wide = _TOLERANT * _find_white(contents.data)
    if tolerance is not None and tolerance < wide:
        ways += f" and --tolerance {wide:.2g}" if wide < 1000 else f" and --tolerance {round(wide, -3):.0f}"
    return (f"Pixels at the rim of the holes look like what was removed: {ways} may help.",)


def has_rim(contents: Contents) -> bool:
    """Whether the known pixels beside the holes look like what is in the holes, more often than those further out."""
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
    data, known = contents.data, contents.known()
    if not has_channels(contents):
        data, known = data[..., None], known[..., None]
    found = []
    for rest in np.ndindex(*data.shape[2:-1]):
        place = (slice(None), slice(None), *rest)
        missing = ~known[place].any(axis=-1)
        if missing.any() and not missing.all():
            found.append((data[place], missing))
    return found[:: max(1, len(found) // _MOST_PICTURES)]


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
