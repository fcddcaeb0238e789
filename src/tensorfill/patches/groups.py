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
    index,
    learn_covariance,
    learn_mean,
    mean_given_known,
    scatter_of_informers,
)
from .matching import (
    add_to_sums,
    copy_row,
    count_window,
    find_similar,
    is_absurd,
    keep_nearest,
    limit_deviations,
    put_known,
    take_known,
    take_patches,
    weigh_nearest,
)

_BY_PRECISION_FROM = 0.58
"""Share of a patch that is known from which on it costs less to solve for what is missing."""

# Steps of `solve_groups` are written into it (`inline`): compiled apart they would be compiled once more for every
# kernel around them.


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
    sites, kind = extent[0] * extent[1] * extent[2], x.dtype
    q, bands = x.size // sites, values.size // sites
    d, most = q * offsets.size, bands * offsets.size
    here = sums.shape[1] // q
    places, weights = np.empty(count_window(window), np.int64), np.empty(informers, kind)
    F, X, variances = np.empty((informers, d), kind), np.empty((members, d), kind), np.empty((members, d), kind)
    counts, observed = np.empty(members, np.int64), np.empty((members, most + 1), np.int64)
    Y = np.empty((members, most + 1), kind)
    told, factors = np.empty(members, np.bool_), np.empty(d, kind)
    for reference in references:
        k1 = find_group(x, q, extent, patch, window, offsets, reference, members, places, weights)
        k = min(members, k1)
        take_patches(x, sites, q, places, k, offsets, X)
        largest = take_patches(x, sites, q, places, k1, offsets, F)
        take_known(values, known, sites, bands, places, k, offsets, observed, Y, counts)
        least = condition_group(
            F, X, weights, k, k1, observed, Y, counts, basis, plain, passes, every,
            strength, noise, rounding, largest, common, variances, told,
        )  # fmt: skip
        for m in range(k):
            if told[m]:
                add_to_sums(F, variances, least, X, m, here, q, places[m] - first, offsets, sums, factors)


@compiled(nogil=True, fastmath=True, inline="always")
def find_group(x, q, extent, patch, window, offsets, reference, members, places, weights):  # type: ignore[no-untyped-def]
    """Where the patches most like a reference patch begin, the nearest first, and their weights; how many."""
    distances = np.empty(places.size, x.dtype)
    count = find_similar(x, q, extent, patch, window, offsets, reference, distances, places)
    k1 = min(weights.size, count)
    keep_nearest(distances, places, count, k1)
    weigh_nearest(distances, min(members, count), k1, weights)
    return k1


@compiled(nogil=True, fastmath=True, inline="always")
def condition_group(  # type: ignore[no-untyped-def]
    F, X, weights, k, k1, observed, Y, counts, basis, plain, passes, every,
    strength, noise, rounding, largest, common, variances, told,
):  # fmt: skip
    """Learn the Gaussian of k₁ patches in F and condition the first k of them, in passes; returns their noise.

    Where `told` says so, these become conditional means, with `variances`; X keeps what they were.
    """
    kind, d = F.dtype, F.shape[1]
    mean, centre, G = np.empty(d, kind), np.empty(d, kind), np.empty(F.shape, kind)
    S, C, of_informers = np.empty((d, d), kind), np.zeros((d, d), kind), np.empty((d, d), kind)
    most = observed.shape[1] - 1
    covariances = S if plain else np.empty((most, d), kind)  # of all that may be observed with the patch
    expected = mean if plain else np.empty(most, kind)
    least = noise
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
        absurd = limit_deviations(S, least, largest)
        told[:] = False
        C[:] = np.float32(0)
        if plain:
            seen = condition_by_missing(
                F, X, mean, S, observed, Y, counts, k, trace, least, absurd, every, last, C, variances, told
            )
        else:
            expect_bands(basis, mean, S, expected, covariances)
            seen = 0
        seen += condition_by_known(
            F, X, mean, S, covariances, expected, basis, plain, observed, Y, counts, k,
            least, absurd, every, last, C, variances, told,
        )  # fmt: skip
        if seen > 0:
            C *= np.float32(k) / np.float32(seen)
    return least


@compiled(nogil=True, fastmath=True, inline="always")
def expect_bands(basis, mean, S, expected, covariances):  # type: ignore[no-untyped-def]
    """The mean of all bands that may be observed of a patch, and their covariances with it."""
    bands, q = basis.shape
    P = mean.size // q
    np.dot(basis, S.reshape(q, P * mean.size), covariances.reshape(bands, P * mean.size))
    np.dot(basis, mean.reshape(q, P), expected.reshape(bands, P))


@compiled(nogil=True, fastmath=True, inline="always")
def condition_by_known(  # type: ignore[no-untyped-def]
    F, X, mean, S, covariances, expected, basis, plain, observed, Y, counts, k,
    least, absurd, every, last, C, variances, told,
):  # fmt: skip
    """Condition members on what is known of them, one after the other, unless most of it is known.

    Before the last pass every so many-th one adds its covariance to C, with nothing known that of the group. Returns
    how many did.
    """
    kind, d, P, most = S.dtype, S.shape[0], S.shape[0] // basis.shape[1], covariances.shape[0]
    V, A = np.empty((most, d), kind), np.empty((most, most), kind)
    factors, scales, residuals = np.empty(most, kind), np.empty(most, kind), np.empty(most, kind)
    found, variance = np.empty(d, kind), np.empty(d, kind)
    stacked = np.empty((0 if last else (k + every - 1) // every * most, d), kind)
    rows, seen = 0, 0
    for m in range(k):
        n, adds = counts[m], not last and m % every == 0
        if n == 0:  # nothing tells more of it than x does
            seen += adds
        if n == 0 or is_mostly_known(plain, n, d):
            continue
        for i in range(n):
            residuals[i] = Y[m, i] - expected[observed[m, i]]
        found[:] = mean
        if last or adds:
            condition_on_known(
                S, covariances, residuals, least, basis, plain, P, observed, m, n, V, factors, found, variance
            )
        else:
            mean_given_known(covariances, residuals, least, basis, plain, P, observed, m, n, A, factors, scales, found)
        told[m] = take_conditional(found, variance, mean, absurd, X, m, F, variances)
        if adds and told[m]:
            seen += 1
            for i in range(n):
                copy_row(stacked, rows, V, i)
                rows += 1
    if seen > 0:
        add_conditional_covariances(S, stacked[:rows], seen, C)
    return seen


@compiled(nogil=True, fastmath=True, inline="always")
def is_mostly_known(plain, count, d):  # type: ignore[no-untyped-def]
    """Whether it costs less to solve for what is missing of a patch than for what is known."""
    return plain and count > _BY_PRECISION_FROM * d


@compiled(nogil=True, fastmath=True, inline="always")
def add_conditional_covariances(S, stacked, count, C):  # type: ignore[no-untyped-def]
    """Add to C so many times S, less VᵀV for the rows of what `condition_on_known` has found."""
    products = np.zeros(S.shape, S.dtype)
    if len(stacked) > 0:
        np.dot(stacked.T, stacked, products)
    for i in range(index(len(S))):
        for j in range(index(len(S))):
            C[i, j] += np.float32(count) * S[i, j] - products[i, j]


@compiled(nogil=True, fastmath=True, inline="always")
def condition_by_missing(  # type: ignore[no-untyped-def]
    F, X, mean, S, observed, Y, counts, k, trace, least, absurd, every, last, C, variances, told
):
    """The same for members of which most is known, by solving for what is missing."""
    kind, d = S.dtype, S.shape[0]
    A, V, precision = np.empty((d, d), kind), np.empty((d, d), kind), np.empty((d, d), kind)
    factors, scales, residuals = np.empty(d, kind), np.empty(d, kind), np.empty(d, kind)
    found, variance, missing = np.empty(d, kind), np.empty(d, kind), np.empty(d, np.int64)
    inverted, seen = False, 0
    for m in range(k):
        n, adds = counts[m], not last and m % every == 0
        if n == d:  # there is nothing to tell
            seen += adds
        if n == d or not is_mostly_known(True, n, d):
            continue
        if not inverted:
            inverted = True
            invert_with_noise(S, least, precision)
        found[:] = mean
        absent = put_known(Y, observed, m, n, found, missing)
        condition_by_precision(
            precision, mean, least, least / (trace + least), missing, absent,
            A, factors, scales, residuals, last or adds, found, variance,
        )  # fmt: skip
        told[m] = take_conditional(found, variance, mean, absurd, X, m, F, variances)
        if adds and told[m]:
            seen += 1
            add_covariance(C, A, scales, missing, absent, least, V)
    return seen


@compiled(nogil=True, fastmath=True, inline="always")
def invert_with_noise(S, noise, precision):  # type: ignore[no-untyped-def]
    """σ² (S + σ²I)⁻¹, in double precision: it serves all patches."""
    inverse = np.empty(S.shape, np.float64)
    for i in range(len(S)):
        for j in range(len(S)):
            inverse[i, j] = S[i, j]
        inverse[i, i] += noise
    precision[:] = noise * np.linalg.inv(inverse)


@compiled(nogil=True, fastmath=True, inline="always")
def take_conditional(found, variance, mean, absurd, X, m, F, variances):  # type: ignore[no-untyped-def]
    """A member becomes what was found; returns whether it does, for if that is absurd, it is what it was."""
    member, sane = index(m), not is_absurd(found, mean, absurd)
    for j in range(index(found.size)):
        variances[member, j] = variance[j]
        F[member, j] = found[j]
    if not sane:
        copy_row(F, m, X, m)
    return sane
