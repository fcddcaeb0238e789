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
from .layout import Floats, Mask, Triple
from .matching import find_similar, keep_nearest
from .planning import GroupModel
from .settings import PatchSettings
from .view import divide_sums, touching

_FILLED_IN = 0.6  # weight of sites that are filled in when patches are compared; that of known ones is 1
_TURNED = 0.5  # weight of the covariance turned by half a turn, at most
_FEWEST = 8  # patches that tell a covariance
_ABSURD = 8.0  # deviations that no entry is off its group by, unless rounding has made it up
_SINGLE = 2e-5  # of the trace of Σ: with less noise, rounding in single precision would make it indefinite
_USUAL = PatchSettings()


@compiled(nogil=True, fastmath=True)
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
    P = offsets.size
    q = x.size // sites
    d = q * P
    here = sums.shape[1] // q
    widest = 1
    for mode in range(3):
        widest *= 2 * window[mode] + 1
    distances = np.empty(widest, np.float32)
    more = np.empty(widest, np.float32)
    places = np.empty(widest, np.int64)
    parted = np.empty(P, np.int64)
    G = np.empty((informers, d), np.float32)
    S = np.empty((d, d), np.float32)
    weights = np.empty(informers, np.float32)
    mean = np.empty(d, np.float32)
    observed = np.empty(d, np.int64)
    missing = np.empty(d, np.int64)
    total_common = np.float32(1e-30)  # if patches are of one site or flat
    for j in range(d):
        total_common += common[j, j]
    for reference in references:
        n, m = 0, 0
        for j in range(P):  # offsets of known sites, then of the others
            if known[reference + offsets[j]]:
                parted[n] = offsets[j]
                n += 1
            else:
                m += 1
                parted[P - m] = offsets[j]
        if n == 0 or m == 0:
            continue
        count = find_others(x, q, extent, patch, window, parted[:n], parted[n:], reference, distances, more, places)
        if count < _FEWEST:
            continue
        n, m = 0, 0
        for c in range(q):
            for j in range(P):
                if known[reference + offsets[j]]:
                    observed[n] = c * P + j
                    n += 1
                else:
                    missing[m] = c * P + j
                    m += 1
        k1, k = min(informers, count), min(members, count)
        keep_nearest(distances, places, count, k1)
        total, largest = np.float32(0), np.float32(0)
        mean[:] = np.float32(0)
        for i in range(k1):
            far = i >= k and distances[i] > 0
            weight = distances[k - 1] / distances[i] if far else np.float32(1)
            weights[i] = weight
            total += weight
            row = G[i]
            for c in range(q):
                at = c * sites + places[i]
                for j in range(P):
                    row[c * P + j] = x[at + offsets[j]]
            for j in range(d):
                mean[j] += weight * row[j]
                largest = max(largest, abs(row[j]))
        for j in range(d):
            mean[j] /= total
        for i in range(k1):
            row, root = G[i], np.sqrt(weights[i])
            for j in range(d):
                row[j] = root * (row[j] - mean[j])
        np.dot(G[:k1].T, G[:k1], S)
        trace = np.float32(0)
        for j in range(d):
            trace += S[j, j]
        of_common = strength * trace / (total * total_common)
        part = np.float32(1) / (total + strength)
        for i in range(d):
            row, row_of_common = S[i], common[i]
            for j in range(d):
                row[j] = (row[j] + of_common * row_of_common[j]) * part
        turn(S, q, P)
        trace, widest_entry = np.float32(0), np.float32(0)
        for j in range(d):
            trace += S[j, j]
            widest_entry = max(widest_entry, S[j, j])
        least = max(noise, np.float32(_SINGLE) * trace)
        absurd = largest + np.float32(_ABSURD) * np.sqrt(widest_entry + least)
        left, right = np.empty((n, n), np.float32), np.empty((n, m + 1), np.float32)
        for i in range(n):
            source, at = S[observed[i]], observed[i]
            left_row, right_row = left[i], right[i]
            for j in range(n):
                left_row[j] = source[observed[j]]
            left_row[i] += least
            for j in range(m):
                right_row[j] = source[missing[j]]
            right_row[m] = x[(at // P) * sites + reference + offsets[at % P]] - mean[at]
        solved = np.linalg.solve(left, right)
        # Σ_MO times that: its last column for means, the diagonal of the rest for variances.
        found, told = np.zeros(m, np.float32), np.zeros(m, np.float32)
        for i in range(n):
            right_row, solved_row = right[i], solved[i]
            for j in range(m):
                found[j] += right_row[j] * solved_row[m]
                told[j] += right_row[j] * solved_row[j]
        farthest = np.float32(0)
        for j in range(m):
            farthest = max(farthest, abs(found[j]))
        if not farthest < absurd:
            continue
        for i in range(m):
            j = missing[i]
            variance = max(S[j, j] - told[i], np.float32(0))
            at = (j // P) * sites + reference + offsets[j % P]
            to = (j // P) * here + reference - first + offsets[j % P]
            off, weight = mean[j] + found[i] - x[at], np.float32(1) / (variance + least)
            sums[0, to] += weight * off
            sums[1, to] += weight
            sums[2, to] += weight * (off * off + variance)


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
    a, b, c = np.meshgrid(*model.grid(extent, shift), indexing="ij")
    references = ((a * extent[1] + b) * extent[2] + c).reshape(-1)
    pieces = np.array_split(references[active.reshape(-1)[references]], settings.round.pieces)
    offsets = model.offsets(extent)
    sizes = np.array(extent), np.array(model.patch), np.array(model.window), offsets
    strength, noise = np.float32(model.strength), np.float32(model.noise)
    flat, known = x.reshape(-1), ~missing.reshape(-1)
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
