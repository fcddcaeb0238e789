"""Settings of nonneg-dual by held-out entries: what is chosen is what a run with the same settings given finds."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from tensorfill import complete
from tensorfill.completion import Completion
from tensorfill.errors import InvalidSetting, UnrecoverableSlice
from tensorfill.methods import dual_choice
from tensorfill.methods.dual import NonnegDual
from tensorfill.methods.dual_choice import CHOOSING, choose_settings
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

OPEN: dict[str, Any] = {"C": "auto", "rank": "auto", "lam": "auto", "main_effects": "auto"}
SHAPE = (40, 30)


def ratings(noise: float = 0.7, effects: float = 0.7, taste: float = 0.7, share: float = 0.5) -> tuple[Array, Any, Any]:
    """Effects of rows and of columns, a taste that two numbers describe, and noise; what is known, what is held out."""
    rng = np.random.default_rng(0)
    rows, columns = (rng.standard_normal((size, 2)) for size in SHAPE)
    whole = (
        4 + effects * (rng.standard_normal((SHAPE[0], 1)) + rng.standard_normal(SHAPE[1])) + taste * rows @ columns.T
    )
    whole = np.maximum(whole + noise * rng.standard_normal(SHAPE), 0)
    known = rng.random(SHAPE) < share
    return whole, known, ~known


@cache
def chosen() -> Completion:
    whole, known, _ = ratings()
    return complete(whole, known, "nonneg-dual", **OPEN)


def test_chosen_settings_do_better_than_the_defaults_and_than_main_effects_where_data_is_noisy() -> None:
    whole, known, hidden = ratings()
    found, effects, default = (
        float(np.sqrt(np.mean((done.model - whole)[hidden] ** 2)))
        for done in (chosen(), complete(whole, known, "main-effects"), complete(whole, known, "nonneg-dual"))
    )
    assert found < 0.92 * default
    assert found < 0.95 * effects


def test_exact_low_rank_gets_a_weak_regularisation() -> None:
    rng = np.random.default_rng(1)
    whole = rng.random((20, 2)) @ rng.random((2, 15))
    known = rng.random(whole.shape) < 0.6
    choice = choose_settings(
        NonnegDual(C="auto", rank=3), ObservedTensor.from_array(whole, known), np.random.default_rng(0)
    )
    assert choice.settings["C"] >= 10


def test_what_is_chosen_gives_the_same_bits_when_it_is_given() -> None:
    whole, known, _ = ratings()
    assert set(chosen().reasons) == set(OPEN)
    assert "held-out" in chosen().reasons["C"]
    given = complete(whole, known, "nonneg-dual", **{name: chosen().settings[name] for name in OPEN})
    np.testing.assert_array_equal(chosen().model, given.model)
    assert chosen().certificate == given.certificate
    assert not given.reasons


def test_a_method_is_settled_with_what_it_has_chosen() -> None:
    settled = NonnegDual.for_sparse().settled(chosen())
    assert isinstance(settled, NonnegDual)
    assert settled.left_open == ()
    assert chosen().settings["C"] == settled.C
    assert NonnegDual.for_sparse().left_open == ("rank", "C", "lam", "main_effects")


def test_only_what_is_left_open_is_chosen() -> None:
    whole, known, _ = ratings()
    done = complete(whole, known, "nonneg-dual", C="auto", rank=3, lam=(40.0, 15.0))
    assert done.settings["rank"] == (3, 3)
    assert done.settings["lam"] == (40.0, 15.0)
    assert done.settings["main_effects"] is False
    assert set(done.reasons) == {"C"}


def test_all_of_W_is_nonnegative_and_certified_with_main_effects() -> None:
    whole, known, _ = ratings(effects=1.5)
    done = complete(whole, known, "nonneg-dual", C=0.1, main_effects=True)
    free = complete(whole, known, "dual", C=0.1, main_effects=True)
    assert free.estimate.dense().min() < -1e-2, "or nothing would have to be enforced"
    assert done.estimate.dense().min() > -1e-4 * whole.max()
    assert done.certificate is not None
    assert 0 <= done.certificate.relative_gap < 0.05
    assert done.certificate.negativity <= 1e-5


def test_a_cold_index_gets_its_main_effects() -> None:
    whole, known, _ = ratings()
    known[7] = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrecoverableSlice)
        done, effects = (
            complete(whole, known, name, **settings)
            for name, settings in (("nonneg-dual", {"C": 0.01, "main_effects": True}), ("main-effects", {}))
        )
    np.testing.assert_allclose(done.model[7], effects.model[7], atol=1e-3)


def test_too_little_known_leaves_the_defaults() -> None:
    data = np.full((4, 4), np.nan)
    data[0, 0], data[1, 1], data[2, 2] = 1.0, 2.0, 3.0
    choice = choose_settings(NonnegDual(C="auto"), ObservedTensor.from_array(data), np.random.default_rng(0))
    assert choice.settings == {"C": 10.0}
    assert "Too little" in choice.reason


def test_holes_are_held_out_for_holes() -> None:
    rng = np.random.default_rng(0)
    known = np.ones((40, 40), dtype=bool)
    known[10:20, 12:24] = False
    observed = ObservedTensor.from_array(rng.random((40, 40)), known)
    held = np.zeros(known.size, dtype=bool)
    held[observed.positions] = dual_choice._hold_out(observed, rng, CHOOSING)
    held = held.reshape(known.shape)
    beside = held[1:] & held[:-1]
    assert beside.sum() > 0.5 * held.sum()


def test_choosing_stops_when_half_of_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, known, _ = ratings()
    left = iter([10.0, 9.0, 8.0, 4.9])
    monkeypatch.setattr(dual_choice, "seconds_left", lambda: next(left))
    choice = choose_settings(NonnegDual(C="auto"), ObservedTensor.from_array(whole, known), np.random.default_rng(0))
    assert "(2 tried)" in choice.reason


def test_of_errors_that_are_nearly_the_same_the_smallest_ranks_are_taken() -> None:
    found = [
        dual_choice._Trial({"rank": rank}, error, ())
        for rank, error in (((10, 10), 1.0), ((5, 5), 1.0005), ((5, 6), 1.0), ((2, 2), 1.1))
    ]
    assert dual_choice._pick(found, 0.999).settings["rank"] == (5, 5)


def test_a_path_ends_where_the_error_rises() -> None:
    tried = []

    class Tuning:
        def attempt(self, settings: Any, start: Any = None) -> Any:
            tried.append(settings["C"])
            return dual_choice._Trial(settings, {1: 3.0, 2: 2.0, 3: 2.5}[settings["C"]], ())

    best = dual_choice._follow_path(Tuning(), ({"C": C} for C in (1, 2, 3, 4)), CHOOSING)  # type: ignore[arg-type]
    assert (best.settings["C"], tried) == (2, [1, 2, 3])


@pytest.mark.parametrize(
    ("setting", "value", "must"),
    [
        ("C", "much", "be a number above 0, or 'auto'"),
        ("C", 0.0, "be a number above 0, or 'auto'"),
        ("main_effects", "yes", "be True, False or 'auto'"),
        ("rank", "auto ", "be one number or one per mode"),
        ("lam", "large", "be"),
    ],
)
def test_what_makes_no_sense_is_refused(setting: str, value: Any, must: str) -> None:
    whole, known, _ = ratings()
    with pytest.raises(InvalidSetting, match=f"The '{setting}' of nonneg-dual must {must}"):
        complete(whole, known, "nonneg-dual", **{setting: value})
