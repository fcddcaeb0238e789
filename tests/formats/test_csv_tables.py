"""Long tables of text: what columns and labels mean, what is kept, what is refused."""

import gzip
import string
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_files import DTYPES, rows_of, same_array, sparse_arrays, written_and_read

from tensorfill.errors import InvalidInput, TensorfillError
from tensorfill.formats import Contents, Entries, Metadata
from tensorfill.formats.contents import Reading, TableWords
from tensorfill.formats.tables.csv_table import CsvTable

NAMES = ("a.csv", "a.csv.gz", "a.tsv", "a.tsv.gz")


def read(folder: Path, text: str | bytes, value: str | None = None, table: str | None = None) -> Entries:
    path = folder / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = CsvTable().read(path, Reading(value, table=TableWords.of(table)))
    assert isinstance(found, Entries)
    return found


# What comes back


@given(contents=sparse_arrays(DTYPES), name=st.sampled_from(NAMES))
def test_an_array_comes_back_as_it_was_or_a_dtype_that_changes_is_told(contents: Contents, name: str) -> None:
    back = written_and_read(CsvTable(), contents, name)
    np.testing.assert_array_equal(back.values, contents.data[contents.known()])
    told = CsvTable().losses(contents)
    if contents.dtype.name in ("bool", "int64", "float64"):
        same_array(CsvTable(), contents, name)
    assert bool(told) == (contents.dtype.name not in ("bool", "int64", "uint64", "float64"))
    assert all(f"{contents.dtype} is read as {back.dtype}" in sentence for sentence in told)


LABELS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1).filter(str.strip)


@given(data=st.data(), name=st.sampled_from(NAMES))
def test_any_labels_and_names_come_back(data: st.DataObject, name: str) -> None:
    texts = data.draw(st.lists(LABELS.map(lambda text: f"x{text}"), min_size=1, max_size=5, unique=True))
    numbers = data.draw(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=5, unique=True))
    called = st.text(string.ascii_letters + ',;"\t .', min_size=2).filter(
        lambda name: name == name.strip() and name.lower() not in ("value", "values", "count", "counts")
    )
    columns = data.draw(st.tuples(called, called, called).filter(lambda names: len(set(names)) == 3))
    shape = (len(texts), len(numbers))
    chosen = data.draw(st.sets(st.integers(0, shape[0] * shape[1] - 1), min_size=1))
    places = np.array(np.unravel_index(sorted(chosen), shape)).T
    values = np.arange(len(places)) * 1.5
    entries = Entries(shape, places, values, places[:0], (tuple(texts), tuple(numbers)), columns)
    back = written_and_read(CsvTable(), entries, name, table="long")
    assert back.columns == columns
    assert rows_of(back) == rows_of(entries)
    assert back.shape == shape


@pytest.mark.parametrize(
    ("contents", "text"),
    [
        # An index without an entry gets a row without a value.
        (Contents(np.array([[1.0, np.nan], [np.nan, np.nan]])), "mode_1,mode_2,value\n0,0,1.0\n0,1,\n1,0,\n"),
        (Contents(np.ones((1, 1)), metadata=Metadata(variable="trips")), "mode_1,mode_2,trips\n0,0,1.0\n"),
    ],
)
def test_what_is_written(tmp_path: Path, contents: Contents, text: str) -> None:
    CsvTable().write(tmp_path / "a.csv", contents)
    assert (tmp_path / "a.csv").read_text() == text
    for name in ("a.csv.gz", "b.csv.gz"):  # the same bytes whenever it is written
        CsvTable().write(tmp_path / name, contents)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_a_row_without_a_value_stays_one(tmp_path: Path) -> None:
    entries = read(tmp_path, "city,year,trips\nOslo,2001,1\nOslo,2002,\nRome,2002,NA\nRome,2001,nan\n")
    assert entries.dtype == np.int64
    assert entries.asked.tolist() == [[0, 1], [1, 1], [1, 0]]
    CsvTable().write_entries(tmp_path / "b.csv", entries)
    assert (tmp_path / "b.csv").read_text() == "city,year,trips\nOslo,2001,1\nOslo,2002,\nRome,2001,\nRome,2002,\n"


# What columns mean


@pytest.mark.parametrize(
    ("head", "wanted", "columns"),
    [
        ("a,b,c", None, ("a", "b", "c")),
        ("value,b,c", None, ("b", "c", "value")),
        ("a,Count,c", None, ("a", "c", "Count")),
        ("count,value,c", None, ("count", "value", "c")),
        ("value,b,c", "b", ("value", "c", "b")),
        (" a , b,c ", None, ("a", "b", "c")),
        ("1,2,3", None, ("mode_1", "mode_2", "value")),
    ],
)
def test_the_column_of_values(tmp_path: Path, head: str, wanted: str | None, columns: tuple[str, ...]) -> None:
    entries = read(tmp_path, f"{head}\n7,8,9\n", wanted, table="long")
    assert entries.columns == columns
    assert len(entries.values) == (2 if head == "1,2,3" else 1)


@pytest.mark.parametrize(("sign", "end", "mark"), list(product(",;\t", ("\n", "\r\n"), ("", "\ufeff"))))
def test_commas_semicolons_tabs_ends_of_lines_and_a_mark_at_the_start(
    tmp_path: Path, sign: str, end: str, mark: str
) -> None:
    text = mark + end.join((sign.join(("a", "b", "v")), "", sign.join(('"x,;\t""\ny"', "5", "1")))) + end
    entries = read(tmp_path, text, table="long")
    assert entries.labels == (('x,;\t"\ny',), (5,))
    assert entries.columns == ("a", "b", "v")


@pytest.mark.parametrize(
    ("found", "labels"),
    [
        (["1", "0", "2"], None),
        (["10", "9", "-1"], (-1, 9, 10)),
        (["007", "7", "12"], ("007", "7", "12")),
        (["0.5", "10", "0.25"], ("0.25", "0.5", "10")),
        (["item10", "item9", "Item1"], ("Item1", "item9", "item10")),
        (["2024-10-01", "2023-12-31", "2024-02-03"], ("2023-12-31", "2024-02-03", "2024-10-01")),
        (["NA", "nan", "ÅÄ"], ("NA", "nan", "ÅÄ")),
    ],
)
def test_labels_stand_in_the_order_people_expect(tmp_path: Path, found: list[str], labels: object) -> None:
    text = "label,b,v\n" + "".join(f"{label},x,{value}\n" for value, label in enumerate(found))
    entries = read(tmp_path, text, table="long")
    assert entries.labels[0] == labels
    assert {str(label): value for label, _, value in rows_of(entries)} == {text: at for at, text in enumerate(found)}


def test_the_row_numbers_of_pandas_are_left_out_and_that_is_told(tmp_path: Path) -> None:
    entries = read(tmp_path, ",a,b,v\n0,x,y,1\n1,x,z,2\n")
    assert entries.columns == ("a", "b", "v")
    assert "has no name and counts the rows, so it is left out." in entries.notes[0]
    assert read(tmp_path, ",a,b,v\n1,x,y,1\n0,x,z,2\n").columns == ("", "a", "b", "v")


# What is refused


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty; a table has a line of names"),
        ("\n\n \n", "is empty|must have a column for every mode"),
        ("a,b,v\n", "has a line of names and no entries"),
        ("a\nx\n", "must have a column for every mode, at least two, and one of values. Got 1 in all: a"),
        ("a,a,v\nx,y,1\n", "must have different names. Got 'a' twice"),
        ("a,b,v\nx,y,1\nx,z\n", "Line 3 of .* must have 3 fields, as the first line. Got 2 instead"),
        ("a,b,v\nx,y,1\n\nx,z,1,2\n", "Line 4 of .* Got 4 instead"),
        ('a,b,v\n"x\n\n",y,1\nx,z,1;2\n', "Line 5 of .* must have a number, or nothing, in 'v'. Got '1;2'"),
        ("a,b,v\n" + "x,y,1\n" * 70_000 + "x,y,one\n", "Line 70002 of"),
        ("a,b,v\nx,y,1_0\n", "Got '1_0' instead"),
        ("a,b,v\nx,y,true\nx,z,2\n", "mixes numbers with true and false in 'v'"),
        ("a,b,v\nx,y,1\n,z,2\n", "Line 3 of .* has no 'a': every row needs all its coordinates"),
        ("a,b,v\nx,y,\nx,z,NaN\n", "No row of .* has a value, so there is nothing to complete from"),
        ('a,b,v\n"x,y,1\n', "Line 2 of .* cannot be told into columns: unexpected end of data"),
        ('"a,b,v\n', "first line of .* cannot be told into columns"),
        (f"a,b,v\n{'x' * 200_000},y,1\n", "cannot be told into columns: field larger than field limit"),
        ("a,b,v\nx\0,y,1\n", "Line 2 of .* has no 'a'"),
        ("\0\0\0\n", "zero bytes in its first line"),
        ("a,b,v\nKöln,y,1\n".encode("latin-1"), "is not text in UTF-8; save it in that encoding"),
        ("a,b,v\nx,y,1\n".encode("utf-16"), "is not text in UTF-8"),
        (gzip.compress(b"a,b,v\nx,y,1\n", mtime=0)[:-4], "damaged, cut short, or something else"),
        (gzip.compress(b"a,b,v\n" + b"x,y,1\n" * 2_000_000, mtime=0), "made to fill the memory"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(tmp_path: Path, text: str | bytes, complaint: str) -> None:
    with pytest.raises(TensorfillError, match=complaint):
        read(tmp_path, text)


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"has no column 'trips'. The columns in it are: a, b, v."):
        read(tmp_path, "a,b,v\nx,y,1\n", "trips")


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (np.full((2, 2), np.nan), "here nothing is; .npy and .npz hold"),
        (np.ones(()), "a single number"),
        (np.ones((2, 2), dtype=np.longdouble), "real numbers of up to 64 bits"),
    ],
)
def test_arrays_that_are_no_table(data: np.ndarray, refusal: str) -> None:
    assert refusal in str(CsvTable().refuses(Contents(data)))


@pytest.mark.parametrize(
    ("labels", "columns", "complaint"),
    [
        (("", "x"), ("a", "b", "v"), "A label of 'a' is empty or holds a zero byte"),
        (("x", "y"), ("1", "2", "3"), "would be taken for numbers"),
    ],
)
def test_tables_that_text_cannot_keep(
    tmp_path: Path, labels: tuple[str, ...], columns: tuple[str, ...], complaint: str
) -> None:
    places = np.array([[0, 0], [1, 0]])
    entries = Entries((2, 1), places, np.ones(2), places[:0], (labels, None), columns)
    with pytest.raises(InvalidInput, match=complaint):
        CsvTable().write_entries(tmp_path / "a.csv", entries)
    assert not (tmp_path / "a.csv").exists()
