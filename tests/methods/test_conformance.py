"""Every method of the registry passes the conformance checks, where it does not say that it cannot."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from conformance import (
    CHECKS,
    Complete,
    Problem,
    Remembering,
    check_a_constant_is_extended,
    check_any_float_will_do,
    check_bounds_hold,
    check_components_add_up,
    check_known_entries_are_kept,
    check_low_rank_is_recovered,
    check_mode_permutation,
    check_nasty_data_has_a_finite_completion,
    check_no_bound,
    check_nothing_negative,
    check_predictions_agree,
    check_same_seed_same_bits,
    check_scale_invariance,
    check_shape_and_dtype,
    check_shift_invariance,
    check_sparse_input_gives_the_same,
    check_watcher_can_cancel,
    check_watcher_sees_every_iteration,
    low_rank_problem,
    problem,
)

from tensorfill.errors import InvalidSetting
from tensorfill.library import complete as library_complete
from tensorfill.methods.registry import available_methods, make, setting_names
from tensorfill.observed import ObservedTensor

SHAPES = [(20, 15), (12, 10, 8), (9, 1, 7), (6, 5, 4, 3), (4, 3, 3, 2, 3)]
PRECISE = {"gradient_tolerance": 1e-8, "max_iter": 1000}
"""Settings that bring a method close to its optimum, for those that have them."""

QUICK = 20
"""Iterations that are enough to see what is checked, for methods that would make hundreds."""

ORDERS = {"smf-lrtc": (3,)}
"""The orders a method takes, if not all."""

MODES_ALIKE = ("nonneg-dual", "dual", "halrtc", "lrtc-tnn", "zero-fill", "mean-fill")
"""Methods that do not care which mode comes first: the others start at random or treat modes by their number."""

RECOVERS: dict[str, dict[str, Any]] = {
    "nonneg-dual": {"rank": 2, "C": 100.0},
    "dual": {"rank": 2, "C": 100.0},
    "rprecon": {"rank": 2},
    "geomcg": {"rank": 2},
    "ncpc": {"rank": 2, "max_iter": 3000, "tolerance": 1e-7},
    "tmac": {"rank": 2, "max_iter": 2000, "tolerance": 1e-8},
    "ffw": {"tau": 6.5, "max_iter": 1000},
    "t-ctv": {},
    "tnn": {},
    "halrtc": {},
    "lrtc-tnn": {},
    "spc": {"smoothness": 0.0, "snr": 60.0, "max_rank": 2, "max_iter": 3000, "tolerance": 1e-9},
    "bcpf": {},
}
"""Methods that find a tensor of low rank again, with settings that say which."""

VARIANTS = [
    ("auto", {"effort": "normal"}),
    ("auto", {"weights": {"spectral": 0.5, "t-ctv": 0.5}}),
    ("spectral", {"bases": ("learned", "fourier", "identity")}),
    ("spectral", {"spectrum": "matern-1/2"}),
    ("spectral", {"rank": 2}),
    ("nonneg-dual", {"optimizer": "trust-region"}),
    ("nonneg-dual", {"start": "random"}),
    ("nonneg-dual", {"rank": 2, "C": 100.0, "lam": 1.0}),
    ("nonneg-dual", {"main_effects": True}),
    ("nonneg-dual", {"main_effects": True, "inner": "alternating"}),
    ("nonneg-dual", {"C": "auto", "main_effects": "auto"}),
    ("dual", {"optimizer": "trust-region"}),
    ("dual", {"start": "random"}),
    ("dual", {"rank": 2, "C": 100.0, "lam": 1.0}),
    ("geomcg", {"backtracking": False}),
    ("ncpc", {"extrapolation": False}),
    ("tmac", {"weights": "dynamic"}),
    ("tmac", {"ranks": "decreasing"}),
    ("tmac", {"ranks": "increasing", "rank": 2, "rank_max": 4}),
    ("lrtc-tv", {"variant": "II"}),
    ("smf-lrtc", {"rank": 1, "rank_max": 4, "rank_step": 1}),
    ("ffw", {"tau": 10.0}),
    # With few iterations the default penalty leaves everything at zero.
    ("t-ctv", {"transform": "fft", "penalty": 0.1}),
    ("tnn", {"transform": "dct", "penalty": 0.1}),
    ("halrtc", {"weights": (1, 2, 0), "penalty": 0.5}),
    ("lrtc-tnn", {"weights": (1, 2, 0), "truncation": 0.5}),
    ("lrtc-tnn", {"truncation": 0.0}),
    ("spc", {"variant": "total-variation"}),
    ("bcpf", {"max_rank": 3}),
    ("ffw", {"tau": 10.0, "standardize": True}),
]


def quick(name: str) -> dict[str, Any]:
    if name == "auto":
        return {"effort": "low"}
    many = "max_iter" in setting_names(available_methods()[name]) and not name.endswith(("dual", "dual-demo"))
    return {"max_iter": QUICK} if many else {}


@pytest.fixture(params=available_methods())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def method(name: str) -> Complete:
    return remembering(name)


@cache
def remembering(name: str) -> Complete:
    return Remembering(partial(library_complete, method=name, **quick(name)))


@pytest.fixture
def precise(name: str) -> Complete:
    """The method close to its optimum."""
    settings: dict[str, Any] = {key: PRECISE[key] for key in setting_names(available_methods()[name]) if key in PRECISE}
    return partial(library_complete, method=name, **settings)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_method_conforms(method: Complete, check: Callable[[Complete, Problem], None]) -> None:
    check(method, problem((12, 10, 8)))


def test_a_method_tells_how_sure_it_is_if_its_class_says_so(method: Complete, name: str) -> None:
    given = problem((12, 10, 8))
    done = method(given.data, given.known)
    if available_methods()[name].tells_uncertainty:
        assert np.isfinite(done.uncertainty).all()
        return
    with pytest.raises(InvalidSetting, match=f"completion by {name} does not tell how sure it is of an entry; those"):
        _ = done.uncertainty


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_method_takes_tensors_of_order_two_to_five(method: Complete, name: str, shape: tuple[int, ...]) -> None:
    given = problem(shape)
    if len(shape) not in ORDERS.get(name, (len(shape),)):
        with pytest.raises(InvalidSetting, match=name):
            method(given.data, given.known)
        return
    check_shape_and_dtype(method, given)
    check_known_entries_are_kept(method, given)
    check_nothing_negative(method, given, promised=available_methods()[name].nonnegative)
    check_predictions_agree(method, given)
    check_components_add_up(method, given)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_every_method_takes_other_dtypes(method: Complete, dtype: Any) -> None:
    given = problem((10, 8, 6), dtype)
    check_shape_and_dtype(method, given)
    check_known_entries_are_kept(method, given)
    check_sparse_input_gives_the_same(method, given)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_problems_are_such_that_nonnegativity_has_to_be_enforced(shape: tuple[int, ...]) -> None:
    given = problem(shape)
    assert library_complete(given.data, given.known, method="dual").estimate.dense().min() < -1e-3 * given.data.max()


def test_a_completion_says_whether_its_model_is_clipped(method: Complete, name: str) -> None:
    given = problem((12, 10, 8))
    assert method(given.data, given.known).nonnegative == available_methods()[name].nonnegative


@pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=str)
def test_every_way_to_run_a_method_conforms(name: str, settings: dict[str, Any]) -> None:
    variant = Remembering(partial(library_complete, method=name, **{**quick(name), **settings}))
    # Of fewer than 2^10 entries auto holds some out twelve times over, which takes three times as long.
    given = problem((11, 10, 10) if name == "auto" else (6, 5, 4))
    check_shape_and_dtype(variant, given)
    check_known_entries_are_kept(variant, given)
    check_nothing_negative(variant, given, promised=available_methods()[name].nonnegative)
    check_same_seed_same_bits(variant, given)
    # Powers of two scale without rounding: with a small rank, a run magnifies rounding to the tolerance it stops at.
    check_scale_invariance(variant, given, scales=(2.0**-20,))
    check_watcher_can_cancel(variant, given)


def test_no_method_depends_on_the_scale_of_the_data(method: Complete, name: str) -> None:
    # Rounding is magnified by methods that fit a rank too large for the data; powers of two scale without any.
    exact = {} if name in MODES_ALIKE else {"scales": (2.0**10, 2.0**-20, 2.0**30, 2.0**50)}
    check_scale_invariance(method, problem((12, 10, 8)), **exact)


OWN_ZERO = ("zero-fill",)
"""Methods that fill in a value of their own, which stays what it is when the data is shifted."""


def test_no_method_cares_which_number_is_the_lower_bound(method: Complete, name: str) -> None:
    if name not in OWN_ZERO:
        check_shift_invariance(method, problem((7, 6, 5)))


def test_every_method_keeps_to_both_bounds(method: Complete, name: str) -> None:
    check_bounds_hold(method, problem((7, 6, 5)), promised=available_methods()[name].nonnegative)


def test_without_a_lower_bound_nothing_is_clipped_and_zero_is_nowhere(method: Complete, name: str) -> None:
    if name not in OWN_ZERO:
        check_no_bound(method, problem((7, 6, 5)), name)


def test_zero_filling_means_zero_whatever_the_bound() -> None:
    given = problem((6, 5, 4))
    done = library_complete(given.data - 3, given.known, method="zero-fill", lower=None)
    assert (done.tensor[~given.known] == 0).all()
    assert library_complete(given.data + 5, given.known, method="zero-fill", lower=4).tensor.min() == 4


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_method_takes_the_smallest_and_the_largest_floats(method: Complete, dtype: Any) -> None:
    check_any_float_will_do(method, problem((7, 6, 5)), dtype)


@pytest.mark.parametrize("shape", [(6, 5, 4), (1, 60), (30, 2, 1)], ids=str)
def test_every_method_keeps_its_head_on_nasty_data(method: Complete, shape: tuple[int, ...], name: str) -> None:
    if len(shape) in ORDERS.get(name, (len(shape),)):
        check_nasty_data_has_a_finite_completion(method, problem(shape))


def test_every_method_extends_a_constant(method: Complete, name: str) -> None:
    if name != "zero-fill":
        check_a_constant_is_extended(method, problem((6, 5, 4)))


@pytest.mark.parametrize("shape", [(10, 8), (9, 7, 5)], ids=str)
@pytest.mark.parametrize("name", MODES_ALIKE)
def test_permuting_the_modes_permutes_the_answer(precise: Complete, shape: tuple[int, ...]) -> None:
    check_mode_permutation(precise, problem(shape))


@pytest.mark.parametrize("name", RECOVERS)
def test_a_tensor_of_low_rank_is_recovered(name: str) -> None:
    check_low_rank_is_recovered(partial(library_complete, method=name, **RECOVERS[name]), low_rank_problem())


def test_every_method_is_watched_at_every_iteration(method: Complete) -> None:
    check_watcher_sees_every_iteration(method, problem((12, 10, 8)))


def test_every_method_can_be_cancelled(precise: Complete) -> None:
    check_watcher_can_cancel(precise, problem((12, 10, 8)))


def test_every_method_says_what_it_does_and_where_it_comes_from(name: str) -> None:
    method = available_methods()[name]
    assert method.summary.strip()
    assert method.reference.strip()
    assert "\n" not in method.summary


def test_the_settings_told_make_the_same_method_again(name: str) -> None:
    given = problem((12, 10, 8))
    chosen = {"tau": 10.0} if name == "ffw" else {}  # choosing it takes random numbers that a second run does not draw
    done = library_complete(given.data, given.known, method=name, **quick(name), **chosen)
    told = {key: value for key, value in done.settings.items() if key in setting_names(available_methods()[name])}
    assert set(told) == set(setting_names(available_methods()[name]))
    again = make(name, told).complete(ObservedTensor.from_array(given.data, given.known), rng=np.random.default_rng(0))
    np.testing.assert_array_equal(again.model, done.model)
