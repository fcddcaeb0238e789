"""The spectral start finds the subspaces of low-rank data from a part of its entries."""

import numpy as np
import pytest

from tensorfill.dual.objective import spectral_start
from tensorfill.numerics.eigenvalues import leading_eigenpairs
from tensorfill.numerics.fibre_operator import FibreOperator


def low_rank(shape: tuple[int, ...], rank: int) -> tuple[np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(0)
    factors = [np.linalg.qr(rng.standard_normal((n, rank)))[0] for n in shape]
    core = rng.standard_normal((rank,) * len(shape)) + 3 * np.eye(rank)[:, :, None] * np.ones(rank)
    return np.einsum("abc,ia,jb,kc->ijk", core, *factors), factors


@pytest.mark.parametrize("shape", [(30, 40, 20), (100, 30, 25)], ids=str)
def test_all_entries_give_the_exact_subspaces(shape: tuple[int, ...]) -> None:
    data, factors = low_rank(shape, 2)
    operator = FibreOperator(shape, np.arange(data.size))
    for U, Q in zip(spectral_start(operator, data.ravel(), (2, 2, 2), 1.0), factors, strict=True):
        assert np.linalg.norm(U) == pytest.approx(1)
        assert np.linalg.norm(Q @ (Q.T @ U)) == pytest.approx(1, abs=1e-6)


def test_half_of_the_entries_come_close() -> None:
    data, factors = low_rank((60, 50, 40), 2)
    positions = np.flatnonzero(np.random.default_rng(1).random(data.shape) < 0.5)
    operator = FibreOperator(data.shape, positions)
    for U, Q in zip(spectral_start(operator, data.ravel()[positions], (2, 2, 2), 0.5), factors, strict=True):
        assert np.linalg.norm(Q @ (Q.T @ U)) > 0.97


def test_directions_the_data_says_nothing_about_keep_a_little_weight() -> None:
    data, _ = low_rank((20, 15, 10), 2)
    operator = FibreOperator(data.shape, np.arange(data.size))
    for U in spectral_start(operator, data.ravel(), (5, 5, 5), 1.0):
        assert np.linalg.matrix_rank(U, tol=1e-3) == 5


def test_subspace_iteration_finds_the_leading_eigenpairs() -> None:
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.standard_normal((200, 200)))
    A = (Q * np.geomspace(100, 1e-3, 200)) @ Q.T
    weights, vectors = leading_eigenpairs(lambda V: A @ V, 200, 3)
    np.testing.assert_allclose(weights, np.geomspace(100, 1e-3, 200)[2::-1], rtol=1e-3)
    np.testing.assert_allclose(A @ vectors, vectors * weights, atol=1)
