"""The Gaussian conditional of one patch, given what is known of it: by what is known, or by what is missing.

A patch has d = q·P entries, coefficient c of its site j at c·P + j. Observation i is a band of a site: a row of the
basis B of bands times the coefficients of that site. With `plain` bands and coefficients are the same, and an
observation is an entry.
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled

_LEAST_PIVOT = 0.1  # of σ²: what rounding may leave of a pivot, which is σ² at least


@compiled(nogil=True, fastmath=True)
def observation_of(vector, basis, plain, P, which):  # type: ignore[no-untyped-def]
    """One entry of H times a vector."""
    if plain:
        return vector[which]
    site, band = which % P, which // P
    total = np.float32(0)
    for coefficient in range(basis.shape[1]):
        total += basis[band, coefficient] * vector[coefficient * P + site]
    return total


@compiled(nogil=True, fastmath=True)
def gather_rows(S, basis, plain, P, observed, count, V):  # type: ignore[no-untyped-def]
    """V = H S, a row for each of the `count` observations of a patch."""
    d = S.shape[0]
    for i in range(count):
        row = V[i]
        if plain:
            source = S[observed[i]]  # rows as arrays of their own: indices that need no check, so loops are vectorised
            for j in range(d):
                row[j] = source[j]
            continue
        site, band = observed[i] % P, observed[i] // P
        for j in range(d):
            row[j] = np.float32(0)
        for coefficient in range(basis.shape[1]):
            weight = basis[band, coefficient]
            source = S[coefficient * P + site]
            for j in range(d):
                row[j] += weight * source[j]


@compiled(nogil=True, fastmath=True)
def condition_on_known(  # type: ignore[no-untyped-def]
    S, mean, noise, basis, plain, P, observed, count, values, V, L, whitened, found, variance
):
    """The conditional mean and variances given `count` values: L Lᵀ = H S Hᵀ + σ²I, V = L⁻¹ H S.

    S − VᵀV is the conditional covariance.
    """
    d = S.shape[0]
    gather_rows(S, basis, plain, P, observed, count, V)
    for i in range(count):
        for j in range(i + 1):
            entry = observation_of(V[i], basis, plain, P, observed[j])
            if i == j:
                entry += noise
            for k in range(j):
                entry -= L[i, k] * L[j, k]
            if i == j:
                L[i, i] = np.float32(1) / np.sqrt(max(entry, np.float32(_LEAST_PIVOT) * noise))
            else:
                L[i, j] = entry * L[j, j]
    for j in range(d):
        found[j] = mean[j]
        variance[j] = S[j, j]
    for i in range(count):
        residual = values[i] - observation_of(mean, basis, plain, P, observed[i])
        row = V[i]
        for k in range(i):
            factor = L[i, k]
            residual -= factor * whitened[k]
            above = V[k]
            for j in range(d):
                row[j] -= factor * above[j]
        scale = L[i, i]
        residual *= scale
        whitened[i] = residual
        for j in range(d):
            entry = scale * row[j]
            row[j] = entry
            found[j] += residual * entry
            variance[j] -= entry * entry
    for j in range(d):
        variance[j] = max(variance[j], np.float32(0))


@compiled(nogil=True, fastmath=True)
def condition_by_precision(  # type: ignore[no-untyped-def]
    precision, mean, noise, largest, missing, count, values, L, inverse, pulled, found, variance
):
    """The same by P = (S + σ²I)⁻¹, if bands are coefficients: it costs less if few of them, `count`, are missing.

    What is missing, with noise, has the covariance P_MM⁻¹ and the mean μ_M − P_MM⁻¹ P_MO (y − μ)_O. `values` holds y
    where it is known and μ elsewhere. Variances of what is known lie below σ²; half of it stands for them. `inverse`
    becomes that of L, where L Lᵀ = P_MM; all loops go along rows, so that they are vectorised. No variance is above
    `largest`, so that no pivot is below 1/largest, whatever rounding says.
    """
    d = mean.size
    for j in range(d):
        found[j] = values[j] - mean[j]
        variance[j] = np.float32(0.5) * noise
    for i in range(count):
        source, row, own = precision[missing[i]], L[i], inverse[i]
        total = np.float32(0)
        for j in range(d):
            total += source[j] * found[j]
        for j in range(i + 1):
            above = L[j]
            entry = source[missing[j]]
            for k in range(j):
                entry -= row[k] * above[k]
            row[j] = np.sqrt(max(entry, np.float32(1) / largest)) if i == j else entry / above[j]
            own[j] = np.float32(0)
        scale = np.float32(1) / row[i]
        for k in range(i):
            factor, above = row[k] * scale, inverse[k]
            total -= row[k] * pulled[k]
            for j in range(k + 1):
                own[j] -= factor * above[j]
        own[i] = scale
        pulled[i] = total * scale  # L⁻¹ P_MO (y − μ)_O
    solved, squares = L[count], L[count + 1]
    for i in range(count):
        solved[i] = squares[i] = np.float32(0)
    for k in range(count):
        row, weight = inverse[k], pulled[k]
        for i in range(k + 1):
            solved[i] += weight * row[i]
            squares[i] += row[i] * row[i]
    for i in range(count):
        found[missing[i]] = -solved[i]
        variance[missing[i]] = max(squares[i] - noise, np.float32(0))
    # What is known keeps a part of its noise: y − σ² P (g − μ), where g is complete. P (g − μ) is zero where missing.
    for j in range(d):
        source = precision[j]
        total = np.float32(0)
        for k in range(d):
            total += source[k] * found[k]
        solved[j] = total
    for i in range(count):
        solved[missing[i]] = np.float32(0)
    for j in range(d):
        found[j] += mean[j] - noise * solved[j]
