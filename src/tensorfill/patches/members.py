"""The patches of a group: taken from the estimate, with what is known of them, and put into sums of all groups.

Planar arrays are those of `matching`.
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled
from .elimination import index


@compiled(nogil=True, fastmath=True)
def take_patches(x, sites, q, places, count, offsets, F):  # type: ignore[no-untyped-def]
    """F gets the patches that begin at the first `count` places; returns the largest size of their entries."""
    P, largest = index(offsets.size), np.float32(0) * x[0]
    for m in range(index(count)):
        for c in range(index(q)):
            at = c * index(sites) + index(places[m])
            for j in range(P):
                F[m, c * P + j] = x[at + index(offsets[j])]
        for j in range(index(F.shape[1])):
            largest = max(largest, abs(F[m, j]))
    return largest


@compiled(nogil=True, fastmath=True)
def take_known(values, known, sites, bands, places, count, offsets, observed, Y, counts):  # type: ignore[no-untyped-def]
    """Which bands of which sites of some patches are known, their values, and how many there are."""
    P = index(offsets.size)
    for m in range(index(count)):
        found = index(0)
        for c in range(index(bands)):
            at = c * index(sites) + index(places[m])
            for j in range(P):  # without a branch, which nobody could foresee
                site = at + index(offsets[j])
                observed[m, found] = c * P + j
                Y[m, found] = values[site]
                found += index(known[site])
        counts[m] = found


@compiled(nogil=True, fastmath=True)
def put_known(Y, observed, m, count, found, missing):  # type: ignore[no-untyped-def]
    """Put what is known of a patch into `found`; returns how many entries are missing, after listing them."""
    member, at, absent = index(m), index(0), index(0)
    for j in range(index(found.size)):
        if at < index(count) and index(observed[member, at]) == j:
            found[j] = Y[member, at]
            at += index(1)
        else:
            missing[absent] = j
            absent += index(1)
    return np.int64(absent)


@compiled(nogil=True, fastmath=True)
def is_absurd(found, mean, most):  # type: ignore[no-untyped-def]
    """Whether an entry is farther off the mean than that."""
    farthest = np.float32(0) * mean[0]
    for j in range(mean.size):
        farthest = max(farthest, abs(found[j] - mean[j]))
    return not farthest < most


@compiled(nogil=True, fastmath=True)
def add_to_sums(found, variance, noise, X, m, sites, q, place, offsets, sums, weights):  # type: ignore[no-untyped-def]
    """Add what a group says of a patch that was X[m], at a place in `sums` with so many sites.

    The differences, weighted; the weights; the weighted squares of the differences with the variances.
    """
    member, P = index(m), index(offsets.size)
    for j in range(index(found.size)):
        weights[j] = np.float32(1) / (variance[j] + noise)
        found[j] -= X[member, j]
    for c in range(index(q)):
        at = c * index(sites) + index(place)
        for j in range(P):
            site, entry = at + index(offsets[j]), c * P + j
            weight, off = weights[entry], found[entry]
            sums[0, site] += weight * off
            sums[1, site] += weight
            sums[2, site] += weight * (off * off + variance[entry])
