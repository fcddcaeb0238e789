"""The fibre operator against dense tensor algebra."""

import numpy as np
import pytest

from tensorfill.numerics.fibre_operator import FibreOperator, fibre_numbers
from tensorfill.tensor import mode_product, unfold

SHAPES = [(6, 7), (4, 5, 6), (3, 4, 3, 4), (3, 2, 4, 2, 3)]


@pytest.fixture(params=SHAPES, ids=str)
def shape(request: pytest.FixtureRequest) -> tuple[int, ...]:
    return request.param


def dense_K(X: np.ndarray, factors: tuple[np.ndarray, ...], lam: tuple[float, ...]) -> np.ndarray:
    """Σ_k λ_k X ×_k U_k U_kᵀ, by dense tensor algebra."""
    products = (mode_product(X, U @ U.T, mode) for mode, U in enumerate(factors))
    return sum(weight * product for weight, product in zip(lam, products, strict=True))


def sparse_tensor(shape: tuple[int, ...], seed: int = 0) -> tuple[np.ndarray, np.ndarray, FibreOperator]:
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random(shape) < 0.4, rng.standard_normal(shape), 0.0)
    positions = np.flatnonzero(dense)
    return dense, dense.ravel()[positions], FibreOperator(shape, positions)


def setting(shape: tuple[int, ...]) -> tuple:
    factors = tuple(np.random.default_rng(n).standard_normal((n, 2)) for n in shape)
    return *sparse_tensor(shape), factors, tuple(float(n) for n in shape)


def test_applying_it_is_the_dense_product_on_the_support(shape: tuple[int, ...]) -> None:
    dense, x, operator, factors, lam = setting(shape)
    expected = dense_K(dense, factors, lam).ravel()[operator.positions]
    np.testing.assert_allclose(operator.apply(factors, lam, x), expected, rtol=1e-12, atol=1e-12)


def test_it_is_positive(shape: tuple[int, ...]) -> None:
    _, x, operator, factors, lam = setting(shape)
    assert x @ operator.apply(factors, lam, x) >= 0


def test_its_diagonal(shape: tuple[int, ...]) -> None:
    _, x, operator, factors, lam = setting(shape)
    matrix = np.stack([operator.apply(factors, lam, unit) for unit in np.eye(len(x))])
    np.testing.assert_allclose(operator.diagonal(factors, lam), np.diag(matrix), rtol=1e-12)


def test_gram_products(shape: tuple[int, ...]) -> None:
    dense, x, operator, factors, _ = setting(shape)
    other = np.random.default_rng(2).standard_normal(len(x))
    other_dense = np.zeros(dense.size)
    other_dense[operator.positions] = other
    for mode, U in enumerate(factors):
        X, Y = unfold(dense, mode), unfold(other_dense.reshape(shape), mode)
        np.testing.assert_allclose(operator.gram(mode, x, U), X @ X.T @ U, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(operator.gram(mode, x, U, other), X @ Y.T @ U, rtol=1e-10, atol=1e-12)


def test_fibre_sums_and_fibre_numbers(shape: tuple[int, ...]) -> None:
    dense, x, operator, factors, _ = setting(shape)
    for mode, U in enumerate(factors):
        coordinates = (U.T @ unfold(dense, mode)).T
        found = operator.fibre_sums(mode, x, U)
        fibres = operator.modes[mode].fibre
        np.testing.assert_allclose(found, coordinates[fibres], rtol=1e-12, atol=1e-12)
        assert set(fibres) == set(fibre_numbers(shape, operator.positions, mode))


def test_every_application_is_counted() -> None:
    _, x, operator, factors, lam = setting((4, 5, 6))
    for _ in range(3):
        operator.apply(factors, lam, x)
    assert operator.calls.total == 3


def test_a_wrong_weight_would_be_noticed(shape: tuple[int, ...]) -> None:
    dense, x, operator, factors, lam = setting(shape)
    expected = dense_K(dense, factors, lam).ravel()[operator.positions]
    wrong = operator.apply(factors, (2 * lam[0], *lam[1:]), x)
    assert not np.allclose(wrong, expected, rtol=1e-6)


def test_square_is_the_lower_triangle_of_the_second_moment(shape: tuple[int, ...]) -> None:
    dense, x, operator, _, _ = setting(shape)
    for mode in range(len(shape)):
        unfolded = unfold(dense, mode)
        np.testing.assert_allclose(operator.square(mode, x), np.tril(unfolded @ unfolded.T), atol=1e-12)
