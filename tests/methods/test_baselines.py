"""Laws of all baselines: their solvers can be watched, saved and resumed, and their settings are checked."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from tensorfill.errors import InvalidSetting
from tensorfill.iterating import Solver
from tensorfill.methods import baseline
from tensorfill.methods.baseline import Baseline
from tensorfill.methods.registry import available_methods, make, setting_names
from tensorfill.observed import ObservedTensor

BASELINES = [name for name, kind in available_methods().items() if issubclass(kind, Baseline)]
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in BASELINES),
    ("lrtc-tv", {"variant": "II", "penalty": 0.05, "core_weight": 3.0}),
    ("spc", {"variant": "total-variation"}),
    ("t-ctv", {"penalty": 1.0}),
    ("tnn", {"penalty": 1.0}),
    ("tmac", {"ranks": "increasing", "rank": 1, "rank_max": 3}),
    ("smf-lrtc", {"rank": 1, "rank_max": 3, "rank_step": 1}),
    ("ffw", {"tau": 5.0, "shrink_after": 1, "standardize": True}),
]
KEEPING = ("lrtc-tv", "smf-lrtc", "t-ctv", "tnn", "halrtc", "lrtc-tnn", "spc", "zero-fill", "nearest-slices")
"""Methods whose tensor has the known entries, exactly, in every iteration."""


def small() -> ObservedTensor:
    """Low rank and noise, largest value 1, with as many slices as any method makes steps here."""
    rng = np.random.default_rng(0)
    data = np.einsum("ar,br,cr->abc", *(rng.random((size, 2)) for size in (6, 5, 8))) + 0.1 * rng.random((6, 5, 8))
    known = rng.random(data.shape) < 0.6
    return ObservedTensor.from_array(data / data[known].max(), known)


def start(name: str, settings: dict[str, Any], data: ObservedTensor) -> Solver:
    if name == "biharmonic":
        pytest.importorskip("skimage")
    method: Any = make(name, settings)
    solver: Solver = method.solver(data, method.used_on(data), np.random.default_rng(0))
    return solver


# Solvers


@pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=str)
def test_a_solver_that_was_saved_goes_on_to_the_same_bits(name: str, settings: dict[str, Any]) -> None:
    solver = start(name, settings, small())
    for _ in range(3):
        solver.step()
    resumed: Solver = pickle.loads(pickle.dumps(solver))
    for _ in range(3):
        for one in (solver, resumed):
            one.step()
        assert resumed.cost == solver.cost
        assert resumed.finished() == solver.finished()
        np.testing.assert_array_equal(resumed.estimate().dense(), solver.estimate().dense())


@pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=str)
def test_an_estimate_stays_as_it_is_when_the_solver_goes_on(name: str, settings: dict[str, Any]) -> None:
    data = small()
    solver, shown = start(name, settings, data), []
    for _ in range(5):
        estimate = solver.estimate()
        shown.append((estimate, estimate.dense()))
        if name in KEEPING:
            np.testing.assert_array_equal(estimate.dense()[data.mask()], data.values)
        solver.step()
    for estimate, then in shown:
        np.testing.assert_array_equal(estimate.dense(), then)
    assert not np.array_equal(shown[-1][1], shown[0][1]) or name in ("t-ctv", "tnn", "zero-fill"), "something moves"


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("halrtc", {}),
        ("lrtc-tnn", {}),
        ("lrtc-tv", {}),
        ("lrtc-tv", {"variant": "II", "penalty": 10.0}),
        ("t-ctv", {}),
        ("tnn", {}),
        ("tnn", {"penalty": 1e12}),
    ],
    ids=str,
)
def test_a_penalty_that_grows_without_end_does_no_harm(name: str, settings: dict[str, Any]) -> None:
    method = make(name, {"penalty_growth": 10.0, "max_iter": 400, "tolerance": 0.0, **settings})
    done = method.complete(small(), rng=np.random.default_rng(0))
    assert np.isfinite(done.model).all()
    assert done.stop.kind == "iterations"


@pytest.mark.parametrize("value", [1.0, 250.0])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("lrtc-tv", {"variant": "I"}),
        ("lrtc-tv", {"variant": "II"}),
        ("smf-lrtc", {"rank": 2, "tolerance": 1e-6}),
        ("t-ctv", {}),
        ("spc", {"snr": 50.0}),
        ("spc", {"variant": "total-variation", "snr": 50.0}),
        ("bcpf", {}),
    ],
    ids=str,
)
def test_constant_data_stays_constant(name: str, settings: dict[str, Any], value: float) -> None:
    known = np.random.default_rng(1).random((20, 15, 8)) < 0.5
    data = ObservedTensor.from_array(np.full(known.shape, value), known)
    model = make(name, settings).complete(data, rng=np.random.default_rng(0)).model
    np.testing.assert_allclose(model, value, rtol={"t-ctv": 1e-5, "smf-lrtc": 6e-4}.get(name, 0.01))


# Settings


WHOLE, POSITIVE, TOLERANCE = "be a whole number, 1 or more", "be a number above 0", "be a number, 0 or more"
EVERYWHERE: dict[str, list[tuple[Any, str]]] = {
    "max_iter": [(0, WHOLE), (2.5, WHOLE)],
    "tolerance": [(-1.0, TOLERANCE), (float("nan"), TOLERANCE)],
    "penalty": [(0.0, POSITIVE), ("high", POSITIVE)],
    "penalty_growth": [(0.9, "be 1 or more"), (float("inf"), POSITIVE)],
}
"""What is wrong for every method that has the setting."""

SHARES = "be numbers, 0 or more and not all 0, one per mode"
SMOOTH_MODES = "be different mode numbers, counted from 1, such as (1, 2)"
DIRECTIONS = "be one or more different mode numbers, counted from 1, such as (1, 2)"
MODES = "be one or more different modes, counted from 1"
WRONG: list[tuple[str, str, Any, str]] = [
    *((name, "weights", value, SHARES) for name in ("halrtc", "lrtc-tnn") for value in (1.0, (1, -1, 1), (0, 0), "11")),
    ("halrtc", "weights", (1, float("nan"), 1), SHARES),
    ("lrtc-tnn", "truncation", 1.5, "be a share, 0 to 1"),
    ("lrtc-tnn", "truncation", -0.1, TOLERANCE),
    ("lrtc-tv", "variant", "III", "be one of 'I', 'II'"),
    ("lrtc-tv", "tv_weight", -1.0, TOLERANCE),
    ("lrtc-tv", "core_weight", 0.0, POSITIVE),
    *(("lrtc-tv", "smooth_modes", value, SMOOTH_MODES) for value in ((0, 1), (1, 1), "12", 2)),
    ("tnn", "transform", "wavelet", "be one of 'dct', 'fft'"),
    ("t-ctv", "transform", "dft", "be one of 'dct', 'fft'"),
    *(("t-ctv", "directions", value, DIRECTIONS) for value in ((), (0, 1), (1, 1), "12", 2)),
    ("spc", "variant", "cubic", "be one of 'quadratic', 'total-variation'"),
    ("spc", "smoothness", -1.0, TOLERANCE),
    ("spc", "smoothness", True, TOLERANCE),
    ("spc", "smoothness", (1.0, -1.0), "consist of numbers, 0 or more"),
    ("spc", "smoothness", "smooth", "be one number or one per mode"),
    ("spc", "snr", 0.0, POSITIVE),
    ("spc", "updates", 0, WHOLE),
    ("spc", "growth", 1.5, WHOLE),
    ("spc", "growth_tolerance", -0.1, TOLERANCE),
    ("spc", "max_rank", 0, WHOLE),
    *(("smf-lrtc", setting, 0, WHOLE) for setting in ("rank_step", "inner_iterations")),
    *(("smf-lrtc", setting, np.nan, POSITIVE) for setting in ("proximal_weight", "image_fit", "image_penalty")),
    *(("smf-lrtc", setting, np.inf, POSITIVE) for setting in ("profile_fit", "profile_penalty")),
    ("tmac", "weights", "adaptive", "be one of 'fixed', 'dynamic'"),
    ("tmac", "ranks", "free", "be one of 'fixed', 'decreasing', 'increasing'"),
    ("tmac", "start", "one", "be one of 'mean', 'zero'"),
    ("ffw", "tau", 0.0, POSITIVE),
    ("ffw", "tau", "large", POSITIVE),
    ("ffw", "standardize", 1, "be True or False"),
    *(("ffw", "modes", value, MODES) for value in ([], [0, 1], [1, 1], 2, "12")),
    *(("ffw", setting, value, WHOLE) for setting, value in (("shrink_after", 1.5), ("max_atoms", 0))),
    ("ffw", "step", 1.5, "be a number above 0 and at most 1"),
    ("ffw", "step", 0.0, POSITIVE),
    ("bcpf", "max_rank", 0, WHOLE),
    ("bcpf", "max_rank", (10, 10, 3), WHOLE),
    *(("ncpc", "rank", value, WHOLE) for value in ((10, 10, 5), None)),
    ("ncpc", "extrapolation", "yes", "be True or False"),
    ("rprecon", "start", "zero", "be one of 'data', 'authors'"),
    ("geomcg", "backtracking", None, "be True or False"),
    ("nearest-slices", "mode", 0, "be a mode number, counted from 1"),
    *(("nearest-slices", "neighbours", value, WHOLE) for value in (0, 2.5)),
    *((name, "C", 0, f"{POSITIVE}, or 'auto'") for name in ("dual", "nonneg-dual")),
    ("nonneg-dual", "nonnegative_on", "nowhere", "be one of 'everywhere', 'observed'"),
]
WRONG += [
    (name, setting, value, requirement)
    for name in BASELINES
    for setting in setting_names(available_methods()[name])
    for value, requirement in EVERYWHERE.get(setting, [])
]


@pytest.mark.parametrize(("name", "setting", "value", "requirement"), WRONG, ids=str)
def test_settings_that_make_no_sense_are_refused(name: str, setting: str, value: Any, requirement: str) -> None:
    with pytest.raises(InvalidSetting) as refusal:
        make(name, {setting: value})
    assert str(refusal.value).startswith(f"The '{setting}' of {name} must {requirement}. Got ")


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        (
            "halrtc",
            {"weights": (1, 1)},
            "The 'weights' of halrtc must have 3 entries, one per mode. Got (1, 1) instead",
        ),
        ("lrtc-tnn", {"weights": (1, 1)}, "must have 3 entries, one per mode. Got (1, 1) instead"),
        ("lrtc-tv", {"smooth_modes": (1, 4)}, "must be mode numbers from 1 to 3. Got (1, 4)"),
        ("t-ctv", {"directions": (1, 4)}, "must be mode numbers from 1 to 3. Got (1, 4)"),
        ("spc", {"smoothness": (1, 0)}, "must have 3 entries, one per mode. Got (1, 0)"),
        ("nearest-slices", {"mode": 4}, "must be a mode number from 1 to 3. Got 4"),
        ("tmac", {"rank": (2, 2)}, "The 'rank' of tmac must have 3 entries"),
        ("tmac", {"rank": 7}, "mode 1 has size 6"),
        ("tmac", {"rank_min": 0}, "The 'rank_min' of tmac must consist of whole numbers, 1 or more"),
        ("tmac", {"rank_max": (5, 5)}, "The 'rank_max' of tmac must have 3 entries"),
        ("tmac", {"rank_increment": 1.5}, "The 'rank_increment' of tmac must consist of whole numbers"),
        ("smf-lrtc", {"rank": 7}, "The 'rank' of smf-lrtc must not be larger than its mode"),
        ("smf-lrtc", {"rank": 2, "rank_max": (6, 5, 9)}, "The 'rank_max' of smf-lrtc must not be larger than its mode"),
        ("smf-lrtc", {"rank": 2, "rank_max": (6, 5)}, "The 'rank_max' of smf-lrtc must have 3 entries, one per mode"),
        ("smf-lrtc", {"rank": 3, "rank_max": (5, 2, 4)}, "not be smaller than the ranks it starts with, (3, 3, 3)"),
    ],
    ids=str,
)
def test_settings_that_do_not_fit_the_tensor_are_refused(name: str, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidSetting) as refusal:
        make(name, settings).refuses(small())
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("name", BASELINES)
def test_settings_are_told_as_plain_numbers_with_nothing_left_open(name: str) -> None:
    method: Any = make(
        name, {"max_iter": np.int64(7)} if "max_iter" in setting_names(available_methods()[name]) else {}
    )
    used = method.used_on(small())
    assert [key for key in used if key in setting_names(type(method))] == list(setting_names(type(method)))
    assert [key for key, value in used.items() if value is None and (name, key) != ("ffw", "tau")] == []
    assert type(used["max_iter"]) is int


# Memory


@pytest.mark.parametrize("name", BASELINES)
def test_what_does_not_fit_into_memory_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "biharmonic":
        pytest.importorskip("skimage")
    monkeypatch.setattr(baseline, "physical_memory", lambda: 2**20)
    huge = ObservedTensor.from_coordinates([[0, 0, 0]], [1.0], (10**5, 10**5, 10**3))
    refusal = make(name, {}).refuses(huge) or ""
    assert make(name, {}).refuses(small()) is None
    if name in ("ncpc", "spc", "bcpf"):
        assert "GiB for" in refusal
        assert refusal.endswith("rank needs less.")
    elif available_methods()[name].needs_known_only or name.endswith("-fill"):
        assert refusal == ""
    else:
        assert refusal.startswith(f"{name} works on the whole tensor: shape (100000, 100000, 1000) would need ")
        named = "nonneg-dual, dual, dual-demo, rprecon, geomcg, ncpc, ffw, spc, bcpf, bayes-factors, main-effects"
        assert refusal.endswith(
            f"and this machine has 0. Methods that only look at what is known can complete it: {named}."
        )


def test_the_factors_of_variant_two_count_though_the_tensor_is_small() -> None:
    flat = ObservedTensor.from_coordinates([[0, 0]], [1.0], (10**6, 2))
    assert "works on the whole tensor" in (make("lrtc-tv", {"variant": "II"}).refuses(flat) or "")
    assert make("lrtc-tv", {}).refuses(flat) is None
