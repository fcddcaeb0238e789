"""Products with unfoldings are those of the unfolded arrays, with the same bits on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.numerics.unfoldings import cross_product, share_mode_product
from tensorfill.tensor import Array, blocks, mode_product, unfold

SHAPES = [
    (40, 30, 32),
    (120, 100, 3),
    (3, 120, 50, 2),
    (200, 180),
    (4, 6),
    (30, 7),
    (7, 30),
    (3, 4, 5),
    (9, 4, 2),
    (2, 3, 1, 4),
    (20, 3, 17),
    (2, 9, 2, 3, 2),
]
PLACES = [(shape, mode) for shape in SHAPES for mode in range(len(shape))]
SMALL_PLACES = [(shape, mode) for shape, mode in PLACES if np.prod(shape) < 1000]
_NEW = 20  # a name for the index that comes in


def summed(matrix: Array, x: Array, mode: int) -> Array:
    modes = list(range(x.ndim))
    return np.einsum(matrix, [_NEW, mode], x, modes, [*modes[:mode], _NEW, *modes[mode + 1 :]])


@pytest.mark.parametrize(("shape", "mode"), PLACES, ids=str)
@pytest.mark.parametrize("rows", [1, 5])
def test_it_is_the_sum_over_the_mode(shape: tuple[int, ...], mode: int, rows: int) -> None:
    rng = np.random.default_rng(0)
    matrix, x = rng.standard_normal((rows, shape[mode])), rng.standard_normal(shape)
    for found in (mode_product(x, matrix, mode), share_mode_product(x, matrix, mode)):
        np.testing.assert_allclose(found, summed(matrix, x, mode), atol=1e-13)
        assert found.flags.c_contiguous


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_any_layout_is_taken(mode: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6, 4, 10)).transpose(2, 0, 1)[::2]
    matrix = rng.standard_normal((x.shape[mode], 3)).T
    np.testing.assert_allclose(share_mode_product(x, matrix, mode), summed(matrix, x, mode), atol=1e-13)


@pytest.mark.parametrize(("shape", "mode"), PLACES, ids=str)
def test_what_is_not_needed_any_more_may_be_written_over(shape: tuple[int, ...], mode: int) -> None:
    rng = np.random.default_rng(0)
    matrix, x = rng.standard_normal((shape[mode], shape[mode])), rng.standard_normal(shape)
    given = x.copy()
    found = share_mode_product(given, matrix, mode, overwrite=True)
    np.testing.assert_allclose(found, summed(matrix, x, mode), atol=1e-12)
    few = share_mode_product(x.copy(), matrix[:1], mode, overwrite=True)
    np.testing.assert_allclose(few, summed(matrix[:1], x, mode), atol=1e-12)


@pytest.mark.parametrize(("shape", "mode"), SMALL_PLACES, ids=str)
def test_the_blocks_side_by_side_are_the_unfolding(shape: tuple[int, ...], mode: int) -> None:
    tensor = np.random.default_rng(0).random(shape)
    np.testing.assert_array_equal(np.concatenate(blocks(tensor, mode), axis=1), unfold(tensor, mode))
    assert np.shares_memory(blocks(tensor, mode), tensor)


@pytest.mark.parametrize(("shape", "mode"), SMALL_PLACES, ids=str)
def test_a_cross_product_is_one_of_unfoldings(shape: tuple[int, ...], mode: int) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(shape), rng.random((*shape[:mode], shape[mode] + 2, *shape[mode + 1 :]))
    np.testing.assert_allclose(cross_product(a, b, mode), unfold(a, mode) @ unfold(b, mode).T, rtol=1e-13)
