"""Products of pairs of matrices with the unfoldings of a full tensor, against the same with the unfoldings built."""

import numpy as np
import pytest

from tensorfill.numerics import pair_products
from tensorfill.numerics.pair_products import PairProducts
from tensorfill.tensor import fold, unfold

SHAPES = [(6, 9), (1, 7), (4, 5, 6), (1, 1, 5), (6, 4, 3), (2, 3, 4, 5), (2, 2, 3, 2, 3)]


class Setting:
    """A tensor, what of it is known, and pairs of rank 2."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        rng = np.random.default_rng(len(shape))
        self.shape = shape
        self.M = rng.standard_normal(shape)
        self.known = rng.random(shape) < 0.4
        self.values = rng.random(np.count_nonzero(self.known))
        self.products = PairProducts(shape, np.flatnonzero(self.known), self.values)
        self.lefts = [rng.standard_normal((size, 2)) for size in shape]
        self.rights = [rng.standard_normal((*shape[:k], 2, *shape[k + 1 :])) for k in range(len(shape))]
        self.weights = rng.dirichlet(np.ones(len(shape)))

    def folded(self) -> list[np.ndarray]:
        return [
            fold(X @ unfold(Y, k), k, self.shape) for k, (X, Y) in enumerate(zip(self.lefts, self.rights, strict=True))
        ]

    def everything(self) -> list[np.ndarray]:
        out = np.empty(self.shape)
        spread, misfits = self.products.blend(self.lefts, self.rights, self.weights, out)
        lefts = self.products.lefts(self.M, self.rights)
        return [*lefts, *self.products.rights(self.M, self.lefts), out, np.array(spread), misfits]


@pytest.fixture(params=["one slab", "many slabs"])
def slabs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "many slabs":
        monkeypatch.setattr(pair_products, "_SLAB", 1)


@pytest.mark.usefixtures("slabs")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_left_factors_are_the_unfolding_times_the_right_ones_transposed(shape: tuple[int, ...]) -> None:
    given = Setting(shape)
    for mode, found in enumerate(given.products.lefts(given.M, given.rights)):
        np.testing.assert_allclose(found, unfold(given.M, mode) @ unfold(given.rights[mode], mode).T, atol=1e-12)


@pytest.mark.usefixtures("slabs")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_right_factors_are_a_left_one_transposed_times_the_unfolding(shape: tuple[int, ...]) -> None:
    given = Setting(shape)
    for mode, found in enumerate(given.products.rights(given.M, given.lefts)):
        np.testing.assert_allclose(unfold(found, mode), given.lefts[mode].T @ unfold(given.M, mode), atol=1e-12)


@pytest.mark.usefixtures("slabs")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_blend_is_the_weighted_mean_with_the_data_put_back(shape: tuple[int, ...]) -> None:
    given, out = Setting(shape), np.empty(shape)
    spread, misfits = given.products.blend(given.lefts, given.rights, given.weights, out)
    parts = given.folded()
    expected = sum(weight * part for weight, part in zip(given.weights, parts, strict=True))
    np.testing.assert_array_equal(out[given.known], given.values)
    np.testing.assert_allclose(out[~given.known], expected[~given.known], atol=1e-12)
    apart = [np.sum((part - out)[~given.known] ** 2) for part in parts]
    assert spread == pytest.approx(given.weights @ apart)
    np.testing.assert_allclose(misfits, [np.sum((part[given.known] - given.values) ** 2) for part in parts])


def test_factors_that_were_given_are_not_changed() -> None:
    given = Setting((4, 5, 6))
    before = [array.copy() for array in (given.M, *given.lefts, *given.rights)]
    given.everything()
    for array, copy in zip((given.M, *given.lefts, *given.rights), before, strict=True):
        np.testing.assert_array_equal(array, copy)
