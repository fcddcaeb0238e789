"""How sure `spectral` is of an entry: right for data that its model is right for, and larger where errors are."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from dense_model import drawn
from numpy.typing import NDArray

import tensorfill
from tensorfill.completion import Completion
from tensorfill.errors import InvalidSetting
from tensorfill.missingness import Missingness
from tensorfill.spectral.uncertainty import Uncertainty
from tensorfill.tensor import Array


@cache
def smooth(shape: tuple[int, ...] = (40, 36), noise: float = 0.05, seed: int = 0) -> Array:
    """A sum of slow waves, with noise, around 3."""
    rng = np.random.default_rng(seed)
    spectrum = 1.0 / (1.0 + sum(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), np.zeros(shape))) ** 2
    from scipy.fft import idctn

    waves = idctn(spectrum * rng.standard_normal(shape), norm="ortho")
    return np.asarray(np.maximum(3 + waves / waves.std() + noise * rng.standard_normal(shape), 0))


def completed(truth: Array, known: NDArray[np.bool_], **arguments: Any) -> Completion:
    return tensorfill.complete(truth, known, method="spectral", **arguments)


@cache
def ordinary() -> tuple[Array, NDArray[np.bool_], Completion]:
    truth = smooth()
    known = np.random.default_rng(1).random(truth.shape) < 0.4
    return truth, known, completed(truth, known)


@pytest.mark.parametrize("holes", [False, True])
def test_draws_have_the_variance_of_the_dense_posterior(holes: bool) -> None:
    problem = drawn(("dct", "own"), (7, 6), 0.4, noise=0.05)
    prior, draws = problem.prior, 200
    belief = problem.dense.posterior(prior.variances, prior.noise)
    Q = problem.dense.Q
    expected = np.einsum("ij,jk,ik->i", Q, belief.covariance, Q).reshape(problem.data.shape)
    nothing = np.zeros_like(problem.data.mask)
    found = (
        Uncertainty(prior, problem.data, Missingness(problem.data.mask), 0.0, nothing, holes, seed=0)
        .drawn(problem.data.mask, draws)
        .variance
    )
    # The mean of squares of normal numbers has a standard deviation of √(2/draws) of itself.
    np.testing.assert_allclose(found, expected, rtol=4.5 * np.sqrt(2 / draws))
    assert abs(np.mean(found / expected) - 1) < 0.06


def test_without_held_out_entries_it_is_what_the_model_says_of_a_value() -> None:
    problem = drawn(("dct", "dct"), (14, 12), 0.4, noise=0.1)
    prior, data = problem.prior, problem.data
    belief = problem.dense.posterior(prior.variances, prior.noise)
    Q = problem.dense.Q
    signal = np.einsum("ij,jk,ik->i", Q, belief.covariance, Q).reshape(data.shape)
    estimate = np.maximum((Q @ belief.mean).reshape(data.shape) + 10, 0)
    work = Uncertainty(prior, data, Missingness(data.mask), 10.0, np.zeros_like(data.mask), False, seed=0)
    found = work.deviations(estimate, estimate)
    expected = np.sqrt(signal + prior.noise)
    assert abs(np.mean((found / expected)[~data.mask] ** 2) - 1) < 0.15


def test_draws_depend_on_the_seed() -> None:
    problem = drawn(("dct", "dct"), (7, 6))
    nothing = np.zeros_like(problem.data.mask)
    first, second = (
        Uncertainty(problem.prior, problem.data, Missingness(problem.data.mask), 0.0, nothing, False, seed)
        .drawn(problem.data.mask)
        .variance
        for seed in (0, 1)
    )
    assert not np.allclose(first, second)


def test_the_truth_is_within_one_and_two_deviations_as_often_as_it_should() -> None:
    shares = []
    for seed in range(3):
        truth = smooth((48, 40), seed=seed)
        known = np.random.default_rng([seed, 1]).random(truth.shape) < 0.4
        done = completed(truth, known)
        off = (np.abs(done.model - truth) / np.maximum(done.uncertainty, 1e-12))[~known]
        shares.append([np.mean(off < 1), np.mean(off < 2)])
    one, two = np.mean(shares, axis=0)
    assert abs(one - 0.683) < 0.05
    assert abs(two - 0.954) < 0.025


def test_what_is_known_and_kept_is_sure() -> None:
    _, known, done = ordinary()
    assert (done.uncertainty[known] == 0).all()
    assert (done.uncertainty[~known] > 0).all()
    assert np.isfinite(done.uncertainty).all()


def test_what_is_known_and_not_kept_is_not() -> None:
    truth, known, _ = ordinary()
    assert (completed(truth, known, keep_observed=False).uncertainty > 0).all()


def test_the_same_seed_gives_the_same_bits() -> None:
    truth, known, done = ordinary()
    np.testing.assert_array_equal(completed(truth, known).uncertainty, done.uncertainty)
    assert not np.array_equal(completed(truth, known, random_state=1).uncertainty, done.uncertainty)


def test_deviations_have_the_unit_of_the_data() -> None:
    truth, known, done = ordinary()
    np.testing.assert_allclose(completed(256 * truth, known).uncertainty, 256 * done.uncertainty, rtol=1e-9)


def test_nothing_is_worked_out_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, known, _ = ordinary()
    asked: list[int] = []
    real = Uncertainty.deviations

    def counted(self: Uncertainty, *arguments: Any) -> Any:
        asked.append(1)
        return real(self, *arguments)

    monkeypatch.setattr(Uncertainty, "deviations", counted)
    done = completed(truth, known)
    assert done.tensor.shape == truth.shape
    assert asked == []
    assert done.uncertainty is done.uncertainty
    assert asked == [1]


def test_the_middle_of_a_large_hole_is_less_sure_than_its_border() -> None:
    truth = smooth((48, 48))
    known = np.ones(truth.shape, dtype=bool)
    for row in range(2, 40, 15):
        for column in range(3, 40, 15):
            known[row : row + 11, column : column + 11] = False
    found = completed(truth, known).uncertainty
    middles = found[7:40:15, 8:40:15]
    borders = found[2:40:15, 8:40:15]
    assert np.median(middles) > np.median(borders)


def test_where_fewer_entries_are_known_it_is_less_sure() -> None:
    truth = smooth((48, 48))
    share = np.where(np.arange(48) < 24, 0.6, 0.08)
    known = np.random.default_rng(2).random(truth.shape) < share
    found = completed(truth, known).uncertainty
    dense, sparse = found[:, :20], found[:, 28:]
    assert np.median(sparse[sparse > 0]) > 1.1 * np.median(dense[dense > 0])


def test_where_the_data_is_rough_it_is_less_sure() -> None:
    rng = np.random.default_rng(3)
    truth = smooth((48, 48), noise=0.0).copy()
    truth[:, 24:] += 0.5 * rng.standard_normal((48, 24))
    truth = np.maximum(truth, 0)
    known = rng.random(truth.shape) < 0.4
    found = completed(truth, known).uncertainty
    calm, rough = found[:, :20], found[:, 28:]
    assert np.median(rough[rough > 0]) > 2 * np.median(calm[calm > 0])


@pytest.mark.parametrize("shape", [(9, 8), (6, 5, 4), (5, 4, 3, 6)])
@pytest.mark.parametrize("known_share", [0.15, 0.9])
def test_small_tensors_of_any_order(shape: tuple[int, ...], known_share: float) -> None:
    truth = smooth(shape)
    known = np.random.default_rng(4).random(shape) < known_share
    for mode, size in enumerate(shape):  # something is known everywhere
        places = [np.arange(size) % length for length in shape]
        places[mode] = np.arange(size)
        known[tuple(places)] = True
    known.flat[-1] = False
    found = completed(truth, known).uncertainty
    assert np.isfinite(found).all()
    assert (found[~known] > 0).all()
    assert (found < 20 * truth.max()).all()


@pytest.mark.parametrize("stop_at", [0, 1, 3])
def test_a_run_that_was_stopped_tells_too(stop_at: int) -> None:
    truth, known, whole = ordinary()
    done = completed(truth, known, watch=lambda snapshot: snapshot.step.iteration >= stop_at)
    assert done.stop.kind == "watch"
    errors = np.abs(done.model - truth)[~known]
    assert 0.5 < np.mean(errors < done.uncertainty[~known]) < (0.85 if stop_at else 1.01), "at first it is a guess"
    if stop_at == 0:
        assert np.median(done.uncertainty[~known]) > np.median(whole.uncertainty[~known])


def test_errors_of_another_estimate_can_take_the_place_of_its_own() -> None:
    from tensorfill.methods.spectral import Spectral
    from tensorfill.observed import ObservedTensor

    truth, known, _ = ordinary()
    done, run = Spectral().follow(ObservedTensor.from_array(truth, known), rng=np.random.default_rng(0))
    assert run is not None
    assert run.held is not None
    entries = done.model / truth[known].max()
    worse = np.full(int(run.held.sum()), 0.3)
    assert np.median(run.deviations(entries, worse)) > 2 * np.median(run.deviations(entries))


def test_zeros_are_sure_to_be_zero() -> None:
    known = np.eye(6, 5, dtype=bool) | (np.arange(5) == 0)
    np.testing.assert_array_equal(completed(np.zeros((6, 5)), known).uncertainty, 0)


@pytest.mark.parametrize("method", ["mean-fill", "tnn"])
def test_methods_that_do_not_tell_say_so(method: str) -> None:
    truth, known, _ = ordinary()
    done = tensorfill.complete(truth, known, method=method)
    with pytest.raises(InvalidSetting) as refused:
        _ = done.uncertainty
    assert str(refused.value) == (
        f"This completion by {method} does not tell how sure it is of an entry; those by auto, patches, spectral, "
        "scaled-spectral and bayes-factors do."
    )


# Where little is known


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


@pytest.mark.parametrize("method", ["spectral", "auto"])
def test_of_one_known_entry_nothing_is_sure(method: str) -> None:
    truth = 1 + np.arange(42.0).reshape(6, 7)
    known = np.zeros(truth.shape, dtype=bool)
    known[2, 3] = True
    done = tensorfill.complete(truth, known, method)
    assert (done.uncertainty[~known] >= 0.5 * truth[2, 3]).all()


@pytest.mark.parametrize("method", ["spectral", "auto"])
def test_one_known_frame_says_next_to_nothing_about_the_others(method: str) -> None:
    i, j, k = np.meshgrid(*(np.arange(size) for size in (16, 18, 6)), indexing="ij")
    truth = 2 + np.sin(i / 5 + 1.7 * k) + np.cos(j / 4 - 2.1 * k)
    known = np.zeros(truth.shape, dtype=bool)
    known[:, :, 2] = True
    done = tensorfill.complete(truth, known, method)
    assert rms(done.uncertainty[~known]) >= 0.5 * rms((done.tensor - truth)[~known])


@pytest.mark.parametrize("share", [0.7, 0.3])
def test_a_lost_frame_among_scattered_holes_is_as_unsure_as_frames_are(share: float) -> None:
    rng = np.random.default_rng(0)
    frames = np.cumsum(rng.standard_normal((20, 18, 1)) * 0.1 + rng.standard_normal((1, 1, 14)), axis=2)
    truth = frames - frames.min()
    known = rng.random(truth.shape) < share
    known[:, :, 6] = False
    done = tensorfill.complete(truth, known)
    assert rms(done.uncertainty[:, :, 6]) >= 0.25 * rms((done.tensor - truth)[:, :, 6])
