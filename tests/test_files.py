"""Files as the library's users see them: what is written of a completed table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas

from tensorfill import complete, read, write
from tensorfill.formats import Entries


def test_a_completed_wide_table_is_written_with_the_names_of_its_rows_and_columns(tmp_path: Path) -> None:
    frame = pandas.DataFrame(
        {"a": [1.0, np.nan, 3.0], "b": [2.0, 4.0, 6.0]}, index=pandas.Index(list("xyz"), name="at")
    )
    done = complete(frame, method="mean-fill")
    write(tmp_path / "table.csv", done)
    back = read(tmp_path / "table.csv")
    assert isinstance(back, Entries)
    assert back.columns == ("at", "column", "value")
    assert back.labels == (("x", "y", "z"), ("a", "b"))
    np.testing.assert_array_equal(back.values.reshape(3, 2), done.tensor)
    write(tmp_path / "table.npy", done)
    np.testing.assert_array_equal(np.load(tmp_path / "table.npy"), done.tensor)


def test_a_completed_long_table_is_written_as_it_was_understood(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"i": [5, 5, 6, 6], "j": [1, 2, 1, 2], "rating": [1.0, 2.0, np.nan, 4.0]})
    done = complete(frame, coordinates=["i", "j"], value="rating", method="mean-fill")
    write(tmp_path / "table.csv", done)
    back = read(tmp_path / "table.csv", table="long")
    assert isinstance(back, Entries)
    assert (back.columns, back.shape) == (("i", "j", "rating"), (2, 2))
    np.testing.assert_array_equal(back.values, done.filled["rating"])
