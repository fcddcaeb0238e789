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
from tensorfill.peers import accept

TABLE = pandas.DataFrame({"a": [1.0, np.nan]})
PATH = r"photo.png'.* is not data; .* complete\(tensorfill.read\(path\)\)"
SPARSE = r"could be 0 or missing.*data.toarray\(\).*ObservedTensor.from_coordinates"


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ("photo.png", PATH),
        (Path("photo.png"), PATH),
        (b"photo.png", PATH),
        (scipy.sparse.coo_matrix(np.eye(3)), SPARSE),
        (scipy.sparse.csr_array(np.eye(3)), SPARSE),
        (scipy.sparse.dok_array(np.eye(3)), SPARSE),
        (polars.DataFrame({"a": [1.0]}).lazy(), r"complete frame.collect\(\) instead"),
        (polars.Series([1.0]), "is a single column"),
        ({"a": [1.0]}, "A dict is no tensor"),
        (MappingProxyType({"a": np.ones((2, 2))}), "A dict is no tensor"),
        ([TABLE, TABLE], "A list of tables could be put together in more than one way"),
    ],
)
def test_what_is_no_tensor_is_refused_with_what_to_do(data: object, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        complete(data)


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
        assert accept(data) is None
