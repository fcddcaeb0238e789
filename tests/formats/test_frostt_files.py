"""Sparse tensors in .tns files: what is understood, what is kept, what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_files import DTYPES, same_array, sparse_arrays

from tensorfill.errors import TensorfillError, UnreadableFile
from tensorfill.formats import Contents, Entries
from tensorfill.formats.contents import Reading
from tensorfill.formats.tables.frostt import Frostt


def read(folder: Path, text: str | bytes, name: str = "a.tns") -> Entries:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Frostt().read(path, Reading())


@given(contents=sparse_arrays(DTYPES), name=st.sampled_from(("a.tns", "a.tns.gz")))
def test_an_array_comes_back_as_it_was(contents: Contents, name: str) -> None:
    same_array(Frostt(), contents, name)


def test_a_file_as_frostt_has_them(tmp_path: Path) -> None:
    entries = read(tmp_path, "# from somewhere\n\n1 1 2 5\n3 2 1 7  # a remark\r\n\n  2\t2 4 0\n")
    assert entries.shape == (3, 2, 4)
    assert entries.coordinates.tolist() == [[0, 0, 1], [2, 1, 0], [1, 1, 3]]
    assert entries.values.tolist() == [5, 7, 0]
    assert entries.dtype == np.int64


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (("1", "-2"), "int64"),
        (("1", "2.0"), "float64"),
        (("1", "1e3"), "float64"),
        (("1", str(2**64 - 1)), "uint64"),
        (("-1", str(2**64 - 1)), "float64"),
    ],
)
def test_whole_numbers_stay_whole(tmp_path: Path, values: tuple[str, str], dtype: str) -> None:
    entries = read(tmp_path, f"1 1 {values[0]}\n1 2 {values[1]}\n")
    assert entries.dtype == dtype
    assert entries.values.tolist() == [float(text) if "float" in dtype else int(text) for text in values]


def test_a_long_file_is_one_whatever_its_pieces(tmp_path: Path) -> None:
    rows = [f"{row} 1 {row}" for row in range(1, 150_001)]
    assert read(tmp_path, "\n".join(rows)).dtype == np.int64
    assert read(tmp_path, "\n".join([*rows, f"1 2 {2**63}"])).dtype == np.uint64
    late = read(tmp_path, "\n".join([*rows, "1 2 0.5"]))
    assert late.dtype == np.float64
    np.testing.assert_array_equal(late.values, [*range(1, 150_001), 0.5])
    with pytest.raises(UnreadableFile, match="Line 150002 of"):
        read(tmp_path, "\n".join(["# shape: 150000 1", *rows, "1 1"]))


@pytest.mark.parametrize("head", ["2\n3 4\n", "sptensor\n2\n3 4\n2\n", "# shape: 3 4\n", "# a\n2\n# b\n3 4 # c\n"])
def test_a_head_with_the_sizes_is_understood(tmp_path: Path, head: str) -> None:
    entries = read(tmp_path, f"{head}1 1 5\n2 2 6\n")
    assert entries.shape == (3, 4)
    assert entries.values.tolist() == [5, 6]


def test_nan_is_asked_for(tmp_path: Path) -> None:
    entries = read(tmp_path, "1 1 nan\n2 2 6\n")
    assert entries.asked.tolist() == [[0, 0]]
    assert entries.coordinates.tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has no entries"),
        ("# shape: 2 2\n", "has no entries"),
        ("1 1 1\n\n# x\n1 2\n", "Line 4 of .* must have 2 whole numbers from 1 on and a value. Got '1 2' instead"),
        ("1 1 1\n1 2 3 4\n", "Line 2 of .* Got '1 2 3 4' instead"),
        ("1 1 1\n0 1 1\n", "Line 2 of .* Got '0 1 1' instead"),
        ("1 1 1\n-1 1 1\n", "Line 2"),
        ("1 1.5 1\n", "Line 1"),
        ("1 1 one\n", "Line 1"),
        ("1 1 1_0\n", "Line 1"),
        ("1,1,1\n2,2,2\n", "Line 1"),
        ("1 1 1\n\0\0\0\n", "Line 2"),
        (f"1 {10**30} 1\n", "Line 1"),
        ("2\n3 4 5\n1 1 1\n", "Line 2 of .* must have the sizes of 2 modes"),
        ("2\n3 4\n4 1 1\n", r"says its shape is \(3, 4\), and has indices up to \(4, 1\)"),
        ("# shape: 3 4\n1 1 1 1\n", "Line 2 of .* must have 2 whole numbers"),
        ("sptensor\n2\n3 4\n2\n1 1 5\n", "says that it has 2 entries, and 1 whole ones are there"),
        ("# entries: 1\n1 1 57", "cut short"),
        ("# dtype: uint8\n1 1 300\n", "says its values are uint8, and some of them are not"),
        ("1 1 nan\n2 2 nan\n", "No row of .* has a value"),
        (f"1 {10**14} 3\n", "declares an array of 1"),
        ("1" * 3_000_000, "Line 1 of .* does not end within a million characters"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(TensorfillError, match=complaint):
        read(tmp_path, text)
