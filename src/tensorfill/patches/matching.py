"""Patches of a planar array: the nearest ones to a reference patch, taken out with what is known of them, and put back.

Arrays are planar: coefficient c of site s stands at c·sites + s, and site (a, b, c) is number (a·n₁ + b)·n₂ + c. A
patch is called by its first site.
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled
from .gaussian import index

_ABSURD = 8.0  # deviations that no entry is off its group by, unless rounding has made it up


@compiled(nogil=True)
def count_window(window):  # type: ignore[no-untyped-def]
    """How many patches begin in a window, at most."""
    return (2 * window[0] + 1) * (2 * window[1] + 1) * (2 * window[2] + 1)


@compiled(nogil=True, fastmath=True)
def find_similar(x, q, extent, patch, window, offsets, reference, distances, places):  # type: ignore[no-untyped-def]
    """Squared distances of all patches in the window to the reference patch, and where they begin; how many."""
    n0, n1, n2 = extent[0], extent[1], extent[2]
    sites = n0 * n1 * n2
    a, b, c = reference // (n1 * n2), (reference // n2) % n1, reference % n2
    low, high = max(0, c - window[2]), min(n2 - patch[2], c + window[2]) + 1
    length = high - low
    count = 0
    whole = offsets.size // 4 * 4
    for row in range(max(0, a - window[0]), min(n0 - patch[0], a + window[0]) + 1):
        for column in range(max(0, b - window[1]), min(n1 - patch[1], b + window[1]) + 1):
            first = (row * n1 + column) * n2 + low
            run = distances[count : count + length]
            run[:] = np.float32(0)
            for coefficient in range(q):
                here, there = coefficient * sites + reference, coefficient * sites + first
                for j in range(0, whole, 4):  # four at a time: fewer passes over the run
                    value0, value1 = x[here + offsets[j]], x[here + offsets[j + 1]]
                    value2, value3 = x[here + offsets[j + 2]], x[here + offsets[j + 3]]
                    # Slices, whose indices need no check: so the loop is vectorised.
                    row0, row1 = x[there + offsets[j] :], x[there + offsets[j + 1] :]
                    row2, row3 = x[there + offsets[j + 2] :], x[there + offsets[j + 3] :]
                    for k in range(length):
                        off0, off1 = row0[k] - value0, row1[k] - value1
                        off2, off3 = row2[k] - value2, row3[k] - value3
                        run[k] += off0 * off0 + off1 * off1 + off2 * off2 + off3 * off3
                for j in range(whole, offsets.size):
                    value, row0 = x[here + offsets[j]], x[there + offsets[j] :]
                    for k in range(length):
                        off = row0[k] - value
                        run[k] += off * off
            for k in range(length):
                places[count + k] = first + k
            count += length
    return count


@compiled(nogil=True, fastmath=True)
def keep_nearest(distances, places, count, wanted):  # type: ignore[no-untyped-def]
    """Bring the `wanted` smallest distances to the front, in order; equal ones by place."""
    low, high = 0, count - 1
    while low < high:  # Hoare's selection
        first, middle, last = distances[low], distances[(low + high) // 2], distances[high]
        pivot = max(min(first, middle), min(max(first, middle), last))
        i, j = low, high
        while i <= j:
            while distances[i] < pivot:
                i += 1
            while distances[j] > pivot:
                j -= 1
            if i <= j:
                distances[i], distances[j] = distances[j], distances[i]
                places[i], places[j] = places[j], places[i]
                i += 1
                j -= 1
        if wanted - 1 <= j:
            high = j
        elif wanted - 1 >= i:
            low = i
        else:
            break
    for i in range(1, wanted):
        distance, place = distances[i], places[i]
        j = i - 1
        while j >= 0 and (distances[j] > distance or (distances[j] == distance and places[j] > place)):
            distances[j + 1], places[j + 1] = distances[j], places[j]
            j -= 1
        distances[j + 1], places[j + 1] = distance, place


@compiled(nogil=True, fastmath=True)
def weigh_nearest(distances, full, count, weights):  # type: ignore[no-untyped-def]
    """Weights of so many patches, the nearest first: 1 for those that count in `full`, less for the others."""
    for m in range(index(count)):
        far = m >= index(full) and distances[m] > 0
        weights[m] = distances[full - 1] / distances[m] if far else np.float32(1)


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
def limit_deviations(S, noise, largest):  # type: ignore[no-untyped-def]
    """How far an entry may be off the mean of patches with this covariance and entries up to this size."""
    widest = np.float32(0) * noise
    for j in range(index(len(S))):
        widest = max(widest, S[j, j])
    return largest + np.float32(_ABSURD) * np.sqrt(widest + noise)


@compiled(nogil=True, fastmath=True)
def is_absurd(found, mean, most):  # type: ignore[no-untyped-def]
    """Whether an entry is farther off the mean than that."""
    farthest = np.float32(0) * mean[0]
    for j in range(mean.size):
        farthest = max(farthest, abs(found[j] - mean[j]))
    return not farthest < most


@compiled(nogil=True, fastmath=True)
def add_to_sums(F, variances, noise, X, m, sites, q, place, offsets, sums, weights):  # type: ignore[no-untyped-def]
    """Add what a group says of a patch, F[m], that was X[m], at a place in `sums` with so many sites; F[m] is used up.

    The differences, weighted; the weights; the weighted squares of the differences with the variances.
    """
    member, P = index(m), index(offsets.size)
    for j in range(index(F.shape[1])):
        weights[j] = np.float32(1) / (variances[member, j] + noise)
        F[member, j] -= X[member, j]
    for c in range(index(q)):
        at = c * index(sites) + index(place)
        for j in range(P):
            site, entry = at + index(offsets[j]), c * P + j
            weight, off = weights[entry], F[member, entry]
            sums[0, site] += weight * off
            sums[1, site] += weight
            sums[2, site] += weight * (off * off + variances[member, entry])


@compiled(nogil=True, fastmath=True)
def copy_row(target, to, source, which):  # type: ignore[no-untyped-def]
    """A row of one matrix becomes that of another."""
    i, k = index(to), index(which)
    for j in range(index(source.shape[1])):
        target[i, j] = source[k, j]
