"""Contents: what a data file holds, an array and which of its entries are known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..missingness import Missingness
from ..observed import ObservedTensor
from .metadata import Metadata


@dataclass(frozen=True, eq=False)
class Contents:
    """An array and, where the file says so, which of its entries are known (True means known).

    NumPy takes it for the array: `np.asarray(contents)`, `contents.shape`, `contents.dtype`.
    """

    data: NDArray[Any]
    observed: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()
    """What a user should know about how the file was read."""
    metadata: Metadata = field(default_factory=Metadata)

    def __post_init__(self) -> None:
        # Views, so that the caller's own arrays stay as they are.
        object.__setattr__(self, "data", _read_only(self.data))
        if self.observed is not None:
            object.__setattr__(self, "observed", _read_only(self.observed))

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the modes."""
        return self.data.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.data.dtype

    @property
    def ndim(self) -> int:
        """How many modes there are."""
        return self.data.ndim

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.data, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        holes = "" if self.observed is None else f", {1 - self.observed.mean():.1%} missing"
        return f"Contents({self.metadata.kind}, shape {self.shape}, {self.dtype}{holes})"

    def known(self, mask: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """True where the file, its NaNs and `mask` all say that the entry is known."""
        known = ~np.isnan(self.data) if self.data.dtype.kind == "f" else np.ones(self.data.shape, dtype=bool)
        for part in (self.observed, mask):
            if part is not None:
                known &= part
        return known

    @cached_property
    def missingness(self) -> Missingness:
        """How entries are missing."""
        return Missingness(self.known())

    @cached_property
    def observed_tensor(self) -> ObservedTensor:
        """What is known, whatever its range; an entry that is marked observed and is NaN is refused."""
        found = ObservedTensor.from_array(self.data, self.observed, lower=None)
        return found.sharing(self.missingness) if "missingness" in self.__dict__ else found

    def filled(self, tensor: NDArray[Any], observed: NDArray[np.bool_] | None = None) -> Contents:
        """The same file with its holes filled: all that is known about it stays, and what was filled is opaque."""
        metadata = self.metadata
        if metadata.alpha is not None and metadata.alpha.shape == tensor.shape[: metadata.alpha.ndim]:
            metadata = replace(metadata, alpha=self._filled_alpha(metadata.alpha))
        return Contents(tensor, observed, metadata=metadata)

    def _filled_alpha(self, alpha: NDArray[Any]) -> NDArray[Any]:
        """Where nothing was known of a pixel it is as opaque as any other is now."""
        holes = alpha == 0
        if self.observed is not None:
            holes |= ~(self.observed if self.observed.ndim == alpha.ndim else self.observed.any(axis=-1))
        full = alpha.max(initial=0) or opaque(alpha.dtype)
        return np.where(holes, np.asarray(full, dtype=alpha.dtype), alpha)

    def holed(self, left: NDArray[Any], observed: NDArray[np.bool_]) -> Contents:
        """The same file with holes: pixels that are missing in all channels are transparent, if it is a picture."""
        metadata = self.metadata
        if metadata.kind == "picture" and left.dtype.kind in "uf":
            missing = ~observed if left.ndim == 2 else ~observed.any(axis=2)
            whole = left.ndim == 2 or bool((observed == observed[..., :1]).all())
            alpha = np.full(missing.shape, opaque(left.dtype), left.dtype) if metadata.alpha is None else metadata.alpha
            metadata = replace(metadata, alpha=np.where(missing, np.zeros((), left.dtype), alpha) if whole else None)
        return Contents(left, observed, metadata=metadata)

    def plain_metadata(self) -> Metadata:
        """What can be said of another array of the same kind: no alpha, nothing of the file itself."""
        return Metadata(kind=self.metadata.kind, frame_rate=self.metadata.frame_rate)


def opaque(dtype: np.dtype[Any]) -> int:
    """What alpha is where nothing shines through."""
    return 1 if dtype.kind == "f" else int(np.iinfo(dtype).max)


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
