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
from .gaussian import (
    add_covariance,
    condition_by_precision,
    condition_on_known,
    learn_covariance,
    learn_mean,
    mean_given_known,
    scatter_of_informers,
)
from .matching import (
    add_to_sums,
    copy_row,
    find_similar,
    is_absurd,
    keep_nearest,
    put_known,
    take_known,
    take_patches,
)

_BY_PRECISION_FROM = 0.58
"""Share of a patch that is known from which on it costs less to solve for what is missing."""
_ABSURD = 8.0  # deviations that no entry is off its group by, unless rounding has made it up


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
    rounding,
    common,
    first,
    sums,
):
    """All groups of some references. Adds to `sums`, for the sites from `first` on, three numbers per coefficient:

    the weighted difference between conditional means and x, the weights, and the weighted squares of that difference
    with the variances. `x` has coefficients, `values` and `known` bands, all planar. Each of `passes` conditions with
    what the one before found; C comes from every so many-th patch. Noise is at least `rounding` times the trace of Σ.
    All is done in the precision of x.
    """
    kind = x.dtype
    sites = extent[0] * extent[1] * extent[2]
    P = offsets.size
    q = x.size // sites
    bands = values.size // sites
    d, most = q * P, bands * P
    here = sums.shape[1] // q
    widest = 1
    for mode in range(3):
        widest *= 2 * window[mode] + 1
    distances = np.empty(widest, kind)
    places = np.empty(widest, np.int64)
    weights = np.empty(informers, kind)
    X = np.empty((members, d), kind)
    F = np.empty((informers, d), kind)
    G = np.empty((informers, d), kind)
    S = np.empty((d, d), kind)
    C = np.zeros((d, d), kind)
    products = np.empty((d, d), kind)
    precision = np.empty((d, d), kind)
    inverse = np.empty((d, d), np.float64)
    mean = np.empty(d, kind)
    centre = np.empty(d, kind)
    of_informers = np.empty((d, d), kind)
    covariances = S if plain else np.empty((most, d), kind)  # of all that may be observed with the patch
    expected = mean if plain else np.empty(most, kind)
    counts = np.empty(members, np.int64)
    observed = np.empty((members, most + 1), np.int64)
    Y = np.empty((members, most + 1), kind)
    missing = np.empty(d, np.int64)
    side = max(d, most)
    V = np.empty((side, d), kind)
    A = np.empty((side, side), kind)
    factors = np.empty(side, kind)
    scales = np.empty(side, kind)
    residuals = np.empty(side, kind)
    found = np.empty(d, kind)
    variance = np.empty(d, kind)
    stacked = np.empty((((members + every - 1) // every) * most, d), kind)
    for number in range(references.size):
        reference = references[number]
        count = find_similar(x, q, extent, patch, window, offsets, reference, distances, places)
        k1, k = min(informers, count), min(members, count)
        keep_nearest(distances, places, count, k1)
        for m in range(k1):
            far = m >= k and distances[m] > 0
            weights[m] = distances[k - 1] / distances[m] if far else np.float32(1)
        take_patches(x, sites, q, places, k, offsets, X)
        largest = take_patches(x, sites, q, places, k1, offsets, F)
        take_known(values, known, sites, bands, places, k, offsets, observed, Y, counts)
        for turn in range(passes):
            last = turn == passes - 1
            total = learn_mean(F, weights, k1, mean)
            if turn == 0:
                scatter_of_informers(F, weights, k, k1, mean, G, centre, of_informers)
            of_members = total / np.float32(k) if turn > 0 else np.float32(0) * total
            trace = learn_covariance(
                F, weights, k, total, mean, centre, of_informers, strength, common, C, of_members, G, S
            )
            least = max(noise, rounding * trace)
            widest_entry = np.float32(0) * trace
            for j in range(d):
                widest_entry = max(widest_entry, S[j, j])
            absurd = largest + np.float32(_ABSURD) * np.sqrt(widest_entry + least)
            if not plain:
                np.dot(basis, S.reshape(q, P * d), covariances.reshape(bands, P * d))
                np.dot(basis, mean.reshape(q, P), expected.reshape(bands, P))
            if not last:
                C[:] = np.float32(0)
            inverted = False
            rows, by_rows, looked_at = 0, 0, 0
            for m in range(k):
                n = counts[m]
                counts_for_C = not last and m % every == 0
                if n == 0 or (plain and n == d):
                    # Nothing tells more of it than x does, or there is nothing to tell.
                    if counts_for_C:
                        looked_at += 1
                        by_rows += n == 0
                    continue
                for j in range(d):
                    found[j] = mean[j]
                by_precision = plain and n > _BY_PRECISION_FROM * d
                if by_precision:
                    if not inverted:
                        inverted = True
                        for i in range(d):
                            for j in range(d):
                                inverse[i, j] = S[i, j]
                            inverse[i, i] += least
                        precision[:] = least * np.linalg.inv(inverse)  # in double precision: it serves all patches
                    absent = put_known(Y, observed, m, n, found, missing)
                    condition_by_precision(
                        precision,
                        mean,
                        least,
                        least / (trace + least),
                        missing,
                        absent,
                        A,
                        factors,
                        scales,
                        residuals,
                        last or counts_for_C,
                        found,
                        variance,
                    )
                else:
                    for i in range(n):
                        residuals[i] = Y[m, i] - expected[observed[m, i]]
                    if last or counts_for_C:
                        condition_on_known(
                            S,
                            covariances,
                            residuals,
                            least,
                            basis,
                            plain,
                            P,
                            observed,
                            m,
                            n,
                            V,
                            factors,
                            found,
                            variance,
                        )
                    else:
                        mean_given_known(
                            covariances, residuals, least, basis, plain, P, observed, m, n, A, factors, scales, found
                        )
                if is_absurd(found, mean, absurd):
                    copy_row(F, m, X, m)
                    continue
                if last:
                    add_to_sums(found, variance, least, X, m, here, q, places[m] - first, offsets, sums, factors)
                    continue
                for j in range(d):
                    F[m, j] = found[j]
                if not counts_for_C:
                    continue
                looked_at += 1
                if by_precision:
                    add_covariance(C, A, scales, missing, absent, least, V)
                else:
                    by_rows += 1
                    for i in range(n):
                        copy_row(stacked, rows, V, i)
                        rows += 1
            if not last and looked_at > 0:
                scale = np.float32(k) / np.float32(looked_at)
                if rows > 0:
                    np.dot(stacked[:rows].T, stacked[:rows], products)
                else:
                    products[:] = np.float32(0)
                for i in range(d):
                    for j in range(d):
                        C[i, j] = scale * (C[i, j] + np.float32(by_rows) * S[i, j] - products[i, j])
