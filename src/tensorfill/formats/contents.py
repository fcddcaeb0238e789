"""Contents: what a data file holds, an array and which of its entries are known."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Contents:
    """An array and, where the file says so, which of its entries are known (True means known)."""

    data: NDArray[Any]
    observed: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()
    """What a user should know about how the file was read."""

    def __post_init__(self) -> None:
        # Views, so that the caller's own arrays stay as they are.
        object.__setattr__(self, "data", _read_only(self.data))
        if self.observed is not None:
            object.__setattr__(self, "observed", _read_only(self.observed))

    def known(self, mask: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """True where the file, its NaNs and `mask` all say that the entry is known."""
        known = ~np.isnan(self.data) if self.data.dtype.kind == "f" else np.ones(self.data.shape, dtype=bool)
        for part in (self.observed, mask):
            if part is not None:
                known &= part
        return known


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view


def check_numbers(data: NDArray[Any], name: str) -> None:
    """Refuse text, dates, complex numbers and records."""
    if data.dtype.kind not in "biuf":
        raise InvalidInput(f"{name} must hold real numbers (integers or floating point). Got {data.dtype} instead.")


def check_mask(mask: NDArray[Any], name: str) -> None:
    """Refuse a mask that is not boolean: 0 and 1 could mean either way round."""
    if mask.dtype != np.bool_:
        raise InvalidInput(
            f"{name} must hold a boolean array, True where the value is known. Got {mask.dtype} instead."
        )
