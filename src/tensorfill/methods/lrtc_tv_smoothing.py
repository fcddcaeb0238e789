"""What both variants of `lrtc-tv` share: the tensor Z, its smooth copies R_n, and how they come to agree.

F_n takes differences of neighbours along mode n, x_i − x_{i+1}, and does not go around the ends. The total variation is
split off with copies: Q_n = F_n R_n, with multiplier Λ_n (`slopes`), and R_n = Z_(n), with multiplier Φ_n (`ties`).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..estimates.estimate import DenseEstimate
from ..numerics.singular_values import spectral_norm
from ..numerics.threads import share
from ..observed import ObservedTensor
from ..tensor import Array, blocks
from .admm import ModeOrder, relative_change

_BLOCK = 1024  # entries that a kernel goes through at a time
_WIDTH = 512  # fibres next to each other that are gone through together: they fit into the cache
_PIECE = 2**15  # entries that are worth a call of a kernel


class SmoothTensor:
    """Z, its copies R_n and their multipliers Λ_n and Φ_n.

    Kept with the modes in the order of their sizes: three colours in the last place would make products tiny.
    """

    def __init__(self, data: ObservedTensor, smooth_modes: tuple[int, ...], rng: np.random.Generator) -> None:
        self.order = ModeOrder.by_size(data.shape)
        self.values = self.order.fill(data, 0.0)
        self._known = self.order.mask(data).reshape(-1)
        self.smooth_axes = tuple(self.order.axis[mode] for mode in smooth_modes)
        self._pivots = [_pivots(self.values.shape[axis]) for axis in self.smooth_axes]
        shape = (len(smooth_modes), *self.values.shape)
        self.copies, self.slopes, self.ties = rng.random(shape), np.zeros(shape), np.empty(shape)
        for axis, copy, slope, tie in zip(self.smooth_axes, self.copies, self.slopes, self.ties, strict=True):
            tie[...] = starting_multiplier(copy, axis)
            differences = blocks(slope, axis)[:, :-1]  # there is one less of them than of entries; the last stays zero
            if differences.size:
                differences[...] = starting_multiplier(rng.random(differences.shape), 1)
        self._pieces = [piece for n in range(len(smooth_modes)) for piece in self._pieces_of(n)]

    def estimate(self) -> DenseEstimate:
        """Z with the modes in the order of the data; the array is never written to again."""
        return DenseEstimate(self.order.restore(self.values))

    def total_variation(self) -> float:
        """Σ_n ‖F_n Z_(n)‖_1."""
        return float(sum(np.abs(np.diff(self.values, axis=axis)).sum() for axis in self.smooth_axes))

    def smooth(self, weight: float, penalty: float) -> float:
        """Update Q_n, R_n and Λ_n from Z; returns Σ_n ‖Q_n‖_1. Q_n is forgotten, for only Λ_n depends on it.

        Q_n = S_{λ/ρ}(F_n R_n − Λ_n/ρ), R_n = (ρ F_nᵀF_n + ρ I)⁻¹ (F_nᵀΛ_n + ρ F_nᵀQ_n + ρ Z_(n) − Φ_n),
        Λ_n += ρ(Q_n − F_n R_n).
        """
        jumps = np.zeros(len(self._pieces))

        def work(number: int) -> None:
            n, lefts, rights = self._pieces[number]
            arrays = self.values, self.copies[n], self.slopes[n], self.ties[n]
            whole, copy, slope, tie = (blocks(array, self.smooth_axes[n]) for array in arrays)
            jumps[number] = _smooth(whole, copy, slope, tie, self._pivots[n], weight, penalty, lefts, rights)

        share(work, len(self._pieces))
        return float(jumps.sum())

    def agree(self, pulls: Array, penalty: float) -> float:
        """Update Z and Φ_n, given what else pulls at Z; returns ‖Z_new − Z‖/‖Z_new‖.

        Z = (Σ pulls + Σ_n (Φ_n + ρ R_n)) / (ρ · number of terms), and as it was where it is known. Then
        Φ_n += ρ(R_n − Z_(n)), and ρZ is subtracted from every pull.
        """
        size, terms = self.values.size, len(self.copies)
        new = np.empty(self.values.shape)
        flat = self.values.reshape(-1), self._known, pulls.reshape(len(pulls), size)
        flat_copies, flat_ties = self.copies.reshape(terms, size), self.ties.reshape(terms, size)
        arrays = *flat, flat_copies, flat_ties, penalty, new.reshape(-1)
        change = relative_change(partial(_agree, *arrays), size)
        self.values = new
        return change

    def _pieces_of(self, n: int) -> list[tuple[int, tuple[int, int], tuple[int, int]]]:
        """The fibres of a smooth mode in pieces: (n, from which to which before the mode, and after it)."""
        lefts, size, rights = blocks(self.values, self.smooth_axes[n]).shape
        width = min(rights, _WIDTH)
        height = max(1, _PIECE // (size * width))
        return [
            (n, (left, min(left + height, lefts)), (right, min(right + width, rights)))
            for left in range(0, lefts, height)
            for right in range(0, rights, width)
        ]


def starting_multiplier(array: Array, axis: int = 0) -> Array:
    """sign(X)/‖X‖_2, the norm being the spectral one of an unfolding."""
    return np.asarray(np.sign(array) / max(spectral_norm(array, axis), 1e-6))


def _pivots(size: int) -> NDArray[np.float64]:
    """What the elimination of FᵀF + I multiplies with: 1/d_i, where d_i = (diagonal)_i − 1/d_{i−1}."""
    neighbours = np.full(size, 2.0)
    neighbours[0] -= 1.0
    neighbours[-1] -= 1.0
    pivots = np.empty(size)
    above = 0.0
    for i in range(size):
        above = 1.0 / (1.0 + neighbours[i] - above)
        pivots[i] = above
    return pivots


@compiled(nogil=True, fastmath=True)
def _smooth(whole, copy, slope, tie, pivots, weight, penalty, lefts, rights):  # type: ignore[no-untyped-def]
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
def _agree(whole, known, pulls, copies, ties, penalty, new, first, last):  # type: ignore[no-untyped-def]
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
