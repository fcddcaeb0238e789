"""`complete`, the front door: what it takes, what it refuses and in which words, and how it is watched and stopped."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from small_tensor import make_holes, make_known, make_truth  # noqa: F401
from tensorfill.completion import Snapshot
from tensorfill.errors import InvalidInput, InvalidSetting, TensorfillError, TensorfillWarning, UnrecoverableSlice
from tensorfill.formats import Contents
from tensorfill.library import complete
from tensorfill.methods.registry import available_methods
from tensorfill.observed import ObservedTensor


def exactly(sentence: str) -> str:
    """A pattern for the whole message."""
    return f"^{re.escape(sentence)}$"


CERTIFIED = ("nonneg-dual", "dual", "dual-demo")
"""Methods of a convex problem, whose completions carry a certificate."""

SOON: dict[str, Any] = {"method": "nonneg-dual", "rank": 2, "max_iter": 3}
"""For what holds whichever method completes."""


# What it takes


def test_the_holes_of_a_low_rank_tensor_come_back(truth: NDArray[Any], known: NDArray[Any]) -> None:
    done = complete(truth, known, C=1000, gradient_tolerance=1e-4)
    error = np.linalg.norm((done.tensor - truth)[~known]) / np.linalg.norm(truth[~known])
    assert error < 0.15
    assert done.method == "nonneg-dual"


def test_every_way_to_say_what_is_missing_gives_the_same(
    truth: NDArray[Any], known: NDArray[Any], holes: NDArray[Any]
) -> None:
    rows = np.argwhere(known)
    expected = complete(truth, known, **SOON).tensor
    for given in (
        holes,
        holes.tolist(),
        np.ma.MaskedArray(truth, mask=~known),
        ObservedTensor.from_array(truth, known),
        ObservedTensor.from_coordinates(rows, truth[known], truth.shape),
    ):
        np.testing.assert_array_equal(complete(given, **SOON).tensor, expected)  # type: ignore[arg-type]


def test_what_the_missing_entries_hold_does_not_matter(truth: NDArray[Any], known: NDArray[Any]) -> None:
    garbage = np.where(known, truth, -1e9)
    np.testing.assert_array_equal(complete(garbage, known, **SOON).tensor, complete(truth, known, **SOON).tensor)


def test_a_mask_of_rows_and_columns_serves_every_channel(truth: NDArray[Any]) -> None:
    pixels = np.random.default_rng(0).random(truth.shape[:2]) < 0.7
    whole = np.repeat(pixels[:, :, None], truth.shape[2], axis=2)
    expected = complete(truth, whole, **SOON).tensor
    for given in (truth, Contents(truth), Contents(truth, np.ones(truth.shape, dtype=bool))):
        np.testing.assert_array_equal(complete(given, pixels, **SOON).tensor, expected)
    with pytest.raises(InvalidInput, match="or that of its first modes, or 1 instead of a size"):
        complete(Contents(truth, whole), pixels.T)


def test_an_observed_tensor_says_itself_what_is_observed(truth: NDArray[Any], known: NDArray[Any]) -> None:
    sentence = "An ObservedTensor already says what is observed; leave 'observed' out."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        complete(ObservedTensor.from_array(truth, known), known)


def test_known_entries_are_kept_or_left_to_the_model(truth: NDArray[Any], known: NDArray[Any]) -> None:
    kept, left = complete(truth, known, **SOON), complete(truth, known, keep_observed=False, **SOON)
    np.testing.assert_array_equal(kept.tensor[known], truth[known])
    np.testing.assert_array_equal(left.tensor, left.model)
    assert (left.tensor[known] != truth[known]).any()


def test_negative_values_are_refused_or_clipped(truth: NDArray[Any], known: NDArray[Any]) -> None:
    below = truth - np.median(truth)
    with pytest.raises(InvalidInput, match=r"^\d+ observed values are negative, .*negatives='clip'"):
        complete(below, known)
    done = complete(below, known, negatives="clip", **SOON)
    np.testing.assert_array_equal(done.tensor[known], np.maximum(below, 0)[known])


def test_the_callers_arrays_stay_as_they_were(holes: NDArray[Any], known: NDArray[Any]) -> None:
    before, mask = holes.copy(), known.copy()
    complete(holes, known, **SOON)
    np.testing.assert_array_equal(holes, before)
    np.testing.assert_array_equal(known, mask)
    assert holes.flags.writeable
    assert known.flags.writeable


def test_the_completion_tells_the_settings_it_used(holes: NDArray[Any]) -> None:
    used = complete(holes, rank=2, C=5, lam=3, max_iter=4).settings
    assert (used["rank"], used["C"], used["lam"], used["max_iter"]) == ((2, 2, 2), 5.0, (3.0, 3.0, 3.0), 4)
    assert used["nonnegative_on"] == "everywhere"


def test_settings_left_open_are_told_as_they_were_resolved() -> None:
    holes = np.random.default_rng(0).random((12, 7))
    holes[0, 0] = np.nan
    used = complete(holes, method="nonneg-dual", max_iter=1).settings
    assert (used["rank"], used["lam"]) == ((10, 7), (12.0, 7.0))


def test_nonnegativity_can_be_asked_for_at_chosen_places(holes: NDArray[Any]) -> None:
    done = complete(holes, nonnegative_on=[[0, 0, 0], [1, 2, 3]])
    assert done.settings["nonnegative_on"] == "2 chosen coordinates"
    assert done.tensor.min() >= 0


# Nothing to do


def test_everything_observed_returns_at_once_and_says_so(truth: NDArray[Any]) -> None:
    seen: list[Snapshot] = []
    done = complete(truth, watch=seen.append)
    assert done.stop.kind == "nothing_missing"
    assert str(done.stop) == "Every entry is observed: nothing to complete, the data is returned as is."
    np.testing.assert_array_equal(done.tensor, truth)
    np.testing.assert_array_equal(done.model, truth)
    np.testing.assert_array_equal(sum(done.components), truth)
    np.testing.assert_array_equal(done.predict([[1, 2, 3], [0, 0, 0]]), [truth[1, 2, 3], truth[0, 0, 0]])
    assert (done.iterations, done.seconds, seen) == (0, 0.0, [])


def test_everything_observed_keeps_large_integers_exactly() -> None:
    data = np.array([[2**53 + 1, 2**63 - 1], [0, 1]], dtype=np.int64)
    assert complete(data).tensor.tolist() == data.tolist()


def test_settings_are_checked_even_if_everything_is_observed(truth: NDArray[Any]) -> None:
    with pytest.raises(InvalidSetting, match="'rank'"):
        complete(truth, rank=99)
    with pytest.raises(InvalidSetting, match="'random_state'"):
        complete(truth, random_state=-1)


@pytest.mark.parametrize("method", available_methods())
@pytest.mark.parametrize("dtype", [np.float64, np.uint8])
def test_data_that_is_all_zero_is_completed_by_zero(method: str, dtype: Any, known: NDArray[Any]) -> None:
    done = complete(np.zeros(known.shape, dtype=dtype), known, method)
    assert done.stop.kind == "all_zero"
    assert str(done.stop) == "Every observed value is zero, so the completion is zero everywhere."
    assert done.tensor.dtype == dtype
    assert not done.tensor.any()
    assert not done.model.any()
    assert not done.predict([[0, 0, 0]]).any()
    if method in CERTIFIED:
        assert done.certificate is not None
        assert done.certificate.relative_gap == 0


# What it refuses


@pytest.mark.parametrize(("name", "given"), [("mask", None), ("missing", 0)])
def test_other_words_for_the_holes_point_to_observed(holes: NDArray[Any], name: str, given: object) -> None:
    sentence = f"There is no '{name}': what is known goes into observed=, where True means known"
    with pytest.raises(InvalidSetting, match=f"^{re.escape(sentence)}"):
        complete(holes, **{name: given})  # type: ignore[arg-type]


def test_an_unknown_method_is_refused_with_the_names_of_all(holes: NDArray[Any]) -> None:
    sentence = f"There is no method 'magic'. The methods are: {', '.join(available_methods())}."
    with pytest.raises(InvalidSetting, match=exactly(sentence)):
        complete(holes, method="magic")


def test_a_setting_of_many_methods_is_not_taken_for_that_of_one(holes: NDArray[Any]) -> None:
    sentence = (
        r"^auto has no setting 'max_iter'\. Its settings are: effort, weights, lost_weights, last_along\. "
        r"Methods that have it: patches, spectral, nonneg-dual, .*; name the one that is meant\.$"
    )
    with pytest.raises(InvalidSetting, match=sentence):
        complete(holes, max_iter=50)


def test_settings_that_choose_a_method_are_noted(holes: NDArray[Any]) -> None:
    done = complete(holes, rank=2, C=5.0, max_iter=3)
    sentence = "'rank' and 'C' are settings of nonneg-dual, which was taken instead of auto; name the method to choose"
    assert done.method == "nonneg-dual"
    assert done.notes[0].startswith(sentence)
    assert complete(holes, method="nonneg-dual", rank=2, max_iter=3).notes == ()


def test_a_rank_chooses_nothing_beside_settings_of_other_methods(holes: NDArray[Any]) -> None:
    with pytest.raises(InvalidSetting, match=r"^auto has no setting 'rank'"):
        complete(holes, rank=2, effort="low")


def test_an_unknown_setting_is_refused_with_the_names_of_all(holes: NDArray[Any]) -> None:
    sentence = (
        "dual has no setting 'inner'. Its settings are: rank, C, lam, main_effects, max_iter, gradient_tolerance, "
        "gap_tolerance, start, optimizer. Methods that have it: nonneg-dual; name the one that is meant."
    )
    with pytest.raises(InvalidSetting, match=exactly(sentence)):
        complete(holes, method="dual", inner="active-set")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rank": 0}, "The 'rank' of nonneg-dual must consist of whole numbers, 1 or more. Got 0 instead."),
        ({"rank": 2.5}, "The 'rank' of nonneg-dual must consist of whole numbers, 1 or more. Got 2.5 instead."),
        ({"rank": (2, 0, 2)}, "The 'rank' of nonneg-dual must consist of whole numbers, 1 or more. Got (2, 0, 2) inst"),
        ({"rank": (2, 2)}, "The 'rank' of nonneg-dual must have 3 entries, one per mode. Got (2, 2) instead."),
        ({"rank": "many"}, "The 'rank' of nonneg-dual must be one number or one per mode. Got 'many' instead."),
        (
            {"rank": (2, 9, 2)},
            "The 'rank' of nonneg-dual must not be larger than its mode: mode 2 has size 7. Got (2, 9, 2) instead; "
            "(2, 7, 2) would do.",
        ),
        (
            {"rank": 7},
            "The 'rank' of nonneg-dual must not be larger than its mode: mode 3 has size 6. Got 7 instead; "
            "(7, 7, 6) would do.",
        ),
        ({"lam": 0}, "The 'lam' of nonneg-dual must consist of numbers above 0. Got 0 instead."),
        ({"lam": (1, -1, 1)}, "The 'lam' of nonneg-dual must consist of numbers above 0. Got (1, -1, 1) instead."),
        ({"lam": (1, 1)}, "The 'lam' of nonneg-dual must have 3 entries, one per mode. Got (1, 1) instead."),
        ({"lam": float("inf")}, "The 'lam' of nonneg-dual must consist of numbers above 0. Got inf instead."),
        ({"C": 0}, "The 'C' of nonneg-dual must be a number above 0, or 'auto'. Got 0 instead."),
        ({"C": float("nan")}, "The 'C' of nonneg-dual must be a number above 0, or 'auto'. Got nan instead."),
        ({"C": "10"}, "The 'C' of nonneg-dual must be a number above 0, or 'auto'. Got '10' instead."),
        ({"max_iter": 0}, "The 'max_iter' of nonneg-dual must be a whole number, 1 or more. Got 0 instead."),
        ({"max_iter": 2.0}, "The 'max_iter' of nonneg-dual must be a whole number, 1 or more. Got 2.0 instead."),
        (
            {"gradient_tolerance": -1},
            "The 'gradient_tolerance' of nonneg-dual must be a number, 0 or more. Got -1 instead.",
        ),
        ({"gap_tolerance": None}, "The 'gap_tolerance' of nonneg-dual must be a number, 0 or more. Got None instead."),
        ({"start": "warm"}, "The 'start' of nonneg-dual must be one of 'spectral', 'random'. Got 'warm' instead."),
        (
            {"optimizer": "adam"},
            "The 'optimizer' of nonneg-dual must be one of 'quasi-newton', 'conjugate-gradient', 'trust-region'. "
            "Got 'adam' instead.",
        ),
        (
            {"inner": "nnls"},
            "The 'inner' of nonneg-dual must be one of 'active-set', 'alternating'. Got 'nnls' instead.",
        ),
        (
            {"nonnegative_on": "nowhere"},
            "The 'nonnegative_on' of nonneg-dual must be one of 'everywhere', 'observed'. Got 'nowhere' instead.",
        ),
        (
            {"negativity_tolerance": 0},
            "The 'negativity_tolerance' of nonneg-dual must be a number above 0. Got 0 instead.",
        ),
        ({"nonnegative_on": [[0, 0, 6]]}, "Coordinates of mode 3 must lie in 0 … 5. Got 6 … 6 instead."),
        (
            {"random_state": -1},
            "'random_state' must be a whole number, 0 or more, or a generator. Got -1 instead.",
        ),
        (
            {"random_state": "lucky"},
            "'random_state' must be a whole number, 0 or more, or a generator. Got 'lucky' instead.",
        ),
        (
            {"random_state": 0.5},
            "'random_state' must be a whole number, 0 or more, or a generator. Got 0.5 instead.",
        ),
    ],
)
def test_a_wrong_setting_is_refused_with_what_would_be_right(
    holes: NDArray[Any], settings: dict[str, Any], sentence: str
) -> None:
    def never(snapshot: Snapshot) -> bool:
        raise AssertionError("No work may be done with a wrong setting.")

    with pytest.raises(TensorfillError, match=f"^{re.escape(sentence)}"):
        complete(holes, watch=never, **{"method": "nonneg-dual", **settings})


# Slices without a single observed entry


def test_an_empty_slice_warns_where_complete_was_called_and_is_noted(holes: NDArray[Any]) -> None:
    holes[3] = np.nan
    sentence = "Nothing is observed in 1 of the 8 slices of mode 1 (index 3); low rank alone cannot recover them."
    with pytest.warns(UnrecoverableSlice, match=exactly(sentence)) as caught:
        done = complete(holes, method="nonneg-dual", rank=2)
    assert [warning.filename for warning in caught] == [__file__]
    assert done.notes == (sentence,)
    assert np.isfinite(done.tensor).all()


def test_every_mode_with_empty_slices_warns_and_long_lists_are_cut_short() -> None:
    data = np.full((9, 4), np.nan)
    data[:2, :3] = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]
    with pytest.warns(UnrecoverableSlice) as caught:
        done = complete(data, method="nonneg-dual", rank=1)
    sentences = tuple(str(warning.message) for warning in caught)
    assert sentences == (
        "Nothing is observed in 7 of the 9 slices of mode 1 (index 2, 3, 4, 5, 6, …); low rank alone cannot recover "
        "them.",
        "Nothing is observed in 1 of the 4 slices of mode 2 (index 3); low rank alone cannot recover them.",
    )
    assert done.notes == sentences


def test_methods_that_look_at_neighbours_only_note_an_empty_slice(holes: NDArray[Any]) -> None:
    holes[3] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error", TensorfillWarning)
        done = complete(holes, method="linear")
    assert done.notes == (
        "Nothing is observed in 1 of the 8 slices of mode 1 (index 3); they are guessed from those beside them.",
    )


def test_without_empty_slices_there_is_neither_warning_nor_note(holes: NDArray[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", TensorfillWarning)
        assert complete(holes, **SOON).notes == ()


# Randomness


@pytest.mark.parametrize("seed", [0, 7, np.int64(7)])
def test_the_same_seed_gives_the_same_bits(holes: NDArray[Any], seed: Any) -> None:
    first, second = (
        complete(holes, method="nonneg-dual", start="random", random_state=seed, max_iter=3) for _ in range(2)
    )
    np.testing.assert_array_equal(first.model, second.model)


def test_another_seed_gives_another_start(holes: NDArray[Any]) -> None:
    first, second = (
        complete(holes, method="nonneg-dual", start="random", random_state=seed, max_iter=1) for seed in (0, 1)
    )
    assert (first.model != second.model).any()


def test_a_generator_is_as_good_as_its_seed(holes: NDArray[Any]) -> None:
    seeded, drawn = (
        complete(holes, method="nonneg-dual", start="random", random_state=state, max_iter=2)
        for state in (3, np.random.default_rng(3))
    )
    np.testing.assert_array_equal(drawn.model, seeded.model)
