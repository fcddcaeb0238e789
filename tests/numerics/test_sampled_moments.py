"""Sums of products of second moments over known entries: what loops over the entries give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorfill.numerics import sampled_moments
from tensorfill.numerics.sampled_moments import SampledMoments, pack, unpack

SHAPES = [(7, 5), (6, 5, 4), (5, 1, 4), (4, 3, 2, 5), (3, 2, 3, 2, 3)]


def some_moments(shape: tuple[int, ...], rank: int) -> list[Any]:
    rng = np.random.default_rng(1)
    roots = [rng.normal(size=(size, rank, rank)) for size in shape]
    return [root @ root.transpose(0, 2, 1) for root in roots]


@pytest.mark.parametrize("rank", [1, 2, 7])
def test_unpacking_undoes_packing(rank: int) -> None:
    (matrices,) = some_moments((4,), rank)
    assert pack(matrices).shape == (4, rank * (rank + 1) // 2)
    np.testing.assert_array_equal(unpack(pack(matrices)), matrices)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("block", [1024, 4])
def test_the_sums_are_those_of_a_loop(monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], block: int) -> None:
    monkeypatch.setattr(sampled_moments, "_PIECE", 2)
    monkeypatch.setattr(sampled_moments, "add_products", with_block(block))
    known = np.random.default_rng(0).random(shape) < 0.5
    known[0] = False  # a slice of which nothing is known
    entries = np.argwhere(known)
    moments = some_moments(shape, 3)
    sampled = SampledMoments(shape, list(entries.T))
    for mode in range(len(shape)):
        expected = np.zeros_like(moments[mode])
        for entry in entries:
            product = np.ones((3, 3))
            for other in range(len(shape)):
                if other != mode:
                    product = product * moments[other][entry[other]]
            expected[entry[mode]] += product
        found = unpack(sampled.sums([pack(moment) for moment in moments], mode))
        np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())


def with_block(block: int) -> Any:
    """The kernel as Python, with another size of blocks: a compiled one has it built in."""
    plain = sampled_moments.add_products.py_func

    def kernel(*arguments: Any) -> None:
        before, sampled_moments._BLOCK = sampled_moments._BLOCK, block
        plain(*arguments)
        sampled_moments._BLOCK = before

    return sampled_moments.add_products if block == sampled_moments._BLOCK else kernel


def test_single_precision_stays_single() -> None:
    shape = (30, 20, 10)
    entries = np.argwhere(np.random.default_rng(0).random(shape) < 0.3)
    packed = [pack(moment) for moment in some_moments(shape, 4)]
    sampled = SampledMoments(shape, list(entries.T))
    single = sampled.sums([moment.astype(np.float32) for moment in packed], 1)
    assert single.dtype == np.float32
    exact = sampled.sums(packed, 1)
    np.testing.assert_allclose(single, exact, atol=1e-5 * np.abs(exact).max())
