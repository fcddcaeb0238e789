"""Learning goes uphill in the marginal likelihood, ends near its maximum, and draws from the posterior."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense_model import Drawn, drawn

from tensorfill.spectral.bases import Cosines, Entries
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.learning import Learner, LearningSettings
from tensorfill.spectral.prior import Prior, starting_prior
from tensorfill.tensor import Array

TINY = {
    "order 2": (("dct", "fourier"), (6, 5)),
    "order 3": (("dct", "own", "identity"), (4, 3, 5)),
    "order 4": (("own", "dct", "identity", "fourier"), (3, 3, 2, 3)),
}
MANY_IN_A_BIN = {
    "order 2": (("dct", "identity"), (5, 50)),
    "order 3": (("fourier", "identity", "dct"), (5, 30, 2)),
    "order 4": (("dct", "identity", "own", "identity"), (3, 10, 2, 5)),
}
"""Every variance is shared by some dozens of coefficients: one draw tells well how many of them are determined."""
NOT_SMOOTHED = 1e-9
NO_LEAST_NOISE = LearningSettings(least_noise=1e-9)
SEEDS = (0, 1, 2)


def learner(problem: Drawn, prior: Prior, *, seed: int = 0, smoothing: float = NOT_SMOOTHED) -> Learner:
    return Learner(prior, problem.data, holes=False, smoothing=smoothing, seed=seed, settings=NO_LEAST_NOISE)


def start_for(problem: Drawn) -> Prior:
    return starting_prior(problem.prior.transform.bases, float(problem.data.values.var()))


def likelihood(problem: Drawn, prior: Prior) -> float:
    return problem.dense.log_likelihood(prior.variances, prior.noise)


def by_exact_em(problem: Drawn, prior: Prior, steps: int) -> list[float]:
    """Log-likelihoods on the way."""
    s, noise = prior.variances, prior.noise
    reached = [problem.dense.log_likelihood(s, noise)]
    for _ in range(steps):
        s, noise = problem.dense.em_step(s, noise)
        reached.append(problem.dense.log_likelihood(s, noise))
    return reached


# Exact EM, the judge


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("poor", [False, True])
def test_exact_em_never_lowers_the_likelihood(name: str, seed: int, poor: bool) -> None:
    problem = drawn(*TINY[name], noise=0.05, seed=seed)
    start = start_for(problem)
    if poor:
        start = replace(start, variances=np.full_like(start.variances, 0.1), noise=0.001)
    rises = np.diff(by_exact_em(problem, start, 40))
    assert rises.min() >= -1e-9
    assert rises.sum() > 1


@pytest.mark.parametrize("name", TINY)
def test_a_wrong_em_step_would_be_noticed(name: str) -> None:
    """Without the posterior variance the likelihood falls, sooner or later."""
    problem = drawn(*TINY[name], noise=0.05)
    s, noise = problem.prior.variances, problem.prior.noise
    reached = [problem.dense.log_likelihood(s, noise)]
    counts = np.bincount(problem.dense.labels)
    for _ in range(10):
        mean = problem.dense.posterior(s, noise).mean
        s = (np.bincount(problem.dense.labels, mean**2) / counts).reshape(s.shape) + 1e-12
        reached.append(problem.dense.log_likelihood(s, noise))
    assert np.diff(reached).min() < -0.1


@pytest.mark.parametrize("name", TINY)
def test_a_floor_of_all_variances_cannot_be_told_from_noise(name: str) -> None:
    """Moved to the noise it changes neither the likelihood nor what is predicted where nothing is known."""
    problem = drawn(*TINY[name])
    s, noise, dense = problem.prior.variances, problem.prior.noise, problem.dense
    floor = 0.9 * float(s.min())
    there, here = ((dense.Q @ dense.posterior(*prior).mean) for prior in ((s, noise), (s - floor, noise + floor)))
    assert dense.log_likelihood(s - floor, noise + floor) == pytest.approx(dense.log_likelihood(s, noise), rel=1e-10)
    np.testing.assert_allclose(here[~dense.mask], there[~dense.mask], atol=1e-9)
    assert np.abs(here - there)[dense.mask].max() > 1e-3, "known entries come nearer to their mean"


# The learner


@pytest.mark.parametrize("name", MANY_IN_A_BIN)
def test_rounds_go_uphill(name: str) -> None:
    """Nearly always, for what is determined is known from one draw only; and fast, where there is far to go."""
    rises: list[float] = []
    for seed in SEEDS:
        problem = drawn(*MANY_IN_A_BIN[name], share=0.7, noise=0.3, seed=seed)
        far = start_for(problem)
        at = learner(problem, replace(far, variances=20 * far.variances, noise=20 * far.noise), seed=seed)
        reached = [likelihood(problem, at.prior)]
        for _ in range(4):
            at.round(1e-9)
            reached.append(likelihood(problem, at.prior))
        rises += np.diff(reached).tolist()
        to_go = likelihood(problem, problem.prior) - reached[0]
        assert reached[2] - reached[0] > 0.8 * to_go
    assert np.mean(np.array(rises) > -0.05) >= 0.75


@pytest.mark.parametrize("name", MANY_IN_A_BIN)
def test_it_ends_near_the_most_likely_prior(name: str) -> None:
    """As near as one draw can tell: a fraction of a unit of log-likelihood per variance is lost to its chance.

    On average that leaves it as likely as the prior that the data was drawn from.
    """
    lost, ahead = [], []
    for seed in SEEDS:
        problem = drawn(*MANY_IN_A_BIN[name], share=0.7, noise=0.3, seed=seed)
        at = learner(problem, start_for(problem), seed=seed)
        for _ in range(15):
            at.round(1e-6)
        reached = by_exact_em(problem, at.prior, 25)
        lost.append(reached[-1] - reached[0])
        ahead.append(reached[0] - likelihood(problem, problem.prior))
    parameters = problem.prior.variances.size + 1
    assert max(lost) <= parameters
    assert np.mean(lost) <= 0.5 * parameters
    assert np.mean(ahead) >= -0.4 * parameters


def test_smoothing_lets_neighbours_help_bins_with_few_coefficients() -> None:
    """Where each coefficient has its own bin, only smoothing keeps what is learned from being chance."""
    ahead = {}
    for smoothing in (NOT_SMOOTHED, 2.0):
        likelihoods = []
        for seed in SEEDS:
            problem = drawn(("dct", "dct"), (18, 16), share=0.7, noise=0.05, seed=seed)
            at = learner(problem, start_for(problem), seed=seed, smoothing=smoothing)
            for _ in range(10):
                at.round(1e-6)
            other = drawn(("dct", "dct"), (18, 16), share=0.7, noise=0.05, seed=seed + 100)
            # Another tensor from the same source: what was learned must hold for it too.
            likelihoods.append(likelihood(other, at.prior) - likelihood(other, problem.prior))
        ahead[smoothing] = np.mean(likelihoods)
    assert ahead[2.0] > ahead[NOT_SMOOTHED] + 10


def posterior_draws(problem: Drawn, count: int) -> Array:
    draws = []
    for seed in range(count):
        at = learner(problem, problem.prior, seed=seed)
        at.round(1e-6)
        at.prior = problem.prior  # a round ends with another one
        draws.append(at.draw().reshape(-1))
    return np.array(draws)


@pytest.mark.parametrize("name", TINY)
def test_draws_have_the_mean_and_covariance_of_the_posterior(name: str) -> None:
    count = 100
    problem = drawn(*TINY[name], share=0.7, noise=0.5)
    belief = problem.dense.posterior(problem.prior.variances, problem.prior.noise)
    mean, covariance = problem.dense.Q @ belief.mean, problem.dense.Q @ belief.covariance @ problem.dense.Q.T
    draws = posterior_draws(problem, count)
    deviations = np.sqrt(np.diag(covariance))
    assert (np.abs(draws.mean(axis=0) - mean) <= 5 * deviations / np.sqrt(count)).all()
    whitened = np.linalg.solve(np.linalg.cholesky(covariance), (draws - mean).T)
    found = whitened @ whitened.T / count
    np.testing.assert_allclose(np.diag(found), 1.0, atol=5 * np.sqrt(2 / count))
    np.testing.assert_allclose(found - np.diag(np.diag(found)), 0.0, atol=5 / np.sqrt(count))


def test_a_draw_belongs_to_the_prior_it_was_solved_under() -> None:
    problem = drawn(*TINY["order 3"], noise=0.1)
    at = learner(problem, problem.prior)
    at.round(1e-18)
    after = at.draw()
    at.prior = problem.prior
    np.testing.assert_array_equal(after, at.draw())


def test_the_mean_is_that_of_the_posterior_before_the_round() -> None:
    problem = drawn(*TINY["order 3"])
    at = learner(problem, problem.prior)
    at.round(1e-20)
    expected = problem.dense.posterior(problem.prior.variances, problem.prior.noise).mean
    assert at.mean is not None
    np.testing.assert_allclose(at.mean.reshape(-1), expected, atol=1e-8)
    np.testing.assert_allclose(at.entries().reshape(-1), problem.dense.Q @ expected, atol=1e-8)


def test_the_same_seed_gives_the_same_bits() -> None:
    problem = drawn(*TINY["order 2"])
    found = []
    for seed in (5, 5, 6):
        at = learner(problem, start_for(problem), seed=seed)
        for _ in range(3):
            at.round(1e-3)
        found.append(at.prior.variances)
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()


def test_noise_stays_above_its_least_value() -> None:
    problem = drawn(*TINY["order 2"], noise=0.01)
    loud = LearningSettings(least_noise=10.0)
    at = Learner(start_for(problem), problem.data, holes=False, smoothing=2.0, seed=0, settings=loud)
    for _ in range(5):
        at.round(1e-4)
        assert at.prior.noise >= 10
        assert (at.prior.variances > 0).all()


def test_what_all_variances_have_in_common_becomes_noise() -> None:
    """Entries that have nothing in common are noise, all of it."""
    problem = drawn(("identity", "identity"), (20, 15), share=0.7, noise=0.5)
    at = learner(problem, start_for(problem))
    for _ in range(10):
        at.round(1e-6)
        assert at.prior.variances.max() <= 0.03 * at.prior.noise
    assert at.prior.noise + at.prior.variances.mean() == pytest.approx(np.mean(problem.data.values**2), rel=0.02)


def test_the_solver_for_holes_learns_the_same() -> None:
    problem = drawn(*MANY_IN_A_BIN["order 3"], share=0.7, noise=0.3)
    priors = []
    for holes in (False, True):
        at = Learner(start_for(problem), problem.data, holes=holes, smoothing=2.0, seed=0, settings=NO_LEAST_NOISE)
        for _ in range(3):
            at.find_bound()
            at.round(1e-14)
        priors.append(at.prior)
    np.testing.assert_allclose(priors[0].variances, priors[1].variances, rtol=1e-4)
    assert priors[0].noise == pytest.approx(priors[1].noise, rel=1e-4)


@pytest.mark.parametrize("modes", [(0,), (1,), (0, 1, 2)])
def test_a_new_basis_leaves_the_estimate_as_it_is(modes: tuple[int, ...]) -> None:
    problem = drawn(("dct", "dct", "fourier"), (6, 5, 4))
    at = learner(problem, start_for(problem))
    at.round(1e-6)
    other = at.moved(at.rebased([modes])[0])
    np.testing.assert_allclose(other.entries(), at.entries(), atol=1e-10)
    for mode, (new, old) in enumerate(zip(other.prior.transform.bases, at.prior.transform.bases, strict=True)):
        if mode not in modes:
            assert new is old
            continue
        assert (new.kind, new.size) == ("learned", old.size)
        matrix = new.synthesise(np.eye(new.size), 0)
        np.testing.assert_allclose(matrix.T @ matrix, np.eye(new.size), atol=1e-12)
        power = np.sum(np.moveaxis(new.analyse(at.entries(), mode), mode, 0).reshape(new.size, -1) ** 2, axis=1)
        assert (np.diff(power) <= 1e-9).all(), "from what is common to what is rare"


def test_a_learned_basis_leaves_out_what_noise_would_hide() -> None:
    rng = np.random.default_rng(0)
    spectra = np.linalg.qr(rng.standard_normal((12, 3)))[0]
    truth = np.einsum("abr,cr->abc", rng.standard_normal((10, 9, 3)), spectra)
    known = rng.random(truth.shape) < 0.7
    noisy = truth[known] + 0.1 * rng.standard_normal(np.count_nonzero(known))
    start = starting_prior([Entries(10), Entries(9), Cosines(12)], float(noisy.var()))
    at = Learner(start, KnownData(known, noisy), holes=False, smoothing=2.0, seed=0, settings=NO_LEAST_NOISE)
    for _ in range(6):
        at.round(1e-6)
    (learned,) = at.rebased([(2,)])
    assert 3 <= learned.transform.bases[2].size < 12
    assert learned.bins.coefficient_shape == learned.transform.coefficient_shape


def test_other_known_entries_can_be_given_later() -> None:
    problem = drawn(*TINY["order 3"])
    held = np.zeros_like(problem.data.mask)
    held.flat[np.flatnonzero(problem.data.mask)[1::3]] = True
    at = learner(replace(problem, data=problem.data.without(held)), problem.prior)
    at.round(1e-3)
    at.prior = problem.prior
    at.know(problem.data)
    expected = problem.dense.posterior(problem.prior.variances, problem.prior.noise).mean
    np.testing.assert_allclose(at.solve(1e-20, 1000).reshape(-1), expected, atol=1e-8)
