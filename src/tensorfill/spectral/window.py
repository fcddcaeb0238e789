"""A window of a large tensor: what is learned there, at a fraction of the cost, is a good start for the whole.

Cosine coefficients of the same frequency have the same variance in the window and in the whole, if both are alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..numerics.unfoldings import share_mode_product
from ..selection.windows import Window, window_sizes, windows
from ..tensor import Array
from .bases import Basis, Cosines
from .bins import Bins
from .data import KnownData
from .prior import Prior
from .transform import Transform

_LARGE = 2**22  # entries from which on a window is worth it
_ENOUGH = 2**20  # entries of a window, at most
_SHORTEST = 64  # modes that are not cut
_LIKE_ALL = 2.0  # the share of known entries may be so many times larger or smaller in the window
_CONSTANT = 1e-6  # stands for the frequency 0


def find_window(known: NDArray[np.bool_], bases: Sequence[Basis]) -> Window | None:
    """Where about as much is known as in the whole; None if there is no need, or no such place."""
    # Only cosines can be compared between a part and the whole.
    modes = [mode for mode, basis in enumerate(bases) if isinstance(basis, Cosines)]
    sizes = window_sizes(known.shape, modes, _ENOUGH, _SHORTEST)
    if known.size < _LARGE or sizes is None:
        return None
    found = list(windows(known.shape, sizes))
    share = float(known.mean())
    odds = [abs(np.log(max(float(known[window].mean()), 1e-9) / share)) for window in found]
    best = int(np.argmin(odds))
    return found[best] if odds[best] < np.log(_LIKE_ALL) else None


def cut(data: KnownData, window: Window) -> KnownData:
    """What is known in the window."""
    mask = np.ascontiguousarray(data.mask[window])
    return KnownData(mask, data.filled(data.values)[window][mask])


def resize(prior: Prior, shape: Sequence[int]) -> Prior:
    """A prior of the same spectrum for the window, or for the whole: of this shape."""
    variances = np.log(prior.variances)
    bases: list[Basis] = []
    for mode, (basis, size) in enumerate(zip(prior.transform.bases, shape, strict=True)):
        if basis.size == size:
            bases.append(basis)
            continue
        bases.append(Cosines(size))
        given, wanted = _frequencies(basis), _frequencies(bases[-1])
        weights = np.stack([np.interp(wanted, given, one) for one in np.eye(len(given))], axis=1)
        variances = share_mode_product(variances, weights, mode)
    return Prior(Transform(bases), Bins(bases), np.exp(variances), prior.noise)


def _frequencies(basis: Basis) -> Array:
    """Of the middle of every bin, as logarithms."""
    starts = basis.bin_starts()
    middles = (starts + np.append(starts[1:], basis.size) - 1) / 2
    found: Array = np.log(np.maximum(middles / basis.size, _CONSTANT))
    return found
