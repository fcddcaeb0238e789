"""The prior: entries are Q c with independent Gaussian coefficients, and known values are entries plus noise.

Learning starts from variances that fall with frequency, as those of ordinary pictures and clips do. What is learned is
free, or bound to a family of correlations that fall with distance, at a rate per mode: the most likely of its family
if coefficients have those variances, each bin weighted by how many of its coefficients the data determines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import fft

from ..numerics.unfoldings import share_mode_product
from ..tensor import SHORT, Array
from .bases import Basis, Columns, Cosines, CosinesWithin, Entries, Numbers
from .transform import Bins, SummedBins, SummedTransform, Transform

_CONSTANT = 1e-6  # stands for the frequency 0 where logarithms are taken


@dataclass(frozen=True, eq=False)
class Prior:
    """c ~ N(0, s) with one variance per bin; y = (Q c) + N(0, noise) at known entries."""

    transform: Transform | SummedTransform
    bins: Bins | SummedBins
    variances: Array
    """s, one per bin."""
    noise: float
    """σ²; 1/(2C) in the dual."""

    def ratio(self, dtype: np.dtype[np.floating]) -> Numbers:
        """σ²/s for every coefficient: what a squared coefficient costs, next to a squared misfit."""
        return self.bins.spread(self.noise / self.variances, dtype)


def resize(prior: Prior, shape: Sequence[int]) -> Prior:
    """A prior of the same spectrum for a part of the tensor, or for the whole: of this shape.

    Cosine coefficients of the same frequency have the same variance in a part and in the whole, if both are alike.
    """
    variances = np.log(prior.variances)
    bases: list[Basis] = []
    for mode, (basis, size) in enumerate(zip(prior.transform.bases, shape, strict=True)):
        if basis.size == size:
            bases.append(basis)
            continue
        if isinstance(basis, Entries):  # which have one variance, however many they are
            bases.append(Entries(size))
            continue
        assert isinstance(basis, Cosines), "only they can be compared between a part and the whole"
        bases.append(Cosines(size, basis.binning))
        given, wanted = _frequencies(basis), _frequencies(bases[-1])
        weights = np.stack([np.interp(wanted, given, one) for one in np.eye(len(given))], axis=1)
        variances = share_mode_product(variances, weights, mode)
    return Prior(Transform(bases), Bins(bases), np.exp(variances), prior.noise)


def fit_to(prior: Prior, bases: Sequence[Basis]) -> Prior:
    """A prior of the same spectrum in other bases of the same kinds, of other sizes, maybe with borders."""
    inner = [basis.size - basis.alone if isinstance(basis, CosinesWithin) else basis.size for basis in bases]
    resized = resize(prior, inner)
    variances = resized.variances
    for mode, basis in enumerate(bases):
        if isinstance(basis, CosinesWithin):
            pads = [(0, basis.alone if other == mode else 0) for other in range(variances.ndim)]
            variances = np.pad(variances, pads, mode="edge")
    bins = Bins(bases)
    return Prior(Transform(bases), bins, bins.with_borders(variances), prior.noise)


def without_borders(prior: Prior) -> Prior:
    """The same spectrum for what lies between strange borders, if there are any."""
    bases: list[Basis] = []
    variances = prior.variances
    for mode, basis in enumerate(prior.transform.bases):
        if isinstance(basis, CosinesWithin):
            inner = range(variances.shape[mode] - basis.alone)
            bases.append(Cosines(basis.size - basis.alone, basis.binning))
            variances = variances.take(inner, axis=mode)
        else:
            bases.append(basis)
    return Prior(Transform(bases), Bins(bases), variances, prior.noise)


def _frequencies(basis: Basis) -> Array:
    """Of the middle of every bin, as logarithms."""
    starts = basis.bin_starts()
    middles = (starts + np.append(starts[1:], basis.size) - 1) / 2
    found: Array = np.log(np.maximum(middles / basis.size, _CONSTANT))
    return found


# Where learning starts


@dataclass(frozen=True, kw_only=True)
class StartSettings:
    """What is taken to be likely before anything was learned."""

    near: float = 3.0  # how far correlations reach along places, in entries: edges are everywhere
    far: float = 10.0  # the same along other modes, such as frames, whose neighbours are more alike
    constant: float = 10.0  # weight of what is the same along a further mode, next to what changes slowly
    alike: float = 9.0  # the same for channels, next to what each has alone
    least: float = 1e-6  # variance of a coefficient, next to that of an entry, so that none is fixed for good
    noise: float = 0.05  # variance of the noise, as a share of that of the data: rather more than is likely


_START = StartSettings()


def starting_prior(
    bases: Sequence[Basis], variance: float, places: Collection[int] = (0, 1), settings: StartSettings = _START
) -> Prior:
    """A prior for data of this variance; `places` are the modes along which distant entries have little in common."""
    variances: Array = np.array(variance)
    for mode, basis in enumerate(bases):
        along = _along(basis, mode in places, settings)
        variances = np.multiply.outer(variances, _average(basis, along))
    return Prior(Transform(bases), Bins(bases), variances, settings.noise * variance)


def _along(basis: Basis, is_place: bool, settings: StartSettings) -> Array:
    """Variances of the columns of one basis; 1 on average, so that the variance of entries is left as it is."""
    n = basis.size
    if isinstance(basis, CosinesWithin):
        return np.append(_along(Cosines(n - basis.alone), is_place, settings), np.ones(basis.alone))
    if basis.kind == "identity":
        return np.ones(n)
    constant = np.zeros(n)
    constant[0] = n
    if n <= SHORT:
        return (constant * settings.alike + 1) / (settings.alike + 1)
    falling = cosine_variances(n, np.exp(-np.arange(n) / (settings.near if is_place else settings.far)), settings.least)
    return falling if is_place else (constant * settings.constant + falling) / (settings.constant + 1)


def _average(basis: Basis, along: Array) -> Array:
    """Means over the bins of one mode."""
    bins = Bins([basis])
    return bins.sums(along) / bins.counts


def cosine_variances(n: int, correlation: Array, least: float = _START.least) -> Array:
    """Variances of cosine coefficients if entries at distance d along the mode have correlation[d].

    Products of two cosines are sums of two, one of the difference of the places and one of their sum. Summed over all
    places at a distance d both are known, so that one sum over d remains for every frequency, by a fast transform.
    """
    if n == 1:
        return np.maximum(correlation, least)
    distance = np.arange(n)
    angles = np.pi * np.arange(1, n) / n
    weighted = correlation * (n - distance)
    # Σ_d a_d cos(πkd/n) and Σ_d a_d sin(πkd/n), for d from 0 (or 1) to n − 1.
    cosines = fft.rfft(weighted, 2 * n).real[1:n]
    sines = -fft.rfft(np.where(distance > 0, correlation, 0), 2 * n).imag[1:n]
    found: Array = np.empty(n)
    found[0] = (2 * weighted.sum() - weighted[0]) / n
    found[1:] = (2 * cosines - weighted[0] - 2 * sines / np.sin(angles)) / n
    return np.maximum(found, least)


def with_components(
    prior: Prior, factors: Sequence[Array], dtype: np.dtype[np.floating], settings: StartSettings = _START
) -> Prior:
    """A prior with the paper's components added: half of the variance is theirs, in equal parts.

    W^(k) has the directions of U_k along mode k, and the entries themselves along the others.
    """
    assert isinstance(prior.transform, Transform)
    assert isinstance(prior.bins, Bins)
    per_entry = float((prior.variances * prior.bins.counts).sum() / prior.bins.counts.sum())
    transforms, bins, variances = [prior.transform], [prior.bins], [0.5 * prior.variances.reshape(-1)]
    for mode, U in enumerate(factors):
        vectors, weights, _ = np.linalg.svd(U, full_matrices=False)
        bases = [
            Columns(vectors, "learned", dtype) if other == mode else Entries(size)
            for other, size in enumerate(prior.transform.coefficient_shape)
        ]
        transforms.append(Transform(bases))
        bins.append(Bins(bases))
        share = 0.5 * per_entry / len(factors) * len(U) * weights**2 / (weights**2).sum()
        variances.append(np.maximum(_average(bases[mode], share), settings.least * per_entry))
    return Prior(SummedTransform(transforms), SummedBins(bins), np.concatenate(variances), prior.noise)


# Spectra with a few parameters

Family = Literal["matern-1/2", "matern-3/2", "squared-exponential", "constant+local"]

CORRELATIONS: dict[str, Callable[[Array], Array]] = {
    "matern-1/2": lambda r: np.exp(-r),
    "matern-3/2": lambda r: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
    "squared-exponential": lambda r: np.exp(-0.5 * r**2),
    "constant+local": lambda r: (2 + np.exp(-r)) / 3,
}
"""The correlation of two entries whose distance is r lengths."""


@dataclass(frozen=True, kw_only=True)
class FamilySettings:
    """How the nearest spectrum of a family is looked for."""

    lengths: int = 30  # tried for a mode, from half an entry to the whole mode: neighbours differ by a fifth or so
    sweeps: int = 3  # over the modes, each with the others as they are; a third changes little
    least: float = 1e-9  # of the largest variance along a mode, for smooth correlations have none at all far out


_FAMILY = FamilySettings()


class ParametricSpectrum:
    """One family, with lengths per mode that are given or found."""

    def __init__(
        self,
        family: Family,
        bases: Sequence[Basis],
        lengths: Sequence[float] | None,
        settings: FamilySettings = _FAMILY,
    ) -> None:
        self._bases = tuple(bases)
        self._settings = settings
        self._lengths = None if lengths is None else tuple(map(float, lengths))
        self._tables = [self._table(mode, CORRELATIONS[family]) for mode in range(len(self._bases))]

    def nearest(self, variances: Array, weights: Array) -> Array:
        """Variances v of the family, per bin, with the least Σ weights (log v + variances/v)."""
        parts = [table[len(table) // 2] for table in self._tables]
        for _ in range(self._settings.sweeps):
            for mode, table in enumerate(self._tables):
                others = _product([part if m != mode else np.ones_like(part) for m, part in enumerate(parts)])
                axes = tuple(axis for axis in range(variances.ndim) if axis != mode)
                total = weights.sum(axis=axes) + 1e-12 * weights.sum()
                mean = (weights * variances / others).sum(axis=axes) / total
                if self._bases[mode].size <= SHORT:
                    parts[mode] = np.maximum(mean, self._settings.least * mean.max())  # channels: whatever they are
                else:
                    levels = (mean / table) @ total / total.sum()
                    costs = (np.log(levels[:, None] * table) + 1) @ total
                    best = int(np.argmin(costs))
                    parts[mode] = levels[best] * table[best]
        return _product(parts)

    def _table(self, mode: int, correlation: Callable[[Array], Array]) -> Array:
        """The variances along a mode, per bin, one row per length that may be taken."""
        basis = self._bases[mode]
        if basis.kind == "identity" or basis.size == 1:
            return np.ones((1, len(basis.bin_starts())))
        if self._lengths is None:
            lengths = np.geomspace(0.5, max(basis.size, 2), self._settings.lengths)
        else:
            lengths = np.array([self._lengths[mode]])
        rows = []
        for length in lengths:
            averaged = _average(basis, cosine_variances(basis.size, correlation(np.arange(basis.size) / length)))
            rows.append(np.maximum(averaged, self._settings.least * averaged.max()))
        return np.stack(rows)


def _product(parts: Sequence[Array]) -> Array:
    total: Array = np.ones(())
    for part in parts:
        total = np.multiply.outer(total, part)
    return total
