"""Work is cut into the same pieces for any number of threads: results have the same bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest

from tensorfill.numerics import pair_products, sampled_moments, sampled_rank_one, tensor_nuclear_norm, threads
from tensorfill.numerics.fibre_operator import FibreOperator
from tensorfill.numerics.pair_products import PairProducts
from tensorfill.numerics.sampled_effects import SampledEffects, choose_shrinkage, fit_effects
from tensorfill.numerics.sampled_kruskal import SampledKruskal
from tensorfill.numerics.sampled_moments import SampledMoments
from tensorfill.numerics.sampled_rank_one import SampledRankOne
from tensorfill.numerics.sampled_tucker import SampledTucker
from tensorfill.numerics.singular_values import project_onto_balls
from tensorfill.numerics.tensor_nuclear_norm import shrink_slices
from tensorfill.numerics.threads import cut, cut_groups
from tensorfill.numerics.unfoldings import share_mode_product
from tensorfill.numerics.vectors import dot, in_pieces, standard_normal
from tensorfill.tensor import Array

SHAPE = (14, 15, 16)
RNG = np.random.default_rng(0)
TENSOR = RNG.standard_normal(SHAPE)
POSITIONS = np.flatnonzero(RNG.random(SHAPE) < 0.5)
X = RNG.standard_normal(len(POSITIONS))
FACTORS = tuple(RNG.standard_normal((size, 3)) for size in SHAPE)
CORE = RNG.standard_normal((3, 3, 3))


def by_fibre_operator() -> Iterator[Array]:
    operator = FibreOperator(SHAPE, POSITIONS)
    assert len(operator.modes[0].cuts) == threads.PIECES + 1
    yield operator.apply(FACTORS, SHAPE, X)
    yield operator.gram(0, X, FACTORS[0])
    yield operator.square(1, X)


def by_kruskal() -> Iterator[Array]:
    sampled, factors = SampledKruskal(SHAPE, POSITIONS), np.concatenate(FACTORS)
    yield sampled.values(factors)
    yield from (sampled.times_khatri_rao(X, factors, mode) for mode in range(3))


def by_rank_one() -> Iterator[Array]:
    sampled = SampledRankOne(SHAPE, POSITIONS)
    scales = np.arange(1.0, len(sampled.heads) + 1)
    yield sampled.fibre_dots(X, np.concatenate([factor[:, 0] for factor in FACTORS]))
    yield sampled.along_fibres(X, scales)


def by_tucker() -> Iterator[Array]:
    sampled = SampledTucker(SHAPE, POSITIONS)
    yield sampled.values(CORE, FACTORS)
    core, factors = sampled.tangent(CORE, FACTORS).adjoint(X)
    yield from (core, *factors)


def by_moments() -> Iterator[Array]:
    sampled = SampledMoments(SHAPE, np.unravel_index(POSITIONS, SHAPE))
    yield from (sampled.sums([factor**2 for factor in FACTORS], mode) for mode in range(3))


def by_effects() -> Iterator[Array]:
    sampled = SampledEffects(SHAPE, POSITIONS)
    found = fit_effects(sampled, X, choose_shrinkage(sampled, X))
    yield from (np.array(found.shrinkage), np.array(found.mean), *found.effects)


def by_pairs() -> Iterator[Array]:
    products, out = PairProducts(SHAPE, POSITIONS, X), np.empty(SHAPE)
    rights = products.rights(TENSOR, FACTORS)
    spread, misfits = products.blend(FACTORS, rights, np.full(3, 1 / 3), out)
    yield from (*products.lefts(TENSOR, rights), *rights, np.array(spread), misfits, out)


def by_balls() -> Iterator[Array]:
    tensors = [TENSOR.copy() for _ in SHAPE]
    yield project_onto_balls(tensors, [1.0, 2.0, 3.0])
    yield from tensors


WORK: dict[str, Callable[[], Iterator[Array]]] = {
    "fibre operator": by_fibre_operator,
    "Kruskal tensor": by_kruskal,
    "rank-one tensor": by_rank_one,
    "Tucker tensor": by_tucker,
    "second moments": by_moments,
    "main effects": by_effects,
    "pairs of matrices": by_pairs,
    "balls of the spectral norm": by_balls,
    "slices": lambda: iter(shrink_slices(TENSOR, 2.0)),
    "mode products": lambda: (share_mode_product(TENSOR, FACTORS[mode].T, mode) for mode in range(3)),
    "mode products in place": lambda: (share_mode_product(TENSOR.copy(), TENSOR[0], 2, overwrite=True) for _ in "1"),
    "mode products of thin blocks": lambda: iter([share_mode_product(TENSOR[:, :, :3], FACTORS[1].T, 1)]),
    "single precision": lambda: iter([share_mode_product(TENSOR.astype(np.float32), FACTORS[1].T, 1)]),
    "inner product": lambda: iter([np.array(in_pieces(dot, TENSOR, TENSOR))]),
    "normal numbers": lambda: iter([standard_normal(SHAPE, np.float32, 0)]),
}


def results(work: Callable[[], Iterator[Array]], monkeypatch: pytest.MonkeyPatch) -> list[list[Array]]:
    """What comes out on 1, 2 and 5 threads, cut into pieces although it is small."""
    for name in ("SMALL_ARRAY", "SMALL_SUPPORT"):
        monkeypatch.setattr(threads, name, 0)
    for module, name, small in (
        (pair_products, "_SLAB", 100),
        (sampled_rank_one, "_PIECE", 100),
        (sampled_moments, "_PIECE", 2),
        (tensor_nuclear_norm, "_PIECE", 100),
    ):
        monkeypatch.setattr(module, name, small)
    found = []
    for count in (1, 2, 5):
        monkeypatch.setattr(threads, "thread_count", lambda count=count: count)
        found.append(list(work()))
    return found


@pytest.mark.parametrize("name", WORK)
def test_the_number_of_threads_does_not_change_a_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = results(WORK[name], monkeypatch)
    for other in others:
        for one, same in zip(first, other, strict=True):
            np.testing.assert_array_equal(one, same)


def test_a_sum_that_depends_on_the_number_of_threads_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> Iterator[Array]:
        cuts = cut(TENSOR.size, threads.thread_count())
        yield np.array(sum(float(TENSOR.reshape(-1)[first:end].sum()) for first, end in pairwise(cuts)))

    one, two, five = results(work, monkeypatch)
    assert not one == two == five


@pytest.mark.parametrize("size", [0, 1, 7, 8, 1001])
@pytest.mark.parametrize("count", [1, 3, 8])
def test_pieces_are_about_as_long(size: int, count: int) -> None:
    cuts = cut(size, count)
    assert (cuts[0], cuts[-1], len(cuts)) == (0, size, count + 1)
    lengths = np.diff(cuts)
    assert lengths.max() - lengths.min() <= 1


def test_groups_are_never_cut() -> None:
    starts = np.concatenate(([0], np.cumsum(np.random.default_rng(0).integers(1, 400, 1000))))
    cuts = cut_groups(starts)
    assert (cuts[0], cuts[-1], len(cuts)) == (0, 1000, 9)
    assert np.ptp(np.diff(starts[cuts])) < 800
    assert cut_groups(starts[:5]) == [0, 4], "few entries are one piece"
