"""Every form of an estimate gives the same values whole, entry by entry and as the sum of its parts."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.estimates.derived import (
    AffineEstimate,
    BlendedEstimate,
    ClippedEstimate,
    EstimateByPlace,
    EstimateBySlice,
    PoweredEstimate,
    PowerOfTwoEstimate,
)
from tensorfill.estimates.estimate import ConstantEstimate, DenseEstimate, Estimate, RefilledEstimate
from tensorfill.estimates.factored import KruskalTensor, MatrixPairs, Pair, TuckerTensor
from tensorfill.tensor import Array, unfold

SHAPE = (4, 3, 5)
RNG = np.random.default_rng(0)
FACTORS = tuple(RNG.standard_normal((size, 2)) for size in SHAPE)
CORE = RNG.standard_normal((2, 2, 2))
FULL, OTHER = RNG.standard_normal(SHAPE), RNG.standard_normal(SHAPE)
SINGLE = FULL.astype(np.float32)
POSITIONS, VALUES = np.array([1, 7, 8, 40]), np.array([1.0, 2.0, 3.0, 4.0])
PLACES = np.zeros(SHAPE, dtype=bool)
PLACES[2] = PLACES[:, :, [0, 4]] = True
COLUMNS = np.array([0, 3, 11])
X, Y, Y_SOME = RNG.standard_normal((3, 2)), RNG.standard_normal((2, 20)), RNG.standard_normal((2, 3))
X_LAST = RNG.standard_normal((5, 2))
SCALES = np.array([1.0, 10.0, 1e-3])


def refilled(whole: Array) -> Array:
    whole = whole.astype(np.float64)
    whole.reshape(-1)[POSITIONS] = VALUES
    return whole


def pairs() -> Array:
    whole = np.zeros((5, 12))
    whole[:, COLUMNS] = X_LAST @ Y_SOME
    return 0.5 * (X @ Y).reshape(3, 4, 5).transpose(1, 0, 2) + whole.reshape(5, 4, 3).transpose(1, 2, 0)


KRUSKAL = np.einsum("ar,br,cr->abc", *FACTORS)
DENSE = DenseEstimate(FULL)
ESTIMATES: dict[str, tuple[Estimate, Array]] = {
    "constant": (ConstantEstimate(SHAPE, 2.5), np.full(SHAPE, 2.5)),
    "dense": (DENSE, FULL),
    "dense in single precision": (DenseEstimate(SINGLE), SINGLE.astype(float)),
    "dense, laid out otherwise": (DenseEstimate(np.asfortranarray(FULL)), FULL),
    "filled": (
        RefilledEstimate(ConstantEstimate(SHAPE, 0.5), SHAPE, POSITIONS, VALUES),
        refilled(np.full(SHAPE, 0.5)),
    ),
    "refilled": (RefilledEstimate(DenseEstimate(SINGLE), SHAPE, POSITIONS, VALUES), refilled(SINGLE)),
    "Kruskal": (KruskalTensor(FACTORS), KRUSKAL),
    "Tucker": (TuckerTensor(CORE, FACTORS), np.einsum("xyz,ax,by,cz->abc", CORE, *FACTORS)),
    "pairs": (MatrixPairs(SHAPE, (Pair(1, X, Y, 0.5), Pair(2, X_LAST, Y_SOME, columns=COLUMNS))), pairs()),
    "scaled": (AffineEstimate(KruskalTensor(FACTORS), 3.0), 3 * KRUSKAL),
    "scaled and shifted": (AffineEstimate(KruskalTensor(FACTORS), 3.0, 0.5), 3 * KRUSKAL + 0.5),
    "times a power of two": (PowerOfTwoEstimate(DENSE, -1000), FULL * 2.0**-1000),
    "slices in units of their own": (EstimateBySlice(DENSE, SCALES, 1), FULL * SCALES[:, None]),
    "of a power": (PoweredEstimate(DENSE, 0.5), np.maximum(FULL, 0) ** 2),
    "clipped": (ClippedEstimate(DENSE, 0.0, 1.0), np.clip(FULL, 0, 1)),
    "blended": (
        BlendedEstimate([DENSE, DenseEstimate(OTHER)], [0.25, 0.75]),
        0.25 * np.maximum(FULL, 0) + 0.75 * np.maximum(OTHER, 0),
    ),
    "side by side": (EstimateByPlace(DENSE, DenseEstimate(OTHER), PLACES), np.where(PLACES, OTHER, FULL)),
}


@pytest.mark.parametrize("name", ESTIMATES)
def test_whole_entries_and_parts_agree(name: str) -> None:
    estimate, expected = ESTIMATES[name]
    rows = np.random.default_rng(1).permutation(np.argwhere(np.ones(SHAPE, dtype=bool)))
    np.testing.assert_allclose(estimate.dense(), expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(estimate.at(rows), expected[tuple(rows.T)], atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(np.sum(estimate.components(), axis=0), estimate.dense(), atol=1e-12)
    assert estimate.dense().flags.c_contiguous
    assert estimate.dense().dtype == estimate.at(rows).dtype == np.float64


@pytest.mark.parametrize("name", ESTIMATES)
def test_what_is_handed_out_may_be_changed(name: str) -> None:
    estimate, _ = ESTIMATES[name]
    before = estimate.dense()
    estimate.dense()[...] = 7
    np.testing.assert_array_equal(estimate.dense(), before)


def test_known_entries_are_put_back_exactly() -> None:
    assert ESTIMATES["refilled"][0].dense().reshape(-1)[POSITIONS].tolist() == VALUES.tolist()


def test_what_no_float_can_hold_is_the_largest_one() -> None:
    largest = np.finfo(np.float64).max
    values = DenseEstimate(np.array([[0.75, -0.5], [1.5, 0.0]]))
    expected = [[0.75 * 2.0**1023 * 2, -(2.0**1023)], [largest, 0.0]]
    np.testing.assert_array_equal(PowerOfTwoEstimate(values, 1024).dense(), expected)


def test_a_pair_is_the_unfolding_it_says() -> None:
    whole = MatrixPairs(SHAPE, (Pair(1, X, Y),)).dense()
    np.testing.assert_allclose(unfold(whole, 1), X @ Y)


@pytest.mark.parametrize("name", ["Tucker", "Kruskal"])
def test_many_entries_are_computed_in_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorfill.estimates.factored._AT_ONCE", 20)
    estimate, expected = ESTIMATES[name]
    rows = np.argwhere(np.ones(SHAPE, dtype=bool))
    np.testing.assert_allclose(estimate.at(rows), expected[tuple(rows.T)], atol=1e-12)
