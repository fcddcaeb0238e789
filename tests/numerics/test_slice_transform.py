"""Transforms into slices: there and back, norms kept, and the complex conjugate slices that are left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorfill.numerics.tensor_nuclear_norm import SliceTransform

SHAPES = [(7, 5), (3, 4, 5), (4, 4, 5), (1, 4, 5), (3, 4, 2, 3), (4, 2, 2, 3), (2, 3, 5, 2, 2)]
both_kinds = pytest.mark.parametrize("kind", ["dct", "fft"])


@both_kinds
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_there_and_back(kind: Any, shape: tuple[int, ...]) -> None:
    transform, array = SliceTransform(kind, shape), np.random.default_rng(0).normal(size=shape)
    slices = transform.forward(array)
    assert slices.shape == transform.slices
    assert slices.dtype == transform.number_type(array.dtype)
    np.testing.assert_allclose(transform.backward(slices), array, atol=1e-14)


@both_kinds
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_norms_are_kept_when_slices_are_counted_by_their_weights(kind: Any, shape: tuple[int, ...]) -> None:
    transform, array = SliceTransform(kind, shape), np.random.default_rng(0).normal(size=shape)
    squares = (np.abs(transform.forward(array)) ** 2).sum(axis=(1, 2))
    np.testing.assert_allclose(squares @ transform.weights, (array**2).sum())
    assert transform.weights.sum() == np.prod(shape[:-2])
    np.testing.assert_allclose(transform.scale**2, np.prod(shape[:-2]))


@both_kinds
def test_what_does_not_change_along_the_transformed_modes_is_in_the_first_slice(kind: Any) -> None:
    matrix = np.random.default_rng(0).normal(size=(4, 5))
    slices = SliceTransform(kind, (3, 2, 4, 5)).forward(np.broadcast_to(matrix, (3, 2, 4, 5)).copy())
    np.testing.assert_allclose(slices[0], np.sqrt(6.0) * matrix)
    np.testing.assert_allclose(slices[1:], 0.0, atol=1e-14)


@both_kinds
def test_single_precision_stays_single_and_threads_do_not_matter(kind: Any, monkeypatch: Any) -> None:
    array = np.random.default_rng(0).normal(size=(15, 13, 17)).astype(np.float32)
    transform, found = SliceTransform(kind, array.shape), []
    for threads in (1, 2, 3):
        monkeypatch.setattr("tensorfill.numerics.tensor_nuclear_norm.thread_count", lambda threads=threads: threads)
        found.append((transform.forward(array), transform.backward(transform.forward(array))))
    assert found[0][0].dtype == transform.number_type(np.float32)
    assert found[0][0].itemsize == (4 if kind == "dct" else 8)
    for slices, back in found[1:]:
        np.testing.assert_array_equal(slices, found[0][0])
        np.testing.assert_array_equal(back, found[0][1])
