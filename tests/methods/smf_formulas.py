"""SMF-LRTC as its formulas say, with one dense matrix for every linear map: slow, and independent of the fast code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tensorfill.methods.smf_pairs import FactorPair
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, unfold

RHO = 0.01


def matrix_of(linear: Any, size: int) -> Array:
    return np.array([linear(column).ravel() for column in np.eye(size)]).T


def frame_matrix(rows: int, wide: int) -> Array:
    """The four bands of a rows × wide picture, by products of one-dimensional filters."""

    def filters(size: int) -> tuple[Array, Array]:
        after = np.roll(np.eye(size), 1, axis=1)
        return (np.eye(size) + after) / 2, (np.eye(size) - after) / 2

    return np.vstack([np.kron(down, across) for down in filters(rows) for across in filters(wide)])


def difference_matrix(size: int) -> Array:
    return np.roll(np.eye(size), -1, axis=0) - np.eye(size)


def soft(values: Array, bound: float) -> Array:
    return np.asarray(np.sign(values) * np.maximum(np.abs(values) - bound, 0.0))


def wide_order(shape: tuple[int, ...], rank: int) -> Array:
    """The permutation from X_3 (pixels × rank), flattened, to the flattened picture of pictures side by side."""
    rows, columns, _ = shape
    return matrix_of(
        lambda x: x.reshape(rows, columns, rank).transpose(0, 2, 1).reshape(rows, rank * columns), rows * columns * rank
    )


def naive_pictures(Y: Array, X: Array, A: Array, shape: tuple[int, ...], mu: float, beta: float, steps: int) -> Array:
    rho, rank = 3 * RHO * mu, len(A)
    W = frame_matrix(shape[0], shape[1] * rank) @ wide_order(shape, rank)
    system = np.kron(np.eye(len(X)), mu * A @ A.T + rho * np.eye(rank)) + beta * W.T @ W
    Z = Theta = np.zeros(len(W))
    for _ in range(steps):
        x = np.linalg.solve(system, (rho * X + mu * Y @ A.T).ravel() + beta * W.T @ (Z - Theta))
        Z = soft(W @ x + Theta, 1 / beta)
        Theta = Theta + W @ x - Z
    return np.asarray(x.reshape(X.shape))


def naive_profiles(Y: Array, X: Array, A: Array, mu: float, beta: float, steps: int) -> Array:
    rho, (rank, size) = 3 * RHO * mu, A.shape
    D = np.kron(np.eye(rank), difference_matrix(size))
    system = np.kron(mu * X.T @ X + rho * np.eye(rank), np.eye(size)) + beta * D.T @ D
    V = Theta = np.zeros(rank * size)
    for _ in range(steps):
        a = np.linalg.solve(system, (rho * A + mu * X.T @ Y).ravel() + beta * D.T @ (V - Theta))
        V = soft(D @ a + Theta, 1 / beta)
        Theta = Theta + D @ a - V
    return np.asarray(a.reshape(A.shape))


def naive(data: ObservedTensor, pairs: list[tuple[Array, Array]]) -> Iterator[tuple[Array, float]]:
    """Tensors and objectives of the authors' iteration, the start left out."""
    shape, known = data.shape, data.mask()
    Y = np.zeros(shape)
    Y.reshape(-1)[data.positions] = data.values
    while True:
        turned = [np.asarray(unfold(Y, mode), dtype=float).T for mode in range(3)]
        mean = np.zeros(shape)
        for n, (X, A) in enumerate(pairs):
            rho, unit = RHO / (1 / 3), np.eye(len(A))
            if n < 2:
                X = (turned[n] @ A.T + rho * X) @ np.linalg.inv(A @ A.T + rho * unit)
                A = np.linalg.inv(X.T @ X + rho * unit) @ (X.T @ turned[n] + rho * A)
            else:
                X = naive_pictures(turned[n], X, A, shape, mu=10.0, beta=1000.0, steps=5)
                A = naive_profiles(turned[n], X, A, mu=100.0, beta=1.0, steps=5)
            pairs[n] = X, A
            mean += folded((X @ A + rho * turned[n]) / (1 + rho), n, shape) / 3
        Y = np.where(known, Y, mean)
        fit = sum(np.sum((unfold(Y, n).T - X @ A) ** 2) for n, (X, A) in enumerate(pairs)) / 2
        X, A = pairs[2]
        bands = frame_matrix(shape[0], shape[1] * len(A)) @ wide_order(shape, len(A)) @ X.ravel()
        yield Y, float(fit + np.abs(bands).sum() / 10 + np.abs(difference_matrix(shape[2]) @ A.T).sum() / 100) / 3


def folded(matrix: Array, mode: int, shape: tuple[int, ...]) -> Array:
    others = [size for axis, size in enumerate(shape) if axis != mode]
    return np.moveaxis(matrix.T.reshape(shape[mode], *others), 0, mode)


def as_matrices(pairs: tuple[FactorPair, ...]) -> list[tuple[Array, Array]]:
    """X_n (fibres × rank) and A_n, from the layout of frames, where r_n stands in the place of n_n."""
    found = []
    for mode, pair in enumerate(pairs):
        stack = pair.X.transpose(1, 2, 0)
        found.append((np.moveaxis(stack, mode, -1).reshape(-1, pair.rank), pair.A))
    return found
