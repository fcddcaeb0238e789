"""Both solvers find the posterior mean of dense linear algebra, and tell the value they reached."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from dense_model import Drawn, drawn

from tensorfill.numerics.threads import thread_count
from tensorfill.spectral.bases import Cosines
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.hole_solver import HoleSolver, choose_solver
from tensorfill.spectral.hole_system import DeadSlices, depth_weights, solvable_slices
from tensorfill.spectral.scattered_solver import ScatteredSolver, Solver
from tensorfill.spectral.transform import Bins, Transform
from tensorfill.tensor import Array

DOUBLE = np.dtype(np.float64)
PROBLEMS = {
    "order 2": (("dct", "own"), (9, 7)),
    "order 3": (("dct", "fourier", "identity"), (6, 5, 4)),
    "order 4": (("own", "dct", "dct", "fourier"), (4, 3, 3, 5)),
}
every_problem = pytest.mark.parametrize("name", PROBLEMS)
both_solvers = pytest.mark.parametrize("kind", [ScatteredSolver, HoleSolver])


def given(name: str, share: float = 0.5) -> Drawn:
    return drawn(*PROBLEMS[name], share)


def solver(kind: type, problem: Drawn) -> Solver:
    return choose_solver(problem.prior, problem.data.mask, holes=kind is HoleSolver)


def inputs(problem: Drawn) -> tuple[Array, Array]:
    return problem.data.filled(problem.data.values), problem.prior.ratio(DOUBLE)


def dense_mean(problem: Drawn) -> Array:
    prior = problem.prior
    return problem.dense.posterior(prior.variances, prior.noise).mean.reshape(prior.transform.coefficient_shape)


def objective(problem: Drawn, c: Array) -> float:
    return problem.dense.objective(c, problem.prior.variances, problem.prior.noise)


@every_problem
@both_solvers
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("warm", [False, True])
def test_a_tight_tolerance_gives_the_posterior_mean(name: str, kind: type, share: float, warm: bool) -> None:
    problem = given(name, share)
    expected = dense_mean(problem)
    start = expected + np.random.default_rng(1).standard_normal(expected.shape) if warm else None
    found = solver(kind, problem).solve(*inputs(problem), start, 1e-20, 1000)
    np.testing.assert_allclose(found.coefficients, expected, atol=1e-8 * np.abs(expected).max())
    assert found.energy == pytest.approx(objective(problem, expected), rel=1e-8)


@every_problem
@both_solvers
def test_the_solution_is_the_best_start(name: str, kind: type) -> None:
    problem = given(name)
    assert solver(kind, problem).solve(*inputs(problem), dense_mean(problem), 1e-12, 1000).steps == 0


@every_problem
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("most", [0, 1, 3])
def test_the_energy_in_coefficients_is_the_objective_on_the_way(name: str, warm: bool, most: int) -> None:
    problem = given(name)
    start = np.random.default_rng(1).standard_normal(problem.truth.shape) if warm else None
    found = solver(ScatteredSolver, problem).solve(*inputs(problem), start, 0.0, most)
    assert found.steps == most
    assert found.energy == pytest.approx(objective(problem, found.coefficients), rel=1e-10)


@every_problem
@pytest.mark.parametrize("most", [0, 1, 3])
def test_the_energy_in_missing_entries_is_the_objective_of_the_filled_tensor(name: str, most: int) -> None:
    """If the missing entries were what it takes them for; never less than the objective itself."""
    problem = given(name)
    start = np.random.default_rng(1).standard_normal(problem.truth.shape)
    found = solver(HoleSolver, problem).solve(*inputs(problem), start, 0.0, most)
    ratio = problem.prior.ratio(DOUBLE)
    filled = (1 + ratio) * found.coefficients  # c = (1 − g) Qᵀ(y + u), and 1 − g = 1/(1 + ratio)
    assert found.energy == pytest.approx(np.sum(ratio / (1 + ratio) * filled**2), rel=1e-10)
    assert found.energy >= objective(problem, found.coefficients) - 1e-12


def preconditioned(problem: Drawn) -> Array:
    """Eigenvalues of the matrix with its diagonal preconditioner: all 1 if that were the inverse."""
    ratio = problem.prior.ratio(DOUBLE).reshape(-1)
    root = np.sqrt(problem.data.share + ratio)
    matrix = problem.dense.H.T @ problem.dense.H + np.diag(ratio)
    return np.linalg.eigvalsh(matrix / np.outer(root, root))


@every_problem
@both_solvers
def test_a_looser_tolerance_takes_fewer_steps_and_bounds_the_error(name: str, kind: type) -> None:
    problem = given(name)
    least = objective(problem, dense_mean(problem))
    weakest = preconditioned(problem).min() if kind is ScatteredSolver else 0.03
    steps = []
    for tolerance in (1e-1, 1e-3, 1e-6, 1e-10):
        found = solver(kind, problem).solve(*inputs(problem), None, tolerance, 1000)
        assert found.energy - least <= tolerance * found.energy / weakest + 1e-12
        steps.append(found.steps)
    assert steps == sorted(steps)
    assert steps[0] < steps[-1]


@every_problem
@both_solvers
def test_another_energy_sets_the_scale_of_the_tolerance(name: str, kind: type) -> None:
    problem = given(name)
    solve = solver(kind, problem).solve
    plain = solve(*inputs(problem), None, 1e-6, 1000)
    assert solve(*inputs(problem), None, 1e-3, 1000, 1e-3 * plain.energy).steps == pytest.approx(plain.steps, abs=1)
    assert solve(*inputs(problem), None, 1e-6, 1000, 1e9).steps == 0


@both_solvers
def test_nothing_known_of_the_signal_gives_zero(kind: type) -> None:
    problem = given("order 3")
    y, ratio = inputs(problem)
    found = solver(kind, problem).solve(0 * y, ratio, None, 1e-6, 100)
    assert not found.coefficients.any()
    assert (found.steps, found.energy) == (0, 0.0)


def test_everything_known_is_a_filter() -> None:
    problem = given("order 3")
    everywhere = np.ones(problem.truth.shape, dtype=bool)
    ratio = problem.prior.ratio(DOUBLE)
    expected = problem.prior.transform.to_coefficients(problem.truth) / (1 + ratio)
    for holes in (False, True):
        solver = choose_solver(problem.prior, everywhere, holes=holes)
        found = solver.solve(problem.truth, ratio, None, 1e-20, 100)
        np.testing.assert_allclose(found.coefficients, expected, atol=1e-10)


def test_the_bound_for_holes_is_one_that_gets_furthest() -> None:
    problem = drawn(("dct", "dct"), (12, 10), 0.9)
    mask = np.ones(problem.truth.shape, dtype=bool)
    mask[3:9, 2:8] = False
    data = KnownData(mask, problem.truth[mask])
    y, ratio = data.filled(data.values), problem.prior.ratio(DOUBLE)
    transform, bins = problem.prior.transform, problem.prior.bins
    assert isinstance(transform, Transform)
    assert isinstance(bins, Bins)
    best = HoleSolver(transform, bins, mask)
    best.find_bound(y, ratio, None)
    reached = [
        HoleSolver(transform, bins, mask, bound).solve(y, ratio, None, 0.0, 6).energy
        for bound in (1e-4, 1e-3, 1e-2, 1e-1, best.bound)
    ]
    assert min(reached) == reached[-1]


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("lost", [[2], [0, 1], [0, 2, 3]], ids=str)
def test_lost_slices_take_one_step(mode: int, lost: list[int]) -> None:
    """Their inverse is as exact as single precision needs: lost frames, bands and rows cost next to nothing."""
    problem = drawn(("dct", "own", "fourier"), (6, 5, 4), 1.0)
    mask = np.ones(problem.truth.shape, dtype=bool)
    np.moveaxis(mask, mode, 0)[lost] = False
    part = problem.knowing(mask)
    found = solver(HoleSolver, part).solve(*inputs(part), None, 1e-9, 100)
    np.testing.assert_allclose(found.coefficients, dense_mean(part), atol=1e-4 * np.abs(dense_mean(part)).max())
    assert found.steps == 1


def test_lost_slices_among_other_holes_and_in_several_modes() -> None:
    problem = drawn(("dct", "own", "fourier"), (6, 5, 4), 1.0)
    mask = np.ones(problem.truth.shape, dtype=bool)
    mask[2], mask[:, 3], mask[4:, :2, 1:] = False, False, False
    part = problem.knowing(mask)
    found = solver(HoleSolver, part).solve(*inputs(part), None, 1e-20, 1000)
    np.testing.assert_allclose(found.coefficients, dense_mean(part), atol=1e-8 * np.abs(dense_mean(part)).max())


@both_solvers
def test_single_precision_finds_nearly_the_same(kind: type) -> None:
    problem = given("order 3")
    y, ratio = (array.astype(np.float32) for array in inputs(problem))
    found = solver(kind, problem).solve(y, ratio, None, 1e-10, 200)
    assert found.coefficients.dtype == np.float32
    expected = dense_mean(problem)
    assert np.linalg.norm(found.coefficients - expected) <= 1e-4 * np.linalg.norm(expected)


@pytest.fixture(name="_many_threads")
def _threads() -> Iterator[None]:
    yield
    thread_count.cache_clear()


@both_solvers
@pytest.mark.usefixtures("_many_threads")
def test_the_same_bits_on_any_number_of_threads(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = given("order 4")
    y, ratio = (array.astype(np.float32) for array in inputs(problem))
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("TENSORFILL_THREADS", threads)
        thread_count.cache_clear()
        found.append(solver(kind, problem).solve(y, ratio, None, 1e-6, 20).coefficients)
    np.testing.assert_array_equal(*found)


def test_threads_do_not_mix_up_the_inverses_of_lost_slices() -> None:
    """Systems that are solved at the same time share the lost slices, and have a g of their own."""
    problem = drawn(("dct", "own"), (6, 5), 1.0)
    transform, bins = problem.prior.transform, problem.prior.bins
    assert isinstance(transform, Transform)
    assert isinstance(bins, Bins)
    weights = [np.full((6, 5), value) for value in (0.1, 0.2)]
    expected = [DeadSlices(transform, bins, 0, np.array([1, 4])).inverses(g) for g in weights]
    shared = DeadSlices(transform, bins, 0, np.array([1, 4]))

    def wrong(number: int) -> int:
        return sum(not np.array_equal(shared.inverses(weights[number]), expected[number]) for _ in range(300))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as threads:
            assert list(threads.map(wrong, (0, 1))) == [0, 0]
    finally:
        sys.setswitchinterval(before)


# Slices of which nothing is known


def transform_of(shape: tuple[int, ...]) -> Transform:
    return Transform([Cosines(size) for size in shape])


@pytest.mark.parametrize("shape", [(5, 4, 12), (120, 90, 12)])  # bins of one coefficient, and of many
def test_it_is_the_inverse_of_the_dense_matrix(shape: tuple[int, ...]) -> None:
    transform, lost, rng = transform_of(shape), np.array([3, 4, 9]), np.random.default_rng(0)
    bins = Bins(transform.bases)
    g = bins.spread(rng.random(bins.shape) + 0.1, np.dtype(np.float64))
    slices = DeadSlices(transform, bins, 2, lost)
    r = rng.random(shape)
    z = np.zeros(shape)
    slices.add_to(z, r, slices.inverses(g))

    back = transform.to_entries(g * transform.to_coefficients(z))  # (Q g Qᵀ) z
    np.testing.assert_allclose(back[..., lost], r[..., lost], atol=1e-6)
    others = np.delete(np.arange(shape[2]), lost)
    assert not z[..., others].any()


def test_so_many_slices_that_their_inverse_costs_more_than_it_brings_are_left_to_iterations() -> None:
    few, many = np.zeros((2, 3000), dtype=bool), np.zeros((2, 3000), dtype=bool)
    few[:, 100:120] = True
    many[:, 100:1000] = True
    bins = Bins(transform_of(few.shape).bases)
    assert [mode for mode, _ in solvable_slices(bins, few)] == [1]
    assert not list(solvable_slices(bins, many))


# How deep an entry lies


def test_nothing_is_open_at_known_entries() -> None:
    missing = np.zeros((8, 9, 3), dtype=bool)
    missing[2:7, 3:8] = True
    weights = depth_weights(missing, np.float64)
    assert not weights[~missing].any()
    assert (weights[missing] > 0).all()
    assert (weights < 1).all()


def test_the_middle_of_a_hole_is_deepest() -> None:
    missing = np.zeros((30, 31), dtype=bool)
    missing[5:26, 5:26] = True
    weights = depth_weights(missing, np.float64)
    assert np.unravel_index(weights.argmax(), weights.shape) == (15, 15)
    np.testing.assert_allclose(weights[15, 5:16], np.sqrt(np.arange(1, 12) / np.arange(9, 20)))


def test_a_channel_with_nothing_known_is_open_whatever_the_others_know() -> None:
    missing = np.zeros((8, 9, 3), dtype=bool)
    missing[..., 1] = True
    weights = depth_weights(missing, np.float64)
    assert (weights[..., 1] == 1).all()
    assert not weights[..., [0, 2]].any()


def test_a_mask_that_is_the_same_in_all_frames_gives_the_same_weights_in_all() -> None:
    missing = np.random.default_rng(0).random((12, 10, 1)) < 0.6
    whole = depth_weights(np.repeat(missing, 5, axis=2), np.float32)
    np.testing.assert_array_equal(whole, np.repeat(depth_weights(missing, np.float32), 5, axis=2))
