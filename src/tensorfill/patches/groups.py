"""Groups of similar patches: each learns its Gaussian, and every patch of it is conditioned on what is known of it.

For a reference patch, the k₁ nearest patches f with weights w (1 for the k nearest, less for the others):

    μ = Σ w f / Σ w
    Σ = [Σ w (f − μ)(f − μ)ᵀ + (Σw / k) C + ν c Σ₀] / (Σw + ν),     c = tr(Σ w (f − μ)(f − μ)ᵀ) / (Σw tr Σ₀)

C sums the conditional covariances of the k nearest: a group must not become surer than its members. Then each of those
is conditioned on its known entries, and the means of all groups are averaged, weighted by 1/(variance + σ²).
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled
from .conditioning import condition_by_precision, condition_on_known
from .matching import find_similar, keep_nearest

_BY_PRECISION_FROM = 0.45
"""Share of a patch that is known from which on it costs less to solve for what is missing."""
_ABSURD = 8.0  # deviations that no entry is off its group by, unless rounding has made it up
_SINGLE = 2e-5  # of the trace of Σ: with less noise, rounding in single precision would make it indefinite


@compiled(nogil=True, fastmath=True)
def solve_groups(  # type: ignore[no-untyped-def]
    x,
    values,
    known,
    basis,
    plain,
    extent,
    patch,
    window,
    offsets,
    references,
    members,
    informers,
    passes,
    every,
    strength,
    noise,
    common,
    first,
    sums,
):
    """All groups of some references. Adds to `sums`, for the sites from `first` on, three numbers per coefficient:

    the weighted difference between conditional means and x, the weights, and the weighted squares of that difference
    with the variances. `x` has coefficients, `values` and `known` bands, all planar. Each of `passes` conditions with
    what the one before found; C comes from every so many-th patch.
    """
    sites = extent[0] * extent[1] * extent[2]
    P = offsets.size
    q = x.size // sites
    bands = values.size // sites
    d, most = q * P, bands * P
    here = sums.shape[1] // q
    widest = 1
    for mode in range(3):
        widest *= 2 * window[mode] + 1
    distances = np.empty(widest, np.float32)
    places = np.empty(widest, np.int64)
    F = np.empty((informers, d), np.float32)
    G = np.empty((informers, d), np.float32)
    S = np.empty((d, d), np.float32)
    C = np.zeros((d, d), np.float32)
    products = np.empty((d, d), np.float32)
    precision = np.empty((d, d), np.float32)
    inverse = np.empty((d, d), np.float64)
    weights = np.empty(informers, np.float32)
    mean = np.empty(d, np.float32)
    counts = np.empty(members, np.int64)
    observed = np.empty((members, most), np.int64)
    missing = np.empty(d, np.int64)
    y = np.empty(max(d, most), np.float32)
    side = max(d, most) + 2
    V = np.empty((side, d), np.float32)
    L = np.empty((side, side), np.float32)
    whitened = np.empty(side, np.float32)
    variance = np.empty(d, np.float32)
    stacked = np.empty((((members + every - 1) // every) * most, d), np.float32)
    total_common = np.float32(0)
    for j in range(d):
        total_common += common[j, j]
    total_common = max(total_common, np.float32(1e-30))  # zero, if patches are of one site or flat
    for number in range(references.size):
        reference = references[number]
        count = find_similar(x, q, extent, patch, window, offsets, reference, distances, places)
        k1, k = min(informers, count), min(members, count)
        keep_nearest(distances, places, count, k1)
        total, largest = np.float32(0), np.float32(0)
        for m in range(k1):
            far = m >= k and distances[m] > 0
            weights[m] = distances[k - 1] / distances[m] if far else np.float32(1)
            total += weights[m]
            for c in range(q):
                at = c * sites + places[m]
                for j in range(P):
                    F[m, c * P + j] = x[at + offsets[j]]
                    largest = max(largest, abs(F[m, c * P + j]))
        for m in range(k):
            n = 0
            for c in range(bands):
                at = c * sites + places[m]
                for j in range(P):
                    if known[at + offsets[j]]:
                        observed[m, n] = c * P + j
                        n += 1
            counts[m] = n
        for turn in range(passes):
            last = turn == passes - 1
            for j in range(d):
                mean[j] = np.float32(0)
            for m in range(k1):
                for j in range(d):
                    mean[j] += weights[m] * F[m, j]
            for j in range(d):
                mean[j] /= total
            for m in range(k1):
                root = np.sqrt(weights[m])
                for j in range(d):
                    G[m, j] = root * (F[m, j] - mean[j])
            np.dot(G[:k1].T, G[:k1], S)
            trace = np.float32(0)
            for j in range(d):
                trace += S[j, j]
            of_common = strength * trace / (total * total_common)
            of_members = total / k if turn > 0 else np.float32(0)
            part = np.float32(1) / (total + strength)
            for i in range(d):
                for j in range(d):
                    S[i, j] = (S[i, j] + of_members * C[i, j] + of_common * common[i, j]) * part
            trace, widest_entry = np.float32(0), np.float32(0)
            for j in range(d):
                trace += S[j, j]
                widest_entry = max(widest_entry, S[j, j])
            least = max(noise, np.float32(_SINGLE) * trace)
            absurd = largest + np.float32(_ABSURD) * np.sqrt(widest_entry + least)
            if not last:
                C[:] = np.float32(0)
            inverted = False
            rows, by_rows, looked_at = 0, 0, 0
            for m in range(k):
                n = counts[m]
                if n == 0 or (plain and n == d):
                    # Nothing tells more of it than x does, or there is nothing to tell.
                    if not last and m % every == 0:
                        looked_at += 1
                        by_rows += n == 0
                    continue
                by_precision = plain and n > _BY_PRECISION_FROM * d
                if by_precision:
                    if not inverted:
                        inverted = True
                        for i in range(d):
                            for j in range(d):
                                inverse[i, j] = S[i, j]
                            inverse[i, i] += least
                        precision[:] = np.linalg.inv(inverse)  # in double precision: it serves all patches
                    for j in range(d):
                        y[j] = mean[j]
                    at_known, absent = 0, 0
                    for j in range(d):
                        if at_known < n and observed[m, at_known] == j:
                            y[j] = values[(j // P) * sites + places[m] + offsets[j % P]]
                            at_known += 1
                        else:
                            missing[absent] = j
                            absent += 1
                    condition_by_precision(
                        precision, mean, least, trace + least, missing, absent, y, L, V, whitened, F[m], variance
                    )
                else:
                    for i in range(n):
                        j = observed[m, i]
                        y[i] = values[(j // P) * sites + places[m] + offsets[j % P]]
                    condition_on_known(
                        S, mean, least, basis, plain, P, observed[m], n, y, V, L, whitened, F[m], variance
                    )
                farthest = np.float32(0)
                for j in range(d):
                    farthest = max(farthest, abs(F[m, j] - mean[j]))
                if not farthest < absurd:
                    for c in range(q):
                        at = c * sites + places[m]
                        for j in range(P):
                            F[m, c * P + j] = x[at + offsets[j]]
                    continue
                if last:
                    for c in range(q):
                        at, to = c * sites + places[m], c * here + places[m] - first
                        for j in range(P):
                            found, weight = F[m, c * P + j], np.float32(1) / (variance[c * P + j] + least)
                            off = found - x[at + offsets[j]]
                            sums[0, to + offsets[j]] += weight * off
                            sums[1, to + offsets[j]] += weight
                            sums[2, to + offsets[j]] += weight * (off * off + variance[c * P + j])
                elif m % every == 0:
                    looked_at += 1
                    if by_precision:  # that of values with noise: a matrix that stays positive whatever rounding does
                        for row in range(absent):
                            one = V[row]
                            for i in range(row + 1):
                                factor, of_sums = one[i], L[i]
                                if row == i:
                                    for j in range(i + 1):
                                        of_sums[j] = np.float32(0)
                                for j in range(i + 1):
                                    of_sums[j] += factor * one[j]
                        for i in range(absent):
                            for j in range(i):
                                C[missing[i], missing[j]] += L[i, j]
                                C[missing[j], missing[i]] += L[i, j]
                            C[missing[i], missing[i]] += L[i, i]
                    else:
                        by_rows += 1
                        for i in range(n):
                            for j in range(d):
                                stacked[rows, j] = V[i, j]
                            rows += 1
            if not last and looked_at > 0:
                scale = np.float32(k) / looked_at
                if rows > 0:
                    np.dot(stacked[:rows].T, stacked[:rows], products)
                else:
                    products[:] = np.float32(0)
                for i in range(d):
                    for j in range(d):
                        C[i, j] = scale * (C[i, j] + by_rows * S[i, j] - products[i, j])
