"""Wide tables: a matrix in, the same table without holes out, and every field that was known as it was written."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats import Contents


def read(path: Path, table: str | None = None) -> Contents:
    found = formats.read(path, table=table)
    assert isinstance(found, Contents)
    return found


# Text


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("x,a,b\nr1,1.50,2\nr2,,4\n", [3.14159], "x,a,b\nr1,1.50,2\nr2,3.14,4\n"),
        ("x,a,b\nr1,1.50,NA\nr2,2.5,4\n", [7.0], "x,a,b\nr1,1.50,7\nr2,2.5,4\n"),
        ("x,a,b\nr1,1,2\nr2,,4\nr3,5,7\n", [3], "x,a,b\nr1,1,2\nr2,3,4\nr3,5,7\n"),
        ("x;a;b\r\nr1;1,50;2\r\nr2;;4\r\n", [3.14159], "x;a;b\r\nr1;1,50;2\r\nr2;3,14;4\r\n"),
        ('"","a","b"\n"r,1",1.5,2\n"r2",,4\n', [3.14159], '"","a","b"\n"r,1",1.5,2\n"r2",3.1,4\n'),
        ("x,a,b\nr1,1e3,2\nr2,,4\n", [3.25], "x,a,b\nr1,1e3,2\nr2,3.25,4\n"),
        ("x\ta\tb\nr1\t1.5\t2\nr2\t\t4\n", [3.0], "x,a,b\nr1,1.5,2\nr2,3.0,4\n"),
        ('x,"a ""b""",b\nr1,1.5,2\nr2,,4\n', [3.0], 'x,"a ""b""",b\nr1,1.5,2\nr2,3.0,4\n'),
        (",Köln,Ulm\n2024-01-01,+1.5,2\n2024-01-02,,04\n", [3.0], ",Köln,Ulm\n2024-01-01,+1.5,2\n2024-01-02,3.0,04\n"),
        ("3.5,0.5,9\n1.5,,4\n", [3.0], "3.5,0.5,9\n1.5,3.0,4\n"),
        ('x,a,b\nr1,"1,5",2\nr2,,4\n', [3.0], 'x,a,b\nr1,"1,5",2\nr2,"3,0",4\n'),
    ],
)
def test_what_was_known_stays_as_it_was_written(tmp_path: Path, text: str, values: list[float], expected: str) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode())
    given = read(tmp_path / "a.csv")
    data = np.array(given.data)
    data[~given.known()] = values
    for name in ("b.csv", "b.tsv"):
        formats.write(tmp_path / name, given.fill(data))
    assert (tmp_path / "b.csv").read_bytes().decode() == expected
    first = (tmp_path / "b.tsv").read_text().splitlines()[0]
    assert first.count("\t") == text.splitlines()[0].count("\t" if "\t" in text else ";" if ";" in text else ",")


def test_a_number_that_was_changed_is_written_in_full_and_holes_have_the_mark_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,a,b\nr1,1.5,2\nr2,NA,4\n")
    given = read(tmp_path / "a.csv")
    formats.write(tmp_path / "b.csv", given.fill(given.data + 0.125))
    assert (tmp_path / "b.csv").read_text() == "x,a,b\nr1,1.625,2.125\nr2,NA,4.125\n"
    known = given.known()
    known[0, 1] = False
    formats.write(tmp_path / "b.csv", replace(given, observed=known))
    assert (tmp_path / "b.csv").read_text() == "x,a,b\nr1,1.5,NA\nr2,NA,4\n"


FIELDS = st.one_of(
    st.just(""),
    st.integers(0, 10**6).map(str),
    st.floats(0, 1e6).map(repr),
    st.decimals(0, 1000, places=2).map(str),
)


@settings(deadline=None)  # files are synced
@given(data=st.data())
def test_a_table_that_is_only_read_and_written_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    width, height = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    fields = data.draw(st.lists(st.lists(FIELDS, min_size=width, max_size=width), min_size=height, max_size=height))
    sign = data.draw(st.sampled_from(",;"))
    names = sign.join(["", *(f"c{place}" for place in range(width))])
    text = "\n".join([names, *(sign.join([f"r{place}", *row]) for place, row in enumerate(fields))]) + "\n"
    folder = tmp_path_factory.mktemp("tables")
    (folder / "a.csv").write_text(text)
    if not any(any(row) for row in fields):
        with pytest.raises(InvalidInput, match="nothing to complete from"):
            formats.read(folder / "a.csv", table="wide")
        return
    formats.write(folder / "b.csv", read(folder / "a.csv", "wide"))
    assert (folder / "b.csv").read_text() == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x,a,b\nr1,1,2\nr2,,4,5\n", "Line 3 of .* must have 3 fields, as the first line. Got 4 instead"),
        ("x,a,b\nr1,1,2\nr2,oops,4\n", "Line 3 of .* must have a number, or nothing, in 'a'. Got 'oops' instead"),
        ("x,a,b\nr1,1,2\nr2,1_0,4\n", "Got '1_0' instead"),
        ("x,a,b\nr1,1,2\nr2,true,4\n", "mixes numbers with true and false"),
        ("x,a,b\nr1,,\nr2,NA,\n", "nothing to complete from"),
        ("x,a,b\n", "has a line of names and no entries"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises((UnreadableFile, InvalidInput), match=complaint):
        formats.read(tmp_path / "a.csv", table="wide")


# Typed columns


def test_typed_columns_keep_their_types_names_and_places(tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {
            "n": polars.Series([1, None, 3], dtype=polars.Int16),
            "day": [date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 4)],
            "x": polars.Series([0.5, 1.5, float("nan")], dtype=polars.Float32),
            "large": polars.Series([2**60 + 1, 5, None], dtype=polars.Int64),
        }
    )
    frame.write_parquet(tmp_path / "a.parquet")
    given = read(tmp_path / "a.parquet")
    assert given.shape == (3, 3)
    data = np.array(given.data)
    data[~given.known()] = [2.4, 2.5, 7.0]
    formats.write(tmp_path / "b.parquet", given.fill(data))
    back = polars.read_parquet(tmp_path / "b.parquet")
    assert back.schema == frame.schema
    assert back.rows() == [
        (1, date(2024, 1, 1), 0.5, 2**60 + 1),
        (2, date(2024, 1, 2), 1.5, 5),
        (3, date(2024, 1, 4), 2.5, 7),
    ]


def test_text_and_typed_columns_become_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("day,a,b\nMo,1.5,2\nTu,,4\n")
    formats.write(tmp_path / "b.parquet", read(tmp_path / "a.csv"))
    back = polars.read_parquet(tmp_path / "b.parquet")
    assert back.rows() == [("Mo", 1.5, 2.0), ("Tu", None, 4.0)]
    assert back.columns == ["day", "a", "b"]
    formats.write(tmp_path / "c.csv", read(tmp_path / "b.parquet"))
    assert (tmp_path / "c.csv").read_text() == "day,a,b\nMo,1.5,2.0\nTu,,4.0\n"


def test_columns_of_one_name_do_not_fit_a_file_of_typed_ones(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("day,a,a\nMo,1.5,2\nTu,,4\n")
    with pytest.raises(InvalidInput, match="must have different names"):
        formats.write(tmp_path / "b.parquet", read(tmp_path / "a.csv"))


def test_a_column_that_holds_no_numbers_is_named(tmp_path: Path) -> None:
    polars.DataFrame({"a": ["x"], "b": ["y"], "c": [1.0]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match=r"'b' of .* must hold numbers, as the table is wide. Got String instead"):
        formats.read(tmp_path / "a.parquet", table="wide")
