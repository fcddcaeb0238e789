"""A rank-one tensor at known entries: every product against the same one on full arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorfill.numerics.sampled_rank_one import SampledRankOne, add_along_head, fill_scales
from tensorfill.tensor import Array

SHAPES = [(6, 9), (9, 6), (7, 5, 3), (3, 5, 8), (4, 1, 3), (3, 4, 6, 2), (2, 3, 2, 4, 3)]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)


class Sample:
    """A sparse tensor, as a full array and as values in the order of the fibres."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        rng = np.random.default_rng(0)
        known = rng.random(shape) < 0.4
        known.flat[0] = True
        self.positions = np.flatnonzero(known)
        self.dense = np.where(known, rng.standard_normal(shape), 0.0)
        self.sampled = SampledRankOne(shape, self.positions)
        self.x = self.dense.reshape(-1)[self.positions][self.sampled.order]
        self.vectors, self.others = rng.standard_normal((2, sum(shape)))

    def times_all_but(self, mode: int) -> Array:
        blocks = [self.sampled.block(self.vectors, other) for other in range(self.dense.ndim)]
        operands = [part for other, block in enumerate(blocks) if other != mode for part in (block, [other])]
        return np.asarray(np.einsum(self.dense, list(range(self.dense.ndim)), *operands, [mode]))

    def scales(self, vectors: Array, weight: float) -> Array:
        out = np.empty(len(self.sampled.heads))
        fill_scales(self.sampled.heads, vectors, self.sampled.fibre_mode, weight, out)
        return out

    def rank_one(self, vectors: Array) -> Array:
        blocks = [self.sampled.block(vectors, mode) for mode in range(self.dense.ndim)]
        whole = np.asarray(np.einsum(*(part for mode, block in enumerate(blocks) for part in (block, [mode]))))
        return whole.reshape(-1)[self.positions][self.sampled.order]


@shapes
def test_the_fibres_are_those_of_the_longest_mode(shape: tuple[int, ...]) -> None:
    sampled = Sample(shape).sampled
    assert shape[sampled.fibre_mode] == max(shape)
    assert len(sampled.heads) <= np.prod(shape) // max(shape)


@shapes
def test_products_with_all_vectors_but_one(shape: tuple[int, ...]) -> None:
    given = Sample(shape)
    sampled, fibre_mode = given.sampled, given.sampled.fibre_mode
    dots = sampled.fibre_dots(given.x, given.vectors)
    for mode, size in enumerate(shape):
        if mode == fibre_mode:
            found = sampled.along_fibres(given.x, given.scales(given.vectors, 1.0))
        else:
            found = np.zeros(size)
            first = np.uint32(sampled.first_row[mode])
            add_along_head(sampled.heads, dots, given.vectors, fibre_mode, mode, first, found)
        np.testing.assert_allclose(found, given.times_all_but(mode), atol=1e-12)


@shapes
def test_one_rank_one_tensor_is_exchanged_for_another(shape: tuple[int, ...]) -> None:
    given = Sample(shape)
    expected = given.x - 0.3 * given.rank_one(given.vectors) + 0.7 * given.rank_one(given.others)
    new, old = ((v, given.scales(v, g)) for v, g in ((given.vectors, 0.3), (given.others, 0.7)))
    given.sampled.exchange(given.x, new, old)
    np.testing.assert_allclose(given.x, expected, atol=1e-12)


def test_the_result_does_not_depend_on_how_the_fibres_are_cut_into_pieces(monkeypatch: Any) -> None:
    whole = Sample((7, 5, 3))
    monkeypatch.setattr("tensorfill.numerics.sampled_rank_one._PIECE", 6)
    monkeypatch.setattr("tensorfill.numerics.threads.SMALL_SUPPORT", 0)
    cut = Sample((7, 5, 3))
    assert len(cut.sampled._cuts) > len(whole.sampled._cuts)
    for given in (whole, cut):
        new, old = ((v, given.scales(v, 0.5)) for v in (given.vectors, given.others))
        given.sampled.exchange(given.x, new, old)
    np.testing.assert_array_equal(cut.x, whole.x)
    dots = [given.sampled.fibre_dots(given.x, given.vectors) for given in (whole, cut)]
    np.testing.assert_array_equal(dots[1], dots[0])
    sums = [given.sampled.along_fibres(given.x, dots[0]) for given in (whole, cut)]
    np.testing.assert_allclose(sums[1], sums[0], atol=1e-13)
