"""Products with unfoldings are those of the unfolded arrays, and come out with the last index varying fastest."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.numerics.unfoldings import blocks, cross_product, multiply
from tensorfill.tensor import mode_product, unfold

PLACES = [(shape, mode) for shape in [(4, 6), (3, 4, 5), (9, 4, 2), (2, 3, 1, 4)] for mode in range(len(shape))]


@pytest.mark.parametrize(("shape", "mode"), PLACES, ids=str)
def test_the_blocks_side_by_side_are_the_unfolding(shape: tuple[int, ...], mode: int) -> None:
    tensor = np.random.default_rng(0).random(shape)
    np.testing.assert_array_equal(np.concatenate(blocks(tensor, mode), axis=1), unfold(tensor, mode))
    assert np.shares_memory(blocks(tensor, mode), tensor)


@pytest.mark.parametrize(("shape", "mode"), PLACES, ids=str)
def test_a_cross_product_is_one_of_unfoldings(shape: tuple[int, ...], mode: int) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(shape), rng.random((*shape[:mode], shape[mode] + 2, *shape[mode + 1 :]))
    np.testing.assert_allclose(cross_product(a, b, mode), unfold(a, mode) @ unfold(b, mode).T, rtol=1e-13)


@pytest.mark.parametrize(("shape", "mode"), PLACES, ids=str)
def test_multiplying_is_multiplying_the_unfolding(shape: tuple[int, ...], mode: int) -> None:
    rng = np.random.default_rng(0)
    tensor, matrix = rng.random(shape), rng.random((7, shape[mode]))
    found = multiply(tensor, matrix, mode)
    np.testing.assert_allclose(found, mode_product(tensor, matrix, mode), rtol=1e-13)
    assert found.flags.c_contiguous
