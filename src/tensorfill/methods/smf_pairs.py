"""The three pairs of factors of SMF-LRTC: Y_(n)ᵀ ≈ X_n A_n, with X_n (fibres × r_n) and A_n (r_n × n_n).

The tensor is kept as frames, the third mode first (n_3 × n_1 × n_2). Then every unfolding is a plain matrix, or a stack
of them, without moving anything in memory, and X_3 is a stack of pictures. X_n has the frames' layout too, with r_n in
the place of n_n.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ..numerics.haar_frame import BANDS, absolute_sum, fold_multiplier
from ..tensor import Array
from .admm import ModeOrder

FRAMES = ModeOrder((2, 0, 1))
"""The third mode first."""


@dataclass
class FactorPair(ABC):
    """One pair X_n, A_n."""

    axis: int
    """Where in the frames the mode is: 0 (frames), 1 (rows) or 2 (columns)."""
    X: Array
    A: Array

    @property
    def rank(self) -> int:
        """r_n."""
        return len(self.A)

    @abstractmethod
    def fit(self, frames: Array) -> None:
        """Improve X_n, then A_n, for a tensor."""

    @abstractmethod
    def write_product(self, out: Array) -> None:
        """Write X_n A_n, as frames."""

    def penalty(self) -> float:
        """What this pair adds to the objective beyond the fit, over α_n."""
        return 0.0

    def grow(self, step: int, rng: np.random.Generator) -> None:
        """Append random directions."""
        more = list(self.X.shape)
        more[self.axis] = step
        self.X = np.concatenate([self.X, rng.random(more)], axis=self.axis)
        self.A = np.concatenate([self.A, rng.random((step, self.A.shape[1]))])


@dataclass
class ProximalPair(FactorPair):
    """X_n and A_n of the first or second mode: each the least squares solution that stays near the last one."""

    proximal: float

    def fit(self, frames: Array) -> None:
        """X ← (Y Aᵀ + ρ X)(A Aᵀ + ρ I)⁻¹, then A ← (Xᵀ X + ρ I)⁻¹(Xᵀ Y + ρ A), in the layout of the frames."""
        ridge = self.proximal * np.eye(self.rank)
        towards = np.linalg.solve(self.A @ self.A.T + ridge, np.hstack([self.A, ridge]))
        fresh, kept = np.hsplit(towards, [self.A.shape[1]])
        if self.axis == 1:
            X = fresh @ frames + kept @ self.X
            gram = (X @ X.transpose(0, 2, 1)).sum(axis=0)
            fitted = (X @ frames.transpose(0, 2, 1)).sum(axis=0)
        else:
            rows = frames.reshape(-1, frames.shape[2])
            flat = rows @ fresh.T + self.X.reshape(-1, self.rank) @ kept.T
            X = flat.reshape(*frames.shape[:2], self.rank)
            gram, fitted = flat.T @ flat, flat.T @ rows
        self.X = X
        self.A = np.linalg.solve(gram + ridge, fitted + self.proximal * self.A)

    def write_product(self, out: Array) -> None:
        """Write X_n A_n, as frames."""
        if self.axis == 1:
            np.matmul(self.A.T, self.X, out=out)
        else:
            np.matmul(self.X.reshape(-1, self.rank), self.A, out=out.reshape(-1, out.shape[2]))


@dataclass(frozen=True)
class Sparsity:
    """How one factor of the third mode is kept sparse: μ, the ADMM penalty β, and ρ μ/α_3 of the proximal term."""

    fit: float
    penalty: float
    proximal: float


@dataclass
class PicturePair(FactorPair):
    """X_3, pictures that are sparse in a Haar frame, and A_3, profiles whose steps along the third mode are sparse."""

    pictures: Sparsity
    profiles: Sparsity
    inner_iterations: int

    def fit(self, frames: Array) -> None:
        """A few steps of ADMM for X_3, then as many for A_3, each from zero multipliers."""
        flat = frames.reshape(len(frames), -1)
        self.X = self._fit_pictures(flat)
        self.A = self._fit_profiles(flat)

    def write_product(self, out: Array) -> None:
        """Write X_3 A_3, as frames."""
        np.matmul(self.A.T, self.X.reshape(self.rank, -1), out=out.reshape(len(out), -1))

    def penalty(self) -> float:
        """‖W X_3‖_1/μ_X + ‖D A_3‖_1/μ_A."""
        profiles = np.abs(np.roll(self.A, -1, axis=1) - self.A).sum() / self.profiles.fit
        return float(absolute_sum(self.X) / self.pictures.fit + profiles)

    def _fit_pictures(self, flat: Array) -> Array:
        # X ← (μ A Aᵀ + (ρ_X + β) I)⁻¹(μ A Y + ρ_X X_old + β Wᵀ(Z − Θ)), from Z = Θ = 0.
        this = self.pictures
        system = this.fit * (self.A @ self.A.T) + (this.proximal + this.penalty) * np.eye(self.rank)
        inverse: Array = np.linalg.inv(system).astype(np.float64, copy=False)
        base = (this.fit * self.A) @ flat
        base += this.proximal * self.X.reshape(self.rank, -1)
        base = base.reshape(self.X.shape)
        X = _mix(inverse, base)
        _, rows, columns = X.shape
        multiplier = np.zeros((rows, BANDS, self.rank * columns))
        target = np.empty_like(base)
        for _ in range(self.inner_iterations - 1):  # Z and Θ after the last solve would be thrown away
            fold_multiplier(X, multiplier, 1 / this.penalty, base, this.penalty, target)
            X = _mix(inverse, target)
        return X

    def _fit_profiles(self, flat: Array) -> Array:
        # A solves μ Xᵀ X A + β A Dᵀ D + ρ_A A = μ Xᵀ Y + ρ_A A_old + β (V − Θ) D: diagonal after eigenvectors of Xᵀ X
        # on one side and a Fourier transform, which makes the circular differences D diagonal, on the other.
        this = self.profiles
        X = self.X.reshape(self.rank, -1)
        values, vectors = np.linalg.eigh(X @ X.T)
        length = flat.shape[0]
        waves = 4 * np.sin(np.pi * np.arange(length // 2 + 1) / length) ** 2
        system = this.fit * np.maximum(values, 0.0)[:, None] + this.penalty * waves + this.proximal
        base = this.fit * (X @ flat.T) + this.proximal * self.A
        bound = 1 / this.penalty
        multiplier = np.zeros_like(self.A)
        target = base
        for step in range(self.inner_iterations):
            spectrum = np.fft.rfft(vectors.T @ target, axis=1) / system
            A = vectors @ np.fft.irfft(spectrum, n=length, axis=1)
            if step < self.inner_iterations - 1:
                moved = np.roll(A, -1, axis=1) - A + multiplier
                multiplier = np.clip(moved, -bound, bound)
                towards = this.penalty * (moved - 2 * multiplier)
                target = base + np.roll(towards, 1, axis=1) - towards
        return A


def _mix(matrix: Array, stack: Array) -> Array:
    """Every pixel's values through the stack, multiplied by a matrix."""
    return (matrix @ stack.reshape(len(stack), -1)).reshape(stack.shape)
