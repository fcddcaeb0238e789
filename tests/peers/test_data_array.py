"""xarray DataArrays, and what files held: they come back in kind."""

import numpy as np
import pandas
import pytest
import xarray

from tensorfill import complete
from tensorfill.errors import InvalidInput
from tensorfill.formats import Contents, Entries, Metadata
from tensorfill.peers import accept


def cube(dtype: str = "float64") -> xarray.DataArray:
    """A small cube with all the trimmings."""
    return xarray.DataArray(
        np.arange(24).reshape(2, 3, 4).astype(dtype),
        dims=("time", "band", "x"),
        coords={
            "time": pandas.to_datetime(["2024-01-01", "2024-01-02"]),
            "band": ["red", "green", "blue"],
            "name": ("x", list("abcd")),
            "scalar": 5,
        },
        attrs={"units": "counts"},
        name="scene",
    )


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64"])
@pytest.mark.parametrize("dims", [("time", "band", "x"), ("x", "time", "band")])
def test_everything_but_the_numbers_stays(dtype: str, dims: tuple[str, ...]) -> None:
    array = cube(dtype).transpose(*dims)
    back = complete(array, method="mean-fill").filled
    assert back.identical(array)
    assert back.dtype == array.dtype
    back[0, 0, 0] = 3  # it is the user's own
    assert int(array[0, 0, 0]) == 0


def test_an_array_with_holes_comes_back_full() -> None:
    array = cube().where(cube() != 13.0)
    filled = complete(array, method="mean-fill").filled
    assert filled.dims == array.dims
    assert filled.coords.identical(array.coords)
    assert filled.attrs == array.attrs
    assert int(filled.isnull().sum()) == 0
    np.testing.assert_array_equal(filled.values[~np.isnan(array)], array.values[~np.isnan(array)])


def test_text_and_whole_datasets_are_refused() -> None:
    with pytest.raises(InvalidInput, match="The DataArray 'city' must hold real numbers"):
        accept(xarray.DataArray(["Oslo", "Rome"], name="city"))
    with pytest.raises(InvalidInput, match=r"complete one of its variables, such as dataset\['name'\]"):
        accept(cube().to_dataset())


def test_what_a_file_held_comes_back_with_its_metadata() -> None:
    contents = Contents(np.where(np.eye(3) > 0, np.nan, 1.0), metadata=Metadata(kind="picture", variable="it"))
    arrived = accept(contents)
    assert arrived is not None
    assert arrived.given is contents
    filled = arrived.give_back(complete(contents.data, rank=1, C=1000))
    assert isinstance(filled, Contents)
    assert filled.metadata == contents.metadata
    assert not np.isnan(filled.data).any()


def test_a_table_comes_back_as_one() -> None:
    entries = Entries.from_contents(Contents(np.where(np.eye(3) > 0, np.nan, 1.0)))
    arrived = accept(entries)
    assert arrived is not None
    filled = arrived.give_back(complete(entries.observed_tensor, rank=1, C=1000))
    assert isinstance(filled, Entries)
    assert len(filled.values) == 9
