"""The formulas of `spc`, written down as they are, on full arrays; nothing shared with the fast code."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array


def differences(size: int) -> Array:
    return np.diff(np.eye(size), axis=0)


def flattened(c: Array, weight: float) -> Array:
    """The minimum of ½ ‖v − c‖² + weight ‖L v‖_1: c − Lᵀz, with z the best within ±weight."""
    if len(c) == 1 or weight == 0:
        return c
    L = differences(len(c))
    return np.asarray(c - L.T @ lsq_linear(L.T, c, (-weight, weight), method="bvls", tol=1e-14).x)


def rank_one(vectors: list[Array]) -> Array:
    return np.asarray(np.einsum(*(part for mode, vector in enumerate(vectors) for part in (vector, [mode]))))


class Transcript:
    """Components as pairs of a weight and a list of unit vectors."""

    def __init__(self, data: ObservedTensor, plan: dict[str, Any], rng: np.random.Generator) -> None:
        self.plan, self.shape, self.known, self.rng = plan, data.shape, data.mask(), rng
        self.Y = np.zeros(self.shape)
        self.Y[self.known] = data.values
        self.power = 2 if plan["variant"] == "quadratic" else 1
        self.parts: list[tuple[float, list[Array]]] = []
        self.grow(1)

    def Z(self) -> Array:
        return np.asarray(sum(g * rank_one(vectors) for g, vectors in self.parts))

    def E(self) -> Array:
        return np.where(self.known, self.Y - self.Z(), 0.0)

    def rough(self, vectors: list[Array]) -> Array:
        return np.array(
            [
                rho * np.sum(np.abs(np.diff(vector)) ** self.power)
                for rho, vector in zip(self.plan["smoothness"], vectors, strict=True)
            ]
        )

    def cost(self) -> float:
        penalties = [0.5 * g**2 * self.rough(vectors).sum() for g, vectors in self.parts]
        return float(0.5 * np.sum(self.E() ** 2) + sum(penalties))

    def grow(self, count: int) -> None:
        for _ in range(count):
            drawn = np.split(self.rng.standard_normal(sum(self.shape)), np.cumsum(self.shape)[:-1])
            vectors = []
            for vector, rho in zip(drawn, self.plan["smoothness"], strict=True):
                L = differences(len(vector))
                smooth = np.linalg.solve(np.eye(len(vector)) + rho * L.T @ L, vector)
                vectors.append(smooth / np.linalg.norm(smooth))
            self.parts.append((0.0, vectors))

    def iterate(self) -> None:
        """Improve components, then add some if that gained little."""
        before = np.sum(self.E() ** 2)
        for number in np.argsort([g for g, _ in self.parts], kind="stable")[: self.plan["updates"]]:
            self.improve(int(number))
        after = np.sum(self.E() ** 2)
        enough = self.plan["growth_tolerance"] * (after - 10 ** (-self.plan["snr"] / 10) * np.sum(self.Y**2))
        if before - after < enough:
            self.grow(min(int(enough / (before - after)), self.plan["growth"], self.plan["max_rank"] - len(self.parts)))

    def improve(self, number: int) -> None:
        g, vectors = self.parts[number]
        X = self.E() + g * rank_one(vectors)  # unknown entries are filled with the fit
        vectors = list(vectors)
        longest = int(np.argmax(self.shape))
        for n in [*(n for n in range(len(self.shape)) if n != longest), longest]:
            operands = [part for m, vector in enumerate(vectors) if m != n for part in (vector, [m])]
            c = np.asarray(np.einsum(X, list(range(X.ndim)), *operands, [n]))
            rho, ridge = self.plan["smoothness"][n], 1 + np.delete(self.rough(vectors), n).sum()
            if self.plan["variant"] == "quadratic":
                L = differences(len(c))
                v = np.linalg.solve(ridge * np.eye(len(c)) + rho * L.T @ L, c)
                g, vectors[n] = float(np.linalg.norm(v)), v / np.linalg.norm(v)
            else:
                v = flattened(c, 0.5 * g * rho)
                vectors[n] = v / np.linalg.norm(v)
                g = float(vectors[n] @ c) / (ridge + self.rough(vectors)[n])
        self.parts[number] = (g, vectors)
