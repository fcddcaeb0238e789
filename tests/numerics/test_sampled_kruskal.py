"""Kruskal tensors at known positions, against dense tensor algebra."""

import numpy as np
import pytest

from tensorfill.numerics import threads
from tensorfill.numerics.sampled_kruskal import SampledKruskal
from tensorfill.tensor import unfold

SHAPES = [(7, 5), (1, 6), (6, 5, 4), (5, 1, 4), (4, 1, 1), (4, 3, 2, 5), (2, 3, 2, 3, 2)]


def setting(shape: tuple[int, ...], share: float = 0.4) -> tuple[np.ndarray, np.ndarray, SampledKruskal, np.ndarray]:
    """A tensor that is zero where nothing is known, its known values, and factors one below the other."""
    rng = np.random.default_rng(len(shape))
    known = rng.random(shape) < share
    known.flat[0] = True
    sparse = np.where(known, rng.standard_normal(shape), 0.0)
    positions = np.flatnonzero(known)
    return (
        sparse,
        sparse.ravel()[positions],
        SampledKruskal(shape, positions),
        rng.standard_normal((sum(shape), 3)),
    )


def dense(factors: tuple[np.ndarray, ...]) -> np.ndarray:
    letters = "abcde"[: len(factors)]
    return np.einsum(",".join(f"{letter}r" for letter in letters) + "->" + letters, *factors)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_blocks_are_the_factors_of_the_modes(shape: tuple[int, ...]) -> None:
    _, _, sampled, factors = setting(shape)
    blocks = sampled.blocks(factors)
    assert tuple(len(block) for block in blocks) == shape
    np.testing.assert_array_equal(np.concatenate(blocks), factors)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_are_those_of_the_dense_tensor(shape: tuple[int, ...]) -> None:
    sparse, _, sampled, factors = setting(shape)
    expected = dense(sampled.blocks(factors))[sparse != 0]
    np.testing.assert_allclose(sampled.values(factors), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_are_those_with_the_unfolding_and_the_khatri_rao_product(shape: tuple[int, ...]) -> None:
    sparse, x, sampled, factors = setting(shape)
    blocks = sampled.blocks(factors)
    for mode in range(len(shape)):
        others = [block for other, block in enumerate(blocks) if other != mode]
        columns = np.stack([dense(tuple(o[:, [c]] for o in others)).ravel() for c in range(factors.shape[1])], axis=1)
        expected = unfold(sparse, mode) @ columns
        np.testing.assert_allclose(sampled.times_khatri_rao(x, factors, mode), expected, rtol=1e-12, atol=1e-12)


def test_cutting_the_work_in_pieces_changes_nothing_but_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = (20, 18, 16)
    _, x, whole, factors = setting(shape)
    expected = [whole.values(factors), *(whole.times_khatri_rao(x, factors, mode) for mode in range(3))]
    monkeypatch.setattr(threads, "SMALL_SUPPORT", 0)
    found = [whole.values(factors), *(whole.times_khatri_rao(x, factors, mode) for mode in range(3))]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


def test_few_entries_in_many_rows_are_not_cut_in_pieces_with_rows_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "SMALL_SUPPORT", 0)
    asked: list[int] = []
    monkeypatch.setattr(threads, "share", lambda work, count: asked.append(count))
    _, x, sampled, factors = setting((2000, 3, 3), share=0.3)
    for mode in range(3):
        sampled.times_khatri_rao(x, factors, mode)
    assert asked == [1, 8, 8]
