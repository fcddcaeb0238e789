"""The Gaussian of a group, and that of one patch given what is known of it: by what is known, or by what is missing.

A patch has d = q·P entries, coefficient c of its site j at c·P + j. Observation i is a band of a site: a row of the
basis B of bands times the coefficients of that site. With `plain` bands and coefficients are the same, and an
observation is an entry. H has a row for each observation that is made of a patch.

Indices are unsigned in kernels of this folder: Numba then has no negative ones to look after, so loops are vectorised.
Rows as arrays of their own would do the same, but references to them are counted wherever a loop has branches or calls
a function, which costs as much as the work on a short row. For the same reason innermost kernels call nobody.
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled

index = np.uint64
_LEAST_PIVOT = 0.1  # of σ²: what rounding may leave of a pivot, which is σ² at least


@compiled(nogil=True, fastmath=True)
def learn_mean(F, weights, count, mean):  # type: ignore[no-untyped-def]
    """μ = Σ w f / Σ w over the first `count` patches; returns Σ w."""
    total = np.float32(0) * weights[0]
    for j in range(mean.size):
        mean[j] = np.float32(0)
    for m in range(index(count)):
        total += weights[m]
        for j in range(index(mean.size)):
            mean[j] += weights[m] * F[m, j]
    for j in range(mean.size):
        mean[j] /= total
    return total


@compiled(nogil=True, fastmath=True)
def add_scatter(F, weights, first, last, centre, G, products):  # type: ignore[no-untyped-def]
    """Σ w (f − c)(f − c)ᵀ over patches from `first` to `last`."""
    for m in range(index(first), index(last)):
        root = np.sqrt(weights[m])
        for j in range(index(centre.size)):
            G[m, j] = root * (F[m, j] - centre[j])
    if last > first:
        np.dot(G[first:last].T, G[first:last], products)
    else:
        products[:] = np.float32(0)


@compiled(nogil=True, fastmath=True)
def scatter_of_informers(F, weights, members, count, mean, G, centre, products):  # type: ignore[no-untyped-def]
    """What patches that are not solved for add to the covariance: the same in all passes, about a fixed centre."""
    for j in range(mean.size):
        centre[j] = mean[j]
    add_scatter(F, weights, members, count, centre, G, products)


@compiled(nogil=True, fastmath=True)
def learn_covariance(  # type: ignore[no-untyped-def]
    F, weights, members, total, mean, centre, of_informers, strength, common, C, of_members, G, S
):
    """S = [Σ w (f − μ)(f − μ)ᵀ + a C + ν c Σ₀] / (Σw + ν), with a = `of_members`; returns its trace."""
    d = index(mean.size)
    add_scatter(F, weights, 0, members, centre, G, S)
    for i in range(d):
        factor = total * (mean[i] - centre[i])
        for j in range(d):
            S[i, j] += of_informers[i, j] - factor * (mean[j] - centre[j])
        S[i, i] = max(S[i, i], np.float32(0))
    of_common = weigh_common(S, total, strength, common)
    trace, part = np.float32(0) * total, np.float32(1) / (total + strength)
    for i in range(d):
        for j in range(d):
            S[i, j] = (S[i, j] + of_members * C[i, j] + of_common * common[i, j]) * part
        trace += S[i, i]
    return trace


@compiled(nogil=True, fastmath=True)
def weigh_common(S, total, strength, common):  # type: ignore[no-untyped-def]
    """ν c, for a scatter S of patches that weigh `total`: zero, if they are flat."""
    trace, of_all = np.float32(0) * total, np.float32(0) * total
    for i in range(index(len(S))):
        trace += S[i, i]
        of_all += common[i, i]
    return strength * trace / (total * max(of_all, np.float32(1e-30)))


@compiled(nogil=True, fastmath=True)
def solve_positive(A, count, least, right, wants_inverse, factors, scales):  # type: ignore[no-untyped-def]
    """Solve A z = b in place, for b in `right`; A is positive definite, its first `count` rows and columns.

    A becomes Lᵀ above its diagonal, where L Lᵀ = A, and `scales` has 1/L[i, i]. If `wants_inverse`, all of A has to be
    given and not its upper triangle alone, and below the diagonal it becomes L⁻¹, whose diagonal is `scales`. No pivot
    is below `least`. For that eigenvalues should be about 1 or less.

    Rows of Lᵀ and of L⁻¹ are combined with the same factors, so they share a row. What Lᵀ brings below the diagonal
    of a later row, L[i, k] L[k, k] at k, is taken away by 1/scales[k] on the diagonal of row k.
    """
    end = index(count)
    for i in range(end):
        first = index(0) if wants_inverse else i
        residual = right[i]
        for k in range(i):
            factors[k] = A[k, i]
            residual -= factors[k] * right[k]
        whole = i // index(4) * index(4)
        for k in range(index(0), whole, index(4)):  # four at a time: fewer passes over the row
            k1, k2, k3 = k + index(1), k + index(2), k + index(3)
            factor, factor1, factor2, factor3 = factors[k], factors[k1], factors[k2], factors[k3]
            for j in range(first, end):
                A[i, j] -= factor * A[k, j] + factor1 * A[k1, j] + factor2 * A[k2, j] + factor3 * A[k3, j]
        for k in range(whole, i):
            factor = factors[k]
            for j in range(first, end):
                A[i, j] -= factor * A[k, j]
        root = np.sqrt(max(A[i, i], least))
        scale = np.float32(1) / root
        for j in range(first, end):
            A[i, j] *= scale
        A[i, i] = scale + root
        scales[i] = scale
        right[i] = residual * scale
    for step in range(end):
        row = end - index(1) - step
        total = right[row]
        for j in range(row + index(1), end):
            total -= A[row, j] * right[j]
        right[row] = total * scales[row]


@compiled(nogil=True, fastmath=True)
def condition_on_known(  # type: ignore[no-untyped-def]
    S, covariances, residuals, noise, basis, plain, P, observed, m, count, V, factors, found, variance
):
    """The conditional variances given the `count` values that observed[m] lists, and the mean; one after the other.

    `covariances` has those of all possible observations with the patch, `residuals` how far values are off the
    mean of the patch, which is in `found`. V becomes L⁻¹ H S, where L Lᵀ = H S Hᵀ + σ²I, and S − VᵀV is the
    conditional covariance. L needs no array: L[i, k] = (H Vₖ)ᵢ for k < i.
    """
    member, d, sites = index(m), index(found.size), index(P)
    for j in range(d):
        variance[j] = S[j, j]
    for i in range(index(count)):
        which = index(observed[member, i])
        for j in range(d):
            V[i, j] = covariances[which, j]
        if plain:
            for k in range(i):
                factors[k] = V[k, which]
        else:
            site, band = which % sites, which // sites
            for k in range(i):
                total = np.float32(0) * noise
                for c in range(index(basis.shape[1])):
                    total += basis[band, c] * V[k, c * sites + site]
                factors[k] = total
        residual = residuals[i]
        for k in range(i):
            residual -= factors[k] * residuals[k]
        whole = i // index(4) * index(4)
        for k in range(index(0), whole, index(4)):  # four at a time: fewer passes over the row
            k1, k2, k3 = k + index(1), k + index(2), k + index(3)
            factor, factor1, factor2, factor3 = factors[k], factors[k1], factors[k2], factors[k3]
            for j in range(d):
                V[i, j] -= factor * V[k, j] + factor1 * V[k1, j] + factor2 * V[k2, j] + factor3 * V[k3, j]
        for k in range(whole, i):
            factor = factors[k]
            for j in range(d):
                V[i, j] -= factor * V[k, j]
        if plain:
            pivot = V[i, which] + noise
        else:
            pivot = np.float32(1) * noise
            site, band = which % sites, which // sites
            for c in range(index(basis.shape[1])):
                pivot += basis[band, c] * V[i, c * sites + site]
        scale = np.float32(1) / np.sqrt(max(pivot, np.float32(_LEAST_PIVOT) * noise))
        residual *= scale
        residuals[i] = residual
        for j in range(d):
            entry = scale * V[i, j]
            V[i, j] = entry
            found[j] += residual * entry
            variance[j] -= entry * entry
    for j in range(d):
        variance[j] = max(variance[j], np.float32(0))


@compiled(nogil=True, fastmath=True)
def mean_given_known(  # type: ignore[no-untyped-def]
    covariances, residuals, noise, basis, plain, P, observed, m, count, A, factors, scales, found
):
    """The conditional mean alone, which takes a system of what is known and no more."""
    member, end, d, sites = index(m), index(count), index(found.size), index(P)
    for i in range(end):
        which = index(observed[member, i])
        if plain:
            for j in range(i, end):
                A[i, j] = covariances[which, index(observed[member, j])]
        else:
            for j in range(i, end):
                other = index(observed[member, j])
                total, site, band = np.float32(0) * noise, other % sites, other // sites
                for c in range(index(basis.shape[1])):
                    total += basis[band, c] * covariances[which, c * sites + site]
                A[i, j] = total
        A[i, i] += noise
    solve_positive(A, count, np.float32(_LEAST_PIVOT) * noise, residuals, False, factors, scales)
    for i in range(end):
        which, weight = index(observed[member, i]), residuals[i]
        for j in range(d):
            found[j] += weight * covariances[which, j]


@compiled(nogil=True, fastmath=True)
def condition_by_precision(  # type: ignore[no-untyped-def]
    precision, mean, noise, least, missing, count, A, factors, scales, solved, wants_variance, found, variance
):
    """The same by P = σ² (S + σ²I)⁻¹, if bands are coefficients: it costs less if few of them, `count`, are missing.

    What is missing, with noise, has the covariance σ² P_MM⁻¹ and the mean μ_M − P_MM⁻¹ P_MO (y − μ)_O. `found` holds
    y where it is known and μ elsewhere. Variances of what is known lie below σ²; half of it stands for them. If
    variances are wanted, A and `scales` have L⁻¹ afterwards, where L Lᵀ = P_MM. No pivot is below `least`, whatever
    rounding says.
    """
    d, end = index(mean.size), index(count)
    for j in range(d):
        found[j] -= mean[j]
    for i in range(end):
        which, total = index(missing[i]), np.float32(0) * noise
        for j in range(d):
            total -= precision[which, j] * found[j]
        solved[i] = total
        for j in range(index(0) if wants_variance else i, end):
            A[i, j] = precision[which, index(missing[j])]
    solve_positive(A, count, least, solved, wants_variance, factors, scales)
    for i in range(end):
        found[index(missing[i])] = solved[i]
    # What is known keeps a part of its noise: y − P (g − μ), where g is complete. P (g − μ) is zero where missing.
    for j in range(d):
        total = np.float32(0) * noise
        for k in range(d):
            total += precision[j, k] * found[k]
        factors[j] = total
    for i in range(end):
        factors[index(missing[i])] = np.float32(0)
    for j in range(d):
        found[j] += mean[j] - factors[j]
    if wants_variance:
        for j in range(d):
            factors[j] = np.float32(0)
            variance[j] = np.float32(0.5) * noise
        for k in range(end):
            for i in range(k):
                factors[i] += A[k, i] * A[k, i]
            factors[k] += scales[k] * scales[k]
        for i in range(end):
            variance[index(missing[i])] = noise * max(factors[i] - np.float32(1), np.float32(0))


@compiled(nogil=True, fastmath=True)
def add_covariance(C, A, scales, missing, count, noise, products):  # type: ignore[no-untyped-def]
    """Add to C the covariance of what is missing, σ² (P_MM⁻¹ − I), after `condition_by_precision`.

    Rounding may leave it with eigenvalues a little below zero, where σ² is added to it before it is made use of.
    """
    for k in range(index(count)):
        A[k, k] = scales[k]
        for i in range(k + index(1)):
            products[k, i] = np.float32(0)
        for i in range(k + index(1)):
            factor = A[k, i]
            for j in range(i + index(1)):
                products[i, j] += factor * A[k, j]
    for i in range(count):
        for j in range(i):
            C[missing[i], missing[j]] += noise * products[i, j]
            C[missing[j], missing[i]] += noise * products[i, j]
        C[missing[i], missing[i]] += noise * max(products[i, i] - np.float32(1), np.float32(0))
