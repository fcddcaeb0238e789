"""Gibbs sampling of multilinear models: draws have the right distribution, and the mean of samples finds the truth."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sparse_models import make_example

from tensorfill.factors.choosing import choose_model
from tensorfill.factors.entries import GroupedEntries
from tensorfill.factors.footprints import find_footprints
from tensorfill.factors.priors import RowPrior, draw_wishart
from tensorfill.factors.rows import draw_rows
from tensorfill.factors.samples import SampledModel
from tensorfill.factors.solver import GibbsSettings, GibbsSolver
from tensorfill.factors.terms import Interactions, Term, make_terms
from tensorfill.numerics.threads import threads_limited
from tensorfill.observed import ObservedTensor

SHORT = GibbsSettings(rank=3, samples=30, forgotten=20, footprints=0)


def sample(observed: ObservedTensor, settings: GibbsSettings = SHORT) -> SampledModel:
    solver = GibbsSolver(observed, settings, np.random.default_rng(0))
    while solver.finished() is None:
        solver.step()
    return solver.estimate()


@pytest.mark.parametrize(("shape", "kind"), [((60, 200), "pairs"), ((40, 50, 20), "pairs"), ((25, 30, 20), "product")])
def test_the_truth_is_found_below_the_noise(shape: tuple[int, ...], kind: str) -> None:
    example = make_example(shape, kind)
    interactions: Interactions = "product" if kind == "product" else "pairs"
    found = sample(example.observed, GibbsSettings(rank=3, interactions=interactions, samples=40, forgotten=40))
    assert example.error(found.at(example.where)) < example.noise


def test_deviations_are_those_of_what_would_be_observed() -> None:
    example = make_example((60, 200), "pairs")
    found = sample(example.observed)
    seen = example.truth + example.noise * np.random.default_rng(1).standard_normal(len(example.truth))
    sizes = np.abs(found.at(example.where) - seen) / np.sqrt(found.variances_at(example.where))
    assert 0.63 < np.mean(sizes < 1) < 0.74
    assert 0.92 < np.mean(sizes < 2) < 0.98


def test_a_row_is_drawn_from_its_conditional_distribution() -> None:
    """With many draws: mean P⁻¹ b and covariance P⁻¹, by dense algebra."""
    rng = np.random.default_rng(0)
    count, rank, noise = 200, 3, 2.0
    indices = np.stack([np.repeat(np.arange(count), 5), rng.integers(0, 7, 5 * count)]).astype(np.int32)
    factor = rng.standard_normal((count + 7, rank)).astype(np.float32)
    factor[:count] = factor[0]  # all rows alike, so that they are draws from one distribution
    indices[1] = np.tile(indices[1, :5], count)
    values = np.tile(rng.standard_normal(5), count).astype(np.float32)
    features = factor[count + indices[1, :5]].astype(float)
    expected_precision = np.eye(rank) + noise * features.T @ features
    expected_mean = np.linalg.solve(expected_precision, noise * features.T @ values[:5].astype(float))
    residuals = values - (factor[indices[0]] * factor[count + indices[1]]).sum(axis=1)
    draws = []
    for _ in range(20):
        draw_rows(
            0,
            count,
            np.arange(count + 1) * 5,
            np.arange(5 * count, dtype=np.int32),
            indices,
            np.array([0, count]),
            0,
            np.array([1]),
            factor,
            residuals,
            np.eye(rank),
            noise,
            np.zeros((count, rank)),
            rng.standard_normal((count, rank)),
        )
        draws.append(factor[:count].copy())
    drawn = np.concatenate(draws)
    covariance = np.linalg.inv(expected_precision)
    np.testing.assert_allclose(drawn.mean(axis=0), expected_mean, atol=0.06)
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.06)
    left = values - (factor[indices[0]] * factor[count + indices[1]]).sum(axis=1)
    np.testing.assert_allclose(residuals, left, atol=1e-4)


def test_an_estimate_is_the_same_entry_by_entry_and_as_a_whole() -> None:
    example = make_example((40, 20, 10), "product")
    found = sample(example.observed)
    where = np.argwhere(np.ones((40, 20, 10), dtype=bool))
    np.testing.assert_allclose(found.at(where), found.dense().ravel(), atol=1e-6)
    np.testing.assert_allclose(found.variances_at(where), found.dense_variances().ravel(), rtol=1e-4, atol=1e-6)


def test_bits_are_the_same_for_any_number_of_threads() -> None:
    example = make_example((60, 800), "pairs", known=25_000)
    settings = GibbsSettings(rank=3, samples=3, forgotten=1)
    found = sample(example.observed, settings).at(example.where)
    with threads_limited(1):
        alone = sample(example.observed, settings).at(example.where)
    np.testing.assert_array_equal(alone, found)


def test_a_solver_goes_on_from_a_pickle_to_the_same_bits() -> None:
    example = make_example((60, 200), "pairs")
    solver = GibbsSolver(example.observed, SHORT, np.random.default_rng(0))
    solver.step()
    other = pickle.loads(pickle.dumps(solver))
    for each in (solver, other):
        each.step()
    np.testing.assert_array_equal(other.estimate().at(example.where), solver.estimate().at(example.where))


def test_an_index_of_which_nothing_is_known_gets_the_effects_of_the_others() -> None:
    example = make_example((60, 200), "pairs")
    kept = example.observed.positions // 200 != 7
    cold = ObservedTensor((60, 200), example.observed.positions[kept], example.observed.known[kept])
    row = np.stack([np.full(200, 7), np.arange(200)], axis=1)
    found = sample(cold).at(row)
    means = [example.observed.known[example.observed.positions % 200 == item].mean() for item in range(200)]
    assert found.min() > 30
    assert np.corrcoef(found, means)[0, 1] > 0.8


@pytest.mark.parametrize("kind", ["pairs", "product"])
def test_the_interactions_are_chosen_that_there_are(kind: str) -> None:
    example = make_example((25, 30, 20), kind, known=8000)
    assert choose_model(example.observed, SHORT, None, None, np.random.default_rng(0)).interactions == kind


def test_a_root_is_taken_of_counts() -> None:
    rng = np.random.default_rng(0)
    means = np.exp(1 + 0.7 * rng.standard_normal((80, 1)) + 0.7 * rng.standard_normal(100))
    where = np.argwhere(rng.random(means.shape) < 0.3)
    counts = rng.poisson(means)[tuple(where.T)].astype(float)
    observed = ObservedTensor.from_coordinates(where, counts, means.shape)
    assert choose_model(observed, SHORT, None, None, rng).power < 1


def test_terms_are_main_effects_and_pairs_or_one_product() -> None:
    effects = (Term((0,), 1), Term((1,), 1), Term((2,), 1))
    assert make_terms(3, 4, "pairs") == (*effects, Term((0, 1), 4), Term((0, 2), 4), Term((1, 2), 4))
    assert make_terms(3, 4, "product") == (*effects, Term((0, 1, 2), 4))


def test_entries_are_grouped_by_the_indices_that_occur() -> None:
    observed = ObservedTensor.from_coordinates([[4, 0], [1, 2], [4, 2]], [1.0, 2.0, 3.0], (6, 3))
    found = GroupedEntries.of(observed)
    assert found.counts == (2, 2)
    assert [rows.tolist() for rows in found.rows] == [[2, 0, 2, 2, 1, 2], [0, 2, 1]]
    assert found.indices.tolist() == [[0, 1, 1], [1, 0, 1]]
    assert [order.tolist() for order in found.orders] == [[0, 1, 2], [1, 0, 2]]
    assert [starts.tolist() for starts in found.starts] == [[0, 1, 3], [0, 1, 3]]


def test_footprints_tell_groups_apart_that_are_seen_with_different_indices() -> None:
    rng = np.random.default_rng(0)
    group = np.arange(60) % 2
    mask = rng.random((60, 60)) < np.where(group[:, None] == group, 0.4, 0.05)
    observed = ObservedTensor.from_array(np.ones((60, 60)), mask)
    found = find_footprints(GroupedEntries.of(observed), 0, 3, rng)
    assert max(abs(np.corrcoef(found[:, number], group)[0, 1]) for number in range(3)) > 0.9


def test_a_prior_learns_where_rows_are_and_how_wide() -> None:
    rng = np.random.default_rng(0)
    rows = [3.0, -1.0] + rng.standard_normal((4000, 2)) @ np.diag([2.0, 0.5])
    prior = RowPrior(np.zeros((4000, 0)), 2, centred=False)
    prior.draw(rows, rng)
    np.testing.assert_allclose(prior.mean_of_unseen(), [3.0, -1.0], atol=0.2)
    np.testing.assert_allclose(np.linalg.inv(prior.precision), np.diag([4.0, 0.25]), atol=0.3)


def test_wishart_matrices_have_their_mean() -> None:
    rng = np.random.default_rng(0)
    spread = np.array([[2.0, 0.5], [0.5, 1.0]])
    mean = np.mean([draw_wishart(spread, 5.0, rng) for _ in range(4000)], axis=0)
    np.testing.assert_allclose(mean, 5 * np.linalg.inv(spread), rtol=0.1, atol=0.1)
