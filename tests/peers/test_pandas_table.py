"""pandas DataFrames in long form: what their columns mean, and that they come back in kind."""

import subprocess
import sys

import numpy as np
import pandas
import pytest
from pandas.testing import assert_frame_equal

from tensorfill import complete
from tensorfill.errors import InvalidInput
from tensorfill.peers import arriving
from tensorfill.peers.pandas_table import entries_of, frame_of


def many_kinds() -> pandas.DataFrame:
    """A column of every kind that people use, and a value between them."""
    return pandas.DataFrame(
        {
            "text": ["x10", "x9", "x10"],
            "kind": pandas.Categorical(["b", "a", "b"], categories=["b", "unused", "a"], ordered=True),
            "day": pandas.to_datetime(["2024-01-02", "2024-01-01", "2024-01-02"]).tz_localize("Europe/Oslo"),
            "nanosecond": pandas.to_datetime([7, 5, 7], unit="ns"),
            "period": pandas.period_range("2024-01", periods=3, freq="M"),
            "trips": pandas.array([5, None, 7], dtype="UInt16"),
            "number": np.array([3, 4, 3], dtype=np.int8),
            "index": [1, 0, 1],
            "flag": [True, False, True],
            "depth": np.array([0.5, 2.5, 0.5], dtype=np.float32),
            "mixed": pandas.Series(["a", 1, "a"], dtype=object),
            4: pandas.array([9, 8, 9], dtype="Int64"),
        }
    )


def test_a_table_is_told_into_coordinates_and_values() -> None:
    entries = entries_of(many_kinds(), "trips")
    assert entries.columns == (*(str(name) for name in many_kinds().columns if name != "trips"), "trips")
    assert entries.values.tolist() == [5, 7]
    assert entries.dtype == np.uint16
    assert len(entries.asked) == 1
    labels = dict(zip(entries.columns, entries.labels, strict=False))
    assert labels["text"] == ("x9", "x10")
    assert labels["kind"] == ("b", "a")
    assert labels["index"] is None
    assert labels["nanosecond"] == (pandas.Timestamp(5), pandas.Timestamp(7))


def test_every_kind_of_column_comes_back_in_its_own_dtype() -> None:
    frame = many_kinds()
    frame.attrs["source"] = "counted by hand"
    back = frame_of(entries_of(frame, "trips"), frame)
    assert_frame_equal(back, frame.dropna().reset_index(drop=True))
    assert back.attrs == frame.attrs


@pytest.mark.parametrize("dtype", ["int64", "float32", "uint8", "Int32", "Float64", "bool", "boolean"])
def test_a_table_in_gives_a_full_table_out(dtype: str) -> None:
    places = [("Oslo", 1), ("Oslo", 2), ("Rome", 1), ("Rome", 3), ("Oslo", 3)]
    frame = pandas.DataFrame(places, columns=["city", "week"])
    frame.insert(0, "count", pandas.array([1, 1, 1, 1, 1], dtype=dtype))
    filled = complete(frame, rank=1, C=1000).filled
    assert list(filled.columns) == ["count", "city", "week"]
    assert (filled.dtypes == frame.dtypes).all()
    assert list(zip(filled["city"], filled["week"], strict=True)) == [
        (city, week) for city in ("Oslo", "Rome") for week in (1, 2, 3)
    ]
    known = frame.merge(filled, on=["city", "week"], suffixes=("", "_after"))
    assert (known["count"] == known["count_after"]).all()
    filled.loc[0, "count"] = filled.loc[1, "count"]  # it is the user's own


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ({"a": [1], "b": [2]}, "The DataFrame must have a column for every mode, at least two, and one of values"),
        ({"a": [1], "b": [2], "c": ["x"]}, "'c' of the DataFrame must hold numbers, as it is the one of values"),
        ({"a": ["x", None], "b": [1, 2], "c": [1, 2]}, r"rows without 'a': .* \(a matrix with holes is .*to_numpy\(\)"),
        ({"a": [1], "b": [2], "c": [np.nan]}, "No row of the DataFrame has a value"),
        ({"a": [1, 1], "b": [2, 2], "c": [1, 2]}, "1 rows give an entry that another row gave before, .* a 1, b 2;"),
    ],
)
def test_tables_that_cannot_be_used(frame: dict[str, list[object]], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        complete(pandas.DataFrame(frame))


def test_coordinates_in_the_index_are_not_overlooked() -> None:
    frame = pandas.DataFrame({"a": [1], "b": [2], "c": [3], "v": [1.0]}).set_index("a")
    with pytest.raises(InvalidInput, match=r"has some in its index: use frame.reset_index\(\)"):
        entries_of(frame)


def test_a_subclass_is_a_table_and_other_things_are_not() -> None:
    class Own(pandas.DataFrame):
        """A table with more to it."""

    assert arriving(Own({"a": [1], "b": [2], "v": [3]})) is not None
    assert arriving(pandas.Series([1.0])) is None
    assert arriving(np.ones((2, 2))) is None
    assert arriving([[1.0]]) is None


def test_nothing_is_loaded_for_plain_arrays() -> None:
    program = (
        "import sys, numpy, tensorfill.peers as peers; peers.arriving(numpy.ones((2, 2)));"
        "print(any(name in sys.modules for name in ('pandas', 'xarray', 'polars')))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"
