"""The formulas of `ffw` once more, dense and slow; nothing shared with the fast code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tensorfill.methods.frank_wolfe import Internals
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import fold, unfold

Array = NDArray[np.float64]
STEPS = Internals()


def spread(data: ObservedTensor, values: Array) -> Array:
    """Values on Ω as a full tensor that is zero elsewhere."""
    full = np.zeros(data.shape)
    full.reshape(-1)[data.positions] = values
    return full


class Transcription:
    """Full unfoldings, lists of atoms, QR of all of them: nothing shared with the fast code."""

    def __init__(self, data: ObservedTensor, tau: float) -> None:
        self.mask, self.Y, self.tau = data.mask(), spread(data, data.values), tau
        self.atoms: list[list[tuple[Array, float, Array]]] = [[] for _ in data.shape]

    def component(self, mode: int) -> Array:
        matrix = np.zeros_like(unfold(self.Y, mode))
        for u, sigma, v in self.atoms[mode]:
            matrix = matrix + sigma * np.outer(u, v)
        return np.asarray(fold(matrix, mode, self.Y.shape))

    def X(self) -> Array:
        return np.asarray(sum(self.component(mode) for mode in range(self.Y.ndim)))

    def E(self) -> Array:
        return np.where(self.mask, self.Y - self.X(), 0.0)

    def step(self, rng: np.random.Generator) -> None:
        E, shape = self.E(), self.Y.shape
        starts = [
            self.power(unfold(E, mode), rng.standard_normal(n), STEPS.power_steps) for mode, n in enumerate(shape)
        ]
        gains = [
            np.sqrt(n) * u @ unfold(E, mode) @ v for mode, (n, (u, v)) in enumerate(zip(shape, starts, strict=True))
        ]
        mode = int(np.argmax(gains))
        u, _ = self.power(unfold(E, mode), starts[mode][0], STEPS.refining_steps)
        v = unfold(E, mode).T @ u
        v /= np.linalg.norm(v)
        size = self.tau * np.sqrt(shape[mode])
        S = fold(size * np.outer(u, v), mode, shape)
        D = np.where(self.mask, S - self.X(), 0.0)
        gamma = float(np.clip(np.sum(E * D) / np.sum(D * D), 0, 1))
        self.atoms = [[(u, (1 - gamma) * sigma, v) for u, sigma, v in atoms] for atoms in self.atoms]
        self.atoms[mode].append((u, gamma * size, v))

    @staticmethod
    def power(E: Any, u: Array, steps: int) -> tuple[Array, Array]:
        for _ in range(steps):
            v = E.T @ u
            v /= np.linalg.norm(v)
            u = E @ v
            u /= np.linalg.norm(u)
        return u, v

    def reduce(self, rho: float) -> None:
        for mode, atoms in enumerate(self.atoms):
            if not atoms:
                continue
            QU, RU = np.linalg.qr(np.stack([u for u, _, _ in atoms], axis=1))
            QV, RV = np.linalg.qr(np.stack([v for _, _, v in atoms], axis=1))
            S = RU @ np.diag([sigma for _, sigma, _ in atoms]) @ RV.T
            P, sigma, Qt = np.linalg.svd(S + rho * QU.T @ unfold(self.E(), mode) @ QV, full_matrices=False)
            sigma = water_filled(sigma, np.linalg.svd(S, compute_uv=False).sum())
            self.atoms[mode] = [
                (QU @ P[:, i], float(sigma[i]), QV @ Qt[i]) for i in range(len(sigma)) if sigma[i] > 1e-12
            ]


def water_filled(sigma: Array, radius: float) -> Array:
    """By bisection on how much all are lowered."""
    low, high = 0.0, float(sigma.max())
    if sigma.sum() <= radius:
        return sigma
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(sigma - middle, 0).sum() > radius else (low, middle)
    return np.maximum(sigma - high, 0)
