"""Every form of an estimate gives the same values whole, entry by entry and as the sum of its parts."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.completion import Estimate
from tensorfill.estimates.affine import AffineEstimate
from tensorfill.estimates.constant import ConstantEstimate
from tensorfill.estimates.dense import DenseEstimate
from tensorfill.estimates.filled import FilledEstimate
from tensorfill.estimates.kruskal import KruskalTensor
from tensorfill.estimates.matrix_pairs import MatrixPairs, Pair
from tensorfill.estimates.tucker import TuckerTensor
from tensorfill.tensor import Array, unfold

SHAPE = (4, 3, 5)
RNG = np.random.default_rng(0)
FACTORS = tuple(RNG.standard_normal((size, 2)) for size in SHAPE)
CORE = RNG.standard_normal((2, 2, 2))
FULL = RNG.standard_normal(SHAPE)
POSITIONS = np.array([1, 7, 8, 40])
COLUMNS = np.array([0, 3, 11])
X, Y, Y_SOME = RNG.standard_normal((3, 2)), RNG.standard_normal((2, 20)), RNG.standard_normal((2, 3))
X_LAST = RNG.standard_normal((5, 2))


def filled() -> Array:
    whole = np.full(SHAPE, 0.5)
    whole.reshape(-1)[POSITIONS] = [1.0, 2.0, 3.0, 4.0]
    return whole


def pairs() -> Array:
    whole = np.zeros((5, 12))
    whole[:, COLUMNS] = X_LAST @ Y_SOME
    return 0.5 * (X @ Y).reshape(3, 4, 5).transpose(1, 0, 2) + whole.reshape(5, 4, 3).transpose(1, 2, 0)


KRUSKAL = np.einsum("ar,br,cr->abc", *FACTORS)
ESTIMATES: dict[str, tuple[Estimate, Array]] = {
    "constant": (ConstantEstimate(SHAPE, 2.5), np.full(SHAPE, 2.5)),
    "dense": (DenseEstimate(FULL), FULL),
    "dense in single precision": (DenseEstimate(FULL.astype(np.float32)), FULL.astype(np.float32).astype(float)),
    "dense, laid out otherwise": (DenseEstimate(np.asfortranarray(FULL)), FULL),
    "filled": (FilledEstimate(SHAPE, POSITIONS, np.array([1.0, 2.0, 3.0, 4.0]), 0.5), filled()),
    "Kruskal": (KruskalTensor(FACTORS), KRUSKAL),
    "Tucker": (TuckerTensor(CORE, FACTORS), np.einsum("xyz,ax,by,cz->abc", CORE, *FACTORS)),
    "pairs": (MatrixPairs(SHAPE, (Pair(1, X, Y, 0.5), Pair(2, X_LAST, Y_SOME, columns=COLUMNS))), pairs()),
    "scaled": (AffineEstimate(KruskalTensor(FACTORS), 3.0), 3 * KRUSKAL),
    "scaled and shifted": (AffineEstimate(KruskalTensor(FACTORS), 3.0, 0.5), 3 * KRUSKAL + 0.5),
}


@pytest.mark.parametrize("name", ESTIMATES)
def test_whole_entries_and_parts_agree(name: str) -> None:
    estimate, expected = ESTIMATES[name]
    rows = np.random.default_rng(1).permutation(np.argwhere(np.ones(SHAPE, dtype=bool)))
    np.testing.assert_allclose(estimate.dense(), expected, atol=1e-12)
    np.testing.assert_allclose(estimate.at(rows), expected[tuple(rows.T)], atol=1e-12)
    np.testing.assert_allclose(np.sum(estimate.components(), axis=0), expected, atol=1e-12)
    assert estimate.dense().flags.c_contiguous
    assert estimate.dense().dtype == estimate.at(rows).dtype == np.float64


@pytest.mark.parametrize("name", ESTIMATES)
def test_what_is_handed_out_may_be_changed(name: str) -> None:
    estimate, expected = ESTIMATES[name]
    estimate.dense()[...] = 7
    np.testing.assert_allclose(estimate.dense(), expected, atol=1e-12)


def test_a_pair_is_the_unfolding_it_says() -> None:
    whole = MatrixPairs(SHAPE, (Pair(1, X, Y),)).dense()
    np.testing.assert_allclose(unfold(whole, 1), X @ Y)


@pytest.mark.parametrize("name", ["Tucker", "Kruskal"])
def test_many_entries_are_computed_in_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"tensorfill.estimates.{name.lower()}._AT_ONCE", 20)
    estimate, expected = ESTIMATES[name]
    rows = np.argwhere(np.ones(SHAPE, dtype=bool))
    np.testing.assert_allclose(estimate.at(rows), expected[tuple(rows.T)], atol=1e-12)
