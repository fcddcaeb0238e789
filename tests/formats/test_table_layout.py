"""Wide or long, with or without names, comma or point: told by the table itself, or asked for, and never guessed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars
import pytest

from tensorfill import formats
from tensorfill.errors import InvalidInput, InvalidSetting, UnreadableFile
from tensorfill.formats import Contents, Entries
from tensorfill.formats.table_words import TableWords

LONG_OR_WIDE = r"can be read in two ways: long, .* or wide, .*Say --table long or --table wide"


def read(folder: Path, text: str, table: str | None = None, name: str = "a.csv") -> Contents | Entries:
    (folder / name).write_text(text, encoding="utf-8")
    return formats.read(folder / name, table=table)


def matrix(folder: Path, text: str, table: str | None = None) -> list[list[float | None]]:
    """The numbers of a table that is read as wide, None where one is missing."""
    found = read(folder, text, table)
    assert isinstance(found, Contents)
    return np.where(found.known(), found.data, None).tolist()


# What a table says itself


@pytest.mark.parametrize(
    "text",
    [
        "city,year,trips\nOslo,2001,1\nOslo,2002,2\nRome,2001,3\n",  # two rows of a matrix would be called Oslo
        "day,city,trips\n1,Oslo,1\n2,Oslo,2\n",  # a column in the middle holds words
        "user,item,value\n1,1,5\n1,2,3\n2,1,4\n",  # a column is called value
        "a,Count,c\n1,5,1\n1,3,2\n2,4,1\n",
        "mode_1,mode_2,trips\n0,0,1\n1,1,2\n2,2,3\n",  # what we write ourselves
        ",a,b,value\n0,1,1,5\n1,1,2,3\n2,2,1,4\n",  # pandas counts its rows
    ],
)
def test_a_table_that_must_be_long(tmp_path: Path, text: str) -> None:
    assert isinstance(read(tmp_path, text), Entries)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x,c1,c2,c3\nr1,1,2,3\nr2,,5,6\n", [[1, 2, 3], [None, 5, 6]]),  # every coordinate would be needed
        ("x,c1,c2\nr1,1.5,2\nr2,3.25,4\n", [[1.5, 2], [3.25, 4]]),  # nobody counts in such numbers
        (",c1,c2\nr1,1,2\nr2,3,4\n", [[1, 2], [3, 4]]),  # a corner without a name
        (",2001,2002\nr1,1,2\nr2,3,4\n", [[1, 2], [3, 4]]),
        ("a,b,c\n5,5,1\n5,5,2\n7,6,3\n", [[5, 5, 1], [5, 5, 2], [7, 6, 3]]),  # one entry twice
        ("x,c1\nr1,1\nr2,NA\n", [[1], [None]]),
        ("0.5,0.25,7\n0.5,NA,3\n", [[0.5, 0.25, 7], [0.5, None, 3]]),  # in no order, so no names
        ("x;c1;c2\nr1;1,5;2,25\nr2;;4,5\n", [[1.5, 2.25], [None, 4.5]]),
        ('x,c1,c2\nr1,"1,5","2,25"\nr2,,"4,5"\n', [[1.5, 2.25], [None, 4.5]]),
        ("a\tb\tc\n5\t5\t\n\t5\t2\n", [[5, 5, None], [None, 5, 2]]),
    ],
)
def test_a_table_that_must_be_wide(tmp_path: Path, text: str, expected: list[list[float | None]]) -> None:
    assert matrix(tmp_path, text) == expected


def test_decimal_commas_do_not_separate_fields(tmp_path: Path) -> None:
    assert matrix(tmp_path, "3,5;2,5;1,5;9,5\n2,5;;4,5;1,0\n") == [[3.5, 2.5, 1.5, 9.5], [2.5, None, 4.5, 1.0]]


def test_a_long_table_may_have_decimal_commas(tmp_path: Path) -> None:
    found = read(tmp_path, "Ort;Jahr;Wert\nBonn;2001;1,5\nBonn;2002;\nUlm;2001;2,25\n", "long")
    assert isinstance(found, Entries)
    assert found.values.tolist() == [1.5, 2.25]
    formats.write(tmp_path / "b.csv", found)
    assert (tmp_path / "b.csv").read_text() == "Ort;Jahr;Wert\nBonn;2001;1,5\nBonn;2002;\nUlm;2001;2,25\n"


# What is asked for


@pytest.mark.parametrize(
    "text",
    [
        "x,c1,c2\nr1,1,2\nr2,3,4\n",
        "user,item,rating\n1,1,5\n1,2,3\n2,1,4\n",
        "x,c1,c2\nr1,1,2\nr2,3,\n",
        "0;0;2,5\n0;1;3,5\n1;0;4\n",
        "id,temperature,count\nr1,20,3\nr2,21,4\nr3,22,5\n",  # count may be the value, or another column
        "id,temperature,count\nr1,20.5,3\nr2,,4\nr3,22.5,5\n",
        ",a,b,c\n0,1,1,5\n1,1,2,3\n2,2,1,4\n",
        "x,c1,c2\nr1,1,2\nr2,oops,4\n",
    ],
)
def test_what_could_be_both_is_asked_for(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match=LONG_OR_WIDE):
        read(tmp_path, text)


def test_the_answer_is_taken(tmp_path: Path) -> None:
    text = "x,c1,c2\nr1,1,2\nr2,3,4\n"
    assert matrix(tmp_path, text, "wide") == [[1, 2], [3, 4]]
    found = read(tmp_path, text, "long")
    assert isinstance(found, Entries)
    assert found.columns == ("x", "c1", "c2")


def test_the_name_of_the_column_of_values_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,c1,c2\nr1,1,2\nr2,3,4\n")
    found = formats.read(f"{tmp_path / 'a.csv'}::c1")
    assert isinstance(found, Entries)
    assert found.columns == ("x", "c2", "c1")


def test_the_question_says_what_speaks_against_one_of_the_ways(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"Against long is that rows have the same 'a', 'b'. Say"):
        read(tmp_path, "a,b,value\n1,1,5\n1,1,3\n2,1,4\n")


@pytest.mark.parametrize(
    ("text", "with_header", "without"),
    [
        ("2001,2002,2003\n1,,3\n4,5,6\n", [[1, None, 3], [4, 5, 6]], [[2001, 2002, 2003], [1, None, 3], [4, 5, 6]]),
        ("country,2001,2002\nFrance,,3\nSpain,5,6\n", [[None, 3], [5, 6]], [[2001, 2002], [None, 3], [5, 6]]),
        ("0.5;0.7;0.9\n1;;3\n", [[1, None, 3]], [[0.5, 0.7, 0.9], [1, None, 3]]),
    ],
)
def test_whether_numbers_in_the_first_line_are_names_is_asked_for(
    tmp_path: Path, text: str, with_header: list[list[float | None]], without: list[list[float | None]]
) -> None:
    question = (
        "can be the names of the columns or numbers of the table. Say --table wide,header or --table wide,no-header"
    )
    with pytest.raises(InvalidInput, match=question):
        read(tmp_path, text)
    assert matrix(tmp_path, text, "wide,header,no-labels" if text[0].isdigit() else "wide,header") == with_header
    assert matrix(tmp_path, text, "wide,no-header") == without


def test_both_questions_are_asked_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Say --table long or --table wide,header or --table wide,no-header"):
        read(tmp_path, "1,2,3\n4,5,6\n")


def test_names_of_a_long_table_are_no_numbers(tmp_path: Path) -> None:
    found = read(tmp_path, "Oslo,2001,5\nOslo,2002,6\nRome,2001,7\nRome,2002,8\n")
    assert isinstance(found, Entries)
    assert len(found.values) == 4


def test_whether_numbers_in_the_first_column_are_labels_is_asked_for(tmp_path: Path) -> None:
    text = "depth,a,b\n10,,1\n20,5,2\n40,6,3\n"
    question = (
        "can be the labels of the rows or numbers of the table. Say --table wide,labels or --table wide,no-labels"
    )
    with pytest.raises(InvalidInput, match=question):
        read(tmp_path, text)
    assert matrix(tmp_path, text, "wide,labels") == [[None, 1], [5, 2], [6, 3]]
    assert matrix(tmp_path, text, "wide,no-labels") == [[10, None, 1], [20, 5, 2], [40, 6, 3]]


def test_a_first_column_that_counts_has_the_labels_and_that_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, "year,a,b\n2001,,1\n2002,5,2\n2003,6,3\n")
    assert isinstance(found, Contents)
    assert found.shape == (3, 2)
    assert "counts by one, so it is taken for the labels of the rows; --table wide,no-labels" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x;c1;c2\nr1;1,234;\nr2;5,678;9\n", "comma can stand before decimals or between thousands. Say"),
        ("x;c1;c2\nr1;1,5;\nr2;5.6;9\n", "between thousands, for '5.6' is in it as well. Say --table decimal-comma or"),
    ],
)
def test_a_comma_that_may_stand_between_thousands_is_asked_for(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        read(tmp_path, text)


def test_the_decimal_sign_can_be_said(tmp_path: Path) -> None:
    text = "x;c1;c2\nr1;1,234;\nr2;5,678;9\n"
    assert matrix(tmp_path, text, "wide,decimal-comma") == [[1.234, None], [5.678, 9]]
    with pytest.raises(UnreadableFile, match=r"Line 2 .* must have a number, or nothing, in 'c1'. Got '1,234'"):
        read(tmp_path, text, "wide,decimal-point")


def test_a_name_with_line_breaks_does_not_break_the_sentence(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"value in 'c\\n2'") as asked:
        read(tmp_path, 'x,c1,"c\n2"\nr1,1,2\nr2,3,4\n')
    assert "\n" not in str(asked.value)


# What is said


def test_words_about_a_table_are_checked() -> None:
    assert TableWords.of("Wide, no-header") == TableWords("wide", False)
    assert TableWords.of(None) == TableWords()
    with pytest.raises(InvalidSetting, match=r"^--table takes these words, .*: wide, long, .*\. Got 'tall' instead\.$"):
        TableWords.of("tall")
    with pytest.raises(InvalidSetting, match="two things that exclude each other: header,no-header"):
        TableWords.of("header,no-header")


# Typed columns


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
