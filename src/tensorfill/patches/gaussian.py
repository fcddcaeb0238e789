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
def learn_covariance(  # type: ignore[no-untyped-def]
    F, weights, count, total, mean, strength, common, C, of_members, G, S
):
    """S = [Σ w (f − μ)(f − μ)ᵀ + a C + ν c Σ₀] / (Σw + ν), with a = `of_members`; returns its trace."""
    d = mean.size
    for m in range(index(count)):
        root = np.sqrt(weights[m])
        for j in range(index(d)):
            G[m, j] = root * (F[m, j] - mean[j])
    np.dot(G[:count].T, G[:count], S)
    trace, of_all = np.float32(0) * total, np.float32(0) * total
    for j in range(d):
        trace += S[j, j]
        of_all += common[j, j]
    of_common = strength * trace / (total * max(of_all, np.float32(1e-30)))  # zero, if patches are flat anywhere
    part = np.float32(1) / (total + strength)
    flat, flat_C, flat_common = S.reshape(d * d), C.reshape(d * d), common.reshape(d * d)
    for i in range(d * d):
        flat[i] = (flat[i] + of_members * flat_C[i] + of_common * flat_common[i]) * part
    trace = np.float32(0) * total
    for j in range(d):
        trace += S[j, j]
    return trace
