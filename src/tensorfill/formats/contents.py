"""Contents: what a data file holds: an array, which of its entries are known, and what else the file tells about it.

And Reading: what a user adds that the file itself does not say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, InvalidSetting, must_be
from ..missingness import Missingness
from ..observed import ObservedTensor
from .file_array import Region, fill_by_pieces, is_in_memory, order_of, pieces, take
from .scratch import Scratch, allocate

Kind = Literal["picture", "video", "cube", "volume", "table", "array"]
_NAMES = {
    "alpha": "how opaque pixels are",
    "frame_rate": "the frame rate",
    "band_names": "the names of bands",
    "wavelengths": "wavelengths",
    "affine": "the affine map",
    "exif": "EXIF data",
    "icc": "the colour profile",
    "xmp": "XMP",
    "density": "the pixel density",
}


class Density(NamedTuple):
    """How many pixels there are to a unit of length, each a numerator and a denominator, as files have them."""

    across: tuple[int, int]
    down: tuple[int, int]
    unit: Literal["inch", "centimetre", "metre", ""]
    """Without a unit, only the ratio says something: how wide pixels are."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Metadata:
    """Facts about an array that are not in its values; what a file does not tell is left at its default.

    Examples
    --------
    >>> about = Metadata(kind="cube", wavelengths=(450.0, 550.0, 650.0), wavelength_unit="nm")
    >>> about.kind, len(about.wavelengths)
    ('cube', 3)
    """

    kind: Kind = "array"
    """Pictures are (row, column[, channel]), videos (row, column, frame[, channel]), cubes (row, column, band)."""
    alpha: NDArray[Any] | None = None
    """How opaque each pixel is: the dtype of the data and its shape without channels."""
    axes: str = ""
    """A letter per mode, where the pages of a file make up several modes and it says which: Y row, X column, T time,
    Z depth, C channel, S colour, Q anything else."""
    frame_rate: Fraction | None = None
    """Frames per second."""
    exif: bytes = b""
    """What a camera tells, as it stands in a .jpg, also which way up pixels are stored. Arrays are always upright."""
    icc: bytes = b""
    """The colour profile."""
    xmp: bytes = b""
    """What editors tell, as XML."""
    density: Density | None = None
    """How many pixels there are to a unit of length."""
    band_names: tuple[str, ...] = ()
    """The names of the bands, one for each."""
    wavelengths: tuple[float, ...] = ()
    """The wavelengths of the bands, one for each, in `wavelength_unit`."""
    wavelength_unit: str = ""
    """The unit of the wavelengths, as the file has it."""
    affine: NDArray[np.float64] | None = None
    """From voxel indices to millimetres, 4 × 4."""
    variable: str | None = None
    """What the array is called inside its file (.mat, .h5, .zarr)."""
    columns_apart: bool = False
    """Whether this is a matrix whose columns may be in units of their own, as those of a wide table."""
    header: Mapping[str, Any] = field(default_factory=dict)
    """Further fields, meant for the format named in `header_of` alone."""
    header_of: str = ""
    """The name of the format that `header` belongs to."""


@dataclass(frozen=True, eq=False)
class Contents:
    """An array and, where the file says so, which of its entries are known (True means known).

    NumPy takes it for the array: `np.asarray(contents)`, `contents.shape`, `contents.dtype`.

    Examples
    --------
    >>> picture = Contents(np.array([[1.0, np.nan], [3.0, 4.0]]), metadata=Metadata(kind="picture"))
    >>> picture.known().tolist(), picture.all_known
    ([[True, False], [True, True]], False)
    """

    data: NDArray[Any]
    """The values. What is too large for memory is a `FileArray`, an array on disk, or another array that is not in
    memory; `observed` and `metadata.alpha` may then be such arrays, too."""
    observed: NDArray[np.bool_] | None = None
    """True where the value is known, of the shape of `data`; None if only NaN marks what is missing."""
    notes: tuple[str, ...] = ()
    """What a user should know about how the file was read."""
    metadata: Metadata = field(default_factory=Metadata)
    """What else the file tells."""
    scratch: Scratch | None = field(default=None, repr=False)
    """Where masks of it may be kept, if it is not in memory."""

    def __post_init__(self) -> None:
        # Views, so that the caller's own arrays stay as they are.
        for name in ("data", "observed"):
            if isinstance(array := getattr(self, name), np.ndarray):
                object.__setattr__(self, name, view_read_only(array))

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
        if self.on_disk:
            return f"Contents({self.metadata.kind}, shape {self.shape}, {self.dtype}, on disk)"
        holes = "" if self.observed is None else f", {1 - self.observed.mean():.1%} missing"
        return f"Contents({self.metadata.kind}, shape {self.shape}, {self.dtype}{holes})"

    def known(self, mask: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Where entries are known.

        Parameters
        ----------
        mask : numpy.ndarray of bool, optional
            A further mask, True where the value is known.

        Returns
        -------
        numpy.ndarray of bool
            True where the file, its NaNs and `mask` all say that the entry is known.
        """
        known = ~np.isnan(self.data) if self.data.dtype.kind == "f" else np.ones(self.data.shape, dtype=bool)
        for part in (self.observed, mask):
            if part is not None:
                known &= part
        return known

    @property
    def on_disk(self) -> bool:
        """Whether the values are not in memory, so that parts should be asked for."""
        return not isinstance(self.data, np.ndarray)

    def in_memory(self) -> Contents:
        """The same with all arrays in memory.

        Returns
        -------
        Contents
            A copy whose arrays are NumPy arrays.
        """
        observed = None if self.observed is None else np.asarray(self.observed)
        alpha = None if self.metadata.alpha is None else np.asarray(self.metadata.alpha)
        return replace(
            self,
            data=np.asarray(self.data),
            observed=observed,
            metadata=replace(self.metadata, alpha=alpha),
            scratch=None,
        )

    def put_down(self, scratch: Scratch | None) -> Contents:
        """The same with large arrays on disk.

        Parameters
        ----------
        scratch : Scratch or None
            Where they go; with None nothing is moved.

        Returns
        -------
        Contents
            The same contents.
        """
        if scratch is None:
            return self

        def moved(array: Any) -> Any:
            if not is_in_memory(array) or not scratch.takes(array.nbytes):
                return array
            there = scratch.allocate(array.shape, array.dtype, order_of(array))
            fill_by_pieces(there, lambda region: array[region])
            return there

        metadata = self.metadata
        if metadata.alpha is not None:
            metadata = replace(metadata, alpha=moved(metadata.alpha))
        return replace(self, data=moved(self.data), observed=moved(self.observed), metadata=metadata)

    def known_in(self, region: Region) -> NDArray[np.bool_]:
        """Where entries of a part are known.

        Parameters
        ----------
        region : tuple of slice
            The part, a slice for every mode.

        Returns
        -------
        numpy.ndarray of bool
            What `known` says of this part, as a new array.
        """
        return self._known_of(take(self.data, region) if self.dtype.kind == "f" else None, region)

    def part(self, region: Region) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """A part of the array.

        Parameters
        ----------
        region : tuple of slice
            The part, a slice for every mode.

        Returns
        -------
        numpy.ndarray
            The values; anything where nothing is known.
        numpy.ndarray of bool
            True where the value is known.
        """
        values = take(self.data, region)
        return values, self._known_of(values, region)

    def _known_of(self, values: NDArray[Any] | None, region: Region) -> NDArray[np.bool_]:
        if values is not None and values.dtype.kind == "f":
            known: NDArray[np.bool_] = ~np.isnan(values)
            return known if self.observed is None else known & take(self.observed, region)
        if self.observed is not None:
            return np.array(take(self.observed, region))
        return np.ones([len(range(size)[part]) for size, part in zip(self.shape, region, strict=True)], dtype=bool)

    @cached_property
    def all_known(self) -> bool:
        """Whether nothing is missing."""
        if self.observed is None and self.dtype.kind != "f":
            return True
        return all(bool(self.known_in(region).all()) for region in pieces(self.data))

    @cached_property
    def missingness(self) -> Missingness:
        """How entries are missing."""
        return Missingness(self.known())

    @cached_property
    def observed_tensor(self) -> ObservedTensor:
        """The known entries, of any sign; an entry that is marked observed and is NaN is refused."""
        found = ObservedTensor.from_array(self.data, self.observed, lower=None)
        return found.sharing(self.missingness) if "missingness" in self.__dict__ else found

    def fill(self, tensor: NDArray[Any], observed: NDArray[np.bool_] | None = None) -> Contents:
        """The same file with other values; its metadata stays, and filled pixels become opaque.

        Parameters
        ----------
        tensor : numpy.ndarray
            The new values.
        observed : numpy.ndarray of bool, optional
            True where a value is known, if some are still missing.

        Returns
        -------
        Contents
            The filled contents.
        """
        metadata = self.metadata
        if metadata.alpha is not None and metadata.alpha.shape == tensor.shape[: metadata.alpha.ndim]:
            metadata = replace(metadata, alpha=self._fill_alpha(metadata.alpha))
        return Contents(tensor, observed, metadata=metadata, scratch=self.scratch)

    def _fill_alpha(self, alpha: NDArray[Any]) -> NDArray[Any]:
        """Where nothing was known of a pixel it is as opaque as any other is now."""
        if not self.on_disk:
            return _fill_alpha(alpha, self.observed, alpha.max(initial=0))
        largest = max((take(alpha, region).max() for region in pieces(alpha)), default=0)

        def fill(region: Region) -> NDArray[Any]:
            return _fill_alpha(
                take(alpha, region), None if self.observed is None else take(self.observed, region), largest
            )

        filled: NDArray[Any] = allocate(self.scratch, alpha.shape, alpha.dtype, order_of(alpha))
        fill_by_pieces(filled, fill)
        return filled

    def hide(self, left: NDArray[Any], observed: NDArray[np.bool_]) -> Contents:
        """The same file with holes; pixels of a picture that are missing in all channels are transparent.

        Parameters
        ----------
        left : numpy.ndarray
            The values; anything where one is missing.
        observed : numpy.ndarray of bool
            True where the value is known.

        Returns
        -------
        Contents
            The contents with holes.
        """
        metadata = self.metadata
        if metadata.kind == "picture" and left.dtype.kind in "uf":
            missing = ~observed if left.ndim == 2 else ~observed.any(axis=2)
            whole = left.ndim == 2 or bool((observed == observed[..., :1]).all())
            alpha = np.full(missing.shape, opaque(left.dtype), left.dtype) if metadata.alpha is None else metadata.alpha
            metadata = replace(metadata, alpha=np.where(missing, np.zeros((), left.dtype), alpha) if whole else None)
        return Contents(left, observed, metadata=metadata)

    def plain_metadata(self) -> Metadata:
        """The metadata that another array of the same kind shares.

        Returns
        -------
        Metadata
            The kind and the frame rate.
        """
        return Metadata(kind=self.metadata.kind, frame_rate=self.metadata.frame_rate)


def _fill_alpha(alpha: NDArray[Any], observed: NDArray[np.bool_] | None, largest: Any) -> NDArray[Any]:
    holes = alpha == 0
    if observed is not None:
        holes |= ~(observed if observed.ndim == alpha.ndim else observed.any(axis=-1))
    return np.where(holes, np.asarray(largest or opaque(alpha.dtype), dtype=alpha.dtype), alpha)


def opaque(dtype: np.dtype[Any]) -> int:
    """What alpha is where nothing shines through."""
    return 1 if dtype.kind == "f" else int(np.iinfo(dtype).max)


def view_read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, so that nobody changes them by accident, while the caller's own array stays as it is."""
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


def describe_loss(contents: Contents, kind: str, *kept: str, mask: bool = True) -> tuple[str, ...]:
    """At most one sentence about `kind`, such as "a .npy file": what is there and not among what it keeps."""
    metadata = contents.metadata
    told = {name: getattr(metadata, name) for name in _NAMES}
    lost = [_NAMES[name] for name, value in told.items() if name not in kept and _there(value)]
    if not mask and not _only_nan(contents):
        lost.append("which entries are known")
    return (f"{kind[0].upper()}{kind[1:]} does not keep {', '.join(lost)}.",) if lost else ()


def _there(value: object) -> bool:
    return value is not None and not (isinstance(value, tuple | bytes) and not value)


def _only_nan(contents: Contents) -> bool:
    """Whether NaN alone says what is missing."""
    if contents.observed is None:
        return True
    without = replace(contents, observed=None)
    return not any(
        bool((without.known_in(region) & ~take(contents.observed, region)).any()) for region in pieces(contents.data)
    )


# What a user adds

Layout = Literal["wide", "long"]
_MEANINGS: dict[str, dict[str, Any]] = {
    "wide": {"layout": "wide"},
    "long": {"layout": "long"},
    "header": {"header": True},
    "no-header": {"header": False},
    "labels": {"labels": True},
    "no-labels": {"labels": False},
    "decimal-comma": {"decimal": ","},
    "decimal-point": {"decimal": "."},
}


@dataclass(frozen=True)
class TableWords:
    """What a user says about a table that it leaves open itself; None where nothing is said."""

    layout: Layout | None = None
    """Wide is a matrix, a row per line; long is a line per entry, with its coordinates and its value."""
    header: bool | None = None
    """Whether the first line has the names of the columns."""
    labels: bool | None = None
    """Whether the first column of a wide table has the names of the rows."""
    decimal: str | None = None
    """The sign before the decimals of a number."""

    @classmethod
    def of(cls, text: str | None) -> TableWords:
        """From words with commas between them."""
        said = cls()
        for word in (text or "").replace(",", " ").lower().split():
            if word not in _MEANINGS:
                known = f"be made of these words, with commas between them: {', '.join(_MEANINGS)}"
                raise InvalidSetting(must_be("table", known, word))
            ((name, value),) = _MEANINGS[word].items()
            if getattr(said, name) not in (None, value):
                raise InvalidSetting(must_be("table", "not say two things that exclude each other", text))
            said = replace(said, **{name: value})
        return said

    def with_word(self, word: str) -> str:
        """The words said so far and another one, as they are typed."""
        said = TableWords.of(word)
        both = {name: value for part in (self, said) for name, value in vars(part).items() if value is not None}
        return ",".join(word for word, meaning in _MEANINGS.items() if meaning.items() <= both.items())


@dataclass(frozen=True)
class Reading:
    """How to read; each field matters to the formats that know it."""

    dataset: str | None = None
    """Which array of a file with several, or which column of a table has the values: what stands after `::`."""
    size: tuple[int, int] | None = None
    """Columns and rows of raw video."""
    gray: bool = False
    """Brightness alone, of pictures and videos in colour."""
    frames: tuple[int, int] | None = None
    """The first and the last frame to read, counted from 0; both are read."""
    table: TableWords = field(default_factory=TableWords)
    """How a table is laid out, where it can be read in several ways."""
    coordinates: tuple[str, ...] | None = None
    """The names, or the numbers from 1 on, of the columns of a long table that are coordinates; None: all but one."""
    scratch: Scratch | None = None
    """Where an array goes that is too large for memory; without it, such a one is refused."""
