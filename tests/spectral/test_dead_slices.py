"""Slices of which nothing is known: the inverse of dense linear algebra, wherever that is worth its while."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.spectral.bases import Cosines
from tensorfill.spectral.bins import Bins
from tensorfill.spectral.dead_slices import DeadSlices, solvable_slices
from tensorfill.spectral.transform import Transform


def transform_of(shape: tuple[int, ...]) -> Transform:
    return Transform([Cosines(size) for size in shape])


@pytest.mark.parametrize("shape", [(5, 4, 12), (120, 90, 12)])  # bins of one coefficient, and of many
def test_it_is_the_inverse_of_the_dense_matrix(shape: tuple[int, ...]) -> None:
    transform, lost, rng = transform_of(shape), np.array([3, 4, 9]), np.random.default_rng(0)
    bins = Bins(transform.bases)
    g = bins.spread(rng.random(bins.shape) + 0.1, np.dtype(np.float64))
    slices = DeadSlices(transform, bins, 2, lost)
    r = rng.random(shape)
    z = np.zeros(shape)
    slices.add_to(z, r, slices.inverses(g))

    back = transform.to_entries(g * transform.to_coefficients(z))  # (Q g Qᵀ) z
    np.testing.assert_allclose(back[..., lost], r[..., lost], atol=1e-6)
    others = np.delete(np.arange(shape[2]), lost)
    assert not z[..., others].any()


def test_so_many_slices_that_their_inverse_costs_more_than_it_brings_are_left_to_iterations() -> None:
    few, many = np.zeros((2, 3000), dtype=bool), np.zeros((2, 3000), dtype=bool)
    few[:, 100:120] = True
    many[:, 100:1000] = True
    bins = Bins(transform_of(few.shape).bases)
    assert [mode for mode, _ in solvable_slices(bins, few)] == [1]
    assert not list(solvable_slices(bins, many))
