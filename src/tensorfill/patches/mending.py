"""Mending: every patch with something missing is conditioned by a Gaussian that the patches most like it tell.

For a patch with known sites O, the k₁ nearest others f with weights w (1 for the k nearest, less for the rest):

    μ = Σ w f / Σ w,     Σ = [Σ w (f − μ)(f − μ)ᵀ + ν c Σ₀] / (Σw + ν),     f_M = μ_M + Σ_MO (Σ_OO + σ²I)⁻¹ (y_O − μ_O)

Σ is then made more like Σ turned by half a turn, which is as likely in most textures: the more so, the more alike both
are. Where whole sites are missing and most others are known, this takes a fraction of what `groups.py` does, which
solves for all patches of a group and learns from what it finds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..numerics.threads import share
from .gaussian import add_scatter, index, learn_mean, weigh_common
from .layout import Floats, Mask, Triple
from .matching import count_window, find_similar, keep_nearest, limit_deviations, take_patches, weigh_nearest
from .planning import GroupModel, first_sites
from .settings import PatchSettings
from .view import divide_sums, touching

_FILLED_IN = 0.6  # weight of sites that are filled in when patches are compared; that of known ones is 1
_TURNED = 0.5  # weight of the covariance turned by half a turn, at most
_FEWEST = 8  # patches that tell a covariance
_NOTHING = np.float32(1e-16)  # of values up to 1: the squares of less are no normal numbers in single precision
_SINGLE = 2e-5  # of the trace of Σ: with less noise, rounding in single precision would make it indefinite
_USUAL = PatchSettings()


@compiled(nogil=True, fastmath=True, inline="always")
def find_others(  # type: ignore[no-untyped-def]
    x, q, extent, patch, window, known, filled_in, reference, distances, more, places
):
    """Squared distances of all other patches in the window to the reference patch, and where they begin; how many.

    `known` and `filled_in` are offsets of its sites; `more` has room for as many distances.
    """
    count = find_similar(x, q, extent, patch, window, known, reference, distances, places)
    find_similar(x, q, extent, patch, window, filled_in, reference, more, places)
    own = 0
    for i in range(count):
        distances[i] += np.float32(_FILLED_IN) * more[i]
        if places[i] == reference:
            own = i
    count -= 1
    distances[own], places[own] = distances[count], places[count]
    return count


@compiled(nogil=True, fastmath=True)
def mend_patches(  # type: ignore[no-untyped-def]
    x, known, extent, patch, window, offsets, references, members, informers, strength, noise, common, first, sums
):
    """All reference patches. Adds to `sums`, for the sites from `first` on, three numbers per missing coefficient:

    the weighted difference between conditional means and x, the weights, and the weighted squares of that difference
    with the variances. `x` is planar and has known values where there are any; `known` has a number for each site.
    """
    sites = extent[0] * extent[1] * extent[2]
    q = x.size // sites
    d = q * offsets.size
    here = sums.shape[1] // q
    widest = count_window(window)
    distances, more, places = np.empty(widest, np.float32), np.empty(widest, np.float32), np.empty(widest, np.int64)
    F, G = np.empty((informers, d), np.float32), np.empty((informers, d), np.float32)
    weights, mean, S = np.empty(informers, np.float32), np.empty(d, np.float32), np.empty((d, d), np.float32)
    observed, missing, parted = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(offsets.size, np.int64)
    found, variance = np.empty(d, np.float32), np.empty(d, np.float32)
    for reference in references:
        n = part_entries(known, reference, offsets, q, observed, missing, parted)
        m = d - n
        if n == 0 or m == 0:
            continue
        near, far = parted[: n // q], parted[n // q :]
        count = find_others(x, q, extent, patch, window, near, far, reference, distances, more, places)
        if count < _FEWEST:
            continue
        k1 = min(informers, count)
        keep_nearest(distances, places, count, k1)
        weigh_nearest(distances, min(members, count), k1, weights)
        largest = take_patches(x, sites, q, places, k1, offsets, F)
        total = learn_mean(F, weights, k1, mean)
        add_scatter(F, weights, 0, k1, mean, G, S)
        trace = shrink_to_common(S, total, strength, common)
        turn(S, q, offsets.size)  # which keeps the trace
        least = max(noise, np.float32(_SINGLE) * trace)
        farthest = fill_missing(x, sites, reference, offsets, mean, S, least, observed, n, missing, m, found, variance)
        if farthest < limit_deviations(S, least, largest):
            add_missing(x, sites, reference, offsets, mean, found, variance, least, missing, m, here, first, sums)


@compiled(nogil=True, fastmath=True, inline="always")
def shrink_to_common(S, total, strength, common):  # type: ignore[no-untyped-def]
    """The covariance of patches that weigh `total`, from their scatter S and what all have in common; its trace."""
    of_common, part = weigh_common(S, total, strength, common), np.float32(1) / (total + strength)
    trace = np.float32(0)
    for i in range(index(len(S))):
        for j in range(index(len(S))):
            S[i, j] = (S[i, j] + of_common * common[i, j]) * part
        trace += S[i, i]
    return trace


@compiled(nogil=True, fastmath=True, inline="always")
def part_entries(known, reference, offsets, q, observed, missing, parted):  # type: ignore[no-untyped-def]
    """Entries of a patch at known sites, and the others, coefficient by coefficient; returns how many are known.

    `parted` gets the offsets of known sites, then those of the others.
    """
    P, n, m = index(offsets.size), index(0), index(0)
    for c in range(index(q)):
        for j in range(P):
            if known[index(reference) + index(offsets[j])]:
                observed[n] = c * P + j
                n += index(1)
            else:
                missing[m] = c * P + j
                m += index(1)
    for i in range(n // index(q)):
        parted[i] = offsets[index(observed[i])]
    for i in range(m // index(q)):
        parted[n // index(q) + i] = offsets[index(missing[i])]
    return np.int64(n)


@compiled(nogil=True, fastmath=True, inline="always")
def fill_missing(  # type: ignore[no-untyped-def]
    x, sites, reference, offsets, mean, S, noise, observed, n, missing, m, found, variance
):
    """How far missing entries are off the mean, given the known ones, and their variances; returns the farthest."""
    P, known, absent = index(offsets.size), index(n), index(m)
    left, right = np.empty((n, n), np.float32), np.empty((n, m + 1), np.float32)
    for i in range(known):
        at = index(observed[i])
        for j in range(known):
            left[i, j] = S[at, index(observed[j])]
        left[i, i] += noise
        for j in range(absent):
            right[i, j] = S[at, index(missing[j])]
        right[i, absent] = x[at // P * index(sites) + index(reference) + index(offsets[at % P])] - mean[at]
    solved = np.linalg.solve(left, right)
    # Σ_MO times that: its last column for means, the diagonal of the rest for variances.
    for j in range(absent):
        found[j], variance[j] = np.float32(0), S[index(missing[j]), index(missing[j])]
    for i in range(known):
        for j in range(absent):
            found[j] += right[i, j] * solved[i, absent]
            variance[j] -= right[i, j] * solved[i, j]
    farthest = np.float32(0)
    for j in range(absent):
        farthest = max(farthest, abs(found[j]))
        variance[j] = max(variance[j], np.float32(0))
    return farthest


@compiled(nogil=True, fastmath=True, inline="always")
def add_missing(  # type: ignore[no-untyped-def]
    x, sites, reference, offsets, mean, found, variance, noise, missing, m, here, first, sums
):
    """Add what is told of the missing entries of a patch to `sums`, which have so many sites `here`."""
    P = offsets.size
    for i in range(m):
        j = missing[i]
        at = j // P * sites + reference + offsets[j % P]
        to = j // P * here + reference - first + offsets[j % P]
        off, weight = mean[j] + found[i] - x[at], np.float32(1) / (variance[i] + noise)
        sums[0, to] += weight * off
        sums[1, to] += weight
        sums[2, to] += weight * (off * off + variance[i])


@compiled(nogil=True, fastmath=True)
def turn(S, q, P):  # type: ignore[no-untyped-def]
    """Make a covariance of patches more like itself turned by half a turn, the more so, the more alike both are."""
    alike, square = np.float32(0), np.float32(1e-30)
    for c in range(q):
        for j in range(P):
            own, opposite = S[c * P + j, c * P + j], S[c * P + P - 1 - j, c * P + P - 1 - j]
            alike += own * opposite
            square += own * own
    likeness = (alike / square) ** 2
    weight = np.float32(_TURNED) * likeness * likeness
    part = np.float32(1) / (np.float32(1) + weight)
    for c in range(q):
        for i in range(P // 2):  # the other half turns with it
            row, opposite_row = S[c * P + i], S[c * P + P - 1 - i]
            for e in range(q):
                for j in range(P):
                    own, opposite = row[e * P + j], opposite_row[e * P + P - 1 - j]
                    row[e * P + j] = (own + weight * opposite) * part
                    opposite_row[e * P + P - 1 - j] = (opposite + weight * own) * part
        if P % 2:
            row = S[c * P + P // 2]
            for e in range(q):
                for j in range(P // 2):
                    own, opposite = row[e * P + j], row[e * P + P - 1 - j]
                    row[e * P + j] = (own + weight * opposite) * part
                    row[e * P + P - 1 - j] = (opposite + weight * own) * part


@dataclass(frozen=True, eq=False)
class Mended:
    """What patches say of missing sites: a row per coefficient, a column for each of `sites`."""

    sites: NDArray[np.intp]
    means: Floats
    """Those of x where no patch said anything."""
    variance: Floats
    """With how much patches disagree; NaN where none said anything."""


def mend(
    x: Floats,
    missing: Mask,
    model: GroupModel,
    common: Floats,
    shift: Triple = (0, 0, 0),
    where: Mask | None = None,
    settings: PatchSettings = _USUAL,
) -> Mended:
    """One round from x, coefficients of sites; `missing` has three modes.

    With `where`, only patches that touch these of the missing sites.
    """
    extent: Triple = (missing.shape[0], missing.shape[1], missing.shape[2])
    active = touching(missing if where is None else where, model.patch)
    references = first_sites(model.grid(extent, shift), extent, active.reshape(-1))
    pieces = np.array_split(references, settings.round.pieces)
    offsets = model.offsets(extent)
    sizes = np.array(extent), np.array(model.patch), np.array(model.window), offsets
    strength, noise = np.float32(model.strength), np.float32(model.noise)
    flat, known = np.where(np.abs(x) < _NOTHING, np.float32(0), x).reshape(-1), ~missing.reshape(-1)
    found: list[Floats] = [np.zeros((3, 0), np.float32)] * len(pieces)

    def work(number: int) -> None:
        piece = pieces[number]
        if len(piece):
            own = np.zeros((3, len(x) * int(piece[-1] - piece[0] + offsets[-1] + 1)), np.float32)
            numbers = model.members, model.informers, strength, noise
            mend_patches(flat, known, *sizes, piece, *numbers, common, int(piece[0]), own)
            found[number] = own

    share(work, len(pieces))
    sites = np.flatnonzero(missing)
    sums = np.zeros((3, len(x), len(sites)), np.float32)
    for piece, own in zip(pieces, found, strict=True):  # in order, whoever was ready first
        if len(piece):
            columns = slice(*np.searchsorted(sites, [piece[0], piece[-1] + offsets[-1] + 1]))
            sums[:, :, columns] += own.reshape(3, len(x), -1)[:, :, sites[columns] - piece[0]]
    change, variance = divide_sums(sums)
    return Mended(sites, x[:, sites] + change, np.maximum(variance, np.float32(0)))
