"""polars tables, wide and long: they come back in kind."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars
import pytest

from tensorfill import complete
from tensorfill.errors import InvalidInput
from tensorfill.peers import accept


def test_a_wide_table_comes_back_wide_in_its_own_types() -> None:
    frame = polars.DataFrame(
        {
            "day": [date(2024, 1, day) for day in (1, 2, 3, 4)],
            "double": [1.0, None, 3.0, float("nan")],
            "byte": polars.Series([100, 200, None, 40], dtype=polars.UInt8),
            "whole": polars.Series([2**60 + 1, None, 2**60 + 3, 2**60 + 4]),
            "truth": [True, None, True, False],
        }
    )
    filled = complete(frame, method="mean-fill").filled
    assert isinstance(filled, polars.DataFrame)
    assert filled.schema == frame.schema
    assert filled["day"].equals(frame["day"])
    assert sum(filled.null_count().row(0)) == 0
    assert not filled["double"].is_nan().any()
    for name in ("byte", "whole", "truth"):
        known = frame[name].is_not_null()
        assert filled[name].filter(known).to_list() == frame[name].filter(known).to_list()


def test_a_long_table_comes_back_with_a_row_per_entry() -> None:
    size = polars.Enum(["small", "large"])
    frame = polars.DataFrame(
        {
            "city": ["Oslo", "Oslo", "Rome", "Rome", "Oslo"],
            "size": polars.Series(["large", "small", "large", "small", "large"], dtype=size),
            "week": [1, 1, 1, 2, 2],
            "trips": polars.Series([4, 2, 8, None, 5], dtype=polars.UInt16),
        }
    )
    filled = complete(frame, value="trips", method="mean-fill").filled
    assert filled.schema == frame.schema
    assert len(filled) == 8
    both = frame.drop_nulls().join(filled, on=["city", "size", "week"], how="left", maintain_order="left")
    assert both["trips_right"].to_list() == both["trips"].to_list()
    assert filled["size"][:4].to_list() == ["small", "small", "large", "large"]


def test_what_could_be_both_is_refused_with_both_options() -> None:
    rng = np.random.default_rng(0)
    users, films = np.divmod(np.flatnonzero(rng.random(200) < 0.6), 20)
    frame = polars.DataFrame({"user": users, "film": films, "liking": rng.random(len(users))})
    with pytest.raises(InvalidInput, match=r"say which: coordinates=\['user', 'film'\], value='liking' for a long"):
        accept(frame)
    assert accept(frame, ["user", "film"], "liking").given.shape == (10, 20)  # type: ignore[union-attr]
    assert accept(frame, []).given.shape == (len(users), 3)  # type: ignore[union-attr]


def test_columns_of_lists_name_nothing() -> None:
    frame = polars.DataFrame({"lists": [[1], [2]], "a": [1.5, None], "b": [2.5, 3.5]})
    with pytest.raises(
        InvalidInput, match=r"^The column 'lists' of The DataFrame cannot name rows or coordinates, as it holds List"
    ):
        accept(frame)
