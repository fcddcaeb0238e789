"""What was predicted next to the truth, and the weights that follow: a blend only where it is worth it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.selection.evidence import HeldOutEvidence, blend_weights
from tensorfill.selection.judge import Judge, typical_error
from tensorfill.tensor import Array


def scattered(count: int) -> Judge:
    nothing: NDArray[np.bool_] = np.zeros(count, dtype=bool)
    return Judge(np.zeros(count, dtype=np.intp), structured=False, mixed=False, apart=nothing, apart_share=0.0)


def test_each_kind_of_hole_has_weights_of_its_own() -> None:
    rng = np.random.default_rng(0)
    lost = np.arange(400) >= 200
    holes = np.where(lost, 1 + np.arange(400) // 25, 0)
    judge = Judge(holes, structured=False, mixed=True, apart=lost, apart_share=0.5)
    truth, noise = rng.random(400), rng.standard_normal(400)
    predictions = {
        "smooth": truth + 0.1 * noise * np.where(lost, 1, 10),
        "low rank": truth + 0.1 * noise * np.where(lost, 10, 1),
    }
    evidence = HeldOutEvidence(judge, truth, predictions)
    assert evidence.weights() == {"low rank": 1.0}
    assert evidence.apart_weights() == {"smooth": 1.0}
    mixed = evidence.mixed({"low rank": 1.0}, {"smooth": 1.0})
    np.testing.assert_allclose(mixed - truth, 0.1 * noise)


def test_an_entry_that_nobody_comes_near_to_is_no_reason_to_choose_anybody() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(300)
    good, bad = (truth + size * rng.standard_normal(300) for size in (0.01, 0.1))
    truth[7] = 1000.0
    bad[7] = 300.0  # luck
    evidence = HeldOutEvidence(scattered(300), truth, {"good": good, "bad": bad})
    assert evidence.errors()["bad"] < evidence.errors()["good"]
    assert next(iter(evidence.weights())) == "good"


def test_evidence_adds_up() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(100)
    one = HeldOutEvidence(scattered(100), truth, {"a": truth, "b": truth + 1})
    other = HeldOutEvidence(scattered(100), truth, {"a": truth + 2})
    both = one.joined(other)
    assert list(both.predictions) == ["a"], "b was asked only once"
    assert both.errors()["a"] == np.sqrt(2)
    assert one.is_little()
    assert not both.is_little()


def test_what_was_held_out_counts_as_much_as_there_is_missing_of_its_sort() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(300)
    hard = np.arange(300) < 100  # a third of what was held out
    good_inside = truth + 0.01 * rng.standard_normal(300) + np.where(hard, 1.0, 0.0)
    even = truth + 0.1 * rng.standard_normal(300)
    evidence = HeldOutEvidence(scattered(300), truth, {"good inside": good_inside, "even": even})
    assert next(iter(evidence.weights())) == "even"
    rare = replace(evidence, strata=np.where(hard, 1, 0), missing_shares=np.array([1.0, 0.0]))
    assert rare.weights() == {"good inside": 1.0}
    assert rare.errors()["good inside"] == pytest.approx(0.01, rel=0.1)


def test_an_entry_held_out_twice_is_one_to_judge_by() -> None:
    truth = np.zeros(400)
    evidence = HeldOutEvidence(scattered(400), truth, {"a": truth + 1}, positions=np.arange(400) % 100)
    assert evidence.is_little()
    assert not replace(evidence, positions=np.arange(400)).is_little()


def root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def test_two_equally_wrong_in_different_places_share_the_weight() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(4000)
    weights = blend_weights({"a": truth + rng.normal(size=4000), "b": truth + rng.normal(size=4000)}, truth)
    assert set(weights) == {"a", "b"}
    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["a"] == pytest.approx(0.5, abs=0.05)


def test_weights_go_with_one_over_the_variance_of_independent_errors() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(20000)
    weights = blend_weights({"good": truth + rng.normal(size=20000), "bad": truth + 3 * rng.normal(size=20000)}, truth)
    assert weights["good"] == pytest.approx(0.9, abs=0.02)
    assert next(iter(weights)) == "good", "the largest comes first"


def test_several_exact_predictions_are_no_trouble() -> None:
    truth = np.array([0.0, 1.0, 2.0, 0.0])
    holes = np.array([0, 0, 1, 1])
    exact = {"one": truth, "two": truth.copy(), "off": truth + 1}
    assert blend_weights(exact, truth, holes) == {"one": 1.0}


def test_the_best_is_taken_alone_if_the_others_add_nothing() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(2000)
    error = rng.normal(size=2000)
    assert blend_weights({"worse": truth + 2 * error, "best": truth + error}, truth) == {"best": 1.0}


def test_a_gain_that_cannot_be_told_from_luck_is_not_taken() -> None:
    rng = np.random.default_rng(3)
    truth, error = rng.random(2000), rng.normal(size=2000)
    nearly = truth + error + 0.05 * rng.normal(size=2000)
    assert blend_weights({"one": truth + error, "other": nearly}, truth) == {"one": 1.0}


def test_a_blend_is_never_worse_than_the_best_at_the_entries_it_was_fitted_to() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.random(300)
        shared = rng.normal(size=300)
        found = {
            name: truth + scale * (shared + rng.normal(size=300)) for name, scale in (("a", 1), ("b", 1.2), ("c", 2))
        }
        weights = blend_weights(found, truth)
        mixed = sum(weight * found[name] for name, weight in weights.items())
        assert root_mean_square(mixed - truth) <= min(root_mean_square(f - truth) for f in found.values()) + 1e-12
        assert min(weights.values()) >= 0.05


def test_predictions_that_are_not_numbers_are_left_out() -> None:
    truth = np.linspace(0, 1, 50)
    assert blend_weights({"broken": np.full(50, np.nan), "fine": truth + 0.1}, truth) == {"fine": 1.0}


def test_a_perfect_prediction_is_taken_alone() -> None:
    truth = np.linspace(0, 1, 50)
    assert blend_weights({"perfect": truth.copy(), "other": truth + 0.1}, truth) == {"perfect": 1.0}


def test_a_hole_in_which_nobody_is_right_does_not_decide() -> None:
    """Nine holes tell that one method is better; in the tenth both are far off, the other by less."""
    rng = np.random.default_rng(4)
    holes = np.repeat(np.arange(10), 200)
    good, bad = rng.normal(size=2000), 2 * rng.normal(size=2000)
    far = 30 * rng.normal(size=200)
    good[-200:], bad[-200:] = far, 0.8 * far
    truth = np.zeros(2000)
    predictions = {"good": good, "bad": bad}
    assert next(iter(blend_weights(predictions, truth))) == "bad"
    weights = blend_weights(predictions, truth, holes)
    assert weights["good"] > 0.6
    assert typical_error(good, holes) < typical_error(bad, holes)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_weights_have_a_smaller_typical_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    holes = rng.integers(6, size=400)
    spread = rng.gamma(1.0, size=6)[holes]
    found = {name: spread * rng.normal(size=400) for name in "abc"}
    weights = blend_weights(found, np.zeros(400), holes)
    reached = typical_error(np.asarray(sum(weight * found[name] for name, weight in weights.items())), holes)
    for other in rng.dirichlet(np.ones(3), 200):
        mixed = np.asarray(sum(weight * found[name] for name, weight in zip("abc", other, strict=True)))
        assert reached <= 1.003 * typical_error(mixed, holes)


def test_judged_by_a_few_holes_what_is_far_off_is_left_out() -> None:
    """Even where it would seem to help."""
    truth = np.zeros(40)
    near, far = np.tile([1.0, -1.0], 20), np.tile([-1.6, 1.6], 20)
    holes = np.repeat(np.arange(4), 10)
    assert blend_weights({"near": near, "far": far}, truth, holes) == {"near": 1.0}
    assert set(blend_weights({"near": near, "far": far}, truth)) == {"near", "far"}


def test_what_is_not_clearly_better_than_the_favourite_does_not_take_its_place() -> None:
    rng = np.random.default_rng(5)
    truth, noise = rng.random(60), rng.normal(size=60)
    found = {"usual": truth + noise, "other": truth + 0.95 * noise}
    assert blend_weights(found, truth) == {"other": 1.0}
    assert blend_weights(found, truth, favourite="usual") == {"usual": 1.0}
    assert blend_weights({**found, "other": truth + 0.5 * noise}, truth, favourite="usual") == {"other": 1.0}


def test_the_more_there_is_to_judge_by_the_less_the_favourite_is_favoured() -> None:
    rng = np.random.default_rng(6)
    truth, noise = rng.random(40_000), rng.normal(size=40_000)
    found = {"usual": truth + noise, "other": truth + 0.95 * noise}
    assert blend_weights(found, truth, favourite="usual") == {"other": 1.0}
    assert blend_weights(found, truth, favourite="usual", pieces=50) == {"usual": 1.0}


def test_entries_held_out_again_and_again_are_not_more_to_judge_by() -> None:
    truth, error = np.zeros(100), np.repeat([1.0, -1.0, 2.0, 0.5, -1.5], 20)
    found = {"lucky": truth + 0.9 * error, "other": truth + error}
    assert blend_weights(found, truth) == {"lucky": 1.0}
    assert len(blend_weights(found, truth, pieces=5)) == 2, "with so little, methods are averaged over"


def test_of_many_entries_a_blend_must_be_clearly_better_than_the_favourite() -> None:
    """A few entries that somebody else gets right by luck are no reason."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=1000)
    favourite, other = (truth + 0.1 * rng.normal(size=1000) for _ in range(2))
    favourite[:1] += 5.0  # one entry that decides the sum of squares
    predictions = {"favourite": favourite, "other": other}
    assert blend_weights(predictions, truth)["other"] > 0.5
    assert blend_weights(predictions, truth, favourite="favourite") == {"favourite": 1.0}
    clearly = {"favourite": truth + 0.2 * rng.normal(size=1000), "other": other}
    assert blend_weights(clearly, truth, favourite="favourite")["other"] > 0.5


@pytest.mark.parametrize("better_in", [range(10), range(5)])
def test_the_favourite_gives_way_where_others_are_better_in_most_holes(better_in: range) -> None:
    """By a little is enough, for a few holes that all say the same are no luck."""
    truth, holes = np.zeros(1000), np.repeat(np.arange(10), 100)
    noise = np.random.default_rng(7).normal(size=1000)
    other = np.where(np.isin(holes, better_in), 0.95, 1.04) * noise
    weights = blend_weights({"favourite": noise, "other": other}, truth, holes, favourite="favourite")
    assert weights == {"other" if len(better_in) == 10 else "favourite": 1.0}
