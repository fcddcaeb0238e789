"""With and without the first stage, in which U is learned without S; and a run that is stopped and goes on."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from small_problems import SHAPES, data_with_zeros

import tensorfill
from tensorfill.dual.solve import DualSolver
from tensorfill.errors import InvalidSetting
from tensorfill.methods.registry import make
from tensorfill.observed import ObservedTensor

AS_PUBLISHED = {"inner": "alternating", "optimizer": "conjugate-gradient", "two_stages": False}


def completed(**settings: object) -> tensorfill.Completion:
    data, observed = data_with_zeros(SHAPES[3], 0.5)
    return tensorfill.complete(data, observed, "nonneg-dual", rank=2, C=5.0, gradient_tolerance=1e-6, **settings)


def active_at_the_start(done: tensorfill.Completion) -> int:
    return done.history[0].active


def test_by_default_s_joins_later_and_the_cost_rises_there() -> None:
    done = completed()
    assert done.settings["two_stages"] is True
    assert active_at_the_start(done) == 0
    assert np.diff([step.cost for step in done.history]).max() > 0


@pytest.mark.parametrize("inner", ["alternating", "active-set"])
def test_without_the_first_stage_s_is_there_in_every_iteration(inner: str) -> None:
    done = completed(**{**AS_PUBLISHED, "inner": inner})
    assert done.settings["two_stages"] is False
    assert all(step.active > 0 for step in done.history)
    assert done.history[0].cost > 1.001 * completed().history[0].cost, "a maximum over more variables"


def test_the_papers_algorithm_ends_where_ours_does() -> None:
    published, ours = completed(**AS_PUBLISHED), completed()
    assert published.certificate is not None
    assert ours.certificate is not None
    assert published.certificate.upper == pytest.approx(ours.certificate.upper, rel=1e-3)
    assert published.certificate.negativity <= 1e-5


def test_it_is_yes_or_no() -> None:
    with pytest.raises(InvalidSetting, match="two_stages"):
        completed(two_stages=1)


@pytest.mark.parametrize("steps", [0, 2, 7])
@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("dual", {}),
        ("dual", {"optimizer": "trust-region"}),
        ("nonneg-dual", {}),
        ("nonneg-dual", {"optimizer": "conjugate-gradient"}),
        ("nonneg-dual", AS_PUBLISHED),
    ],
    ids=str,
)
def test_a_copy_made_between_two_steps_goes_on_to_the_same_bits(
    method: str, settings: dict[str, object], steps: int
) -> None:
    data, known = data_with_zeros(SHAPES[3], 0.5)
    observed = ObservedTensor.from_array(data, known)
    made: Any = make(method, {"rank": 2, "C": 5.0, "gradient_tolerance": 1e-4, **settings})
    used = made.used_on(observed)
    run = DualSolver(made.pose(observed, used), made.plan(used), np.random.default_rng(0))
    for _ in range(steps):
        run.step()
    copy = pickle.loads(pickle.dumps(run))
    for one in (run, copy):
        while one.finished() is None:
            one.step()
        one.polish(hurry=False)
    assert run.iteration == copy.iteration > steps
    assert (run.cost, run.lower, run.measures) == (copy.cost, copy.lower, copy.measures)
    np.testing.assert_array_equal(copy.estimate().dense(), run.estimate().dense())
