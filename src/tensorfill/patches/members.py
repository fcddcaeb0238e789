"""The patches of a group: taken from the estimate, with what is known of them, and put into sums of all groups.

Planar arrays are those of `matching`.
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled


@compiled(nogil=True, fastmath=True)
def take_patch(x, sites, q, place, offsets, F, m):  # type: ignore[no-untyped-def]
    """F[m] becomes the patch that begins at a place; returns the largest size of its entries."""
    patch, P = F[m], offsets.size
    largest = np.float32(0) * x[0]
    for c in range(q):
        source, target = x[c * sites + place :], patch[c * P : (c + 1) * P]
        for j in range(P):
            target[j] = source[offsets[j]]
    for j in range(patch.size):
        largest = max(largest, abs(patch[j]))
    return largest


@compiled(nogil=True, fastmath=True)
def take_known(values, known, sites, bands, place, offsets, observed, Y, m):  # type: ignore[no-untyped-def]
    """Which bands of which sites of a patch are known, in observed[m], and their values, in Y[m]; returns how many."""
    P, count = offsets.size, 0
    for c in range(bands):
        at = c * sites + place
        for j in range(P):  # without a branch, which nobody could foresee
            site = at + offsets[j]
            observed[m, count] = c * P + j
            Y[m, count] = values[site]
            count += known[site]
    return count


@compiled(nogil=True, fastmath=True)
def put_known(Y, observed, m, count, found, missing):  # type: ignore[no-untyped-def]
    """Put what is known of a patch into `found`; returns how many entries are missing, after listing them."""
    at, absent = 0, 0
    for j in range(found.size):
        if at < count and observed[m, at] == j:
            found[j] = Y[m, at]
            at += 1
        else:
            missing[absent] = j
            absent += 1
    return absent


@compiled(nogil=True, fastmath=True)
def is_absurd(found, mean, most):  # type: ignore[no-untyped-def]
    """Whether an entry is farther off the mean than that, or no number."""
    farthest = np.float32(0) * mean[0]
    for j in range(mean.size):
        farthest = max(farthest, abs(found[j] - mean[j]))
    return not farthest < most


@compiled(nogil=True, fastmath=True)
def add_to_sums(found, variance, noise, X, m, sites, q, place, offsets, sums, weights):  # type: ignore[no-untyped-def]
    """Add what a group says of a patch that was X[m], at a place in `sums` with so many sites.

    The differences, weighted; the weights; the weighted squares of the differences with the variances.
    """
    before, P = X[m], offsets.size
    differences, total, squares = sums[0], sums[1], sums[2]
    for j in range(found.size):
        weights[j] = np.float32(1) / (variance[j] + noise)
        found[j] -= before[j]
    for c in range(q):
        at = c * sites + place
        for j in range(P):
            site, weight, off = at + offsets[j], weights[c * P + j], found[c * P + j]
            differences[site] += weight * off
            total[site] += weight
            squares[site] += weight * (off * off + variance[c * P + j])
