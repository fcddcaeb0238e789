"""Unfolding, folding and multiplying along a mode, against definitions written out by index."""

import itertools

import numpy as np
import pytest

from tensorfill.tensor import entries, fold, mode_product, spread_mask, unfold

SHAPES = [(4, 3), (2, 3, 4), (3, 1, 2, 2), (2, 2, 3, 2, 1)]
CASES = [pytest.param(shape, mode, id=f"{shape}-mode-{mode}") for shape in SHAPES for mode in range(len(shape))]


def numbered(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(entries(shape), dtype=float).reshape(shape)


@pytest.mark.parametrize(("shape", "mode"), CASES)
def test_unfolding_has_a_row_per_index_and_columns_with_the_last_index_fastest(
    shape: tuple[int, ...], mode: int
) -> None:
    tensor = numbered(shape)
    matrix = unfold(tensor, mode)
    others = [range(size) for axis, size in enumerate(shape) if axis != mode]
    assert matrix.shape == (shape[mode], entries(shape) // shape[mode])
    for column, rest in enumerate(itertools.product(*others)):
        for row in range(shape[mode]):
            assert matrix[row, column] == tensor[(*rest[:mode], row, *rest[mode:])]


@pytest.mark.parametrize(("shape", "mode"), CASES)
def test_folding_undoes_unfolding(shape: tuple[int, ...], mode: int) -> None:
    tensor = numbered(shape)
    np.testing.assert_array_equal(fold(unfold(tensor, mode), mode, shape), tensor)


def test_unfolding_keeps_the_dtype() -> None:
    assert unfold(np.zeros((2, 3), dtype=np.uint8), 1).dtype == np.uint8


def test_products_along_different_modes_commute() -> None:
    rng = np.random.default_rng(0)
    tensor, A, B = rng.random((3, 4, 5)), rng.random((2, 3)), rng.random((6, 5))
    np.testing.assert_allclose(
        mode_product(mode_product(tensor, A, 0), B, 2), mode_product(mode_product(tensor, B, 2), A, 0)
    )


def test_the_number_of_entries_does_not_overflow() -> None:
    assert entries((2**40, np.int64(2**40), 3)) == 3 * 2**80


def test_a_tensor_without_modes_has_one_entry() -> None:
    assert entries(()) == 1


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 1, 1), (1, 3), (2, 1, 4, 1), (4,), (2, 3, 4, 5)])
def test_a_mask_is_spread_over_the_modes_it_lacks_or_has_once(shape: tuple[int, ...]) -> None:
    mask = np.random.default_rng(0).random(shape) < 0.5
    spread = spread_mask(mask, (2, 3, 4, 5))
    assert spread is not None
    aligned = mask.reshape(1, 1, 4, 1) if shape == (4,) else mask.reshape(shape + (1,) * (4 - len(shape)))
    np.testing.assert_array_equal(spread, np.broadcast_to(aligned, (2, 3, 4, 5)))


@pytest.mark.parametrize("shape", [(4, 5), (3, 3), (6,), (2, 3, 4, 5, 1), (0, 3)])
def test_a_mask_that_does_not_fit_is_not_spread(shape: tuple[int, ...]) -> None:
    assert spread_mask(np.zeros(shape, dtype=bool), (2, 3, 4, 5)) is None


def test_a_mask_of_one_mode_is_not_spread_if_two_have_its_length() -> None:
    assert spread_mask(np.ones(3, dtype=bool), (3, 3, 2)) is None
