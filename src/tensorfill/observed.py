"""ObservedTensor: which entries of a tensor are known, and their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bounds import Bounds, Number
from .errors import InvalidInput, must_be
from .missingness import Missingness
from .tensor import Array, entries, spread_mask

Negatives = Literal["raise", "clip"]
_DENSE = 0.05  # share of known entries from which on a mask is taken for them
_LARGEST_POSITION = 2**63 - 1


@dataclass(frozen=True, eq=False)
class ObservedTensor:
    """The known entries of a tensor: sorted positions and their values. True means known.

    Make one with `from_array` or, for a tensor that is too large to be built, with `from_coordinates`.

    Examples
    --------
    >>> ratings = ObservedTensor.from_coordinates([[0, 1], [2, 0]], [4.0, 5.0], shape=(3, 2))
    >>> ratings.count, round(ratings.share, 2)
    (2, 0.33)
    >>> ratings.mask().tolist()
    [[False, True], [False, False], [True, False]]
    """

    shape: tuple[int, ...]
    """The sizes of the modes."""
    positions: NDArray[np.int64]
    """Sorted indices into the flattened tensor, whose last mode varies fastest."""
    known: NDArray[Any]
    """The known values at these positions, in the dtype in which they were given."""
    floor: float = 0.0
    """The bound that methods keep to: 0, or −∞ where none is enforced. They see data that is shifted to it."""

    @classmethod
    def from_array(
        cls,
        array: ArrayLike,
        observed: ArrayLike | None = None,
        *,
        negatives: Negatives = "raise",
        lower: Number | None = 0,
        upper: Number | None = None,
    ) -> ObservedTensor:
        """The known entries of a full array.

        Parameters
        ----------
        array : array_like
            The data, two modes or more. NaN, or the mask of a masked array, marks what is missing.
        observed : array_like of bool, optional
            True where the value is known, of the shape of `array` or of its first modes.
        negatives : {"raise", "clip"}, default "raise"
            Refuse known values outside the bounds, or set them to the bound.
        lower, upper : float or None, default 0 and None
            The bounds. None means no bound.

        Returns
        -------
        ObservedTensor
            The known entries.

        Raises
        ------
        TensorfillError
            If nothing is known, a known value is not finite or is outside the bounds, or shapes do not fit.
        """
        data, mask = _array_and_mask(array, observed)
        positions = np.flatnonzero(mask)
        found = cls._checked(data.shape, positions, data.reshape(-1)[positions])
        return found.within(Bounds.of(lower, upper), negatives)[0]

    @classmethod
    def from_coordinates(
        cls,
        coordinates: ArrayLike,
        values: ArrayLike,
        shape: Sequence[int],
        *,
        negatives: Negatives = "raise",
        lower: Number | None = 0,
        upper: Number | None = None,
    ) -> ObservedTensor:
        """The known entries as a list; the full tensor is never built.

        Parameters
        ----------
        coordinates : array_like of int, shape (entries, modes)
            One row of indices per known entry, counted from 0.
        values : array_like, shape (entries,)
            Their values.
        shape : sequence of int
            The sizes of the modes.
        negatives : {"raise", "clip"}, default "raise"
            Refuse known values outside the bounds, or set them to the bound.
        lower, upper : float or None, default 0 and None
            The bounds. None means no bound.

        Returns
        -------
        ObservedTensor
            The known entries.

        Raises
        ------
        TensorfillError
            If an entry is given twice or lies outside the shape, and as for `from_array`.
        """
        shape = _check_shape(shape)
        known = np.ma.getdata(cast(Any, values))
        _check_kind(known)
        rows = check_coordinates(coordinates, shape)
        if known.ndim != 1 or len(known) != len(rows):
            raise InvalidInput(
                f"There must be one value per coordinate: {len(rows)} coordinates came with values of shape "
                f"{known.shape}."
            )
        given = ~np.ma.getmaskarray(cast(Any, values))
        rows, known = rows[given], known[given]
        positions = positions_of(rows, shape)
        order = np.argsort(positions, kind="stable")
        positions = positions[order]
        repeated = np.flatnonzero(positions[1:] == positions[:-1])
        if len(repeated):
            where = _coordinate(positions[repeated[0]], shape)
            raise InvalidInput(
                f"{len(repeated)} coordinates are given more than once, the first of them {where}; "
                "give each entry once."
            )
        return cls._checked(shape, positions, known[order]).within(Bounds.of(lower, upper), negatives)[0]

    def within(self, bounds: Bounds, negatives: Negatives = "raise") -> tuple[ObservedTensor, tuple[str, ...]]:
        """The same entries, checked against bounds.

        Parameters
        ----------
        bounds : Bounds
            The smallest and the largest value allowed.
        negatives : {"raise", "clip"}, default "raise"
            Refuse values outside the bounds, or set them to the bound.

        Returns
        -------
        ObservedTensor
            The entries within the bounds.
        tuple of str
            Notes about what was clipped.
        """
        if negatives not in ("raise", "clip"):
            raise InvalidInput(must_be("negatives", "be 'raise' or 'clip'", negatives))
        known, notes = bounds.kept_by(
            self.known, lambda number: _coordinate(self.positions[number], self.shape), clip=negatives == "clip"
        )
        if not notes:
            return self, notes
        known.setflags(write=False)
        return replace(self, known=known), notes

    @classmethod
    def _checked(cls, shape: tuple[int, ...], positions: NDArray[np.int64], known: NDArray[Any]) -> ObservedTensor:
        """Of a shape that is checked already."""
        if len(positions) == 0:
            raise InvalidInput(
                "Nothing is observed: every entry is marked missing, so there is nothing to complete from. "
                "(True in 'observed' means known.)"
            )
        if known.dtype.kind == "f":
            bad = np.flatnonzero(~np.isfinite(known))
            if len(bad):
                raise InvalidInput(
                    f"{len(bad)} entries marked observed are NaN or infinite, the first at "
                    f"{_coordinate(positions[bad[0]], shape)}; mark them as missing instead."
                )
        for array in (positions, known):
            array.setflags(write=False)
        return cls(shape, positions, known)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype the values came in, and in which the completion is given back."""
        return self.known.dtype

    @cached_property
    def values(self) -> Array:
        """The known values as floating point."""
        values = self.known.astype(np.float64, copy=False)
        values.setflags(write=False)
        return values

    @property
    def order(self) -> int:
        """The number of modes."""
        return len(self.shape)

    @property
    def count(self) -> int:
        """The number of known entries."""
        return len(self.positions)

    @property
    def size(self) -> int:
        """The number of entries of the full tensor."""
        return entries(self.shape)

    @property
    def share(self) -> float:
        """The share of entries that are known, 0 to 1."""
        return self.count / self.size

    def mask(self) -> NDArray[np.bool_]:
        """A boolean array of the full shape, True where the value is known.

        Returns
        -------
        numpy.ndarray of bool
            A new array of shape `shape`.
        """
        mask = np.zeros(self.size, dtype=bool)
        mask[self.positions] = True
        return mask.reshape(self.shape)

    @cached_property
    def missingness(self) -> Missingness:
        """How entries are missing: one by one, or in lines, blocks and frames."""
        return Missingness(self.mask())

    def with_values(self, known: NDArray[Any], *, floor: float | None = None) -> ObservedTensor:
        """Other values at the same entries.

        Parameters
        ----------
        known : numpy.ndarray, shape (count,)
            The new values.
        floor : float, optional
            Another bound for methods to keep to.

        Returns
        -------
        ObservedTensor
            The same positions with these values.
        """
        other = replace(self, known=known, floor=self.floor if floor is None else floor)
        return other.sharing(self.missingness) if "missingness" in self.__dict__ else other

    def sharing(self, missingness: Missingness) -> ObservedTensor:
        """The same entries with a description of their missingness that was computed already.

        Parameters
        ----------
        missingness : Missingness
            The description.

        Returns
        -------
        ObservedTensor
            The same entries.
        """
        other = replace(self)
        other.__dict__["missingness"] = missingness
        return other

    def empty_slices(self) -> list[tuple[int, NDArray[np.int64]]]:
        """The slices in which nothing is known.

        Returns
        -------
        list of (int, numpy.ndarray)
            For every mode that has such slices, its number, counted from 0, and their indices.
        """
        return [(mode, np.flatnonzero(~seen)) for mode, seen in enumerate(self._seen) if not seen.all()]

    @cached_property
    def _seen(self) -> list[NDArray[np.bool_]]:
        """For every mode, which of its indices have something known."""
        if self.share > _DENSE:  # then the mask is quicker than coordinates, and not much larger
            mask = self.mask()
            others = [tuple(other for other in range(self.order) if other != mode) for mode in range(self.order)]
            return [np.asarray(mask.any(axis=axes)) for axes in others]
        found = []
        for mode, indices in enumerate(np.unravel_index(self.positions, self.shape)):
            seen = np.zeros(self.shape[mode], dtype=bool)
            seen[indices] = True
            found.append(seen)
        return found


@dataclass(frozen=True, eq=False)
class UnlistedTensor(ObservedTensor):
    """A tensor on disk, of which is only kept how many entries are known."""

    known_count: int = 0

    @classmethod
    def of(cls, shape: tuple[int, ...], dtype: np.dtype[Any], count: int) -> UnlistedTensor:
        """With so many known entries."""
        return cls(shape, np.empty(0, np.int64), np.empty(0, dtype), known_count=count)

    @property
    def count(self) -> int:
        """How many entries are known."""
        return self.known_count


def check_coordinates(coordinates: ArrayLike, shape: Sequence[int]) -> NDArray[np.int64]:
    """Coordinates as an (entries × modes) integer array inside `shape`, or a clear error."""
    rows = np.asarray(coordinates)
    if rows.ndim != 2 or rows.shape[1] != len(shape):
        raise InvalidInput(
            f"Coordinates must be an array of shape (entries, {len(shape)}), one row per entry. "
            f"Got shape {rows.shape} instead."
        )
    if rows.dtype.kind not in "iu":
        raise InvalidInput(f"Coordinates must be integers. Got {rows.dtype} instead.")
    rows = rows.astype(np.int64, copy=False)
    for mode, size in enumerate(shape):
        column = rows[:, mode]
        if len(column) and (column.min() < 0 or column.max() >= size):
            raise InvalidInput(
                f"Coordinates of mode {mode + 1} must lie in 0 … {size - 1}. "
                f"Got {column.min()} … {column.max()} instead."
            )
    return rows


def positions_of(coordinates: NDArray[np.int64], shape: Sequence[int]) -> NDArray[np.int64]:
    """Positions in the flattened tensor (last mode fastest) of rows of coordinates."""
    positions = np.zeros(len(coordinates), dtype=np.int64)
    for mode, size in enumerate(shape):
        positions *= size
        positions += coordinates[:, mode]
    return positions


def _array_and_mask(array: ArrayLike, observed: ArrayLike | None) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    masked = isinstance(array, np.ma.MaskedArray)
    data = np.ma.getdata(array) if masked else _as_array(array)
    _check_kind(data)
    _check_shape(data.shape)
    if observed is not None:
        mask = spread_observed(observed, data.shape)
    else:
        mask = ~np.isnan(data) if data.dtype.kind == "f" else np.ones(data.shape, dtype=bool)
    if masked:
        mask = mask & ~np.ma.getmaskarray(cast(Any, array))
    return data, mask


def _as_array(data: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(data)
    except (ValueError, TypeError, RuntimeError) as error:  # lists of different lengths, tensors on other devices
        reason = str(error).strip().partition("\n")[0]
        raise InvalidInput(f"The data cannot be taken as an array of numbers: {reason}") from None


def spread_observed(observed: ArrayLike, shape: Sequence[int]) -> NDArray[np.bool_]:
    """A user's mask for every entry of a tensor, or a clear error; one of the first modes serves all the others."""
    mask = np.asarray(observed)
    if mask.dtype != np.bool_:
        raise InvalidInput(
            f"'observed' must be a boolean array, True where the value is known. Got {mask.dtype} instead."
        )
    spread = spread_mask(mask, shape)
    if spread is None:
        raise InvalidInput(
            f"'observed' must have the shape of the data, {tuple(shape)}, or that of its first modes, or 1 instead of "
            f"a size. Got {mask.shape} instead."
        )
    return spread


def _check_kind(data: NDArray[Any]) -> None:
    if data.dtype.kind not in "biuf":
        advice = "; write nan for what is missing" if data.dtype == object else ""
        raise InvalidInput(
            f"The data must be real numbers (integers or floating point). Got {data.dtype} instead{advice}."
        )


def _check_shape(shape: Sequence[int]) -> tuple[int, ...]:
    shape = tuple(int(size) for size in shape)
    if len(shape) < 2:
        raise InvalidInput(
            f"The data must have at least 2 modes (a matrix or a higher-order tensor). Got shape {shape} instead."
        )
    if min(shape) < 1:
        raise InvalidInput(f"The data is empty: every mode must have at least one index. Got shape {shape} instead.")
    if entries(shape) > _LARGEST_POSITION:
        raise InvalidInput(f"A tensor may have at most 2⁶³ − 1 entries. Got shape {shape} instead.")
    return shape


def _coordinate(position: int, shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(index) for index in np.unravel_index(position, shape))
