"""What was predicted at held-out entries: weights for each kind of hole, and what does not count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.selection.held_out_evidence import HeldOutEvidence
from tensorfill.selection.judge import Judge


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
