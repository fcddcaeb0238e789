"""Wide or long, with or without names, comma or point: told by the table itself, or asked for, and never guessed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars
import pytest

from tensorfill import formats
from tensorfill.errors import InvalidInput, InvalidSetting, TensorfillError
from tensorfill.formats import Contents, Entries
from tensorfill.formats.contents import TableWords

LONG_OR_WIDE = r"can be read in two ways: long, .* or wide, .*Say table='long' or table='wide'"
HEADER = "can be the names of the columns or numbers of the table. Say table='wide,header' or table='wide,no-header'"
ROW_LABELS = "can be the labels of the rows or numbers of the table. Say table='wide,labels' or table='wide,no-labels'"
Matrix = list[list[float | None]]


def read(folder: Path, text: str, table: str | None = None) -> Contents | Entries:
    (folder / "a.csv").write_text(text, encoding="utf-8")
    return formats.read(folder / "a.csv", table=table)


def matrix(folder: Path, text: str, table: str | None = None) -> Matrix:
    """The numbers of a table that is read as wide, None where one is missing."""
    found = read(folder, text, table)
    assert isinstance(found, Contents)
    return np.where(found.known(), found.data, None).tolist()


@pytest.mark.parametrize(
    "text",
    [
        "city,year,trips\nOslo,2001,1\nOslo,2002,2\nRome,2001,3\n",  # two rows of a matrix would be called Oslo
        "day,city,trips\n1,Oslo,1\n2,Oslo,2\n",  # a column in the middle holds words
        "user,item,value\n1,1,5\n1,2,3\n2,1,4\n",  # a column is called value
        "user,item,rating\n1,1,5\n1,2,3\n2,1,4\n",
        "a,Count,c\n1,5,1\n1,3,2\n2,4,1\n",
        "mode_1,mode_2,trips\n0,0,1\n1,1,2\n2,2,3\n",  # what we write ourselves
        ",a,b,value\n0,1,1,5\n1,1,2,3\n2,2,1,4\n",  # pandas counts its rows
        "Oslo,2001,5\nOslo,2002,6\nRome,2001,7\nRome,2002,8\n",  # names of a long table are no numbers
    ],
)
def test_a_table_that_must_be_long(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text)
    assert isinstance(found, Entries)
    assert len(found.values) == text.count("\n") - (not text.startswith("Oslo"))


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("x,c1,c2,c3\nr1,1,2,3\nr2,,5,6\n", None, [[1, 2, 3], [None, 5, 6]]),  # every coordinate would be needed
        ("x,c1,c2\nr1,1.5,2\nr2,3.25,4\n", None, [[1.5, 2], [3.25, 4]]),  # nobody counts in such numbers
        (",c1,c2\nr1,1,2\nr2,3,4\n", None, [[1, 2], [3, 4]]),  # a corner without a name
        (",2001,2002\nr1,1,2\nr2,3,4\n", None, [[1, 2], [3, 4]]),
        ("a,b,c\n5,5,1\n5,5,2\n7,6,3\n", None, [[5, 5, 1], [5, 5, 2], [7, 6, 3]]),  # one entry twice
        ("x,c1\nr1,1\nr2,NA\n", None, [[1], [None]]),
        ("0.5,0.25,7\n0.5,NA,3\n", None, [[0.5, 0.25, 7], [0.5, None, 3]]),  # in no order, so no names
        ("x;c1;c2\nr1;1,5;2,25\nr2;;4,5\n", None, [[1.5, 2.25], [None, 4.5]]),
        ('x,c1,c2\nr1,"1,5","2,25"\nr2,,"4,5"\n', None, [[1.5, 2.25], [None, 4.5]]),
        ("a\tb\tc\n5\t5\t\n\t5\t2\n", None, [[5, 5, None], [None, 5, 2]]),
        ("3,5;2,5;1,5;9,5\n2,5;;4,5;1,0\n", None, [[3.5, 2.5, 1.5, 9.5], [2.5, None, 4.5, 1.0]]),
        ("x,c1,c2\nr1,1,2\nr2,3,4\n", "wide", [[1, 2], [3, 4]]),
        ("2001,2002\n1,\n4,5\n", "wide,header,no-labels", [[1, None], [4, 5]]),
        ("2001,2002\n1,\n4,5\n", "wide,no-header", [[2001, 2002], [1, None], [4, 5]]),
        ("country,2001,2002\nFrance,,3\n", "wide,header", [[None, 3]]),
        ("country,2001,2002\nFrance,,3\n", "wide,no-header", [[2001, 2002], [None, 3]]),
        ("depth,a,b\n10,,1\n40,6,3\n", "wide,labels", [[None, 1], [6, 3]]),
        ("depth,a,b\n10,,1\n40,6,3\n", "wide,no-labels", [[10, None, 1], [40, 6, 3]]),
        ("x;c1;c2\nr1;1,234;\nr2;5,678;9\n", "wide,decimal-comma", [[1.234, None], [5.678, 9]]),
    ],
)
def test_a_table_that_is_wide(tmp_path: Path, text: str, said: str | None, expected: Matrix) -> None:
    assert matrix(tmp_path, text, said) == expected


@pytest.mark.parametrize(
    ("text", "said", "question"),
    [
        ("x,c1,c2\nr1,1,2\nr2,3,4\n", None, LONG_OR_WIDE),
        ("user,item,level\n1,1,5\n1,2,3\n2,1,4\n", None, LONG_OR_WIDE),
        ("user,item,rating,timestamp\n1,1,5,881\n1,2,3,893\n2,1,4,885\n", None, LONG_OR_WIDE),
        ("x,c1,c2\nr1,1,2\nr2,3,\n", None, LONG_OR_WIDE),
        ("0;0;2,5\n0;1;3,5\n1;0;4\n", None, LONG_OR_WIDE),
        # count may be the value, or another column
        ("id,temperature,count\nr1,20,3\nr2,21,4\nr3,22,5\n", None, LONG_OR_WIDE),
        ("id,temperature,count\nr1,20.5,3\nr2,,4\nr3,22.5,5\n", None, LONG_OR_WIDE),
        (",a,b,c\n0,1,1,5\n1,1,2,3\n2,2,1,4\n", None, LONG_OR_WIDE),
        ("x,c1,c2\nr1,1,2\nr2,oops,4\n", None, LONG_OR_WIDE),
        ("a,b,value\n1,1,5\n1,1,3\n2,1,4\n", None, r"Against long is that rows have the same 'a', 'b'. Say"),
        ("1,2,3\n4,5,6\n", None, "Say table='long' or table='wide,header' or table='wide,no-header'"),
        ("2001,2002,2003\n1,,3\n4,5,6\n", None, HEADER),
        ("country,2001,2002\nFrance,,3\nSpain,5,6\n", None, HEADER),
        ("0.5;0.7;0.9\n1;;3\n", None, HEADER),
        ("depth,a,b\n10,,1\n20,5,2\n40,6,3\n", None, rf"'10', '20', '40', {ROW_LABELS}"),
        ("x;c1;c2\nr1;1,234;\nr2;5,678;9\n", None, "comma can stand before decimals or between thousands. Say"),
        ("x;c1;c2\nr1;1,5;\nr2;5.6;9\n", None, "thousands, for '5.6' is in it as well. Say table='decimal-comma' or "),
        ("x;c1;c2\nr1;1,234;\n", "wide,decimal-point", "Line 2 .* must have a number, or nothing, in 'c1'. Got '1,23"),
        ('x,c1,"c\n2"\nr1,1,2\nr2,3,4\n', None, r"value in 'c\\n2'"),  # on one line all the same
    ],
)
def test_what_could_be_read_in_two_ways_is_asked_for(
    tmp_path: Path, text: str, said: str | None, question: str
) -> None:
    with pytest.raises(TensorfillError, match=question) as asked:
        read(tmp_path, text, said)
    assert "\n" not in str(asked.value)


def test_the_answer_is_taken_and_so_is_the_name_of_the_column_of_values(tmp_path: Path) -> None:
    found = read(tmp_path, "x,c1,c2\nr1,1,2\nr2,3,4\n", "long")
    assert isinstance(found, Entries)
    assert found.columns == ("x", "c1", "c2")
    named = formats.read(f"{tmp_path / 'a.csv'}::c1")
    assert isinstance(named, Entries)
    assert named.columns == ("x", "c2", "c1")


def test_a_long_table_may_have_decimal_commas(tmp_path: Path) -> None:
    text = "Ort;Jahr;Wert\nBonn;2001;1,5\nBonn;2002;\nUlm;2001;2,25\n"
    found = read(tmp_path, text, "long")
    assert isinstance(found, Entries)
    assert found.values.tolist() == [1.5, 2.25]
    formats.write(tmp_path / "b.csv", found)
    assert (tmp_path / "b.csv").read_text() == text


def test_a_first_column_that_counts_has_the_labels_and_that_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, "year,a,b\n2001,,1\n2002,5,2\n2003,6,3\n")
    assert isinstance(found, Contents)
    assert found.shape == (3, 2)
    assert "counts by one, so it is taken for the labels of the rows; table='wide,no-labels'" in found.notes[0]


def test_words_about_a_table_are_checked() -> None:
    assert TableWords.of("Wide, no-header") == TableWords("wide", False)
    assert TableWords.of(None) == TableWords()
    with pytest.raises(
        InvalidSetting, match=r"^'table' must be made of these words, .*: wide, long, .*'tall' instead\.$"
    ):
        TableWords.of("tall")
    with pytest.raises(InvalidSetting, match=r"not say two things that exclude each other\. Got 'header,no-header'"):
        TableWords.of("header,no-header")


@pytest.mark.parametrize(
    ("columns", "layout"),
    [
        ({"id": ["r", "s"], "a": [1.0, None], "b": [2, 3], "c": [2.5, 3.5]}, Contents),
        ({"a": [1.0, None], "b": [2, 3], "id": ["r", "s"]}, Contents),  # as pandas writes an index
        ({"a": [1.5, 1.5], "b": [2, 2], "c": [1, 1]}, Contents),
        ({"city": ["Oslo", "Oslo"], "year": [2001, 2002], "trips": [1, 2]}, Entries),
        ({"city": ["Oslo", "Rome"], "month": ["May", "May"], "trips": [1, 2]}, Entries),
        ({"u": [1, 1, 2], "i": [1, 2, 1], "value": [1, 2, 3]}, Entries),
    ],
)
def test_typed_columns_tell_the_same(tmp_path: Path, columns: dict[str, list[object]], layout: type) -> None:
    polars.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    assert isinstance(formats.read(tmp_path / "a.parquet"), layout)


def test_typed_columns_that_could_be_both_are_asked_for(tmp_path: Path) -> None:
    polars.DataFrame({"u": [1, 1, 2], "i": [1, 2, 1], "r": [1, 2, 3]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match=LONG_OR_WIDE):
        formats.read(tmp_path / "a.parquet")
    assert isinstance(formats.read(tmp_path / "a.parquet", table="long"), Entries)
    assert formats.read(tmp_path / "a.parquet", table="wide,no-labels").shape == (3, 3)
