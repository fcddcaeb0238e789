"""pandas tables, wide and long: their types and labels, and that they come back in kind."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas
import pytest
from pandas.testing import assert_frame_equal, assert_index_equal, assert_series_equal

from tensorfill import complete
from tensorfill.errors import InvalidInput
from tensorfill.formats import Entries
from tensorfill.peers import Arrived, accept


def many_kinds() -> pandas.DataFrame:
    """A column of coordinates of every kind that people use, and a value between them."""
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


def many_numbers(rows: int = 30) -> pandas.DataFrame:
    """A wide table with a column of every kind of numbers, in units far apart."""
    t = np.arange(rows)
    frame = pandas.DataFrame(
        {
            "double": np.where(t % 7 == 1, np.nan, 5 + np.sin(t / 3)),
            "single": np.where(t % 5 == 0, np.nan, 500 + 50 * np.sin(t / 3)).astype("float32"),
            "whole": 2**60 + t,
            "maybe": pandas.array([None if i % 6 == 0 else 2**55 + i for i in t], dtype="Int64"),
            "byte": (100 + 10 * np.sin(t / 3)).astype("uint8"),
            "truth": pandas.array([None if i % 9 == 0 else i % 2 == 0 for i in t], dtype="boolean"),
            "object": pandas.Series([None if i % 8 == 0 else int(i) for i in t], dtype=object),
            "sparse": pandas.arrays.SparseArray(np.where(t % 4 == 0, np.nan, t + 1.0)),
        }
    )
    return frame.set_index(pandas.date_range("2024-01-01", periods=rows, name="day"))


def arrived(frame: object, coordinates: object = None, value: object = None) -> Arrived:
    found = accept(frame, coordinates, value)
    assert found is not None
    return found


# Wide


def test_a_wide_table_comes_back_wide_with_all_that_was_known_in_it() -> None:
    frame = many_numbers()
    frame.columns.name, frame.attrs = "sensor", {"source": "roof"}
    filled = complete(frame, method="mean-fill").filled
    assert_index_equal(filled.index, frame.index)
    assert_index_equal(filled.columns, frame.columns)
    assert filled.attrs == frame.attrs
    assert (filled.dtypes == frame.dtypes).all()
    assert not filled.isna().any().any()
    for name in frame:
        known = frame[name].notna()
        assert filled[name][known].tolist() == frame[name][known].tolist()
    filled.iloc[0, 0] = 3.0  # it is the user's own
    assert frame.iloc[0, 0] != 3.0


def test_the_model_comes_back_in_the_types_of_the_columns_if_it_is_asked_for() -> None:
    frame = many_numbers().drop(columns="truth")
    filled = complete(frame, method="nonneg-dual", rank=1, max_iter=5, keep_observed=False).filled
    assert (filled.dtypes == frame.dtypes).all()
    assert (filled["byte"] != frame["byte"]).any()


def test_known_values_that_were_clipped_are_clipped_in_the_table() -> None:
    frame = pandas.DataFrame({"a": [1.0, -2.0, np.nan], "b": [1.0, 2.0, 3.0]})
    assert complete(frame, negatives="clip", method="mean-fill").filled["a"].tolist()[:2] == [1.0, 0.0]


def test_columns_of_one_type_stay_in_it_and_those_of_several_may_get_fractions() -> None:
    frame = pandas.DataFrame({"a": [1, None, 3], "b": [1, 2, 3]}, dtype="Int8")
    assert complete(frame, method="mean-fill").tensor.dtype == np.int8
    assert complete(frame.astype({"b": "int64"}), method="mean-fill").tensor.dtype == np.float64


def test_columns_with_the_same_name_are_told_apart() -> None:
    frame = many_numbers()[["double", "single"]].set_axis(["a", "a"], axis=1)
    filled = complete(frame, method="spectral").filled
    assert filled.dtypes.tolist() == frame.dtypes.tolist()
    assert not filled.isna().any().any()


def test_a_mask_says_what_is_known_beside_empty_cells() -> None:
    frame = many_numbers()[["double", "whole"]]
    observed = frame.notna()
    observed.iloc[3, 0] = False
    filled = complete(frame, observed, method="mean-fill").filled
    assert filled.iloc[3, 0] != frame.iloc[3, 0]
    assert filled.iloc[2, 0] == frame.iloc[2, 0]
    with pytest.raises(InvalidInput, match="must have the rows and columns of the data in the same order"):
        complete(frame, observed[["whole", "double"]])


def test_columns_that_name_rows_are_left_alone() -> None:
    frame = many_numbers().reset_index()[["day", "double", "single"]]
    done = complete(frame, method="spectral")
    assert_series_equal(done.filled["day"], frame["day"])
    assert done.reasons["table"] == "A wide table: 30 rows and 2 columns of numbers; 'day' only names rows."


def test_a_subclass_comes_back_as_one() -> None:
    class Own(pandas.DataFrame):
        """A table with more to it."""

        @property
        def _constructor(self) -> type:
            return Own

    assert isinstance(complete(Own(many_numbers()[["double", "byte"]]), method="mean-fill").filled, Own)


# Long


def test_a_table_is_told_into_coordinates_and_values() -> None:
    frame = many_kinds()
    entries = arrived(frame, [name for name in frame.columns if name != "trips"], "trips").given
    assert isinstance(entries, Entries)
    assert entries.columns == (*(str(name) for name in many_kinds().columns if name != "trips"), "trips")
    assert entries.values.tolist() == [5, 7]
    assert entries.dtype == np.uint16
    assert len(entries.asked) == 1
    labels = dict(zip(entries.columns, entries.labels, strict=False))
    assert labels["text"] == ("x9", "x10")
    assert labels["kind"] == ("b", "a")
    assert labels["index"] is None
    assert labels["nanosecond"] == (pandas.Timestamp(5), pandas.Timestamp(7))


def test_every_kind_of_column_comes_back_in_its_own_type() -> None:
    frame = many_kinds().assign(trips=pandas.array([5, 6, 7], dtype="UInt16"))
    frame.attrs["source"] = "counted by hand"
    done = complete(frame, coordinates=["period", "text"], value="trips", method="mean-fill")
    both = frame.merge(done.filled, on=["period", "text"], suffixes=("", "_after"))
    assert (done.filled.dtypes == frame[done.filled.columns].dtypes).all()
    assert both["trips_after"].tolist() == frame["trips"].tolist()
    assert done.filled.attrs == frame.attrs


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


def test_what_a_coordinate_tells_comes_along_and_what_none_does_is_left_out_and_noted() -> None:
    rows = [(i, f"station {i}", day, i * day, i + day) for i in range(3) for day in range(4) if (i, day) != (1, 2)]
    frame = pandas.DataFrame(rows, columns=["id", "name", "day", "trips", "delay"])
    done = complete(frame, coordinates=["id", "day"], value="trips", method="mean-fill")
    assert list(done.filled.columns) == ["id", "name", "day", "trips"]
    assert (done.filled["name"] == "station " + done.filled["id"].astype(str)).all()
    assert len(done.filled) == 12
    assert any(note.startswith("'delay' is neither coordinate nor value") for note in done.notes)


def test_a_long_table_of_holes_is_refused() -> None:
    frame = pandas.DataFrame({"a": list("xxyy"), "b": list("uvuv"), "value": np.full(4, np.nan)})
    with pytest.raises(InvalidInput, match="No row of The DataFrame has a value"):
        complete(frame)


# Series


def test_a_series_with_coordinates_in_its_index_comes_back_as_one() -> None:
    days = pandas.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"])
    index = pandas.MultiIndex.from_product([["Oslo", "Rome"], days], names=["city", None])
    series = pandas.Series([1.0, 2.0, 3.0, 2.0, np.nan, 6.0], index=index, name="trips", dtype="float32")
    series.attrs["source"] = "counted by hand"
    filled = complete(series.iloc[::-1], rank=1, C=1000).filled
    assert_index_equal(filled.index.sort_values(), index)
    assert (filled.name, filled.dtype, filled.attrs) == (series.name, series.dtype, series.attrs)
    assert (filled.loc[series.dropna().index] == series.dropna()).all()
    assert 2 < filled["Rome", days[1]] < 6


NAMED_TWICE = pandas.MultiIndex.from_tuples([(1, "a", 1), (1, "a", 2), (2, "b", 1)], names=["id", "name", "day"])


@pytest.mark.parametrize(
    ("index", "named", "complaint"),
    [
        (NAMED_TWICE, {}, "The levels of the Series are not all coordinates: every 'id' has one 'name'"),
        (None, {}, "A Series is a table only if its index has two levels or more"),
        (None, {"value": "a"}, "The coordinates of a Series are the levels of its index"),
    ],
)
def test_a_series_without_coordinates_is_refused_with_what_to_do(
    index: pandas.Index | None, named: dict[str, str], complaint: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^{complaint}"):
        complete(pandas.Series([1.0, np.nan, 2.0], index=index), **named)


def test_nothing_is_loaded_for_plain_arrays() -> None:
    program = (
        "import sys, numpy, tensorfill.peers as peers; peers.accept(numpy.ones((2, 2)));"
        "print(any(name in sys.modules for name in ('pandas', 'xarray', 'polars')))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"


def test_long_and_wide_give_the_same_numbers() -> None:
    wide = many_numbers()[["double"]].assign(other=lambda frame: 6 + np.cos(np.arange(30) / 3))
    long = wide.stack().rename("value").rename_axis(["day", "sensor"]).reset_index()
    first = complete(wide.to_numpy(), method="spectral").tensor
    second = complete(long, method="spectral").filled.pivot(index="day", columns="sensor", values="value")
    assert_frame_equal(
        second[["double", "other"]].reset_index(drop=True),
        pandas.DataFrame(first, columns=["double", "other"]),
        check_names=False,
        check_column_type=False,
    )
