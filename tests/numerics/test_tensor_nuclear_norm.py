"""Shrinking the singular values of slices: what the decomposition gives, in any precision, and cheap ways to zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.numerics.tensor_nuclear_norm import shrink, shrink_slices, slice_pieces

SHAPES = [(3, 7, 9), (3, 9, 7), (2, 6, 6), (2, 1, 3), (2, 3, 1)]
PRECISION = {"float32": 1e-4, "float64": 1e-11, "complex64": 1e-4, "complex128": 1e-11}


def random_slices(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    rng = np.random.default_rng(0)
    parts = rng.normal(size=shape), rng.normal(size=shape)
    return (parts[0] + 1j * parts[1] if dtype.startswith("complex") else parts[0]).astype(dtype)


def by_decomposition(matrix: NDArray[Any], threshold: float) -> NDArray[Any]:
    u, s, vh = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray((u * np.maximum(s - threshold, 0.0)) @ vh)


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("threshold", [1e-4, 0.5, 2.0, 3.5, 4.5, 100.0])
def test_it_is_what_the_singular_value_decomposition_gives(dtype: str, threshold: float) -> None:
    for shape in SHAPES:
        slices = random_slices(shape, dtype)
        found, norms = shrink_slices(slices, threshold)
        assert found.dtype == slices.dtype
        for before, after, norm in zip(slices, found, norms, strict=True):
            expected = by_decomposition(before.astype("complex128"), threshold)
            np.testing.assert_allclose(after, expected, atol=PRECISION[dtype])
            np.testing.assert_allclose(norm, np.linalg.norm(expected, "nuc"), atol=10 * PRECISION[dtype])


def test_single_precision_resolves_small_thresholds_too() -> None:
    """X Xᵀ in single precision cannot tell 0.01 from 0 beside 300, and would shrink it by anything."""
    rng = np.random.default_rng(0)
    u, v = (np.linalg.qr(rng.normal(size=(40, 40)))[0] for _ in range(2))
    matrix = (u * np.r_[300.0, np.full(19, 0.012), np.full(20, 0.008)]) @ v.T
    found, _ = shrink_slices(matrix.astype(np.float32)[None], 0.01)
    assert np.linalg.norm(found[0] - by_decomposition(matrix, 0.01)) < 1e-3
    assert 0.01 * np.sqrt(20) > 1e-2, "the error there would be otherwise"


@pytest.mark.parametrize("above", [0.5, 0.9, 0.999, 1.001, 1.1, 2.0])
def test_nothing_above_the_threshold_is_taken_for_zero(above: float) -> None:
    """The shortcuts that look for a largest singular value below the threshold are right on both sides of it."""
    rng = np.random.default_rng(0)
    u, v = (np.linalg.qr(rng.normal(size=(30, 30)))[0] for _ in range(2))
    for others in (0.0, 0.5, 0.99):
        values = np.full(30, min(others, above))
        values[0] = above
        found, norms = shrink_slices(((u * values) @ v.T)[None], 1.0)
        np.testing.assert_allclose(found[0], by_decomposition((u * values) @ v.T, 1.0), atol=1e-12)
        np.testing.assert_allclose(norms[0], max(above - 1.0, 0.0), atol=1e-12)


def test_it_is_a_proximal_map() -> None:
    """Nothing near by is better: t ‖G‖_* + ½ ‖G − X‖²."""
    X, t, rng = random_slices((1, 5, 6), "float64")[0], 1.2, np.random.default_rng(1)
    found, norms = shrink_slices(X[None], t)
    best = t * norms[0] + 0.5 * np.sum((found[0] - X) ** 2)
    for size in (1e-3, 0.1, 1.0):
        G = found[0] + size * rng.normal(size=X.shape)
        assert t * np.linalg.norm(G, "nuc") + 0.5 * np.sum((G - X) ** 2) > best


def test_the_pieces_are_all_slices_and_each_is_worked_on_alone() -> None:
    for shape in ((100, 20, 30), (5, 300, 300), (1, 2, 2)):
        numbers = [i for piece in slice_pieces(shape) for i in range(piece.start, piece.stop)]
        assert numbers == list(range(shape[0]))
    slices = random_slices((100, 20, 30), "float32")
    whole, norms = shrink_slices(slices, 2.0)
    one, norm = np.empty_like(slices[:1]), np.empty(1)
    for i in (0, 37, 99):
        shrink(slices[i : i + 1], 2.0, one, norm)
        np.testing.assert_array_equal(one[0], whole[i])
        assert norm[0] == norms[i]
