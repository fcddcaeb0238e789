"""The formulas of `t-ctv` and `tnn`, written down as they are; nothing shared with the fast code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tensorfill.tensor import Array, mode_product


def differences(size: int) -> Array:
    """(∇x)_i = x_{i+1} − x_i, the last one x_1 − x_n."""
    return np.roll(np.eye(size), 1, axis=1) - np.eye(size)


def transform_matrix(kind: str, size: int) -> NDArray[Any]:
    """M with M Mᴴ = n I: √n times the orthonormal cosine transform, or the Fourier transform."""
    k, i = np.arange(size)[:, None], np.arange(size)[None, :]
    if kind == "fft":
        return np.asarray(np.exp(-2j * np.pi * k * i / size))
    cosines = np.sqrt(2.0) * np.cos(np.pi * (i + 0.5) * k / size)
    cosines[0] = 1.0
    return np.asarray(cosines)


def transformed(tensor: NDArray[Any], kind: str, *, back: bool = False) -> NDArray[Any]:
    for mode in range(2, tensor.ndim):
        M = transform_matrix(kind, tensor.shape[mode])
        tensor = mode_product(tensor, M.conj().T / len(M) if back else M, mode)
    return tensor


def shrunk(matrix: NDArray[Any], threshold: float) -> NDArray[Any]:
    u, s, vh = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray((u * np.maximum(s - threshold, 0.0)) @ vh)


def prox(tensor: Array, kind: str, threshold: float) -> Array:
    """argmin threshold · ‖G‖ + ½ ‖G − X‖²: every slice of the transform on its own."""
    slices = transformed(tensor, kind)
    out = np.empty_like(slices)
    for index in np.ndindex(tensor.shape[2:]):
        out[(..., *index)] = shrunk(slices[(..., *index)], threshold)
    return np.asarray(transformed(out, kind, back=True).real)


def tensor_nuclear_norm(tensor: Array, kind: str) -> float:
    slices, places = transformed(tensor, kind), list(np.ndindex(tensor.shape[2:]))
    return float(sum(np.linalg.norm(slices[(..., *index)], "nuc") for index in places) / len(places))


class TNNTranscript:
    """X, E and Λ of `tnn`, all of full size."""

    def __init__(self, M: Array, known: NDArray[np.bool_], kind: str, mu: float, rho: float) -> None:
        self.M, self.known, self.kind, self.mu, self.rho = np.where(known, M, 0.0), known, kind, mu, rho
        self.E = self.M.copy()  # X = 0 at the start
        self.E[known] = 0.0
        self.Lam = np.zeros(M.shape)

    def step(self) -> None:
        self.X = prox(self.M - self.E + self.Lam / self.mu, self.kind, 1 / self.mu)
        self.E = np.where(self.known, 0.0, self.M - self.X + self.Lam / self.mu)
        self.Lam = self.Lam + self.mu * (self.M - self.X - self.E)
        self.cost = tensor_nuclear_norm(self.X, self.kind)
        self.mu *= self.rho


class TCTVTranscript:
    """X, G_k, E and the multipliers of `t-ctv`, all of full size; the system for X written out as a matrix."""

    def __init__(
        self, M: Array, known: NDArray[np.bool_], kind: str, directions: tuple[int, ...], mu: float, rho: float
    ) -> None:
        self.M, self.known, self.kind, self.mu, self.rho = np.where(known, M, 0.0), known, kind, mu, rho
        self.E = np.where(known, 0.0, -M[known].mean())  # X is the mean where nothing is known, at the start
        self.Lam = np.zeros(M.shape)
        self.D = {k: differences(M.shape[k]) for k in directions}
        self.G = {k: np.zeros(M.shape) for k in directions}
        self.Gam = {k: np.zeros(M.shape) for k in directions}
        units = np.eye(M.size).reshape(M.size, *M.shape)
        squares = sum(mode_product(units, D.T @ D, k + 1) for k, D in self.D.items())
        self.system = np.eye(M.size) + np.asarray(squares).reshape(M.size, M.size)

    def step(self) -> None:
        mu, gamma = self.mu, len(self.D)
        right = mu * (self.M - self.E) + self.Lam
        for k, D in self.D.items():
            right = right + mode_product(mu * self.G[k] - self.Gam[k], D.T, k)
        self.X = np.linalg.solve(mu * self.system, right.reshape(-1)).reshape(self.M.shape)
        gradients = {k: mode_product(self.X, D, k) for k, D in self.D.items()}
        self.G = {k: prox(gradients[k] + self.Gam[k] / mu, self.kind, 1 / (gamma * mu)) for k in self.D}
        self.E = np.where(self.known, 0.0, self.M - self.X + self.Lam / mu)
        self.Lam = self.Lam + mu * (self.M - self.X - self.E)
        self.Gam = {k: self.Gam[k] + mu * (gradients[k] - self.G[k]) for k in self.D}
        self.cost = sum(tensor_nuclear_norm(G, self.kind) for G in self.G.values()) / gamma
        self.mu *= self.rho
