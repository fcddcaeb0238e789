"""Tables in .parquet files: the columns mean what they mean in .csv files, and their types are kept."""

import subprocess
import sys
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from table_files import DTYPES, rows_of, same_array, sparse_arrays

from tensorfill.errors import TensorfillError
from tensorfill.formats import Contents, Entries
from tensorfill.formats.contents import Reading, TableWords
from tensorfill.formats.tables.parquet_table import ParquetTable


def read(path: Path, frame: polars.DataFrame, value: str | None = None) -> Entries:
    frame.write_parquet(path)
    found = ParquetTable().read(path, Reading(value, table=TableWords.of("long")))
    assert isinstance(found, Entries)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.parquet"


@settings(max_examples=10, deadline=None)  # each is read in a process of its own
@given(contents=sparse_arrays(DTYPES))
def test_an_array_comes_back_as_it_was(contents: Contents) -> None:
    same_array(ParquetTable(), contents, "a.parquet")


def test_labels_of_any_kind_come_back_in_their_own_dtype(path: Path) -> None:
    frame = polars.DataFrame(
        {
            "text": ["x10", "x9"],
            "day": [date(2024, 1, 2), date(2024, 1, 1)],
            "time": polars.Series([datetime(2024, 1, 2), datetime(2024, 1, 1)], dtype=polars.Datetime("ns", "UTC")),
            "kind": polars.Series(["b", "a"], dtype=polars.Categorical),
            "size": polars.Series(["large", "small"], dtype=polars.Enum(["small", "large"])),
            "number": polars.Series([1, 0], dtype=polars.Int8),
            "flag": [True, False],
            "depth": polars.Series([2.5, 0.5], dtype=polars.Float32),
            "trips": polars.Series([5, 7], dtype=polars.UInt16),
        }
    )
    entries = read(path, frame)
    assert entries.shape == (2,) * 8
    assert entries.labels[:2] == (("x9", "x10"), (date(2024, 1, 1), date(2024, 1, 2)))
    assert entries.labels[3:6] == (("b", "a"), ("small", "large"), None)
    assert entries.dtype == np.uint16
    again = path.with_name("b.parquet")
    ParquetTable().write_entries(again, entries)
    back = polars.read_parquet(again).head(len(frame))
    assert back.schema == frame.schema
    assert back.equals(frame)


def test_the_column_of_values_and_rows_without_one(path: Path) -> None:
    frame = polars.DataFrame({"value": [1.5, None, float("nan")], "a": ["x", "x", "y"], "b": [7, 8, 8]})
    entries = read(path, frame)
    assert entries.columns == ("a", "b", "value")
    assert rows_of(entries) == [("x", 7, 1.5)]
    assert entries.asked.tolist() == [[0, 1], [1, 1]]
    assert read(path, frame.head(1), "b").columns == ("value", "a", "b")


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ({"a": [1], "b": [2]}, "must have a column for every mode, at least two, and one of values"),
        ({"a": [1], "b": [2], "c": ["x"]}, "'c' of .* must hold numbers, as it is the one of values. Got String"),
        ({"a": ["x", None], "b": [2, 3], "c": [1, 2]}, "has rows without 'a'"),
        ({"a": [1.0, float("nan")], "b": [2, 3], "c": [1, 2]}, "has rows without 'a'"),
        ({"a": [[1]], "b": [2], "c": [1]}, r"'a' of .* cannot name rows or coordinates, as it holds List"),
        ({"a": [1], "b": [2], "c": [None]}, "must hold numbers.* FILE::NAME says that the values are in another"),
        ({"a": [1], "b": [2], "c": [float("nan")]}, "No row of .* has a value"),
        ({"a": ["x" * 200_000], "b": [2], "c": [1]}, "A label in 'a' of .* has more than 131,072 bytes"),
        ({"a": [], "b": [], "c": []}, "has names of columns and no entries"),
    ],
)
def test_tables_that_cannot_be_used(path: Path, frame: dict[str, list[object]], complaint: str) -> None:
    with pytest.raises(TensorfillError, match=complaint):
        read(path, polars.DataFrame(frame))


def test_without_polars_one_line_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['polars'] = None\n"
        "from pathlib import Path\n"
        "from tensorfill.formats.contents import Reading\n"
        "from tensorfill.formats.tables.parquet_table import ParquetTable\n"
        "ParquetTable().read(Path('a.parquet'), Reading())"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stderr.splitlines()[-1].endswith(
        "a.parquet needs polars, which is not installed: pip install 'tensorfill[tables]'"
    )
