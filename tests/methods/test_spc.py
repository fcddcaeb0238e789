"""`spc`: its steps against the formulas, the laws of its parts, how it grows and stops, and the settings."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from spc_formulas import Transcript, rank_one

from tensorfill.completion import Snapshot
from tensorfill.iterating import follow
from tensorfill.methods.spc import SPC, SPCSolver, best_vector
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

SHAPES = [(6, 7), (7, 5, 3), (3, 5, 6), (5, 1, 4), (3, 4, 5, 2), (3, 2, 4, 2, 3)]
LIMITS = {"snr": 40.0, "updates": 3, "growth": 2, "growth_tolerance": 0.05, "max_rank": 12, "tolerance": 1e-4}
VARIANTS = ["quadratic", "total-variation"]
both_variants = pytest.mark.parametrize("variant", VARIANTS)


def smooth_problem(shape: tuple[int, ...] = (14, 12, 6), share: float = 0.5) -> tuple[Array, Array]:
    """A smooth tensor with largest value 1, and which of it is known."""
    waves = [1.5 + np.sin(np.linspace(0.0, 2.0 + mode, size)) for mode, size in enumerate(shape)]
    truth = rank_one(waves)
    truth = truth + 0.3 * np.sqrt(truth * truth.max())
    return truth / truth.max(), np.random.default_rng(0).random(shape) < share


def rough_data(shape: tuple[int, ...]) -> ObservedTensor:
    rng = np.random.default_rng(1)
    known = rng.random(shape) < 0.5
    known.flat[:2] = True, False
    return ObservedTensor.from_array(rng.random(shape), known)


def plan(shape: tuple[int, ...], variant: str, **others: Any) -> dict[str, Any]:
    scale = 1.0 if variant == "quadratic" else 0.1
    smoothness = tuple(scale * weight for weight in (0.7, 0.0, 1.3, 0.2, 0.5)[: len(shape)])
    return {**LIMITS, "variant": variant, "smoothness": smoothness, **others}


def complete(truth: Array, known: Array, seed: int = 0, **settings: Any) -> Any:
    return SPC(**settings).complete(ObservedTensor.from_array(truth, known), rng=np.random.default_rng(seed))


# Single steps


@both_variants
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_iterations_are_those_of_the_formulas(variant: str, shape: tuple[int, ...]) -> None:
    data, settings = rough_data(shape), plan(shape, variant)
    naive = Transcript(data, settings, np.random.default_rng(0))
    states = follow(SPCSolver(data, settings, np.random.default_rng(0)))
    sizes = []
    for state in itertools.islice(states, 13):
        expected = np.where(naive.known, naive.Y, naive.Z())
        np.testing.assert_allclose(state.estimate.dense(), expected, atol=1e-8)
        np.testing.assert_allclose(state.cost, naive.cost(), rtol=1e-8)
        sizes.append(len(naive.parts))
        if len(sizes) > 1:
            assert len(state.estimate.estimate.parts) == sizes[-2]  # type: ignore[attr-defined]
        naive.iterate()
    assert sizes[-1] > sizes[0], "it has grown on the way"


@both_variants
def test_the_cost_never_rises(variant: str) -> None:
    for shape in ((9, 8, 7), (12, 10)):
        run = follow(SPCSolver(rough_data(shape), plan(shape, variant), np.random.default_rng(0)))
        costs = np.array([state.cost for state in itertools.islice(run, 80)])
        assert costs[-1] < 0.5 * costs[0]
        assert (np.diff(costs) <= 1e-12 * costs[0]).all()


def test_no_other_vector_and_weight_are_better_in_the_quadratic_variant() -> None:
    rng, ridge, rho = np.random.default_rng(0), 1.4, 0.8
    c, out = rng.standard_normal(9), np.ones(9) / 3

    def cost(a: Array, g: float) -> float:
        return float(0.5 * g**2 * (ridge + rho * np.sum(np.diff(a) ** 2)) - g * a @ c)

    g, rough = best_vector(c, 0.0, ridge, rho, True, out)
    assert np.linalg.norm(out) == pytest.approx(1.0)
    assert rough == pytest.approx(rho * np.sum(np.diff(out) ** 2))
    for _ in range(200):
        other = out + rng.choice([1e-3, 0.1, 1.0]) * rng.standard_normal(9)
        assert cost(other / np.linalg.norm(other), g * rng.uniform(0.7, 1.3)) >= cost(out, g)


def test_no_other_vector_is_better_for_the_weight_and_no_weight_for_the_vector_with_total_variation() -> None:
    rng, ridge, rho, g = np.random.default_rng(0), 1.4, 0.8, 1.2
    c, out = rng.standard_normal(9), np.ones(9) / 3

    def cost(a: Array, g: float) -> float:
        return float(0.5 * g**2 * (ridge + rho * np.sum(np.abs(np.diff(a)))) - g * a @ c)

    new, rough = best_vector(c, g, ridge, rho, False, out)
    assert np.linalg.norm(out) == pytest.approx(1.0)
    assert rough == pytest.approx(rho * np.sum(np.abs(np.diff(out))))
    for _ in range(200):
        other = out + rng.choice([1e-3, 0.1, 1.0]) * rng.standard_normal(9)
        assert cost(other / np.linalg.norm(other), g) >= cost(out, g)
        assert cost(out, new * rng.uniform(0.7, 1.3)) >= cost(out, new)


@both_variants
def test_a_component_with_nothing_to_fit_gets_no_weight(variant: str) -> None:
    before = np.array([0.6, 0.8])
    out = before.copy()
    assert best_vector(np.zeros(2), 1.0, 1.0, 0.5, variant == "quadratic", out)[0] == 0.0
    np.testing.assert_array_equal(out, before)


@both_variants
def test_the_residual_is_what_the_components_leave(variant: str) -> None:
    data = rough_data((9, 8, 7))
    state = SPCSolver(data, plan(data.shape, variant), np.random.default_rng(0))
    for progress in itertools.islice(follow(state), 60):
        model = progress.estimate.estimate.model().dense()  # type: ignore[attr-defined]
    missed = (data.values - model[data.mask()])[state._sampled.order]
    np.testing.assert_allclose(state.residual, missed, atol=1e-12)


def test_the_full_tensor_does_not_depend_on_how_many_components_are_added_at_a_time(monkeypatch: Any) -> None:
    truth, known = smooth_problem((6, 5, 4, 3))
    done = complete(truth, known, max_iter=30, snr=60.0)
    whole = done.estimate.dense()
    monkeypatch.setattr("tensorfill.methods.spc._AT_ONCE", 64)
    np.testing.assert_allclose(done.estimate.dense(), whole, atol=1e-13)


# Where it leads


@pytest.mark.parametrize("variant", VARIANTS)
def test_smooth_data_is_completed_and_known_entries_are_kept(variant: str) -> None:
    truth, known = smooth_problem((24, 20, 6), share=0.2)
    done = complete(truth, known, variant=variant, snr=45.0)
    np.testing.assert_allclose(done.model[known], truth[known], rtol=1e-13)
    error = np.sqrt(np.mean((done.model - truth)[~known] ** 2))
    mean = np.sqrt(np.mean((truth[known].mean() - truth)[~known] ** 2))
    assert error < 0.05 * mean


def test_a_slice_of_which_nothing_is_known_is_filled_by_its_neighbours_if_its_mode_is_smooth() -> None:
    truth, known = smooth_problem()
    known[5] = False
    np.testing.assert_allclose(complete(truth, known, snr=50.0).model[5], truth[5], atol=0.05)
    np.testing.assert_array_equal(complete(truth, known, smoothness=(0.0, 1.0, 1.0), max_iter=50).model[5], 0.0)


def test_smoothness_is_what_makes_the_difference_where_little_is_known() -> None:
    truth = gaussian_filter(np.random.default_rng(3).random((30, 30, 3)), (3, 3, 0))
    truth = (truth - truth.min()) / np.ptp(truth)
    known = np.random.default_rng(0).random(truth.shape) < 0.15
    errors = [
        np.sqrt(np.mean((complete(truth, known, smoothness=smoothness, max_iter=300).model - truth) ** 2))
        for smoothness in (1.0, 0.0)
    ]
    assert errors[0] < 0.25 * errors[1]


# How it grows and stops, and what it says


def sizes_seen(data: ObservedTensor, **settings: Any) -> tuple[list[int], Any]:
    sizes: list[int] = []

    def watch(snapshot: Snapshot) -> None:
        sizes.append(len(snapshot.estimate.estimate.estimate.parts))  # type: ignore[attr-defined]

    return sizes, SPC(**settings).complete(data, rng=np.random.default_rng(0), watch=watch)


def test_it_grows_by_a_few_components_at_a_time_up_to_a_limit() -> None:
    limits = {"growth": 3, "growth_tolerance": 0.1, "max_rank": 40, "max_iter": 40}
    sizes, done = sizes_seen(rough_data((9, 8, 7)), snr=90.0, tolerance=0.0, **limits)
    assert sizes[0] == 1
    assert sizes[-1] == 40
    assert max(np.diff(sizes)) == 3
    assert done.stop.kind == "iterations"


@both_variants
def test_constant_data_needs_one_component(variant: str) -> None:
    known = np.random.default_rng(1).random((12, 10, 3)) < 0.5
    done = complete(np.full(known.shape, 250.0), known, variant=variant, snr=50.0)
    assert len(done.estimate.estimate.estimate.parts) == 1


def test_it_does_not_grow_while_there_is_progress_enough() -> None:
    sizes, _ = sizes_seen(rough_data((9, 8, 7)), growth_tolerance=0.0, max_iter=20)
    assert sizes == [1] * len(sizes)


def test_components_are_added_as_many_times_as_the_gain_was_too_small() -> None:
    state = SPCSolver(rough_data((5, 4)), plan((5, 4), "quadratic", growth=4), np.random.default_rng(0))
    state.aim, state.misfit = 1.0, 21.0  # 0.05 of the distance is 1
    wanted = []
    for gain in (2.0, 1.0, 0.9, 0.4, 0.3, 0.1, 0.0):
        state._gain = gain
        wanted.append(state._count_wanted())
    assert wanted == [0, 0, 1, 2, 3, 4, 4]
    state.grow(10)
    assert state._count_wanted() == 1, "max_rank is 12"


def test_it_stops_where_the_ratio_of_signal_to_noise_is_reached() -> None:
    truth, known = smooth_problem()
    data = ObservedTensor.from_array(truth, known)
    ratios: list[float] = []

    def watch(snapshot: Snapshot) -> None:
        model = snapshot.estimate.estimate.estimate.model().dense() * truth[known].max()  # type: ignore[attr-defined]
        missed = np.sum((model - truth)[known] ** 2)
        ratios.append(10 * np.log10(np.sum(truth[known] ** 2) / missed))

    done = SPC(snr=25.0).complete(data, rng=np.random.default_rng(0), watch=watch)
    assert done.stop.kind == "fit"
    assert "25 dB" in done.stop.sentence
    assert ratios[-1] >= 25.0 > max(ratios[:-1])


def test_it_stops_when_there_is_no_change_left_and_nothing_may_be_added() -> None:
    done = sizes_seen(rough_data((9, 8, 7)), max_rank=2, tolerance=1e-3)[1]
    assert done.stop.kind == "change"
    assert "with 2 components" in done.stop.sentence
    assert done.iterations < 1000


def test_settings_left_open_depend_on_the_variant_and_on_the_sizes_of_the_modes() -> None:
    data = rough_data((7, 5, 4))
    quadratic, total = SPC().used_on(data), SPC(variant="total-variation").used_on(data)
    assert (quadratic["smoothness"], quadratic["snr"]) == ((1.0, 1.0, 0.0), 35.0)
    assert (total["smoothness"], total["snr"]) == ((0.01, 0.01, 0.0), 25.0)
    assert SPC(smoothness=0.5).used_on(data)["smoothness"] == (0.5, 0.5, 0.0)
    assert SPC(smoothness=np.array([1, 0, 2])).used_on(data)["smoothness"] == (1.0, 0.0, 2.0)  # type: ignore[arg-type]
