"""Finding similar patches: the nearest ones to a reference patch within a window, by squared distance.

Arrays are planar: coefficient c of site s stands at c·sites + s, and site (a, b, c) is number (a·n₁ + b)·n₂ + c. A
patch is called by its first site.
"""

from __future__ import annotations

import numpy as np

from ..compiling import compiled


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
