"""`lrtc-tv`: the steps of its two ADMMs, what they lead to, and the settings."""

from __future__ import annotations

import itertools
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from lrtc_tv_formulas import TRANSCRIPTS, TuckerTranscript, differences, soft
from smooth_tensor import observed, smooth_tensor

from tensorfill.completion import Snapshot
from tensorfill.methods.lrtc_tv import LRTCTV, SmoothTuckerSolver, TraceNormSolver
from tensorfill.methods.lrtc_tv_smoothing import SmoothTensor
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, unfold

SHAPES = [(6, 3, 5), (7, 5), (3, 4, 2, 3), (4, 1, 3)]
SETTINGS = {
    TraceNormSolver: {"tv_weight": 0.02, "penalty": 0.1, "penalty_growth": 1.05, "smooth_modes": (1, 2)},
    SmoothTuckerSolver: {
        "tv_weight": 0.1,
        "penalty": 0.05,
        "penalty_growth": 1.1,
        "smooth_modes": (1, 2),
        "core_weight": 3.0,
    },
}
State = TraceNormSolver | SmoothTuckerSolver
both_variants = pytest.mark.parametrize("kind", [TraceNormSolver, SmoothTuckerSolver])


def complete(truth: Array, known: Array, seed: int = 0, **settings: Any) -> Any:
    method = LRTCTV(**settings)
    return method.complete(ObservedTensor.from_array(truth, known), rng=np.random.default_rng(seed))


@both_variants
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_steps_are_those_of_the_formulas(kind: Any, shape: tuple[int, ...]) -> None:
    data = observed(shape)
    state = kind(data, SETTINGS[kind], np.random.default_rng(0), LRTCTV.internals)
    naive = TRANSCRIPTS[kind](state, data)
    for _ in range(8):
        state.step()
        naive.step()
        np.testing.assert_allclose(state.estimate().dense(), naive.Z, atol=1e-9)
        np.testing.assert_allclose(state.cost, naive.cost, rtol=1e-8)
        assert state.penalty == pytest.approx(naive.rho)


def test_the_model_of_variant_two_is_that_of_the_formulas_though_its_factors_are_turned() -> None:
    data = observed((6, 3, 5))
    state = SmoothTuckerSolver(data, SETTINGS[SmoothTuckerSolver], np.random.default_rng(0), LRTCTV.internals)
    naive = TuckerTranscript(state, data)
    for _ in range(4):
        state.step()
        naive.step()
    np.testing.assert_allclose(state.model.transpose(state.tensor.order.axis), naive.model(), atol=1e-9)
    np.testing.assert_allclose(state.multiplier.transpose(state.tensor.order.axis), naive.W, atol=1e-9)
    for factor in state.factors:
        square = factor.T @ factor
        np.testing.assert_allclose(square, np.diag(np.diag(square)), atol=1e-10 * np.abs(square).max())


# Single steps


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_smooth_copies_solve_their_linear_system(shape: tuple[int, ...]) -> None:
    tensor, penalty = SmoothTensor(observed(shape), (0, 1), np.random.default_rng(0)), 0.3
    n = 0
    axis = tensor.order.axis[n]
    before = [unfold(array[n], axis).copy() for array in (tensor.copies, tensor.slopes, tensor.ties)]
    tensor.smooth(0.05, penalty)
    R, Lam, Phi = before[0], before[1][:-1], before[2]
    F = differences(shape[n])
    Q = soft(F @ R - Lam / penalty, 0.05 / penalty)
    found = unfold(tensor.copies[n], axis)
    left = (penalty * F.T @ F + penalty * np.eye(len(found))) @ found
    right = F.T @ Lam + penalty * F.T @ Q + penalty * unfold(tensor.values, axis) - Phi
    np.testing.assert_allclose(left, right, atol=1e-12)
    np.testing.assert_allclose(unfold(tensor.slopes[n], axis)[:-1], Lam + penalty * (Q - F @ found), atol=1e-12)


def test_the_smooth_step_does_not_depend_on_how_the_fibres_are_cut_into_pieces(monkeypatch: Any) -> None:
    found = []
    for width, piece in ((512, 2**15), (3, 1), (2, 64)):
        monkeypatch.setattr("tensorfill.methods.lrtc_tv_smoothing._WIDTH", width)
        monkeypatch.setattr("tensorfill.methods.lrtc_tv_smoothing._PIECE", piece)
        tensor = SmoothTensor(observed((6, 3, 5)), (0, 1, 2), np.random.default_rng(0))
        tensor.smooth(0.1, 0.2)
        tensor.agree(np.ones((1, *tensor.values.shape)), 0.2)
        found.append(np.stack([*tensor.copies, *tensor.slopes, *tensor.ties, tensor.values]))
    np.testing.assert_allclose(found[1], found[0], atol=1e-14)
    np.testing.assert_allclose(found[2], found[0], atol=1e-14)


# Where it leads


def residuals(state: State) -> Array:
    """How far the copies are from what they should equal: R_n from Z, then M_n from Z or the Tucker tensor from Z."""
    penalty = state.penalty
    old = state.multipliers.copy() if isinstance(state, TraceNormSolver) else np.zeros(())
    state.step()
    Z = state.tensor.values
    smooth = np.linalg.norm(state.tensor.copies - Z)
    rest = (state.multipliers - old) / penalty if isinstance(state, TraceNormSolver) else state.model - Z
    return np.array([smooth, np.linalg.norm(rest)]) / np.linalg.norm(Z)


@both_variants
def test_the_copies_come_to_agree(kind: Any) -> None:
    state = kind(observed((12, 10, 4)), SETTINGS[kind], np.random.default_rng(0), LRTCTV.internals)
    history = np.array([residuals(state) for _ in range(200)])
    assert (history[0] > 0.1).all()
    assert (history[99] < 0.1 * history[0]).all()
    assert (history[199] < 1e-3).all()
    assert (history[199] < 0.1 * history[99]).all()


def test_variant_one_finds_what_a_convex_solver_finds() -> None:
    """With a penalty that does not grow, ADMM goes to the minimum of the convex problem."""
    truth, known = smooth_tensor((5, 4, 3))
    truth = truth + 0.3 * np.random.default_rng(0).random(truth.shape)
    scale = truth[known].max()
    places = np.arange(truth.size).reshape(truth.shape)
    Z = cp.Variable(truth.size)
    unfoldings = [cp.reshape(Z[unfold(places, n).reshape(-1)], unfold(places, n).shape, order="C") for n in range(3)]
    norms = sum(cp.normNuc(matrix) for matrix in unfoldings) / 3
    jumps = sum(cp.sum(cp.abs(cp.diff(matrix, axis=0))) for matrix in unfoldings[:2])
    problem = cp.Problem(cp.Minimize(norms + 0.02 * jumps), [Z[places[known]] == truth[known] / scale])
    problem.solve(solver="CLARABEL")
    done = complete(truth, known, penalty=0.5, penalty_growth=1.0, max_iter=5000, tolerance=1e-9)
    np.testing.assert_allclose(done.history.cost[-1], problem.value, rtol=1e-5)
    np.testing.assert_allclose(done.model / scale, Z.value.reshape(truth.shape), atol=1e-3)


@pytest.mark.parametrize("variant", ["I", "II"])
def test_smooth_data_is_completed(variant: str) -> None:
    truth, known = smooth_tensor((24, 20, 4), share=0.3)
    error = np.sqrt(np.mean((complete(truth, known, variant=variant).model - truth)[~known] ** 2))
    mean = np.sqrt(np.mean((truth[known].mean() - truth)[~known] ** 2))
    assert error < 0.2 * mean


def test_a_slice_of_which_nothing_is_known_stays_zero_unless_its_mode_is_smooth() -> None:
    truth, known = smooth_tensor((12, 10, 4), share=0.7)
    known[5] = False
    np.testing.assert_allclose(complete(truth, known, smooth_modes=(2,)).model[5], 0.0, atol=1e-3)
    assert (complete(truth, known).model[5] > 0.5 * truth[5]).all()
    np.testing.assert_allclose(complete(truth, known, tv_weight=0.1).model[5], truth[5], atol=0.1)


# How it stops, and what it says


def test_variant_one_stops_when_the_tensor_hardly_changes() -> None:
    truth, known = smooth_tensor((12, 10, 4))
    seen: list[Array] = []

    def watch(snapshot: Snapshot) -> None:
        seen.append(snapshot.estimate.dense())

    data = ObservedTensor.from_array(truth, known)
    done = LRTCTV(tolerance=1e-3).complete(data, rng=np.random.default_rng(0), watch=watch)
    changes = [np.linalg.norm(b - a) / np.linalg.norm(b) for a, b in itertools.pairwise(seen)]
    assert done.stop.kind == "change"
    assert changes[-1] < 1e-3
    assert min(changes[:-1]) >= 1e-3


def test_variant_two_makes_all_its_iterations_unless_a_tolerance_is_given() -> None:
    truth, known = smooth_tensor((24, 20, 4))
    assert complete(truth, known, variant="II", max_iter=120).stop.kind == "iterations"
    assert complete(truth, known, variant="II", max_iter=120, tolerance=1e-3).stop.kind == "change"


def test_variant_one_does_not_stop_before_the_penalty_lets_low_rank_begin() -> None:
    """With nothing smooth, Z stays zero-filled as long as every singular value is below the threshold."""
    truth, known = smooth_tensor((12, 10, 4))
    done = complete(truth, known, smooth_modes=())
    assert done.stop.kind == "change"
    assert np.sqrt(np.mean((done.model - truth) ** 2)) < 0.02


def test_variant_two_says_so_when_its_tucker_tensor_shrinks_to_zero() -> None:
    truth, known = smooth_tensor((6, 5, 4))
    done = complete(0.1 * truth + 0.9 * (np.arange(truth.size) == 7).reshape(truth.shape), known, variant="II")
    assert done.stop.kind == "stalled"
    assert "the Tucker tensor has shrunk to zero" in done.stop.sentence


def test_settings_left_open_are_those_of_the_authors() -> None:
    truth, known = smooth_tensor((12, 10, 4))
    one = complete(truth, known, max_iter=1).settings
    two = complete(truth, known, variant="II", max_iter=1).settings
    names = ("tv_weight", "penalty", "penalty_growth", "tolerance", "smooth_modes")
    assert [one[name] for name in names] == [0.02, 1e-3, 1.05, 1e-6, (1, 2)]
    assert [two[name] for name in names] == [0.5, 1e-2, 1.1, 0.0, (1, 2)]
    assert (two["core_weight"], LRTCTV().max_iter) == (1000.0, 301)


@pytest.mark.parametrize("variant", ["I", "II"])
@pytest.mark.parametrize("smooth_modes", [(), (3,), (1, 2, 3), [2, 1]])
def test_any_modes_can_be_smooth(variant: str, smooth_modes: Any) -> None:
    truth, known = smooth_tensor((12, 10, 4))
    done = complete(truth, known, variant=variant, smooth_modes=smooth_modes, max_iter=60)
    assert np.isfinite(done.model).all()
    assert done.settings["smooth_modes"] == tuple(sorted(smooth_modes))
