"""Groups of similar patches: a round is what the formulas say, in double precision and with explicit matrices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from dense_groups import Belief, DenseGroups, conditional
from numpy.typing import NDArray

from tensorfill.numerics import threads
from tensorfill.patches.layout import Triple
from tensorfill.patches.planning import GroupModel, common_covariance
from tensorfill.patches.settings import RoundSettings
from tensorfill.patches.view import Average, PatchData, average_groups
from tensorfill.tensor import Array

CLOSE = 5e-4
"""Single precision through two passes of factors with condition numbers of some hundreds, as σ² is 0.01."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with threads.quiet_blas():
        yield


@dataclass(frozen=True, eq=False)
class Case:
    """What a round is given."""

    x: NDArray[np.float32]
    data: PatchData
    model: GroupModel
    common: NDArray[np.float32]

    def average(self, **how: Any) -> Average:
        return average_groups(self.x, self.data, self.model, self.common, **how)

    @property
    def dense(self) -> DenseGroups:
        return DenseGroups.of(self.x, self.data, self.model, self.common)

    def references(self, shift: Triple = (0, 0, 0)) -> list[Triple]:
        """First sites of all reference patches."""
        return list(itertools.product(*(along.tolist() for along in self.model.grid(self.data.extent, shift))))


def some_case(
    extent: Triple = (9, 1, 10),
    patch: Triple = (3, 1, 3),
    window: Triple = (3, 0, 3),
    *,
    bands: int = 1,
    directions: int | None = None,
    share: float = 0.4,
    seed: int = 0,
    **settings: Any,
) -> Case:
    """Waves with noise at some sites; with `directions`, bands are those of a basis and a little more."""
    rng = np.random.default_rng(seed)
    model = GroupModel(
        **{
            "patch": patch,
            "window": window,
            "stride": (2, 2, 2),
            "members": 6,
            "informers": 12,
            "strength": 5.0,
            "noise": 0.01,
            "every": 1,
            **settings,
        }
    )
    a, b, c = np.meshgrid(*map(np.arange, extent), indexing="ij")
    q = directions or bands
    waves = np.stack([np.sin(0.9 * a + 0.5 * b * (1 + kind) + 1.3 * c + kind) for kind in range(q)]).reshape(q, -1)
    x = (waves + 0.3 * rng.standard_normal(waves.shape)).astype(np.float32)
    basis = np.linalg.qr(rng.standard_normal((bands, q)))[0] if directions else np.eye(bands)
    values = (basis @ waves + 0.1 * rng.standard_normal((bands, waves.shape[1]))).astype(np.float32)
    known = rng.random(values.shape) < share
    if directions is None:
        x = np.where(known, values, x)
    data = PatchData(extent, values, known, np.ascontiguousarray(basis, np.float32), directions is None)
    return Case(x, data, model, common_covariance(x, model, extent, rng))


CASES: dict[str, dict[str, Any]] = {
    "a picture": {},
    "colours": {"bands": 3, "patch": (2, 1, 3)},
    "little known": {"share": 0.05},
    "some patches complete, by what is missing": {"share": 0.85},
    "colours, by what is missing": {"bands": 3, "patch": (2, 1, 2), "share": 0.8},
    "a volume": {"extent": (5, 4, 6), "patch": (2, 2, 2), "window": (2, 2, 2)},
    "a volume, by what is missing": {"extent": (5, 4, 6), "patch": (2, 2, 2), "window": (2, 2, 2), "share": 0.9},
    "a volume in colours": {"extent": (4, 3, 5), "patch": (2, 1, 2), "window": (2, 1, 2), "bands": 2},
    "a basis of bands": {"bands": 6, "directions": 3, "patch": (2, 1, 2)},
    "a basis of bands, all of them known at some sites": {
        "bands": 6,
        "directions": 3,
        "patch": (2, 1, 2),
        "share": 0.9,
    },
    "a basis of bands in a volume": {
        "extent": (4, 4, 4),
        "patch": (2, 2, 2),
        "window": (1, 1, 1),
        "bands": 5,
        "directions": 2,
    },
    "one pass": {"passes": 1},
    "three passes": {"passes": 3},
    "as many informers as members": {"informers": 6},
    "more members than there are patches": {"members": 200, "informers": 400},
    "a common covariance that counts for nothing": {"strength": 0.0},
    "a common covariance that counts for much": {"strength": 1000.0},
    "more noise": {"noise": 0.5},
    "patches that touch nobody": {"stride": (3, 1, 3), "window": (0, 0, 0)},
}


@pytest.mark.parametrize("name", CASES)
def test_a_round_is_what_the_formulas_say(name: str) -> None:
    case = some_case(**CASES[name])
    found = case.average()
    change, variance = case.dense.average(case.references())
    np.testing.assert_allclose(found.change, change, atol=CLOSE)
    np.testing.assert_allclose(found.variance, variance, atol=CLOSE)


EXACT = 1e-6
"""In double precision; what comes out is rounded to single."""


@pytest.mark.parametrize("name", ["a picture", "colours", "colours, by what is missing", "a basis of bands"])
def test_with_little_noise_a_round_is_what_the_formulas_say_in_double_precision(name: str) -> None:
    case = some_case(**{"share": 0.15, **CASES[name], "noise": 1e-5, "strength": 20.0})
    change, variance = case.dense.average(case.references())
    found = case.average()
    assert np.trace(case.common) > 1e5 * case.model.noise
    assert found.change.dtype == np.float32
    np.testing.assert_allclose(found.change, change, atol=EXACT)
    np.testing.assert_allclose(found.variance, variance, atol=EXACT)


def test_large_tensors_are_worked_on_in_single_precision() -> None:
    case = some_case(noise=1e-5)
    exact, single = (case.average(settings=RoundSettings(most_exact=case.x.size - more)) for more in (0, 1))
    assert np.abs(single.change - exact.change).max() > 1e-5  # noise is no less than rounding


def test_they_would_notice_another_formula() -> None:
    case = some_case()
    change, _ = case.dense.average(case.references())
    for other in ({"noise": 0.02}, {"strength": 10.0}, {"passes": 1}, {"informers": 6}, {"members": 5}):
        off = replace(case, model=replace(case.model, **other)).average().change - change
        assert np.abs(off).max() > 10 * CLOSE, other


def test_the_grid_of_references_may_begin_anywhere() -> None:
    case = some_case()
    for shift in ((1, 0, 0), (0, 0, 1), (1, 0, 1)):
        change, _ = case.dense.average(case.references(shift))
        np.testing.assert_allclose(case.average(shift=shift).change, change, atol=CLOSE)
    assert np.abs(case.average(shift=(1, 0, 1)).change - case.average().change).max() > 0.01


def test_the_covariance_of_members_may_come_from_some_of_them() -> None:
    all_of_them, some = some_case(), some_case(every=4)
    off = some.average().change - all_of_them.average().change
    assert 0 < np.abs(off).max() < 0.2


# Laws


def test_under_a_common_covariance_that_counts_for_all_members_are_its_gaussian_conditionals() -> None:
    """Σ = c Σ₀ then, with the trace of the group's own covariance."""
    case = some_case((6, 1, 7), (6, 1, 6), (0, 0, 1), passes=1, strength=1e6, members=1, informers=2, share=0.3)
    dense = case.dense
    F = np.array([dense.patch(dense.x, (0, 0, column)) for column in (0, 1)])
    weights = np.array([1.0, 0.0])  # the member is at distance 0, so its companion counts for nothing
    assert dense.nearest((0, 0, 0))[0] == (0.0, (0, 0, 0))
    np.testing.assert_allclose(dense.prior(F, weights, np.zeros((36, 36)), 1).covariance, 0, atol=1e-12)
    np.testing.assert_array_equal(case.average().change, 0)
    case = replace(case, model=replace(case.model, members=2))
    mean = F.mean(axis=0)
    trace = np.mean((F - mean) ** 2, axis=0).sum()
    prior = Belief(mean, dense.common * trace / np.trace(dense.common))
    known = dense.patch(dense.known, (0, 0, 0))
    expected = conditional(prior, np.eye(36)[known], dense.patch(dense.values, (0, 0, 0))[known], case.model.noise)
    first_column = expected.mean.reshape(6, 6)[:, 0] - dense.x[0, :, 0, 0]  # which no other patch has
    found = case.average().change.reshape(6, 7)
    np.testing.assert_allclose(found[:, 0], first_column, atol=CLOSE)


def test_a_patch_that_is_like_no_other_stays_as_it_is() -> None:
    """A group of one has learned no covariance, so it is sure of what it began with."""
    case = some_case((5, 1, 5), (5, 1, 5), (0, 0, 0))
    found = case.average()
    np.testing.assert_allclose(found.change, 0, atol=1e-7)
    assert found.variance[~case.data.known].max() < case.model.noise


def test_patches_that_are_all_the_same_stay_as_they_are() -> None:
    """Nothing varies anywhere, so there is no common covariance either."""
    case = some_case()
    flat = np.full_like(case.x, 0.25)
    data = replace(case.data, values=flat)
    common = common_covariance(flat, case.model, data.extent, np.random.default_rng(0))
    assert not common.any()
    found = average_groups(flat, data, case.model, common)
    np.testing.assert_allclose(found.change, 0, atol=1e-6)
    assert np.nanmax(found.variance) < case.model.noise


def test_repeated_structure_is_completed_from_its_repetitions() -> None:
    tile = np.random.default_rng(0).random((4, 4)) < 0.5
    truth = np.tile(tile, (5, 5)).astype(np.float32).reshape(1, -1)
    known = np.random.default_rng(1).random(truth.shape) < 0.6
    start = np.where(known, truth, np.float32(0.5))
    case = some_case((20, 1, 20), (4, 1, 4), (20, 0, 20), noise=1e-3, members=12, informers=20)
    data = replace(case.data, values=truth, known=known)
    common = common_covariance(start, case.model, data.extent, np.random.default_rng(0))
    x = start
    for shift in ((0, 0, 0), (1, 0, 1), (0, 0, 1)):
        x = np.where(known, truth, x + average_groups(x, data, case.model, common, shift).change)
    assert np.sqrt(np.mean((x - truth)[~known] ** 2)) < 0.2 * np.sqrt(np.mean((start - truth)[~known] ** 2))


@pytest.mark.parametrize("extent", [(80, 1, 12), (40, 3, 8)])
def test_the_same_bits_on_any_number_of_threads(extent: Triple, monkeypatch: pytest.MonkeyPatch) -> None:
    patch: Triple = (3, 1, 3) if extent[1] == 1 else (2, 2, 2)
    case = some_case(extent, patch, (4, 1, 4), every=4)
    found = []
    for count in (1, 2, 3):
        monkeypatch.setattr(threads, "thread_count", lambda count=count: count)
        found.append(case.average())
    for other in found[1:]:
        np.testing.assert_array_equal(other.change, found[0].change)
        np.testing.assert_array_equal(other.variance, found[0].variance)


def test_pieces_that_are_added_up_one_after_the_other_miss_nothing() -> None:
    """More rows of reference patches than are worked on at a time, and groups that reach from piece to piece."""
    case = some_case((80, 1, 5), (2, 1, 2), (6, 0, 3), stride=(1, 1, 2))
    assert len(case.model.grid(case.data.extent, (0, 0, 0))[0]) > 32
    change, variance = case.dense.average(case.references())
    found = case.average()
    np.testing.assert_allclose(found.change, change, atol=CLOSE)
    np.testing.assert_allclose(found.variance, variance, atol=CLOSE)


# Where


def test_nothing_changes_where_no_group_reaches() -> None:
    case = some_case((20, 1, 20), (3, 1, 3), (2, 0, 2))
    active = np.zeros((20, 20), dtype=bool)
    active[0, 0] = active[10, 12] = True
    found = case.average(active=active.reshape(-1))
    reached = ~np.isnan(found.variance).reshape(20, 20)
    np.testing.assert_array_equal(found.change.reshape(20, 20)[~reached], 0)
    far = np.ones((20, 20), dtype=bool)
    far[:5, :5] = far[8:15, 10:17] = False
    assert not reached[far].any()
    assert reached[:3, :3].any()
    assert reached[10:13, 12:15].any()


def test_only_reference_patches_that_begin_at_an_active_site_have_groups() -> None:
    case = some_case((12, 1, 12))
    active = np.random.default_rng(1).random((12, 12)) < 0.3
    chosen = [site for site in case.references() if active[site[0], site[2]]]
    assert 0 < len(chosen) < len(case.references())
    change, variance = case.dense.average(chosen)
    found = case.average(active=active.reshape(-1))
    np.testing.assert_allclose(found.change, change, atol=CLOSE)
    np.testing.assert_allclose(found.variance, variance, atol=CLOSE)
    np.testing.assert_array_equal(np.isnan(found.variance), np.isnan(variance))


def test_where_nothing_is_active_nothing_changes() -> None:
    found = some_case().average(active=np.zeros(90, dtype=bool))
    assert not found.change.any()
    assert np.isnan(found.variance).all()


def test_where_nothing_is_missing_groups_have_nothing_to_say() -> None:
    case = some_case(share=1.1)
    assert case.data.known.all()
    assert np.isnan(case.average().variance).all()


def test_what_a_round_is_given_stays_as_it_is() -> None:
    case = some_case(bands=2)
    before: list[Array] = [part.copy() for part in (case.x, case.data.values, case.data.known, case.common)]
    case.average()
    for part, was in zip((case.x, case.data.values, case.data.known, case.common), before, strict=True):
        np.testing.assert_array_equal(part, was)
