"""The Gaussian of a group: its mean and its covariance, from its patches, their own covariances and that of all."""

from __future__ import annotations

import numpy as np

from ..compiling import compiled
from .elimination import index


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
def _scatter(F, weights, first, last, centre, G, products):  # type: ignore[no-untyped-def]
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
    _scatter(F, weights, members, count, centre, G, products)


@compiled(nogil=True, fastmath=True)
def learn_covariance(  # type: ignore[no-untyped-def]
    F, weights, members, total, mean, centre, of_informers, strength, common, C, of_members, G, S
):
    """S = [Σ w (f − μ)(f − μ)ᵀ + a C + ν c Σ₀] / (Σw + ν), with a = `of_members`; returns its trace."""
    d = index(mean.size)
    _scatter(F, weights, 0, members, centre, G, S)
    trace, of_all = np.float32(0) * total, np.float32(0) * total
    for i in range(d):
        factor = total * (mean[i] - centre[i])
        for j in range(d):
            S[i, j] += of_informers[i, j] - factor * (mean[j] - centre[j])
        S[i, i] = max(S[i, i], np.float32(0))
        trace += S[i, i]
        of_all += common[i, i]
    of_common = strength * trace / (total * max(of_all, np.float32(1e-30)))  # zero, if patches are flat anywhere
    part = np.float32(1) / (total + strength)
    trace = np.float32(0) * total
    for i in range(d):
        for j in range(d):
            S[i, j] = (S[i, j] + of_members * C[i, j] + of_common * common[i, j]) * part
        trace += S[i, i]
    return trace
