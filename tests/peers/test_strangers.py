"""What is neither an array nor a table is refused with the sentence that helps."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse

from tensorfill import complete
from tensorfill.errors import InvalidInput
from tensorfill.peers import arriving


@pytest.mark.parametrize("path", ["photo.png", Path("photo.png"), b"photo.png"])
def test_a_path_is_to_be_read_first(path: object) -> None:
    with pytest.raises(InvalidInput, match=r"photo.png'.* is not data; .* complete\(tensorfill.read\(path\)\)"):
        complete(path)


@pytest.mark.parametrize("kind", [scipy.sparse.coo_matrix, scipy.sparse.csr_array, scipy.sparse.dok_array])
def test_a_sparse_matrix_does_not_say_what_is_missing(kind: type) -> None:
    with pytest.raises(InvalidInput, match=r"could be 0 or missing.*data.toarray\(\).*ObservedTensor.from_coordinates"):
        complete(kind(np.eye(3)))


def test_a_table_that_has_no_rows_yet_is_to_be_collected() -> None:
    with pytest.raises(InvalidInput, match=r"complete frame.collect\(\) instead"):
        complete(polars.DataFrame({"a": [1.0]}).lazy())
    with pytest.raises(InvalidInput, match="is a single column"):
        complete(polars.Series([1.0]))


@pytest.mark.parametrize("mapping", [{"a": [1.0]}, MappingProxyType({"a": np.ones((2, 2))})])
def test_a_dict_is_no_tensor(mapping: object) -> None:
    with pytest.raises(InvalidInput, match="A dict is no tensor"):
        complete(mapping)


def test_several_tables_are_to_be_put_together_first() -> None:
    table = pandas.DataFrame({"a": [1.0, np.nan]})
    with pytest.raises(InvalidInput, match="A list of tables could be put together in more than one way"):
        complete([table, table])


def test_tables_of_other_libraries_are_to_be_converted() -> None:
    class DataFrame:
        """A table of a library that nobody here knows."""

        __module__ = "dusk.frames"

        def __array__(self, dtype: object = None, copy: object = None) -> object:
            return np.ones((2, 2))

    with pytest.raises(InvalidInput, match=r"A dusk.DataFrame is not taken as it is; .*data.to_pandas\(\)"):
        complete(DataFrame())


def test_names_of_columns_are_for_tables() -> None:
    with pytest.raises(
        InvalidInput, match=r"^'coordinates' and 'value' name columns of a DataFrame; .*from_coordinates"
    ):
        complete(np.ones((2, 2)), coordinates=["a", "b"])


def test_arrays_and_lists_of_numbers_are_no_strangers() -> None:
    for data in (np.ones((2, 2)), [[1.0, 2.0]], ((1, 2), (3, 4)), np.ma.masked_equal(np.eye(2), 0)):
        assert arriving(data) is None
