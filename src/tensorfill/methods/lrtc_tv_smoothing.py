"""What both variants of `lrtc-tv` share: the tensor Z, its smooth copies R_n, and how they come to agree.

F_n takes differences of neighbours along mode n, x_i − x_{i+1}, and does not go around the ends. The total variation is
split off with copies: Q_n = F_n R_n, with multiplier Λ_n (`slopes`), and R_n = Z_(n), with multiplier Φ_n (`ties`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..estimates.dense import DenseEstimate
from ..numerics.singular_values import spectral_norm
from ..numerics.threads import share
from ..observed import ObservedTensor
from ..tensor import Array, blocks
from .lrtc_tv_kernels import agree, smooth

LARGEST_PENALTY = 1e15
"""Penalties grow up to here. Nothing moves by then, and further on there would be rounding only, and overflow."""

_WIDTH = 512  # fibres next to each other that are gone through together: they fit into the cache
_PIECE = 2**15  # entries that are worth a call of a kernel


@dataclass(frozen=True)
class Weighting:
    """How much smoothness counts, where, and how hard the copies are tied together. Modes are counted from 0."""

    smooth_modes: tuple[int, ...]
    tv_weight: float
    penalty: float
    penalty_growth: float
    core_weight: float = 0.0

    def grown(self, penalty: float) -> float:
        """The penalty of the next iteration."""
        return min(self.penalty_growth * penalty, max(LARGEST_PENALTY, self.penalty))


class SmoothTensor:
    """Z, its copies R_n and their multipliers Λ_n and Φ_n.

    Kept with the modes in the order of their sizes, the largest last, where `axis[n]` is the place of mode n: products
    along any mode are then products of large matrices, with nothing to copy (three colours in the last place would
    make them tiny).
    """

    def __init__(self, data: ObservedTensor, smooth_modes: tuple[int, ...], rng: np.random.Generator) -> None:
        order = tuple(sorted(range(data.order), key=lambda mode: data.shape[mode]))
        self.axis = tuple(order.index(mode) for mode in range(data.order))
        filled = np.zeros(data.size)
        filled[data.positions] = data.values
        self.values = np.ascontiguousarray(filled.reshape(data.shape).transpose(order))
        self._known = np.ascontiguousarray(data.mask().transpose(order)).reshape(-1)
        self.smooth_axes = tuple(self.axis[mode] for mode in smooth_modes)
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
        return DenseEstimate(self.values.transpose(self.axis))

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
            jumps[number] = smooth(whole, copy, slope, tie, self._pivots[n], weight, penalty, lefts, rights)

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
        lengths = np.zeros((-(-size // _PIECE), 2))

        def work(piece: int) -> None:
            here = piece * _PIECE, min((piece + 1) * _PIECE, size)
            lengths[piece] = agree(*flat, flat_copies, flat_ties, penalty, new.reshape(-1), *here)

        share(work, len(lengths))
        self.values = new
        changed, length = np.sqrt(lengths.sum(axis=0))
        return float(changed / length)

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
