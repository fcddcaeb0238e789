"""The formulas of `lrtc-tv`, written down as they are, on unfoldings of the data; nothing shared with the fast code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorfill.methods.lrtc_tv import SmoothTuckerSolver, TraceNormSolver
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, fold, mode_product, unfold


def differences(size: int) -> Array:
    return np.eye(size)[:-1] - np.eye(size)[1:]


def shrunk(matrix: Array, threshold: float) -> Array:
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray((u * np.maximum(s - threshold, 0.0)) @ vt)


def soft(matrix: Array, threshold: float) -> Array:
    return np.asarray(np.sign(matrix) * np.maximum(np.abs(matrix) - threshold, 0.0))


class Transcript:
    """The smooth part, common to both variants, started where a state of the method starts."""

    def __init__(self, state: TraceNormSolver | SmoothTuckerSolver, data: ObservedTensor) -> None:
        tensor, self.settings = state.tensor, state.settings
        self.shape, self.known, self.rho = data.shape, data.mask(), state.penalty
        self.modes = range(data.order)
        self.Z = tensor.values.transpose(tensor.order.axis).copy()
        self.F = {n: differences(self.shape[n]) for n in (mode - 1 for mode in self.settings["smooth_modes"])}

        def of(arrays: Array) -> dict[int, Array]:
            return {n: unfold(arrays[i].transpose(tensor.order.axis), n).copy() for i, n in enumerate(self.F)}

        self.R, self.Phi = of(tensor.copies), of(tensor.ties)
        self.Lam = {n: slope[:-1] for n, slope in of(tensor.slopes).items()}
        self.Q: dict[int, Array] = {}

    def smooth(self) -> None:
        rho, weight = self.rho, self.settings["tv_weight"]
        for n, F in self.F.items():
            self.Q[n] = soft(F @ self.R[n] - self.Lam[n] / rho, weight / rho)
            right = F.T @ self.Lam[n] + rho * F.T @ self.Q[n] + rho * unfold(self.Z, n) - self.Phi[n]
            self.R[n] = np.linalg.solve(rho * F.T @ F + rho * np.eye(self.shape[n]), right)

    def agree(self, others: Array, number: int) -> None:
        total = others + sum(fold(self.Phi[n] + self.rho * self.R[n], n, self.shape) for n in self.F)
        new = total / (self.rho * (number + len(self.F)))
        self.Z = np.where(self.known, self.Z, new)

    def update_smooth_multipliers(self) -> None:
        for n, F in self.F.items():
            self.Lam[n] = self.Lam[n] + self.rho * (self.Q[n] - F @ self.R[n])
            self.Phi[n] = self.Phi[n] + self.rho * (self.R[n] - unfold(self.Z, n))


class TraceNormTranscript(Transcript):
    """Variant I."""

    def __init__(self, state: TraceNormSolver, data: ObservedTensor) -> None:
        super().__init__(state, data)
        self.Gam = [np.zeros_like(unfold(self.Z, n)) for n in self.modes]

    def step(self) -> None:
        rho, alpha = self.rho, 1 / len(self.shape)
        M = [shrunk(unfold(self.Z, n) - self.Gam[n] / rho, alpha / rho) for n in self.modes]
        self.smooth()
        self.agree(sum(fold(self.Gam[n] + rho * M[n], n, self.shape) for n in self.modes), len(self.shape))
        self.update_smooth_multipliers()
        self.Gam = [self.Gam[n] + rho * (M[n] - unfold(self.Z, n)) for n in self.modes]
        jumps = sum(np.abs(Q).sum() for Q in self.Q.values())
        self.cost = alpha * sum(np.linalg.norm(m, "nuc") for m in M) + self.settings["tv_weight"] * jumps
        self.rho *= self.settings["penalty_growth"]


class TuckerTranscript(Transcript):
    """Variant II, with the linear system for the core written out as a Kronecker product."""

    def __init__(self, state: SmoothTuckerSolver, data: ObservedTensor) -> None:
        super().__init__(state, data)
        self.V = [state.factors[axis].copy() for axis in state.tensor.order.axis]
        self.Gam = [state.factor_multipliers[axis].copy() for axis in state.tensor.order.axis]
        self.G, self.W = self.Z.copy(), np.zeros(self.shape)

    def model(self, but: int | None = None) -> Array:
        whole = self.G
        for n, factor in enumerate(self.V):
            whole = whole if n == but else mode_product(whole, factor, n)
        return whole

    def step(self) -> None:
        rho, alpha, weight = self.rho, 1 / len(self.shape), self.settings["core_weight"]
        self.smooth()
        U = [shrunk(self.V[n] + self.Gam[n] / rho, alpha / rho) for n in self.modes]
        for n in self.modes:
            T = unfold(self.model(but=n), n)
            right = -self.Gam[n] + rho * U[n] + unfold(self.W, n) @ T.T + rho * unfold(self.Z, n) @ T.T
            self.V[n] = right @ np.linalg.inv(rho * np.eye(len(T)) + rho * T @ T.T)
        self.agree(rho * self.model() - self.W, 1)
        K = np.ones((1, 1))
        for factor in self.V:
            K = np.kron(K, factor)
        right = K.T @ (rho * self.Z + self.W).reshape(-1)
        self.G = np.linalg.solve(rho * K.T @ K + 2 * weight * np.eye(K.shape[1]), right).reshape(self.shape)
        self.update_smooth_multipliers()
        self.Gam = [self.Gam[n] + rho * (self.V[n] - U[n]) for n in self.modes]
        self.W = self.W + rho * (self.Z - self.model())
        jumps = sum(np.abs(Q).sum() for Q in self.Q.values())
        self.cost = alpha * sum(np.linalg.norm(u, "nuc") for u in U) + self.settings["tv_weight"] * jumps
        self.cost += weight * np.sum(self.G**2)
        self.rho *= self.settings["penalty_growth"]


TRANSCRIPTS: dict[Any, Callable[..., Any]] = {
    TraceNormSolver: TraceNormTranscript,
    SmoothTuckerSolver: TuckerTranscript,
}
