"""The Gaussian of a group is what its formula says."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.patches.gaussian import learn_covariance, learn_mean, scatter_of_informers


@pytest.mark.parametrize("members", [4, 9])
def test_mean_and_covariance(members: int) -> None:
    rng = np.random.default_rng(members)
    count, d, strength, a = 9, 5, 2.0, 0.3
    F, weights = rng.random((count, d)), np.append(np.ones(members), rng.random(count - members))
    common, C = (root @ root.T for root in rng.random((2, d, d)))
    G, S, of_informers = np.empty((count, d)), np.empty((d, d)), np.empty((d, d))
    mean, centre = np.empty(d), np.empty(d)
    for turn in range(2):
        total = learn_mean(F, weights, count, mean)
        np.testing.assert_allclose(mean, weights @ F / weights.sum())
        if turn == 0:
            scatter_of_informers(F, weights, members, count, mean, G, centre, of_informers)
        trace = learn_covariance(F, weights, members, total, mean, centre, of_informers, strength, common, C, a, G, S)
        scatter = (F - mean).T @ (weights[:, None] * (F - mean))
        c = np.trace(scatter) / (weights.sum() * np.trace(common))
        expected = (scatter + a * C + strength * c * common) / (weights.sum() + strength)
        np.testing.assert_allclose(S, expected, atol=1e-12)
        assert trace == pytest.approx(np.trace(expected))
        F[:members] += rng.random((members, d))  # those that inform stay as they are
