"""Completion: the completed tensor in the dtype and range of the data, its history, and its certificate."""

from __future__ import annotations

import os
import re
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.completion import Certificate, Completion, History, Iteration, StopReason
from tensorfill.errors import InvalidInput, InvalidSetting, TooLarge
from tensorfill.observed import ObservedTensor

DTYPES = [np.uint8, np.uint16, np.int64, np.float32, np.float16, np.bool_]
STOP = StopReason("gap", "Converged: provably close.")


class Given:
    """An estimate that is an array, and counts how often it is asked for all of it."""

    def __init__(self, array: NDArray[np.float64]) -> None:
        self.array = array
        self.built = 0

    def at(self, coordinates: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.array[tuple(coordinates.T)]

    def dense(self) -> NDArray[np.float64]:
        self.built += 1
        return self.array.copy()

    def components(self) -> tuple[NDArray[np.float64], ...]:
        return (self.array / 4, self.array * 3 / 4)


class Everywhere:
    """An estimate that is 1 in a tensor of any size."""

    def at(self, coordinates: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(len(coordinates))

    def dense(self) -> NDArray[np.float64]:
        raise AssertionError("The full tensor must not be built.")

    def components(self) -> tuple[NDArray[np.float64], ...]:
        raise AssertionError("The full tensor must not be built.")


def completion(
    data: NDArray[Any], known: NDArray[np.bool_], model: NDArray[np.float64], *, nonnegative: bool = True, **more: Any
) -> Completion:
    observed = ObservedTensor.from_array(data, known)
    return Completion(observed, "given", Given(model), nonnegative, STOP, 0.5, **more)


def only_first_known(values: list[float], dtype: Any, **more: Any) -> Completion:
    """The completion of a 1 × n table whose first entry is a known 1 and whose model is `values`."""
    model = np.array([values], dtype=np.float64)
    known = np.zeros(model.shape, dtype=bool)
    known[0, 0] = True
    return completion(np.ones(model.shape, dtype=dtype), known, model, **more)


@pytest.fixture(params=DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def filled(request: pytest.FixtureRequest) -> Completion:
    """A random model around random data of every dtype."""
    rng = np.random.default_rng(0)
    shape = (4, 3, 5)
    top = 1 if request.param == np.bool_ else 200
    data = (rng.random(shape) * top).round().astype(request.param)
    known = rng.random(shape) < 0.5
    return completion(data, known, rng.uniform(-0.2, 1.4, shape) * top, nonnegative=False)


# The tensor


def test_the_tensor_has_the_dtype_and_shape_of_the_data(filled: Completion) -> None:
    assert filled.tensor.dtype == filled.observed.dtype
    assert filled.tensor.shape == filled.observed.shape


def test_the_tensor_is_nowhere_negative_even_if_the_model_is(filled: Completion) -> None:
    assert filled.model.min() < 0
    assert filled.tensor.min() >= 0


def test_the_tensor_keeps_the_known_entries_exactly(filled: Completion) -> None:
    np.testing.assert_array_equal(filled.tensor[filled.observed.mask()], filled.observed.known)


def test_unknown_entries_come_from_the_model(filled: Completion) -> None:
    hidden = ~filled.observed.mask()
    largest = {"uint8": 255.0, "bool": 1.0}.get(filled.observed.dtype.name, np.inf)
    expected = filled.model[hidden].clip(0, largest)
    rounding = 1e-3 * expected.max() if filled.observed.dtype.kind == "f" else 0.5
    np.testing.assert_allclose(filled.tensor[hidden].astype(float), expected, rtol=0, atol=rounding)


def test_known_entries_come_from_the_model_too_if_asked() -> None:
    data, model = np.array([[10, 20], [30, 40]], dtype=np.uint8), np.array([[11.2, 18.9], [33.0, 50.0]])
    known = np.array([[True, True], [True, False]])
    assert completion(data, known, model, keep_observed=True).tensor.tolist() == [[10, 20], [30, 50]]
    assert completion(data, known, model, keep_observed=False).tensor.tolist() == [[11, 19], [33, 50]]


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        (np.uint8, [2.4, 2.6, -0.4, -7.0, 254.6, 255.4, 300.0, 1e30], [2, 3, 0, 0, 255, 255, 255, 255]),
        (np.int8, [126.6, 127.4, 128.0, -3.0], [127, 127, 127, 0]),
        (np.uint16, [65534.4, 65535.6, 7e4], [65534, 65535, 65535]),
        (np.int64, [1e15 + 0.6, 2.0**53, 2.0**62, 2.0**63, 1e30], [10**15 + 1, 2**53, 2**62, 2**63 - 1, 2**63 - 1]),
        (np.uint64, [2.0**63, 2.0**64, 1e30, -1.0], [2**63, 2**64 - 1, 2**64 - 1, 0]),
        (np.bool_, [0.49, 0.51, -1.0, 7.0], [False, True, False, True]),
        (np.float32, [0.25, -0.25, 1e30], [0.25, 0.0, float(np.float32(1e30))]),
        (np.float16, [0.25, -0.25, 1000.0], [0.25, 0.0, 1000.0]),
        (np.float64, [0.1, -1e-300], [0.1, 0.0]),
    ],
)
def test_values_are_rounded_and_kept_inside_the_range_of_the_dtype(
    dtype: Any, values: list[float], expected: list[Any]
) -> None:
    assert only_first_known([1.0, *values], dtype).tensor[0, 1:].tolist() == expected


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_known_integers_above_two_to_the_53_are_given_back_exactly(dtype: Any) -> None:
    data = np.array([[2**53 + 1, 2**62 + 1], [2**63 - 1, 5]], dtype=dtype)
    known = np.array([[True, True], [True, False]])
    done = completion(data, known, data.astype(float))
    assert done.tensor.tolist() == data.tolist()
    assert done.predict(np.argwhere(known)).tolist() == data[known].tolist()


# The model and its components


def test_the_model_is_clipped_at_zero_for_a_nonnegative_method_only() -> None:
    assert only_first_known([1.0, -2.0], np.uint8, nonnegative=True).model.tolist() == [[1.0, 0.0]]
    assert only_first_known([1.0, -2.0], np.uint8, nonnegative=False).model.tolist() == [[1.0, -2.0]]


def test_the_model_does_not_have_the_known_entries_put_back() -> None:
    assert only_first_known([7.5, 2.0], np.uint8).model.tolist() == [[7.5, 2.0]]


def test_the_components_are_the_estimates() -> None:
    done = only_first_known([1.0, 4.0], np.float64)
    assert [part.tolist() for part in done.components] == [[[0.25, 1.0]], [[0.75, 3.0]]]


def test_everything_of_full_size_is_built_once() -> None:
    done = only_first_known([1.0, 4.0], np.uint8)
    assert done.estimate.built == 0  # type: ignore[attr-defined]
    assert done.tensor is done.tensor
    assert done.model is done.model
    assert done.components is done.components
    assert done.estimate.built == 1  # type: ignore[attr-defined]


def test_everything_of_full_size_is_read_only(filled: Completion) -> None:
    for array in (filled.tensor, filled.model, *filled.components):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0, 0] = 1


def test_a_completion_cannot_be_edited() -> None:
    done = only_first_known([1.0, 4.0], np.uint8)
    for name in ("method", "stop", "certificate", "keep_observed"):
        with pytest.raises(FrozenInstanceError):
            setattr(done, name, None)


# Predictions


@pytest.mark.parametrize("keep", [True, False])
def test_predictions_are_the_tensors_entries(filled: Completion, keep: bool) -> None:
    done = Completion(filled.observed, "given", filled.estimate, False, STOP, 0.0, keep_observed=keep)
    everywhere = np.argwhere(np.ones(filled.observed.shape, dtype=bool))
    predicted = done.predict(everywhere)
    assert predicted.dtype == done.tensor.dtype
    np.testing.assert_array_equal(predicted, done.tensor.reshape(-1))


def test_raw_predictions_are_the_models_entries(filled: Completion) -> None:
    rows = np.array([[0, 0, 0], [3, 2, 4], [1, 1, 1], [3, 2, 4]])
    predicted = filled.predict(rows, raw=True)
    assert predicted.dtype == np.float64
    np.testing.assert_array_equal(predicted, filled.model[tuple(rows.T)])


def test_raw_predictions_of_a_nonnegative_method_are_clipped_like_its_model() -> None:
    done = only_first_known([1.0, -2.0, 3.5], np.uint8, nonnegative=True)
    assert done.predict([[0, 1], [0, 2]], raw=True).tolist() == [0.0, 3.5]


def test_predictions_may_repeat_and_come_in_any_order() -> None:
    done = only_first_known([9.0, 2.0, 3.0], np.uint8)
    assert done.predict([[0, 2], [0, 0], [0, 2], [0, 1]]).tolist() == [3, 1, 3, 2]


def test_no_indices_give_no_predictions() -> None:
    done = only_first_known([9.0, 2.0], np.uint8)
    assert done.predict(np.empty((0, 2), dtype=int)).shape == (0,)


def test_predicting_leaves_the_completion_as_it_was() -> None:
    done = only_first_known([9.0, 2.0], np.float64, nonnegative=False)
    for raw in (False, True):
        done.predict([[0, 0], [0, 1]], raw=raw)[...] = 77
    assert done.tensor.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("indices", "sentence"),
    [
        (
            [0, 1],
            "Coordinates must be an array of shape (entries, 2), one row per entry. Got shape (2,) instead.",
        ),
        ([[0.0, 1.0]], "Coordinates must be integers. Got float64 instead."),
        ([[0, -1]], "Coordinates of mode 2 must lie in 0 … 1. Got -1 … -1 instead."),
        ([[0, 2]], "Coordinates of mode 2 must lie in 0 … 1. Got 2 … 2 instead."),
    ],
)
def test_wrong_indices_are_refused(indices: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        only_first_known([9.0, 2.0], np.uint8).predict(indices)


# Tensors too large for this machine


@pytest.fixture
def huge() -> Completion:
    observed = ObservedTensor.from_coordinates([[0, 0, 0], [9, 9, 9]], [3, 4], (10**6, 10**6, 10**4))
    return Completion(observed, "given", Everywhere(), True, STOP, 0.0)


@pytest.mark.parametrize(("name", "copies"), [("tensor", 2), ("model", 2), ("components", 3)])
def test_a_full_tensor_that_does_not_fit_is_refused_before_it_is_built(
    huge: Completion, name: str, copies: int
) -> None:
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    sentence = (
        f"The full tensor of shape (1000000, 1000000, 10000) would need {10**16 * 8 * copies / 2**30:,.0f} GiB and "
        f"this machine has {there:,.0f}; ask for the entries you need with predict(indices)."
    )
    with pytest.raises(TooLarge, match=f"^{re.escape(sentence)}$"):
        getattr(huge, name)


def test_predictions_of_a_huge_tensor_work(huge: Completion) -> None:
    rows = [[9, 9, 9], [10**6 - 1, 10**6 - 1, 10**4 - 1], [0, 0, 0]]
    assert huge.predict(rows).tolist() == [4, 1, 3]
    assert huge.predict(rows, raw=True).tolist() == [1.0, 1.0, 1.0]


# How sure it is


def telling(**more: Any) -> Completion:
    """A 1 × 4 table whose first entry is a known 1; deviations are a tenth of the index plus one."""
    done = only_first_known([9.0, 2.0, 3.0, 4.0], np.float64)
    return replace(done, **more)


def tenths(coordinates: NDArray[np.int64]) -> NDArray[np.float64]:
    return (coordinates[:, 1] + 1) / 10


def all_tenths() -> NDArray[np.float64]:
    return np.array([[0.1, 0.2, 0.3, 0.4]])


@pytest.mark.parametrize("told", [{"deviations_at": tenths}, {"deviations": all_tenths}], ids=["at", "everywhere"])
def test_deviations_come_with_predictions_and_are_those_of_uncertainty(told: dict[str, Any]) -> None:
    done = telling(**told)
    rows = [[0, 3], [0, 0], [0, 1], [0, 3]]
    values, deviations = done.predict(rows, deviation=True)
    assert values.tolist() == done.predict(rows).tolist()
    assert deviations.tolist() == [0.4, 0.0, 0.2, 0.4]
    assert done.uncertainty.tolist() == [[0.0, 0.2, 0.3, 0.4]]


@pytest.mark.parametrize("told", [{"deviations_at": tenths}, {"deviations": all_tenths}], ids=["at", "everywhere"])
def test_what_is_known_has_a_deviation_if_it_is_not_kept(told: dict[str, Any]) -> None:
    assert telling(keep_observed=False, **told).predict([[0, 0]], deviation=True)[1].tolist() == [0.1]
    assert telling(**told).predict([[0, 0]], raw=True, deviation=True)[1].tolist() == [0.1]


def test_a_method_that_does_not_tell_says_so() -> None:
    with pytest.raises(InvalidSetting, match=r"^This completion by given does not tell how sure it is of an entry.$"):
        telling().predict([[0, 1]], deviation=True)


def test_deviations_of_a_few_entries_of_a_huge_tensor_need_no_more_than_those(huge: Completion) -> None:
    done = replace(huge, deviations_at=tenths)
    assert done.predict([[9, 9, 9], [5, 4, 3]], deviation=True)[1].tolist() == [0.0, 0.5]
    with pytest.raises(TooLarge, match=re.escape("; ask for those you need with predict(indices, deviation=True).")):
        _ = done.uncertainty


def test_one_that_tells_all_at_once_says_so_if_they_do_not_fit(huge: Completion) -> None:
    done = replace(huge, deviations=all_tenths)
    with pytest.raises(TooLarge, match=r"; given tells how sure it is of all entries at once or not at all.$"):
        done.predict([[9, 9, 9]], deviation=True)


# What it tells about itself


@pytest.fixture
def history() -> History:
    return History(
        [
            Iteration(i, 0.5 * i, 10.0 - i, {"gradient_norm": 1.0 / (i + 1), "operator_calls": 7 * i, "active": i % 2})
            for i in range(4)
        ]
    )


def test_the_columns_of_a_history_are_arrays(history: History) -> None:
    assert history.seconds.tolist() == [0.0, 0.5, 1.0, 1.5]
    assert history.cost.tolist() == [10.0, 9.0, 8.0, 7.0]
    assert history.gradient_norm.tolist() == [1.0, 1 / 2, 1 / 3, 1 / 4]
    assert history.operator_calls.tolist() == [0, 7, 14, 21]
    assert history.active.tolist() == [0, 1, 0, 1]


def test_a_history_is_a_sequence_of_iterations(history: History) -> None:
    assert len(history) == 4
    assert [step.iteration for step in history] == [0, 1, 2, 3]
    assert history[0].cost == 10.0
    assert history[-1].iteration == 3
    assert history[2] in history
    assert repr(history) == "History(4 iterations)"
    with pytest.raises(IndexError):
        history[4]


def test_a_slice_of_a_history_is_a_history(history: History) -> None:
    assert isinstance(history[1:3], History)
    assert history[1:3].cost.tolist() == [9.0, 8.0]
    assert history[::-1].cost.tolist() == [7.0, 8.0, 9.0, 10.0]
    assert len(history[9:]) == 0


def test_a_history_does_not_follow_the_list_it_was_made_from(history: History) -> None:
    steps = list(history)
    made = History(steps)
    steps.clear()
    assert len(made) == 4


def test_an_empty_history_has_empty_columns() -> None:
    empty = History()
    for name in ("seconds", "cost", "gradient_norm", "operator_calls", "active"):
        assert getattr(empty, name).shape == (0,)


def test_a_completion_counts_the_iterations_after_the_start(history: History) -> None:
    assert only_first_known([1.0, 2.0], np.uint8, history=history).iterations == 3
    assert only_first_known([1.0, 2.0], np.uint8).iterations == 0


def test_the_gap_of_a_certificate_is_between_its_bounds() -> None:
    certificate = Certificate(upper=10.0, lower=9.5, negativity=0.0, complementarity=0.0, stationarity=0.0)
    assert certificate.gap == 0.5
    assert certificate.relative_gap == 0.05


def test_the_certificate_of_a_zero_objective_has_no_gap() -> None:
    assert Certificate(0.0, 0.0, 0.0, 0.0, 0.0).relative_gap == 0.0


def test_a_certificate_cannot_be_edited() -> None:
    with pytest.raises(FrozenInstanceError):
        Certificate(1.0, 1.0, 0.0, 0.0, 0.0).upper = 0.5  # type: ignore[misc]


def test_a_stop_reason_reads_as_its_sentence() -> None:
    assert str(STOP) == "Converged: provably close."


def test_a_completion_introduces_itself_in_one_line() -> None:
    done = only_first_known([1.0, 2.0], np.uint8)
    assert repr(done) == "Completion(given, shape (1, 2), 0.5 s: Converged: provably close.)"
