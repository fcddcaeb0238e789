"""Inpainting: fill the pixels of a picture that a mask marks as missing, as scikit-image does it."""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bounds import Number
from .errors import InvalidInput, InvalidSetting, must_be
from .formats.missing_values import check_growth, grow_mask
from .library import complete
from .observed import ObservedTensor


def inpaint(
    image: ArrayLike,
    mask: ArrayLike,
    *,
    channel_axis: int | None = -1,
    method: str = "auto",
    lower: Number | None = 0,
    upper: Number | None = None,
    grow: int = 0,
    **settings: Any,
) -> NDArray[Any]:
    """Fill the missing pixels of a picture, clip or volume; known pixels are kept exactly.

    **The mask is True (or not 0) where a pixel is missing**, as in `skimage.restoration.inpaint_biharmonic`. That is
    the opposite of `observed` in `tensorfill.complete`, where True means known.

    Parameters
    ----------
    image : array_like
        Numbers of any real dtype and range, none of them negative unless `lower` allows it. The values at missing
        pixels do not matter and may be NaN. The masked entries of a masked array are missing too.
    mask : array_like of bool or numbers
        True, or not 0, where pixels are missing. Its shape is that of the image without its channels, one value per
        pixel, or that of the whole image, where channels are missing separately.
    channel_axis : int or None, default -1
        The axis that holds the channels. None means that there are no channels and every axis is space or time. A gray
        picture works with both if the mask has its shape.
    method : str, default "auto"
        One of `tensorfill.available_methods()`.
    lower, upper : float or None, default 0 and None
        No value is below or above these bounds. None means no bound.
    grow : int, default 0
        Widen the mask by this many pixels, in the first two axes that do not hold channels. A tight mask leaves a rim
        of what codecs and soft brushes blurred beyond it.
    **settings
        Settings of the method and of `tensorfill.complete`, such as `effort="low"`, `random_state=1`, `time_limit=30`.

    Returns
    -------
    numpy.ndarray
        A new array of the shape and dtype of the image.

    Raises
    ------
    TensorfillError
        If the mask does not fit the image, or marks every pixel; and as for `tensorfill.complete`.

    See Also
    --------
    complete : returns all that is known about the completion, and takes what is observed instead of what is missing.

    Examples
    --------
    >>> image = np.add.outer(np.arange(8), np.arange(8)).astype(np.uint8)
    >>> mask = np.zeros((8, 8), dtype=bool)
    >>> mask[2:5, 3] = True  # to be filled
    >>> damaged = np.where(mask, 255, image).astype(np.uint8)
    >>> filled = inpaint(damaged, mask, channel_axis=None)
    >>> filled[2:5, 3].tolist(), filled.dtype.name
    ([5, 6, 7], 'uint8')
    """
    if "observed" in settings:
        raise InvalidSetting(
            "inpaint takes no 'observed'; give 'mask' instead, which is True where pixels are missing, not known."
        )
    axis = _check_axis(channel_axis, np.ndim(cast(Any, image)))
    data = np.ma.getdata(cast(Any, image))
    missing = _spread_mask(np.asarray(mask), data.shape, axis, channel_axis) | np.ma.getmaskarray(cast(Any, image))
    missing = _grow(missing, grow, axis)
    if missing.size and missing.all():
        raise InvalidInput(
            "The mask marks every pixel as missing, so there is nothing to fill from; "
            "it must be True, or not 0, only where pixels are missing."
        )
    if data.ndim == 1:  # A signal is a picture one pixel wide.
        data, missing = data[:, None], missing[:, None]
    bounds: dict[str, Any] = {"lower": lower, "upper": upper}
    checks = {"negatives": settings.get("negatives", "raise"), **bounds}
    # Before an axis moves, so that a complaint names the place in the image as it was given.
    observed = ObservedTensor.from_array(data, ~missing, **checks)
    if axis is None or axis >= data.ndim - 1:
        filled = complete(observed, method=method, **bounds, **settings).tensor
    else:  # Methods that go picture by picture expect rows and columns first.
        turned = np.moveaxis(data, axis, -1)
        observed = ObservedTensor.from_array(turned, ~np.moveaxis(missing, axis, -1), **checks)
        filled = np.moveaxis(complete(observed, method=method, **bounds, **settings).tensor, -1, axis)
    return np.array(filled.reshape(np.shape(cast(Any, image))), order="C")


def _grow(missing: NDArray[np.bool_], grow: int, axis: int | None) -> NDArray[np.bool_]:
    pixels = check_growth(grow)
    if not pixels:
        return missing
    if axis is None or missing.ndim < 3:
        return grow_mask(missing, pixels, channels=False)
    return np.moveaxis(grow_mask(np.moveaxis(missing, axis, -1), pixels, channels=True), -1, axis)


def _check_axis(channel_axis: object, dimensions: int) -> int | None:
    """The axis of the channels counted from the front, or None."""
    if channel_axis is None:
        return None
    try:
        axis = operator.index(cast(Any, channel_axis))
    except TypeError:
        axis = dimensions
    if isinstance(channel_axis, bool) or not -dimensions <= axis < dimensions:
        allowed = f"be None or an axis of the image, {-dimensions} … {dimensions - 1}"
        raise InvalidSetting(must_be("channel_axis", allowed if dimensions else "be None", channel_axis))
    return axis % dimensions


def _spread_mask(mask: NDArray[Any], shape: tuple[int, ...], axis: int | None, given: int | None) -> NDArray[np.bool_]:
    """The mask for every value of the image, True where missing."""
    if mask.dtype.kind not in "biuf" or (mask.dtype.kind == "f" and np.isnan(mask).any()):
        got = "NaN" if mask.dtype.kind == "f" else mask.dtype
        raise InvalidInput(
            f"The mask must be an array of True and False, or of numbers, not 0 where pixels are missing. "
            f"Got {got} instead."
        )
    marked: NDArray[np.bool_] = mask.astype(bool)
    if marked.shape == shape:
        return marked
    if axis is None:
        raise InvalidInput(
            f"The mask must have the shape of the image, {shape}, with channel_axis=None. Got {mask.shape} instead."
        )
    pixels = shape[:axis] + shape[axis + 1 :]
    if marked.shape != pixels:
        raise InvalidInput(
            f"The mask must have the shape of the image without its channels, {pixels} for an image of shape {shape} "
            f"with channel_axis={given}, or that of the image. Got {mask.shape} instead."
        )
    return np.broadcast_to(np.expand_dims(marked, axis), shape)
