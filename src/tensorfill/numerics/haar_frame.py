"""The undecimated Haar frame of a picture: one smooth picture and three of differences, none of them smaller.

With the filters (x_i + x_{i+1})/2 and (x_i − x_{i+1})/2 along rows and columns, neighbours taken in a circle, the four
bands W x are a tight frame: Wᵀ W = I, so Wᵀ puts the bands together again. W costs a few additions per pixel.

Stacks hold pictures one after another (count × rows × columns), but are read as one wide picture with all of them side
by side: the right neighbour of a picture's last column is the first column of the next picture.
"""

import numpy as np

from ..compiling import compiled

BANDS = 4


@compiled(nogil=True, fastmath=True)
def absolute_sum(stack):  # type: ignore[no-untyped-def]
    """‖W x‖_1 of a stack."""
    count, rows, columns = stack.shape
    wide = count * columns
    sums = np.empty(wide + 1)
    differences = np.empty(wide + 1)
    total = 0.0
    for i in range(rows):
        _fill_column_pairs(stack, i, sums, differences)
        for j in range(wide):
            total += abs(sums[j] + sums[j + 1]) + abs(sums[j] - sums[j + 1])
            total += abs(differences[j] + differences[j + 1]) + abs(differences[j] - differences[j + 1])
    return total


@compiled(nogil=True, fastmath=True)
def fold_multiplier(stack, multiplier, bound, base, weight, out):  # type: ignore[no-untyped-def]
    """The part of an ADMM step for ‖W x‖_1 that lives in the bands, in one pass over the rows.

    With a multiplier θ (rows × 4 × wide) and z = soft(W x + θ, bound), the new multiplier is
    θ' = W x + θ − z = clip(W x + θ, ±bound), so z itself is never needed:

        out ← base + weight · Wᵀ(z − θ') = base + weight · (x + Wᵀ(θ − 2θ')),    θ ← θ'.
    """
    count, rows, columns = stack.shape
    wide = count * columns
    sums, differences = np.empty(wide + 1), np.empty(wide + 1)
    # What the bands at a pixel give back to its own column, and to the column on its right.
    own_sum, own_difference = np.empty(wide), np.empty(wide)
    right_sum, right_difference = np.empty(wide + 1), np.empty(wide + 1)
    below = np.zeros(wide)  # what a row gives to the next one
    for i in range(rows):
        _fill_column_pairs(stack, i, sums, differences)
        smooth, across, down, diagonal = multiplier[i, 0], multiplier[i, 1], multiplier[i, 2], multiplier[i, 3]
        for j in range(wide):
            old = smooth[j]
            new = min(max(sums[j] + sums[j + 1] + old, -bound), bound)
            smooth[j] = new
            first = old - 2.0 * new
            old = across[j]
            new = min(max(sums[j] - sums[j + 1] + old, -bound), bound)
            across[j] = new
            second = old - 2.0 * new
            own_sum[j] = first + second
            right_sum[j + 1] = first - second
        for j in range(wide):
            old = down[j]
            new = min(max(differences[j] + differences[j + 1] + old, -bound), bound)
            down[j] = new
            first = old - 2.0 * new
            old = diagonal[j]
            new = min(max(differences[j] - differences[j + 1] + old, -bound), bound)
            diagonal[j] = new
            second = old - 2.0 * new
            own_difference[j] = first + second
            right_difference[j + 1] = first - second
        right_sum[0], right_difference[0] = right_sum[wide], right_difference[wide]
        for c in range(count):
            at, given, made = stack[c, i], base[c, i], out[c, i]
            start = c * columns
            for j in range(columns):
                k = start + j
                one = 0.25 * (own_sum[k] + right_sum[k])
                two = 0.25 * (own_difference[k] + right_difference[k])
                made[j] = given[j] + weight * (at[j] + one + two + below[k])
                below[k] = one - two
    for c in range(count):
        for j in range(columns):
            out[c, 0, j] += weight * below[c * columns + j]


@compiled(nogil=True, fastmath=True)
def _fill_column_pairs(stack, i, sums, differences):  # type: ignore[no-untyped-def]
    """A quarter of row i plus, and minus, the row below, as one wide row with its first column once more at the end."""
    count, rows, columns = stack.shape
    next_row = i + 1 if i + 1 < rows else 0
    for c in range(count):
        upper, lower = stack[c, i], stack[c, next_row]
        start = c * columns
        for j in range(columns):
            sums[start + j] = 0.25 * (upper[j] + lower[j])
            differences[start + j] = 0.25 * (upper[j] - lower[j])
    wide = count * columns
    sums[wide], differences[wide] = sums[0], differences[0]
