"""W recovered whole, in slabs, by component and by entry: all the same tensor."""

import numpy as np
import pytest
from small_problems import SHAPES, dense_K, random_factors

from tensorfill.dual import recover
from tensorfill.dual.recover import RecoveredTensor, find_negatives
from tensorfill.numerics.fibre_operator import FibreOperator

# One shape per place of the longest mode, where slabs are cut.
CASES = [*SHAPES.values(), (9, 4, 5), (4, 9, 5), (4, 5, 9), (2, 3, 8, 3)]


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[RecoveredTensor, np.ndarray]:
    shape = request.param
    rng = np.random.default_rng(0)
    dense = np.where(rng.random(shape) < 0.3, rng.standard_normal(shape), 0.0)
    factors = random_factors(shape, tuple(min(2, n) for n in shape))
    lam = tuple(float(n) for n in shape)
    positions = np.flatnonzero(dense)
    tensor = RecoveredTensor(FibreOperator(shape, positions), factors, lam, dense.ravel()[positions])
    return tensor, dense_K(dense, factors, lam)


@pytest.fixture(params=[1, 40, 10**6], ids=["slabs of one index", "small slabs", "one slab"], autouse=True)
def slab_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recover, "_SLAB", request.param)


def test_the_whole_tensor(case: tuple[RecoveredTensor, np.ndarray]) -> None:
    tensor, expected = case
    np.testing.assert_allclose(tensor.dense(), expected, rtol=1e-10, atol=1e-12)


def test_its_components_add_up(case: tuple[RecoveredTensor, np.ndarray]) -> None:
    tensor, expected = case
    parts = tensor.components()
    assert len(parts) == expected.ndim
    np.testing.assert_allclose(sum(parts), expected, rtol=1e-10, atol=1e-12)


def test_single_entries(case: tuple[RecoveredTensor, np.ndarray]) -> None:
    tensor, expected = case
    coordinates = np.stack([index.ravel() for index in np.indices(expected.shape)], axis=1)
    np.testing.assert_allclose(tensor.at(coordinates), expected.ravel(), rtol=1e-10, atol=1e-12)


def test_the_scan_finds_every_negative_entry(case: tuple[RecoveredTensor, np.ndarray]) -> None:
    tensor, expected = case
    seen = find_negatives(tensor)
    dense = tensor.dense().ravel()
    np.testing.assert_array_equal(seen.positions, np.flatnonzero(dense < 0))
    np.testing.assert_allclose(seen.values, dense[seen.positions], atol=1e-14)
    assert seen.smallest == pytest.approx(expected.min())
    assert len(seen.positions) > 0
