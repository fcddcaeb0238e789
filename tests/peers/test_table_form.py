"""Which form a table has: taken where there is no doubt, refused with both options where there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

from tensorfill.errors import InvalidInput
from tensorfill.formats import Contents, Entries
from tensorfill.peers import accept

GRID = [(city, week) for city in ("Oslo", "Rome", "Bern") for week in range(4)]


def measured(rows: int = 60, holes: float = 0.2) -> pandas.DataFrame:
    """Measurements as they come: fractions, some of them missing."""
    rng = np.random.default_rng(0)
    values = np.array([15.0, 0.5, 1000.0]) + rng.random((rows, 3))
    values[rng.random(values.shape) < holes] = np.nan
    return pandas.DataFrame(values, columns=["temperature", "humidity", "pressure"])


def counted(name: str = "trips") -> pandas.DataFrame:
    """A long table: a city, a week and how many."""
    frame = pandas.DataFrame(GRID, columns=["city", "week"])
    frame[name] = [3, 8, 9, 3, 5, 5, 1, 9, 7, 7, 2, 9]
    return frame


def numbered(name: str = "level") -> pandas.DataFrame:
    """The same with numbers for cities."""
    return counted(name).replace({"city": {"Oslo": 7, "Rome": 8, "Bern": 9}}).astype({"city": "int64"})


def form(frame: pandas.DataFrame, **named: Any) -> str:
    """Wide or long, and the shape that a method gets to see."""
    arrived = accept(frame, **named)
    assert arrived is not None
    assert isinstance(arrived.given, Contents | Entries)
    return f"{'wide' if isinstance(arrived.given, Contents) else 'long'} {arrived.given.shape}"


# Without a doubt


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (measured(), "wide (60, 3)"),
        (measured(holes=0.0), "wide (60, 3)"),
        (measured().round(1), "wide (60, 3)"),
        (measured()[["humidity", "pressure"]], "wide (60, 2)"),
        (measured()[["humidity"]], "wide (60, 1)"),
        # A column that names rows one by one makes no table long.
        (measured().assign(day=pandas.date_range("2024-01-01", periods=60)), "wide (60, 3)"),
        (measured().assign(day=pandas.date_range("2024-01-01", periods=60)).set_index("day"), "wide (60, 3)"),
        # Nor do whole numbers with holes in several columns.
        (pandas.DataFrame({"a": [1, 2, None], "b": [3, None, 3], "value": [1, 1, 2]}, dtype="Int64"), "wide (3, 3)"),
        (counted().pivot(index="city", columns="week", values="trips"), "wide (3, 4)"),
        # Text and whole numbers that tell rows apart are coordinates.
        (counted(), "long (3, 4)"),
        (counted().sample(frac=1, random_state=0), "long (3, 4)"),
        (counted().astype({"trips": "float32"}), "long (3, 4)"),
        *((numbered(name), "long (3, 4)") for name in ("value", "Count", "counts", "values", "rating", "Stars")),
    ],
)
def test_the_only_way_to_read_a_table_is_taken(frame: pandas.DataFrame, expected: str) -> None:
    assert form(frame) == expected


def test_rows_that_two_levels_name_are_one_mode_and_that_is_noted() -> None:
    index = pandas.MultiIndex.from_product([list("abc"), range(20)], names=["site", "hour"])
    arrived = accept(measured().set_index(index))
    assert arrived is not None
    assert arrived.given.shape == (60, 3)
    assert arrived.notes[0].startswith("The rows of the table are one mode, though 'site', 'hour' name them together;")
    assert accept(measured().set_index(index).stack()).given.shape == (3, 20, 3)  # type: ignore[union-attr]


def test_a_table_without_holes_is_told_to_have_been_read_as_a_matrix() -> None:
    arrived = accept(measured(holes=0.0))
    assert arrived is not None
    assert "If it is long, with a row per entry, name coordinates=[…]" in arrived.notes[0]


# In doubt


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_numbers_that_could_be_coordinates_are_asked_about(dtype: str) -> None:
    sentence = (
        r"The DataFrame could be long, a row per entry, or wide, a matrix of all its columns of numbers; say which: "
        r"coordinates=\['city', 'week'\], value='level' for a long table, coordinates=\[\] for a wide one\."
    )
    frame = numbered().astype(dtype)
    with pytest.raises(InvalidInput, match=f"^{sentence}$"):
        accept(frame)
    assert form(frame, coordinates=["city", "week"], value="level") == "long (3, 4)"
    assert form(frame, coordinates=["city", "week"]) == "long (3, 4)"
    assert form(frame, value="level") == "long (3, 4)"
    assert form(frame, coordinates=[]) == "wide (12, 3)"
    assert form(frame.rename_axis("row")) == "wide (12, 3)"


def test_coordinates_in_the_index_are_not_overlooked() -> None:
    for index in (["city", "week"], "city"):
        with pytest.raises(InvalidInput, match=r"\['city', 'week'\], value='trips', after reset_index\(\)"):
            accept(counted().set_index(index))
    with pytest.raises(InvalidInput, match=r"^'city' is in the index of the DataFrame; use frame.reset_index\(\)"):
        accept(counted().set_index("city"), coordinates=["city", "week"], value="trips")


def test_two_columns_that_could_hold_the_values_are_asked_about() -> None:
    frame = counted().assign(city=list("ababababcccc"), week=[1, 1, 2, 2, 3, 3, 1, 2, 1, 2, 3, 1])
    frame["trips"] = [1, 2, 2, 1, 3, 3, 2, 3, 1, 2, 3, 2]
    frame = frame.iloc[:6]
    with pytest.raises(
        InvalidInput, match=r"^The DataFrame is long, and its values could be in several of its columns"
    ):
        accept(frame)


NEITHER = r"^The DataFrame is neither a long table \({}\) nor a wide one"


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (
            counted().assign(region=np.repeat(["N", "S", "C"], 4))[["city", "region", "week", "trips"]],
            NEITHER.format("every 'city' has one 'region' only, which adds nothing to it"),
        ),
        (counted().assign(city="Oslo"), NEITHER.format("rows have the same 'city', 'week'")),
        (
            counted().assign(city=["Oslo", None] * 6),
            NEITHER.format("there are rows without 'city', and every row needs all its coordinates"),
        ),
        (pandas.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}), NEITHER.format("no column holds numbers")),
        (
            pandas.DataFrame({"i": [0, 1, 2], "j": [0, 1, 2], "value": [1.0, 2.0, 3.0]}),
            "^The DataFrame is neither .*'value' is called as in a long one",
        ),
        (counted().iloc[:0], "has no rows"),
        (measured(2).assign(lists=[[1], [2]]), "'lists' of The DataFrame cannot name rows .*, as it holds object"),
    ],
)
def test_what_is_neither_is_refused_with_the_reasons(frame: pandas.DataFrame, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        accept(frame)


# Named by the user


@pytest.mark.parametrize(
    ("named", "complaint"),
    [
        ({"coordinates": "city"}, "'coordinates' must be a list of names of columns. Got 'city' instead"),
        (
            {"coordinates": ["city"], "value": "trips"},
            r"needs two columns of coordinates or more.* Got coordinates=\['ci",
        ),
        ({"coordinates": ["city", "trips"], "value": "trips"}, "and another one of values"),
        (
            {"coordinates": ["city", "town"]},
            r"has no column 'town'. The columns in it are: 'city', 'week', 'trips', 'late'\.",
        ),
        ({"coordinates": [], "value": "trips"}, r"coordinates=\[\] says that the table is wide"),
        ({"coordinates": ["week", "trips"], "value": "city"}, "'city' of The DataFrame must hold numbers"),
        ({"coordinates": ["city", "week"]}, "has 2 columns of numbers beside the coordinates; name the one of values"),
    ],
)
def test_names_that_cannot_be_used(named: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        accept(counted().assign(late=0.5), **named)


def test_names_that_help() -> None:
    assert form(counted().assign(value=0.5), coordinates=["city", "week"]) == "long (3, 4)"
    with pytest.raises(InvalidInput, match="has no column of numbers"):
        accept(pandas.DataFrame({"a": ["x", "y"]}), coordinates=[])


def test_a_coordinate_that_another_one_determines_is_noted_if_named_and_refused_if_not() -> None:
    frame = counted().assign(region=np.repeat(["N", "S", "C"], 4))
    arrived = accept(frame, coordinates=["city", "region", "week"], value="trips")
    assert arrived is not None
    assert arrived.notes[0].startswith("Of the coordinates, every 'city' has one 'region' only")
    with pytest.raises(InvalidInput, match="are not all coordinates: every 'city' has one 'region' only"):
        accept(frame, value="trips")
