"""A vector whose neighbours are alike: measures of how rough one is, and the nearest smoother one.

L takes differences of neighbours, (L a)_i = a_{i+1} − a_i. Compiled, for kernels to call.
"""

import numpy as np

from ..compiling import compiled


@compiled(nogil=True, fastmath=True)
def squared_differences(a):  # type: ignore[no-untyped-def]
    """‖L a‖², the quadratic variation."""
    total = 0.0
    for i in range(len(a) - 1):
        total += (a[i + 1] - a[i]) ** 2
    return total


@compiled(nogil=True, fastmath=True)
def absolute_differences(a):  # type: ignore[no-untyped-def]
    """‖L a‖_1, the total variation."""
    total = 0.0
    for i in range(len(a) - 1):
        total += abs(a[i + 1] - a[i])
    return total


@compiled(nogil=True, fastmath=True)
def solve_quadratic(c, ridge, weight, out):  # type: ignore[no-untyped-def]
    """out = (ridge I + weight LᵀL)⁻¹ c, the minimum of ½ ridge ‖v‖² + ½ weight ‖L v‖² − vᵀc.

    The matrix is tridiagonal, with −weight beside the diagonal: one elimination downwards, one upwards.
    """
    size = len(c)
    if size == 1 or weight == 0.0:
        for i in range(size):
            out[i] = c[i] / ridge
        return
    pulls = np.empty(size)
    pulls[0] = weight / (ridge + weight)
    out[0] = c[0] / (ridge + weight)
    for i in range(1, size):
        beside = weight if i == size - 1 else 2.0 * weight
        pivot = 1.0 / (ridge + beside - weight * pulls[i - 1])
        pulls[i] = weight * pivot
        out[i] = (c[i] + weight * out[i - 1]) * pivot
    for i in range(size - 2, -1, -1):
        out[i] += pulls[i] * out[i + 1]


@compiled(nogil=True)
def solve_total_variation(c, weight, out):  # type: ignore[no-untyped-def]
    """out = the minimum of ½ ‖v − c‖² + weight ‖L v‖_1, exactly.

    Dynamic programming from the first entry to the last. The best cost of the entries so far, as a function of the
    latest one, has a derivative that is increasing and linear in pieces; passing it on to the next entry cuts it off at
    ±weight, at the places `low` and `high`. A knot is where the derivative turns, kept with by how much its slope and
    its intercept change there. Every knot is made once and dropped once, so the time is linear in the size.
    """
    size = len(c)
    low, high = np.empty(size), np.empty(size)
    places, slopes, intercepts = np.empty(2 * size), np.empty(2 * size), np.empty(2 * size)
    first, end = size, size  # the knots in use, from the left to the right
    cut = 0.0  # at which height the derivative passed on is cut off: that of nothing, before the first entry, is zero
    for i in range(size - 1):
        slope, intercept = 1.0, -c[i] - cut
        while first < end and slope * places[first] + intercept < -weight:
            slope += slopes[first]
            intercept += intercepts[first]
            first += 1
        left_slope, left_intercept = slope, intercept
        low[i] = (-weight - intercept) / slope
        slope, intercept = 1.0, -c[i] + cut
        while first < end and slope * places[end - 1] + intercept > weight:
            end -= 1
            slope -= slopes[end]
            intercept -= intercepts[end]
        high[i] = (weight - intercept) / slope
        first -= 1
        places[first], slopes[first], intercepts[first] = low[i], left_slope, left_intercept + weight
        places[end], slopes[end], intercepts[end] = high[i], -slope, weight - intercept
        end += 1
        cut = weight
    slope, intercept = 1.0, -c[size - 1] - cut
    while first < end and slope * places[first] + intercept < 0.0:
        slope += slopes[first]
        intercept += intercepts[first]
        first += 1
    out[size - 1] = -intercept / slope
    for i in range(size - 2, -1, -1):
        out[i] = min(max(out[i + 1], low[i]), high[i])
