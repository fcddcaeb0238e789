"""Compiled steps of `lrtc-tv`: entry by entry through full arrays, each read and written once."""

import numpy as np

from ..compiling import compiled

_BLOCK = 1024


@compiled(nogil=True, fastmath=True)
def smooth(whole, copy, slope, tie, pivots, weight, penalty, lefts, rights):  # type: ignore[no-untyped-def]
    """One step of Q, R and Λ on the fibres `lefts` × `rights` of arrays (before) × n × (after); returns ‖Q‖_1.

    Q = S_{λ/ρ}(F R − Λ/ρ), R = (FᵀF + I)⁻¹ (Fᵀ(Λ/ρ + Q) + Z − Φ/ρ), Λ += ρ(Q − F R). FᵀF + I has 2, 3, …, 3, 2 on its
    diagonal and −1 beside it; it is eliminated downwards with `pivots`, the inverse diagonal of its Cholesky factor
    squared. On the way down `copy` holds the half-solved system and `slope` Λ/ρ + Q.
    """
    size = whole.shape[1]
    threshold, share = weight / penalty, 1.0 / penalty
    total = 0.0
    for left in range(lefts[0], lefts[1]):
        for i in range(size):
            for right in range(rights[0], rights[1]):
                known = whole[left, i, right] - share * tie[left, i, right]
                if i > 0:
                    known += copy[left, i - 1, right] - slope[left, i - 1, right]
                if i < size - 1:
                    scaled = share * slope[left, i, right]
                    jump = copy[left, i, right] - copy[left, i + 1, right] - scaled
                    jump -= min(max(jump, -threshold), threshold)
                    total += abs(jump)
                    slope[left, i, right] = scaled + jump
                    known += scaled + jump
                copy[left, i, right] = pivots[i] * known
        for i in range(size - 2, -1, -1):
            for right in range(rights[0], rights[1]):
                below = copy[left, i + 1, right]
                solved = copy[left, i, right] + pivots[i] * below
                copy[left, i, right] = solved
                slope[left, i, right] = penalty * (slope[left, i, right] - solved + below)
    return total


@compiled(nogil=True, fastmath=True)
def agree(whole, known, pulls, copies, ties, penalty, new, first, last):  # type: ignore[no-untyped-def]
    """The new Z at entries `first` … `last` − 1, and what follows from it; returns ‖Z_new − Z‖² and ‖Z_new‖².

    Z = (Σ pulls + Σ (Φ + ρR)) / (number of them · ρ), where nothing is known; then pulls −= ρZ, Φ += ρ(R − Z).
    """
    total = np.empty(_BLOCK)
    share = 1.0 / (penalty * (len(pulls) + len(copies)))
    changed, length = 0.0, 0.0
    for start in range(first, last, _BLOCK):
        here = slice(start, min(start + _BLOCK, last))  # slices, for their indices are known not to be negative
        before, fixed, after = whole[here], known[here], new[here]
        count = len(before)
        total[:] = 0.0
        for n in range(len(pulls)):
            pull = pulls[n, here]
            for i in range(count):
                total[i] += pull[i]
        for n in range(len(copies)):
            copy, tie = copies[n, here], ties[n, here]
            for i in range(count):
                total[i] += tie[i] + penalty * copy[i]
        for i in range(count):
            value = before[i] if fixed[i] else share * total[i]
            changed += (value - before[i]) ** 2
            length += value * value
            after[i] = value
        for n in range(len(pulls)):
            pull = pulls[n, here]
            for i in range(count):
                pull[i] -= penalty * after[i]
        for n in range(len(copies)):
            copy, tie = copies[n, here], ties[n, here]
            for i in range(count):
                tie[i] += penalty * (copy[i] - after[i])
    return changed, length
