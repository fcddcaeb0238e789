"""Where learning starts: variances that fall with frequency, as those of ordinary pictures and clips do."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from scipy import fft

from ..tensor import SHORT, Array
from .bases import Basis, Cosines
from .bins import Bins
from .borders import CosinesWithin
from .prior import Prior
from .transform import Transform

_NEAR, _FAR = 3.0, 10.0  # how far correlations reach, in entries: along places, and along other modes
_CONSTANT = 10.0  # weight of what is the same along a further mode, next to what changes slowly
_ALIKE = 9.0  # the same for channels, next to what each has alone
_LEAST = 1e-6  # variance of a coefficient, next to that of an entry
_NOISE = 0.05  # variance of the noise, as a share of that of the data


def starting_prior(bases: Sequence[Basis], variance: float, places: Collection[int] = (0, 1)) -> Prior:
    """A prior for data of this variance; `places` are the modes along which distant entries have little in common."""
    along = [_along(basis, mode in places) for mode, basis in enumerate(bases)]
    bins = Bins(bases)
    sizes = [Bins([basis]) for basis in bases]
    variances: Array = np.array(variance)
    for size, values in zip(sizes, along, strict=True):
        variances = np.multiply.outer(variances, size.sums(values) / size.counts)
    return Prior(Transform(bases), bins, variances, _NOISE * variance)


def _along(basis: Basis, is_place: bool) -> Array:
    """Variances of the columns of one basis; 1 on average, so that the variance of entries is left as it is."""
    n = basis.size
    if isinstance(basis, CosinesWithin):
        return np.append(_along(Cosines(n - basis.alone), is_place), np.ones(basis.alone))
    if basis.kind == "identity":
        return np.ones(n)
    if n <= SHORT:
        return (_constant(n) * _ALIKE + 1) / (_ALIKE + 1)
    if is_place:
        return cosine_variances(n, np.exp(-np.arange(n) / _NEAR))
    return (_constant(n) * _CONSTANT + cosine_variances(n, np.exp(-np.arange(n) / _FAR))) / (_CONSTANT + 1)


def _constant(n: int) -> Array:
    values = np.zeros(n)
    values[0] = n
    return values


def cosine_variances(n: int, correlation: Array) -> Array:
    """Variances of cosine coefficients if entries at distance d along the mode have correlation[d].

    Products of two cosines are sums of two, one of the difference of the places and one of their sum. Summed over all
    places at a distance d both are known, so that one sum over d remains for every frequency, by a fast transform.
    """
    if n == 1:
        return np.maximum(correlation, _LEAST)
    distance = np.arange(n)
    angles = np.pi * np.arange(1, n) / n
    weighted = correlation * (n - distance)
    # Σ_d a_d cos(πkd/n) and Σ_d a_d sin(πkd/n), for d from 0 (or 1) to n − 1.
    cosines = fft.rfft(weighted, 2 * n).real[1:n]
    sines = -fft.rfft(np.where(distance > 0, correlation, 0), 2 * n).imag[1:n]
    found: Array = np.empty(n)
    found[0] = (2 * weighted.sum() - weighted[0]) / n
    found[1:] = (2 * cosines - weighted[0] - 2 * sines / np.sin(angles)) / n
    return np.maximum(found, _LEAST)
