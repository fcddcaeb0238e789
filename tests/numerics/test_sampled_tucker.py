"""A Tucker tensor at some of its entries, against the full tensor."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.estimates.factored import TuckerTensor
from tensorfill.numerics.sampled_tucker import SampledTucker
from tensorfill.tensor import Array, mode_product, unfold

CASES = [
    ((7, 6), (3, 2)),
    ((9, 8, 7), (3, 2, 4)),
    ((9, 1, 7), (3, 1, 2)),
    ((5, 6, 4, 7), (2, 3, 2, 4)),
    ((4, 3, 5, 2, 3), (2, 2, 3, 2, 2)),
    ((40, 50, 60), (4, 3, 5)),
]


class Given:
    def __init__(self, shape: tuple[int, ...], ranks: tuple[int, ...]) -> None:
        rng = np.random.default_rng(0)
        self.core = rng.standard_normal(ranks)
        self.factors = tuple(rng.standard_normal((n, r)) for n, r in zip(shape, ranks, strict=True))
        self.positions = np.flatnonzero(rng.random(shape) < 0.4)
        self.sampled = SampledTucker(shape, self.positions)
        self.residual = rng.standard_normal(len(self.positions))
        self.full = np.zeros(shape)
        self.full.reshape(-1)[self.positions] = self.residual

    def gradient(self) -> tuple[Array, tuple[Array, ...]]:
        return self.sampled.tangent(self.core, self.factors).adjoint(self.residual)

    def seen(self, skip: int | None = None) -> Array:
        """The residual times every U_kᵀ but one."""
        tensor = self.full
        for mode, U in enumerate(self.factors):
            if mode != skip:
                tensor = mode_product(tensor, U.T, mode)
        return tensor


@pytest.mark.parametrize(("shape", "ranks"), CASES, ids=str)
def test_values_are_those_of_the_full_tensor(shape: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    given = Given(shape, ranks)
    whole = TuckerTensor(given.core, given.factors).dense().reshape(-1)[given.positions]
    np.testing.assert_allclose(given.sampled.values(given.core, given.factors), whole, atol=1e-11)


@pytest.mark.parametrize(("shape", "ranks"), CASES, ids=str)
def test_the_gradient_is_that_of_the_full_tensor(shape: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    given = Given(shape, ranks)
    core, factors = given.gradient()
    np.testing.assert_allclose(core, given.seen(), atol=1e-9)
    for mode, found in enumerate(factors):
        expected = unfold(given.seen(skip=mode), mode) @ unfold(given.core, mode).T
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_small_pieces_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Given((40, 50, 60), (4, 3, 5))
    whole = given.gradient()
    monkeypatch.setattr("tensorfill.numerics.sampled_tucker._AT_ONCE", 200)
    pieces = Given((40, 50, 60), (4, 3, 5)).sampled
    np.testing.assert_allclose(
        pieces.values(given.core, given.factors), given.sampled.values(given.core, given.factors), atol=1e-12
    )
    parts = pieces.tangent(given.core, given.factors).adjoint(given.residual)
    np.testing.assert_allclose(parts[0], whole[0], atol=1e-9)


def test_tangent_values_are_the_first_order_change() -> None:
    given = Given((9, 8, 7), (3, 2, 4))
    rng = np.random.default_rng(1)
    core = rng.standard_normal(given.core.shape)
    factors = tuple(rng.standard_normal(U.shape) for U in given.factors)

    def moved(t: float) -> Array:
        there = tuple(U + t * change for U, change in zip(given.factors, factors, strict=True))
        return given.sampled.values(given.core + t * core, there)

    slope = (moved(1e-5) - moved(-1e-5)) / 2e-5
    found = given.sampled.tangent(given.core, given.factors).forward((core, factors))
    np.testing.assert_allclose(found, slope, atol=1e-6)
