"""inpaint: True in the mask means missing, the shape and dtype of the image come back, known pixels are kept."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tensorfill.errors import InvalidInput, InvalidSetting, TensorfillError
from tensorfill.inpainting import inpaint
from tensorfill.library import complete

SHAPE = (12, 10, 3)
METHOD = "linear"  # quick, and it tells rows and columns from channels


@pytest.fixture
def photo() -> NDArray[np.uint8]:
    down, across = np.mgrid[0:12, 0:10]
    return np.stack([10 * down + 3 * across, 200 - 9 * down, 60 + 5 * across], axis=2).astype(np.uint8)


@pytest.fixture
def mask() -> NDArray[np.bool_]:
    mask = np.zeros(SHAPE[:2], dtype=bool)
    mask[3:6, 4:6] = True
    return mask


def refused(sentence: str, *arguments: Any, error: type[TensorfillError] = InvalidInput, **named: Any) -> None:
    with pytest.raises(error, match=f"^{re.escape(sentence)}$"):
        inpaint(*arguments, **named)


# What comes back


def test_true_means_missing(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    damaged = photo.copy()
    damaged[mask] = 255
    filled = inpaint(damaged, mask)
    np.testing.assert_array_equal(filled[~mask], photo[~mask])
    assert np.abs(filled[mask].astype(float) - photo[mask]).max() <= 2


def test_it_is_complete_with_the_mask_turned_round(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    observed = ~np.repeat(mask[:, :, None], 3, axis=2)
    expected = complete(photo, observed, "spectral", random_state=4).tensor
    np.testing.assert_array_equal(inpaint(photo, mask, method="spectral", random_state=4), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.float16, np.float32, np.float64])
def test_the_dtype_is_kept(photo: NDArray[Any], mask: NDArray[Any], dtype: type) -> None:
    filled = inpaint(photo.astype(dtype), mask, method=METHOD)
    assert filled.dtype == dtype
    np.testing.assert_array_equal(filled[~mask], photo[~mask].astype(dtype))


@pytest.mark.parametrize("scale", [1 / 255, 1.0, 1000.0])
def test_floats_of_any_range_are_taken(photo: NDArray[Any], mask: NDArray[Any], scale: float) -> None:
    filled = inpaint(photo * scale, mask, method=METHOD)
    np.testing.assert_allclose(filled, photo * scale, atol=2 * scale)


def test_the_image_is_left_alone_and_the_result_may_be_written_to(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    kept = photo.copy()
    for nothing in (mask, np.zeros_like(mask)):
        filled = inpaint(photo, nothing, method=METHOD)
        filled[:] = 0
    np.testing.assert_array_equal(photo, kept)


def test_an_empty_mask_gives_a_copy(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    filled = inpaint(photo, np.zeros_like(mask))
    np.testing.assert_array_equal(filled, photo)
    assert filled is not photo
    assert not np.shares_memory(filled, photo)


def test_what_stands_at_missing_pixels_does_not_matter(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    first, second, third = (photo.astype(float) for _ in range(3))
    first[mask], second[mask], third[mask] = np.nan, -7, np.inf
    expected = inpaint(first, mask, method=METHOD)
    assert np.isfinite(expected).all()
    np.testing.assert_array_equal(inpaint(second, mask, method=METHOD), expected)
    np.testing.assert_array_equal(inpaint(third, mask, method=METHOD), expected)


# Masks


@pytest.mark.parametrize("marked", [np.uint8(255), np.int8(-1), np.float32(0.5)])
def test_whatever_is_not_zero_is_missing(photo: NDArray[Any], mask: NDArray[Any], marked: np.generic) -> None:
    numbers = np.where(mask, marked, np.zeros((), marked.dtype))
    np.testing.assert_array_equal(inpaint(photo, numbers, method=METHOD), inpaint(photo, mask, method=METHOD))


def test_a_mask_may_mark_channels_one_by_one(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    each = np.zeros(SHAPE, dtype=bool)
    each[:, :, 1] = mask
    damaged = np.where(each, 0, photo).astype(np.uint8)
    filled = inpaint(damaged, each, method=METHOD)
    np.testing.assert_array_equal(filled[~each], photo[~each])
    assert (filled[each] != 0).all()


def test_masked_entries_are_missing_too(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    other = np.zeros_like(mask)
    other[8:10, 2] = True
    damaged = np.where(other[:, :, None], 0, photo).astype(np.uint8)
    masked = np.ma.masked_array(damaged, np.repeat(other[:, :, None], 3, axis=2))
    filled = inpaint(masked, mask, method=METHOD)
    assert not isinstance(filled, np.ma.MaskedArray)
    np.testing.assert_array_equal(filled, inpaint(photo, mask | other, method=METHOD))


# Axes


@given(axis=st.integers(-3, 2), name=st.sampled_from([METHOD, "spectral"]))
@settings(max_examples=12, deadline=None)
def test_channels_may_lie_on_any_axis(axis: int, name: str) -> None:
    down, across = np.mgrid[0:9, 0:8]
    image = np.random.default_rng(0).integers(0, 256, (9, 8, 3), dtype=np.uint8)
    mask = (down - 4) ** 2 + (across - 4) ** 2 < 4
    turned = np.moveaxis(image, -1, axis)
    filled = inpaint(turned, mask, channel_axis=axis, method=name)
    assert filled.shape == turned.shape
    assert filled.flags.c_contiguous
    np.testing.assert_array_equal(np.moveaxis(filled, axis, -1), inpaint(image, mask, method=name))


@pytest.mark.parametrize("shape", [(30,), (9, 8), (7, 6, 5), (6, 5, 4, 3), (5, 4, 3, 4, 3)])
@pytest.mark.filterwarnings("ignore::tensorfill.errors.UnrecoverableSlice")
def test_without_channels_every_number_of_axes_works(shape: tuple[int, ...]) -> None:
    image = np.sum(np.indices(shape), axis=0).astype(float)
    mask = np.zeros(shape, dtype=bool)
    mask[tuple(size // 2 for size in shape)] = True
    filled = inpaint(np.where(mask, np.nan, image), mask, channel_axis=None, method="spectral")
    assert filled.shape == shape
    np.testing.assert_array_equal(filled[~mask], image[~mask])
    np.testing.assert_allclose(filled[mask], image[mask], rtol=0.3)


def test_a_gray_picture_needs_no_word_about_channels(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    gray = photo[:, :, 0]
    expected = inpaint(gray, mask, channel_axis=None, method=METHOD)
    np.testing.assert_array_equal(inpaint(gray, mask, method=METHOD), expected)


# What is refused


def test_a_mask_of_another_shape_is_refused(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    refused(
        "The mask must have the shape of the image without its channels, (12, 10) for an image of shape (12, 10, 3) "
        "with channel_axis=-1, or that of the image. Got (10, 12) instead.",
        photo,
        mask.T,
    )
    refused(
        "The mask must have the shape of the image, (12, 10, 3), with channel_axis=None. Got (12, 10) instead.",
        photo,
        mask,
        channel_axis=None,
    )
    refused(
        "The mask must have the shape of the image without its channels, (10, 3) for an image of shape (12, 10, 3) "
        "with channel_axis=0, or that of the image. Got (12, 10) instead.",
        photo,
        mask,
        channel_axis=0,
    )


def test_a_mask_that_marks_everything_is_refused(photo: NDArray[Any]) -> None:
    refused(
        "The mask marks every pixel as missing, so there is nothing to fill from; it must be True, or not 0, only "
        "where pixels are missing.",
        photo,
        np.ones(SHAPE[:2]),
    )


@pytest.mark.parametrize(("value", "got"), [(np.nan, "NaN"), ("x", "<U1"), (1j, "complex128")])
def test_a_mask_that_is_neither_true_nor_false_is_refused(photo: NDArray[Any], value: Any, got: str) -> None:
    refused(
        "The mask must be an array of True and False, or of numbers, not 0 where pixels are missing. "
        f"Got {got} instead.",
        photo,
        np.full(SHAPE[:2], value),
    )


@pytest.mark.parametrize("axis", [3, -4, 1.0, "last", True])
def test_an_axis_that_is_not_there_is_refused(photo: NDArray[Any], mask: NDArray[Any], axis: Any) -> None:
    refused(
        f"'channel_axis' must be None or an axis of the image, -3 … 2. Got {axis!r} instead.",
        photo,
        mask,
        channel_axis=axis,
        error=InvalidSetting,
    )


@pytest.mark.parametrize("axis", [-1, 0])
def test_nan_at_a_known_pixel_is_refused_where_it_stands(photo: NDArray[Any], mask: NDArray[Any], axis: int) -> None:
    image = np.moveaxis(photo.astype(float), -1, axis)
    where = (1, 2, 0) if axis == -1 else (0, 1, 2)
    image[where] = np.nan
    sentence = f"1 entries marked observed are NaN or infinite, the first at {where}; mark them as missing instead."
    refused(sentence, image, mask, channel_axis=axis)


def test_negative_values_are_refused_or_clipped(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    image = photo.astype(float)
    image[0, 0, 0] = -3
    with pytest.raises(InvalidInput, match=r"^1 observed values are negative, the first -3\.0 at \(0, 0, 0\);"):
        inpaint(image, mask, method=METHOD)
    assert inpaint(image, mask, method=METHOD, negatives="clip")[0, 0, 0] == 0


@pytest.mark.parametrize("axis", [-1, 0])
def test_bounds_are_those_of_complete(photo: NDArray[Any], mask: NDArray[Any], axis: int) -> None:
    image = np.moveaxis(photo.astype(np.int16) - 100, -1, axis)
    shifted = inpaint(image, mask, channel_axis=axis, method=METHOD, lower=-100)
    np.testing.assert_array_equal(
        shifted, np.moveaxis(inpaint(photo.astype(np.int16), mask, method=METHOD) - 100, -1, axis)
    )
    assert inpaint(image, mask, channel_axis=axis, method=METHOD, lower=None).dtype == np.int16
    with pytest.raises(InvalidInput, match=r"observed values are above upper=50, the first \d+ at "):
        inpaint(image, mask, channel_axis=axis, method=METHOD, lower=None, upper=50)


def test_observed_is_refused_for_it_means_the_opposite(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    refused(
        "inpaint takes no 'observed'; give 'mask' instead, which is True where pixels are missing, not known.",
        photo,
        mask,
        observed=~mask,
        error=InvalidSetting,
    )


def test_an_unknown_setting_is_refused_by_the_method(photo: NDArray[Any], mask: NDArray[Any]) -> None:
    with pytest.raises(InvalidSetting, match="no_such"):
        inpaint(photo, mask, no_such=1)


@pytest.mark.parametrize("shape", [(), (0, 4), (0, 4, 3)])
def test_an_image_of_nothing_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput):
        inpaint(np.zeros(shape), np.zeros(shape), channel_axis=None)


@pytest.mark.parametrize("channels_first", [False, True])
def test_a_mask_can_be_made_wider(channels_first: bool) -> None:
    image = np.full((12, 12, 3), 80, np.uint8)
    image[4:7, 4:7] = 200  # the mask is too small for the stain
    mask = np.zeros((12, 12), bool)
    mask[5, 5] = True
    given, axis = (np.moveaxis(image, -1, 0), 0) if channels_first else (image, -1)
    tight = inpaint(given, mask, channel_axis=axis, method="linear")
    wide = inpaint(given, mask, channel_axis=axis, method="linear", grow=2)
    assert tight.max() == 200
    np.testing.assert_array_equal(wide, np.full_like(given, 80))


def test_the_growth_of_a_mask_is_a_whole_number() -> None:
    with pytest.raises(InvalidSetting, match="'grow' must be a whole number of pixels"):
        inpaint(np.ones((4, 4)), np.eye(4), channel_axis=None, grow=-1)
