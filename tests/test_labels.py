"""Entries by their labels: predictions and the best of a slice, of data that came as a long table."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from numpy.typing import NDArray

import tensorfill
from tensorfill.completion import Completion, StopReason
from tensorfill.errors import InvalidInput, InvalidSetting
from tensorfill.estimates.derived import BlendedEstimate, EstimateBySlice
from tensorfill.estimates.estimate import ConstantEstimate, DenseEstimate, Estimate
from tensorfill.labels import Axes
from tensorfill.observed import ObservedTensor

USERS, FILMS, MONTHS = ("ann", "bob", "cid"), (7, 10, 31, 40), ("May", "June")


def completion(estimate: Estimate, *, dtype: Any = np.float64, **more: Any) -> Completion:
    """Of 3 users × 4 films × 2 months; (ann, 7, May) and (bob, 31, June) are known to be 9 and 1."""
    observed = ObservedTensor.from_coordinates([[0, 0, 0], [1, 2, 1]], np.array([9, 1], dtype), (3, 4, 2))
    axes = Axes(("user", "film", "month"), (USERS, FILMS, MONTHS), (3, 4, 2))
    return Completion(observed, "given", estimate, True, StopReason("done", "Done."), 0.0, axes=axes, **more)


def numbered(**more: Any) -> Completion:
    """The value of every entry is its number in the tensor, 0 to 23."""
    return completion(DenseEstimate(np.arange(24.0).reshape(3, 4, 2)), **more)


ROWS = [("bob", 10, "May"), ("ann", 7, "May"), ("cid", 40, "June")]
EXPECTED = [10, 9, 23]


@pytest.mark.parametrize(
    "given",
    [
        ROWS,
        [list(row) for row in ROWS],
        np.array(ROWS, dtype=object),
        pandas.DataFrame(ROWS, columns=["user", "film", "month"])[["month", "user", "film"]].assign(other=0),
        polars.DataFrame(ROWS, schema=["user", "film", "month"], orient="row"),
        [[1, 1, 0], [0, 0, 0], [2, 3, 1]],
        np.array([[1, 1, 0], [0, 0, 0], [2, 3, 1]]),
    ],
    ids=["tuples", "lists", "objects", "pandas", "polars", "index lists", "indices"],
)
def test_entries_are_predicted_by_labels_or_by_indices(given: Any) -> None:
    assert numbered().predict(given).tolist() == EXPECTED


def test_named_labels_are_one_for_all_or_one_per_entry() -> None:
    done = numbered()
    assert done.predict(user="bob", film=[7, 10, 31], month="June").tolist() == [9, 11, 1]
    assert done.predict(film=7, month="June", user="cid").tolist() == [17]


def test_tuples_of_whole_numbers_are_labels_and_lists_of_them_indices() -> None:
    observed = ObservedTensor.from_coordinates([[0, 0]], [0.0], (2, 2))
    axes = Axes(("row", "column"), ((1, 0), (1, 0)), (2, 2))
    estimate = DenseEstimate(np.array([[0.0, 1.0], [2.0, 3.0]]))
    done = Completion(observed, "given", estimate, True, StopReason("done", "Done."), 0.0, axes=axes)
    assert done.predict([(0, 1)]).tolist() == [2.0]
    assert done.predict([[0, 1]]).tolist() == [1.0]


def test_no_entries_by_label_are_no_predictions() -> None:
    assert numbered().predict(pandas.DataFrame({"user": [], "film": [], "month": []})).shape == (0,)


def test_deviations_come_by_label_too() -> None:
    done = numbered(deviations_at=lambda rows: rows.sum(axis=1) / 10)
    assert done.predict(ROWS, deviation=True)[1].tolist() == [0.2, 0.0, 0.6]


@pytest.mark.parametrize(
    ("own", "asked"),
    [
        ((7, 8), ["8", 8.0, np.int64(8), "8"]),
        (("7", "8"), [8, "8", np.int32(8)]),
        ((0.5, 2.5), [2.5, "2.5", np.float32(2.5)]),
        ((datetime.date(2024, 1, 1), datetime.date(2024, 5, 1)), [datetime.date(2024, 5, 1), "2024-05-01"]),
        (None, [1, "1", 1.0, np.uint8(1)]),
    ],
)
def test_a_label_is_found_whatever_type_it_is_written_in(own: Any, asked: list[Any]) -> None:
    assert Axes(("a", "b"), (own, None), (2, 2)).locate(0, asked).tolist() == [1] * len(asked)


@pytest.mark.parametrize("own", [("x", "y"), (0, 1), None])
@pytest.mark.parametrize("asked", ["z", 2, -1, 0.5, "0.5", "", float("inf")])
def test_what_the_data_does_not_have_is_not_taken_for_something_else(own: Any, asked: Any) -> None:
    assert Axes(("a", "b"), (own, None), (2, 2)).locate(0, [asked]).tolist() == [-1]


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda done: done.predict(),
            "predict takes either rows of indices, or labels by the names of all coordinates.",
        ),
        (lambda done: done.predict(ROWS, user="ann"), "predict takes either rows of indices, or labels by the names"),
        (
            lambda done: done.predict(user="ann", film=7),
            "An entry needs all its coordinates, 'user', 'film', 'month'. 'month' is not there.",
        ),
        (lambda done: done.predict(usr="ann"), "There is no coordinate 'usr'. They are: 'user', 'film', 'month'."),
        (
            lambda done: done.predict(pandas.DataFrame({"film": [7]})),
            "An entry needs all its coordinates, 'user', 'film', 'month'. 'user', 'month' are not there.",
        ),
        (
            lambda done: done.predict([("ann", 7, "May"), ("ann", 7)]),
            "Every entry needs 3 labels, those of 'user', 'film', 'month'. Got ('ann', 7) for entry 2.",
        ),
        (
            lambda done: done.predict(user=["ann", "bob"], film=[7, 7, 7], month="May"),
            "There must be as many labels of every coordinate. Got 2 of 'user', 3 of 'film', 3 of 'month'.",
        ),
        (
            lambda done: done.predict([("ann", 7, "May"), ("ann", None, "May")]),
            "Row 2 has no 'film': every row needs all its coordinates.",
        ),
        (
            lambda done: done.predict([("ann", 7, pandas.NA)]),
            "Row 1 has no 'month': every row needs all its coordinates.",
        ),
        (
            lambda done: done.predict([("ann", [7], "May")]),
            "A label of 'film' must be text, a number or a date. Got [7] instead.",
        ),
        (
            lambda done: done.predict([("ann", 7, "May"), ("zoe", 8, "May")]),
            "user 'zoe' is not in the data, and this completion by given tells nothing about what it has not seen; "
            "leave such entries out.",
        ),
        (
            lambda done: done.top("zoe", month="May"),
            "user 'zoe' is not in the data, and this completion by given tells",
        ),
        (lambda done: done.top("ann", mode="usr"), "There is no coordinate 'usr'. They are: 'user', 'film', 'month'."),
        (
            lambda done: done.top("ann"),
            "All coordinates but one must have a label, of 'user', 'film', 'month'. Here 'film', 'month' are left; "
            "give others by name.",
        ),
        (lambda done: done.top("ann", film=7, month="May"), "All coordinates but one must have a label, of 'user', "),
        (lambda done: done.top("ann", 0, month="May"), "'k' must be a whole number, at least 1. Got 0 instead."),
    ],
)
def test_what_cannot_be_found_is_named(ask: Any, sentence: str) -> None:
    with pytest.raises((InvalidInput, InvalidSetting), match=f"^{re.escape(sentence)}"):
        ask(numbered())


# Labels that the data does not have


def test_a_label_of_which_nothing_is_known_is_predicted_by_methods_that_can() -> None:
    assert completion(ConstantEstimate((3, 4, 2), 5.0)).predict([("zoe", 7, "May"), ("ann", 7, "May")]).tolist() == [
        5,
        9,
    ]


def test_of_a_blend_those_tell_about_it_that_can() -> None:
    silent, telling = DenseEstimate(np.full((3, 4, 2), 8.0)), ConstantEstimate((3, 4, 2), 5.0)
    done = completion(BlendedEstimate([silent, telling], [0.5, 0.5]))
    assert done.predict(user=["cid", "zoe"], film=7, month="May").tolist() == [6.5, 5.0]


def test_a_scaled_mode_has_a_middle_scale_there() -> None:
    scaled = EstimateBySlice(ConstantEstimate((3, 4, 2), 5.0), np.array([2.0, 4.0]))
    assert completion(scaled).predict(user="cid", film=7, month=["May", "June", "July"]).tolist() == [10, 20, 5]


def test_how_sure_it_is_there_is_not_taken_from_the_last_index() -> None:
    done = completion(ConstantEstimate((3, 4, 2), 5.0), deviations=lambda: np.ones((3, 4, 2)))
    with pytest.raises(InvalidSetting, match="does not tell how sure it is of what is not in it"):
        done.predict(user="zoe", film=7, month="May", deviation=True)


# The best of a slice


def best(values: NDArray[Any], **more: Any) -> Completion:
    """Of two users, with values of three films each; the second of the first user is known to be 4."""
    observed = ObservedTensor.from_coordinates([[0, 1]], np.array([4], values.dtype), values.shape)
    films = tuple("abcdefgh"[: values.shape[1]])
    axes = Axes(("user", "film"), (("ann", "bob"), films), values.shape)
    estimate = DenseEstimate(values.astype(np.float64))
    return Completion(observed, "given", estimate, True, StopReason("done", "Done."), 0.0, axes=axes, **more)


def test_the_best_come_first_with_the_values_of_predict() -> None:
    done = best(np.array([[1.0, 9.0, 3.0], [3.0, 1.0, 2.0]]))
    for user, films in (("ann", ("c", "a")), ("bob", ("a", "c"))):
        found = done.top(user, 2)
        assert found.labels == films
        assert found.values.tolist() == done.predict([(user, film) for film in films]).tolist()
        assert found.values.tolist() == done.predict(found.coordinates).tolist()


def test_what_is_known_is_left_out_or_counts_as_it_is_known() -> None:
    done = best(np.array([[5.0, 9.0, 3.0], [3.0, 1.0, 2.0]]))
    assert done.top("ann").labels == ("a", "c")
    everything = done.top("ann", exclude_known=False)
    assert (everything.labels, everything.values.tolist()) == (("a", "b", "c"), [5, 4, 3])
    assert done.top("ann", exclude_known=False, raw=True).labels == ("b", "a", "c")


def test_along_another_mode_and_with_others_fixed() -> None:
    assert best(np.array([[1.0, 9.0, 3.0], [3.0, 1.0, 2.0]])).top("a", mode="film").labels == ("bob", "ann")
    done = numbered()
    assert done.top("bob", 2, month="June").labels == (40, 10)
    assert done.top(7, mode="film", user="ann").labels == ("June",)
    assert done.top(user="bob", index="June", mode="month").labels[0] == 40


def test_equal_ones_are_in_the_order_of_their_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    done = best(np.array([[2.0, 7.0, 2.0, 5.0, 5.0, 2.0, 5.0, 1.0], [0.0] * 8]))
    for block in (1, 2, 3, 100):
        monkeypatch.setattr("tensorfill.ranking._BLOCK", block)
        assert "".join(done.top("ann", 5).labels) == "degac"
        assert "".join(done.top("bob", 3).labels) == "abc"


def test_whole_numbers_are_ordered_by_what_the_model_says_before_rounding() -> None:
    done = best(np.array([[3.2, 0.0, 3.4], [0.0, 0.0, 0.0]]))
    whole = Completion(
        ObservedTensor.from_coordinates([[0, 1]], np.array([4]), (2, 3)),
        "given", done.estimate, True, done.stop, 0.0, axes=done.axes,
    )  # fmt: skip
    found = whole.top("ann")
    assert (found.labels, found.values.tolist()) == (("c", "a"), [3, 3])
    assert whole.top("ann", raw=True).values.tolist() == [3.4, 3.2]


def test_without_labels_indices_are_numbers() -> None:
    done = tensorfill.complete(np.array([[1.0, np.nan, 3.0], [2.0, 4.0, np.nan]]), method="mean-fill")
    found = done.top(0)
    assert (found.labels, found.values.tolist()) == ((1,), [2.5])
    assert done.top(1, mode="mode_2").labels == (0,)


def test_a_fibre_of_a_vast_tensor_needs_no_tensor() -> None:
    shape = (10**6, 10**6, 10**5)
    observed = ObservedTensor.from_coordinates([[5, 3, 7]], [1.0], shape)
    done = Completion(observed, "given", ConstantEstimate(shape, 2.0), True, StopReason("done", "Done."), 0.0)
    assert done.top(5, 4, mode_3=7).labels == (0, 1, 2, 4)


# Where labels come from


def test_a_long_table_brings_its_labels_along() -> None:
    columns = {"user": ["ann", "ann", "bob"], "film": [10, 7, 10], "stars": [4.0, 5.0, 3.0]}
    for table in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        done = tensorfill.complete(table, method="mean-fill", coordinates=["user", "film"], value="stars")
        assert done.predict([("ann", 7), ("bob", 7)]).tolist() == pytest.approx([5, 4])
        assert done.predict(table).tolist() == [4, 5, 3]
        assert done.top("bob").labels == (7,)


def test_a_file_brings_its_labels_along(tmp_path: Any) -> None:
    (tmp_path / "ratings.csv").write_text("user,film,value\nann,10,4\nann,7,5\nbob,10,3\n")
    done = tensorfill.complete(tensorfill.read(tmp_path / "ratings.csv"), method="mean-fill")
    assert done.predict(user="ann", film=[7, 10]).tolist() == [5, 4]
