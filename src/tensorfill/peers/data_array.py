"""An xarray DataArray with holes: its numbers go in, and a DataArray with the same coordinates comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formats.contents import Contents, check_numbers
from ..formats.metadata import Metadata


def contents_of(array: Any) -> Contents:
    """The numbers of a DataArray, with its dimensions in their order; NaN is missing."""
    data = np.asarray(array.values)
    check_numbers(data, "The DataArray" if array.name is None else f"The DataArray '{array.name}'")
    return Contents(data, metadata=Metadata(variable=array.name if isinstance(array.name, str) else None))


def like(array: Any, tensor: NDArray[Any]) -> Any:
    """The tensor as a DataArray with the dimensions, coordinates, attributes and name of `array`."""
    return array.copy(data=np.array(tensor))
