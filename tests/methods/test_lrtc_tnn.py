"""`lrtc-tnn`: the steps of its ADMM, its two stages, what they lead to, and the settings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lrtc_tnn_formulas import LRTCTNNTranscript, truncated_norm
from station_days import station_days

from tensorfill.errors import InvalidSetting
from tensorfill.methods import lrtc_tnn
from tensorfill.methods.halrtc_iteration import HaLRTCIteration
from tensorfill.methods.lrtc_tnn import LRTCTNN
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, unfold

SHAPES = [(7, 5), (4, 30), (6, 3, 5), (40, 3, 2), (4, 1, 3), (3, 4, 2, 3)]


def low_rank_problem(shape: tuple[int, ...] = (12, 10, 8), share: float = 0.6) -> tuple[Array, Array]:
    """A nonnegative tensor of CP rank 2 with some noise and largest value 1, and which of it is known."""
    rng = np.random.default_rng(len(shape))
    factors = [rng.random((size, 2)) for size in shape]
    operands = [part for mode, factor in enumerate(factors) for part in (factor, [mode, 9])]
    truth = np.asarray(np.einsum(*operands, list(range(len(shape))))) + 0.05 * rng.random(shape)
    known = rng.random(shape) < share
    known.flat[np.argmax(truth)] = True
    known.flat[np.argmin(truth)] = False
    return truth / truth.max(), known


def observed(shape: tuple[int, ...]) -> ObservedTensor:
    return ObservedTensor.from_array(*low_rank_problem(shape))


def complete(truth: Array, known: Array, **settings: Any) -> Any:
    watch = settings.pop("watch", None)
    data = ObservedTensor.from_array(truth, known)
    return LRTCTNN(**settings).complete(data, rng=np.random.default_rng(0), watch=watch)


def error(found: Array, truth: Array, known: Array) -> float:
    return float(np.linalg.norm((found - truth)[~known]) / np.linalg.norm(truth[~known]))


# The algorithm


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("free", [0, 1, 2])
def test_the_steps_are_those_of_the_formulas(shape: tuple[int, ...], free: int) -> None:
    data = observed(shape)
    weights = np.arange(1.0, data.order + 1)
    weights /= weights.sum()
    naive = LRTCTNNTranscript(data, weights, 0.3, 1.05)
    naive.free = [min(free, *unfold(naive.X, n).shape) for n in range(data.order)]
    state = HaLRTCIteration(data, weights, 0.3, 1.05, np.float64, naive.free)
    for _ in range(20):
        state.step()
        naive.step()
        np.testing.assert_allclose(state.estimate().dense(), naive.X, atol=1e-7)
        assert state.cost == pytest.approx(naive.cost, abs=1e-6)
        assert state.penalty == pytest.approx(naive.beta)


@pytest.mark.parametrize("shape", [(12, 10, 8), (6, 5, 4, 3)], ids=str)
def test_a_run_is_one_of_the_formulas_from_beginning_to_end(shape: tuple[int, ...]) -> None:
    truth, known = low_rank_problem(shape)
    data = ObservedTensor.from_array(truth, known)
    seen: list[Array] = []
    done = complete(truth, known, truncation=0.25, tolerance=1e-3, watch=lambda at: seen.append(at.estimate.dense()))
    naive = LRTCTNNTranscript(data, np.full(data.order, 1 / data.order), done.settings["penalty"], 1.05)
    expected = naive.run(0.25, 1e-3)
    assert done.stop.kind == "change"
    assert len(seen) == len(expected)
    for one, other in zip(seen, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)  # small singular values of X Xᵀ are rounded more
    assert done.history.cost[-1] == pytest.approx(naive.cost, abs=1e-4)


def test_known_entries_are_exact() -> None:
    truth, known = low_rank_problem()
    np.testing.assert_allclose(complete(truth, known).model[known], truth[known], rtol=1e-14)


def test_the_first_threshold_is_the_norm_of_the_start() -> None:
    truth, known = low_rank_problem((6, 5, 7))
    start = np.where(known, truth, truth[known].mean())
    penalty = complete(1000 * truth, known).settings["penalty"]
    assert 1 / 3 / penalty == pytest.approx(np.linalg.norm(start) / truth[known].max())


# Where it leads


def test_a_truncated_norm_that_is_low_is_found() -> None:
    """The answer costs less than the one that counts all singular values, as it is made to."""
    truth, known = low_rank_problem((14, 12, 10))
    ours, convex = (complete(truth, known, truncation=share).model for share in (0.2, 0.0))

    def cost(model: Array) -> float:
        return sum(truncated_norm(unfold(model, n), 3) for n in range(3))

    assert cost(ours) < 0.95 * cost(convex)
    assert error(ours, truth, known) < 0.9 * error(convex, truth, known)


@pytest.mark.parametrize("seed", [0, 3])
def test_holes_are_not_stuck_at_what_fills_them_at_the_start(seed: int) -> None:
    """With all r_n free from the first iteration on, the filled station-days of a large station are a direction of low
    rank like any other, and nothing moves them.
    """
    truth, known = station_days(seed)
    scaled = ObservedTensor.from_array(truth / truth.max(), known)
    stuck = LRTCTNNTranscript(scaled, np.full(3, 1 / 3), 1e-3, 1.05)
    stuck.begin(stuck.first, 0.3)
    for _ in range(100):
        stuck.step()
    ours = error(complete(truth, known, truncation=0.3).model, truth, known)
    assert ours < 0.35
    assert ours < 0.5 * error(truth.max() * stuck.X, truth, known)


@pytest.mark.parametrize("seed", range(3))
def test_more_free_values_than_needed_do_little_harm(seed: int) -> None:
    truth, known = station_days(seed)
    errors = [error(complete(truth, known, truncation=share).model, truth, known) for share in (0.1, 0.2, 0.4)]
    assert max(errors) < 1.6 * min(errors)


@pytest.mark.parametrize(("tolerance", "single"), [(1e-3, True), (1e-5, False)])
def test_large_tensors_are_worked_on_in_single_precision_where_the_tolerance_allows(
    monkeypatch: pytest.MonkeyPatch, tolerance: float, single: bool
) -> None:
    used: list[Any] = []

    class Spy(HaLRTCIteration):
        def __init__(self, *arguments: Any) -> None:
            used.append(arguments[-2])
            super().__init__(*arguments)

    monkeypatch.setattr(lrtc_tnn, "HaLRTCIteration", Spy)
    monkeypatch.setattr(lrtc_tnn, "_LARGE", 900)
    truth, known = low_rank_problem()
    done = complete(truth, known, tolerance=tolerance)
    assert used == [np.float32 if single else np.float64]
    np.testing.assert_allclose(done.model[known], truth[known], rtol=1e-14)


# Settings


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"truncation": 1.5}, r"The 'truncation' of lrtc-tnn must be a share, 0 to 1\. Got 1\.5 instead"),
        ({"truncation": -0.1}, "The 'truncation' of lrtc-tnn must be a number, 0 or more"),
        ({"weights": (1, -1, 1)}, "The 'weights' of lrtc-tnn must be numbers, 0 or more and not all 0, one per mode"),
        ({"penalty": 0.0}, "The 'penalty' of lrtc-tnn must be a number above 0"),
        ({"penalty_growth": 0.9}, "The 'penalty_growth' of lrtc-tnn must be 1 or more"),
        ({"tolerance": -1.0}, "The 'tolerance' of lrtc-tnn must be a number, 0 or more"),
        ({"max_iter": 0}, "The 'max_iter' of lrtc-tnn must be a whole number, 1 or more"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidSetting, match=sentence):
        LRTCTNN(**settings)


def test_weights_for_other_modes_are_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"must have 2 entries, one per mode\. Got \(1, 1, 1\) instead"):
        LRTCTNN(weights=(1, 1, 1)).refuses(ObservedTensor.from_array([[1.0, np.nan], [2.0, 3.0]]))


def test_what_does_not_fit_into_memory_is_refused() -> None:
    huge = ObservedTensor.from_coordinates(np.zeros((1, 3), dtype=int), [1.0], (10**5,) * 3)
    assert "works on the whole tensor" in (LRTCTNN().refuses(huge) or "")
