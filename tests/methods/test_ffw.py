"""FFW: the laws of Frank-Wolfe over the scaled latent nuclear norm, and the formulas once more, slowly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ffw_formulas import Transcription, spread
from numpy.typing import NDArray

from tensorfill.completion import Snapshot
from tensorfill.methods.ffw import FFW
from tensorfill.methods.frank_wolfe import KnownValues, LatentFrankWolfe
from tensorfill.numerics.singular_values import project_onto_l1_ball
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import unfold

Array = NDArray[np.float64]


def small(shape: tuple[int, ...] = (8, 7, 5), share: float = 0.5, seed: int = 0) -> ObservedTensor:
    """Low rank and noise, largest value 1."""
    rng = np.random.default_rng(seed)
    letters = "abcde"[: len(shape)]
    factors = [rng.random((size, 2)) for size in shape]
    data = np.einsum(",".join(f"{letter}r" for letter in letters) + "->" + letters, *factors)
    data += 0.1 * rng.random(shape)
    known = rng.random(shape) < share
    known.flat[0] = True
    return ObservedTensor.from_array(data / data[known].max(), known)


def solver(data: ObservedTensor, tau: float, modes: tuple[int, ...] | None = None) -> LatentFrankWolfe:
    return LatentFrankWolfe(
        KnownValues.of(data, tuple(range(data.order)) if modes is None else modes), tau, FFW.internals
    )


def latent_norm(run: LatentFrankWolfe, shape: tuple[int, ...]) -> float:
    """Of the components as they are: an upper bound of the norm, which is the least over all ways to split."""
    return sum(
        float(np.linalg.svd(pair.X @ pair.Y, compute_uv=False).sum()) / np.sqrt(shape[pair.mode])
        for pair in run.estimate().pairs
    )


def gap(run: LatentFrankWolfe, data: ObservedTensor) -> float:
    """<E, S − X> with S the exact best atom."""
    E = spread(data, run.residual)
    best = max(np.sqrt(n) * np.linalg.norm(unfold(E, k), 2) for k, n in enumerate(data.shape))
    return run.tau * float(best) - float(np.sum(E * run.estimate().dense()))


@pytest.mark.parametrize("shape", [(8, 7, 5), (9, 6), (5, 4, 3, 3), (7, 6, 1)], ids=str)
@pytest.mark.parametrize("tau", [2.0, 20.0])
def test_it_does_what_the_formulas_say(shape: tuple[int, ...], tau: float) -> None:
    data = small(shape)
    fast, slow = solver(data, tau), Transcription(data, tau)
    ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
    for iteration in range(12):
        fast.step(ours)
        slow.step(theirs)
        if iteration > 4:
            fast.reduce(0.4)
            slow.reduce(0.4)
            assert fast.count == sum(len(atoms) for atoms in slow.atoms)
        for found, mode in zip(fast.estimate().components(), range(len(shape)), strict=True):
            np.testing.assert_allclose(found, slow.component(mode), atol=1e-8)


def test_the_residual_is_that_of_the_estimate() -> None:
    data = small()
    run, rng = solver(data, 10.0), np.random.default_rng(0)
    for _ in range(60):
        run.step(rng)
        run.reduce(0.4)
    np.testing.assert_allclose(run.residual, data.values - run.estimate().dense()[data.mask()], atol=1e-12)


# Laws


@pytest.mark.parametrize("tau", [0.5, 3.0, 50.0])
def test_neither_a_step_nor_a_reduction_ever_raises_the_cost_or_leaves_the_ball(tau: float) -> None:
    data = small((12, 10, 6))
    run, rng = solver(data, tau), np.random.default_rng(0)
    for iteration in range(60):
        before = run.cost
        run.step(rng)
        assert run.cost <= before * (1 + 1e-12)
        assert latent_norm(run, data.shape) <= tau * (1 + 1e-12)
        if iteration % 3 == 2:
            before, norm, count = run.cost, latent_norm(run, data.shape), run.count
            run.reduce(0.4)
            assert run.cost <= before * (1 + 1e-12)
            assert latent_norm(run, data.shape) <= norm * (1 + 1e-12)
            assert run.count <= count


def test_the_gap_bounds_the_distance_to_the_optimum() -> None:
    data, tau = small((6, 5, 4)), 0.8
    long, rng = solver(data, tau), np.random.default_rng(1)
    for _ in range(1000):
        long.step(rng)
        long.reduce(1.0)
    assert abs(gap(long, data)) < 1e-3 * long.cost, "the long run is at the optimum"
    run, rng = solver(data, tau), np.random.default_rng(0)
    gaps = []
    for _ in range(30):
        gaps.append(gap(run, data))
        assert run.cost - long.cost <= gaps[-1] * (1 + 1e-9)
        run.step(rng)
    assert gaps[-1] < 0.1 * gaps[0]


def test_the_optimum_is_that_of_an_independent_solver() -> None:
    cp = pytest.importorskip("cvxpy")
    data, tau = small((5, 4), seed=2), 0.8
    parts = [cp.Variable(data.shape) for _ in data.shape]
    norm = sum(cp.normNuc(part) / np.sqrt(n) for part, n in zip(parts, data.shape, strict=True))
    misfit = cp.multiply(data.mask().astype(float), sum(parts) - spread(data, data.values))
    optimum = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(misfit)), [norm <= tau]).solve(solver=cp.CLARABEL)
    run, rng = solver(data, tau), np.random.default_rng(0)
    for _ in range(300):
        run.step(rng)
        run.reduce(1.0)
    assert run.cost == pytest.approx(optimum, rel=1e-3)
    assert run.cost >= optimum * (1 - 1e-5)


def test_a_reduction_lets_go_of_atoms() -> None:
    data = small((12, 10, 6))
    run, rng = solver(data, 3.0), np.random.default_rng(0)
    for _ in range(40):
        run.step(rng)
    for _ in range(20):
        run.reduce(0.4)
    assert run.count < 30


@pytest.mark.parametrize("radius", [0.0, 0.5, 2.0, 5.0, 100.0])
def test_the_projection_onto_the_ball_is_the_nearest_point(radius: float) -> None:
    rng = np.random.default_rng(0)
    sigma = np.sort(rng.random(9))[::-1]
    found = project_onto_l1_ball(sigma, radius)
    assert found.min() >= 0
    assert found.sum() <= radius + 1e-12
    for other in rng.random((200, 9)):
        other *= min(1.0, radius / other.sum())
        assert np.linalg.norm(found - sigma) <= np.linalg.norm(other - sigma) + 1e-12


# As a method


def rmse(found: Array, truth: Array) -> float:
    return float(np.sqrt(np.mean((found - truth) ** 2)))


def low_rank(seed: int = 0) -> tuple[Array, NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    data = np.einsum("ar,br,cr->abc", *(rng.random((size, 2)) for size in (25, 20, 15)))
    return data / data.max(), rng.random(data.shape) < 0.4


def run(data: Array, known: NDArray[np.bool_], **settings: Any) -> Any:
    return FFW(**settings).complete(ObservedTensor.from_array(data, known), rng=np.random.default_rng(0))


def test_without_tau_it_finds_one_that_predicts_well() -> None:
    data, known = low_rank()
    found = run(data, known, max_iter=100)
    errors = [rmse(run(data, known, max_iter=100, tau=found.settings["tau"] * by).model, data) for by in (0.25, 8.0)]
    assert rmse(found.model, data) < min(errors)
    assert rmse(found.model, data) < 0.03
    assert found.settings["tau"] > 0
    assert set(found.settings) == {"tau", "standardize", "modes", "max_iter", "shrink_after", "max_atoms", "step"}


def test_the_search_for_tau_is_part_of_the_time() -> None:
    data, known = low_rank()
    run(data, known, max_iter=2)
    assert run(data, known, max_iter=50).history.seconds[0] > run(data, known, max_iter=50, tau=5.0).history.seconds[0]


def test_standardizing_does_not_care_about_an_added_constant() -> None:
    data, known = low_rank()
    plain = run(data, known, standardize=True, tau=20.0, max_iter=30)
    raised = run(data + 3.0, known, standardize=True, tau=20.0, max_iter=30)
    np.testing.assert_allclose(raised.model, plain.model + 3.0, atol=1e-8)
    np.testing.assert_allclose(np.sum(raised.components, axis=0), raised.model, atol=1e-10)
    assert rmse(run(data + 3.0, known, tau=20.0, max_iter=30).model, plain.model + 3.0) > 1e-3


def test_only_the_modes_asked_for_carry_components() -> None:
    data, known = low_rank()
    done = run(data, known, modes=[3, 1], tau=10.0, max_iter=30)
    assert done.settings["modes"] == (3, 1)
    assert len(done.components) == 2
    one = run(data, known, modes=[2], tau=10.0, max_iter=10)
    unseen = ~unfold(known, 1).any(axis=0)
    assert np.all(unfold(one.model, 1)[:, unseen] == 0), "a fibre in which nothing is known gets nothing"


def test_the_cost_is_that_of_what_a_watcher_is_shown() -> None:
    data, known = low_rank()
    seen: list[Snapshot] = []
    method = FFW(tau=5.0, max_iter=20, shrink_after=5)
    method.complete(ObservedTensor.from_array(data, known), rng=np.random.default_rng(0), watch=seen.append)
    assert len(seen) == 21
    for snapshot in seen:
        cost = 0.5 * np.sum(((snapshot.estimate.dense() - data)[known] / data[known].max()) ** 2)
        assert snapshot.step.cost == pytest.approx(cost)


def test_it_stops_at_the_most_atoms_and_says_so() -> None:
    data, known = low_rank()
    done = run(data + 0.1 * np.random.default_rng(0).random(data.shape), known, tau=50.0, max_atoms=7)
    assert (done.stop.kind, done.iterations < 200) == ("stalled", True)
    assert "max_atoms=7" in done.stop.sentence


def test_it_stops_when_everything_known_is_met() -> None:
    known = np.ones((4, 3), dtype=bool)
    known[1, 1] = False
    done = run(np.full((4, 3), 2.0), known, standardize=True)
    assert (done.stop.kind, done.iterations) == ("fit", 0)
    np.testing.assert_allclose(done.model, 2.0)


@pytest.mark.parametrize("settings", [{}, {"standardize": True}, {"tau": 4.0}], ids=str)
def test_traps(settings: dict[str, Any]) -> None:
    one = np.zeros((4, 3, 5), dtype=bool)
    one[2, 1, 3] = True
    slices = np.random.default_rng(0).random((4, 3, 5)) < 0.7
    slices[1] = slices[:, 2] = False
    ramp = np.arange(60.0).reshape(4, 3, 5)
    column = ramp.reshape(60, 1, 1)
    problems = [
        (ramp, one),
        (ramp, slices),
        (column, (column < 9) | (column == 40)),
        (np.ones((4, 3, 5)), slices),
        (np.zeros((4, 3, 5)), slices),
        (np.where(ramp == 7, 1.0, 0.0), slices | (ramp == 7)),
    ]
    for data, known in problems:
        done = run(data, known, max_iter=60, **settings)
        assert np.isfinite(done.model).all()
        assert np.isfinite(done.history.cost).all()


def test_modes_that_the_tensor_does_not_have_are_refused() -> None:
    assert FFW(modes=[1, 3]).refuses(small((5, 4, 3))) is None
    assert FFW(modes=[1, 3]).refuses(small((5, 4))) == (
        "The 'modes' of ffw must not go beyond 2, as many as the tensor has."
    )
