"""ObservedTensor: what it takes, what it keeps exactly, and the sentence for everything it refuses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.errors import InvalidInput
from tensorfill.observed import ObservedTensor, check_coordinates, positions_of

DTYPES = [np.bool_, np.int8, np.uint8, np.uint16, np.int64, np.uint64, np.float16, np.float32, np.float64]


def exactly(sentence: str) -> str:
    """A pattern for the whole message."""
    return f"^{re.escape(sentence)}$"


@pytest.fixture
def data() -> NDArray[np.float64]:
    return np.arange(24.0).reshape(2, 3, 4)


@pytest.fixture
def known() -> NDArray[np.bool_]:
    return np.random.default_rng(0).random((2, 3, 4)) < 0.5


# From an array


def test_true_means_known(data: NDArray[Any], known: NDArray[Any]) -> None:
    observed = ObservedTensor.from_array(data, known)
    np.testing.assert_array_equal(observed.mask(), known)
    np.testing.assert_array_equal(observed.known, data[known])
    np.testing.assert_array_equal(observed.positions, np.flatnonzero(known))


def test_it_tells_its_shape_order_size_count_and_share(data: NDArray[Any], known: NDArray[Any]) -> None:
    observed = ObservedTensor.from_array(data, known)
    assert (observed.shape, observed.order, observed.size) == ((2, 3, 4), 3, 24)
    assert observed.count == known.sum()
    assert observed.share == pytest.approx(known.mean())


def test_nan_marks_what_is_missing(data: NDArray[Any]) -> None:
    data[1, 2, 3] = data[0, 0, 1] = np.nan
    observed = ObservedTensor.from_array(data)
    np.testing.assert_array_equal(observed.mask(), ~np.isnan(data))


def test_zero_is_a_value_and_not_missing(data: NDArray[Any]) -> None:
    assert ObservedTensor.from_array(np.zeros((2, 3))).count == 6


def test_integers_without_a_mask_are_all_known() -> None:
    assert ObservedTensor.from_array(np.zeros((2, 3), dtype=np.uint8)).share == 1


def test_nan_is_allowed_where_the_mask_says_missing(data: NDArray[Any], known: NDArray[Any]) -> None:
    data[~known] = np.nan
    np.testing.assert_array_equal(ObservedTensor.from_array(data, known).mask(), known)


def test_the_mask_of_a_masked_array_marks_what_is_missing(data: NDArray[Any], known: NDArray[Any]) -> None:
    masked = np.ma.MaskedArray(data, mask=~known)
    observed = ObservedTensor.from_array(masked)
    np.testing.assert_array_equal(observed.mask(), known)
    np.testing.assert_array_equal(observed.known, data[known])


def test_a_masked_array_of_integers_keeps_its_dtype(known: NDArray[Any]) -> None:
    masked = np.ma.MaskedArray(np.full(known.shape, 7, dtype=np.uint8), mask=~known)
    observed = ObservedTensor.from_array(masked)
    assert observed.dtype == np.uint8
    assert observed.count == known.sum()


def test_a_masked_array_without_a_mask_is_all_known(data: NDArray[Any]) -> None:
    assert ObservedTensor.from_array(np.ma.MaskedArray(data)).share == 1


def test_nan_and_mask_of_a_masked_array_both_count_as_missing(data: NDArray[Any]) -> None:
    data[0, 0, 0] = np.nan
    mask = np.zeros(data.shape, dtype=bool)
    mask[1, 1, 1] = True
    assert ObservedTensor.from_array(np.ma.MaskedArray(data, mask=mask)).count == data.size - 2


def test_what_a_masked_array_masks_stays_missing_even_if_marked_observed(
    data: NDArray[Any], known: NDArray[Any]
) -> None:
    masked = np.ma.MaskedArray(data, mask=~known)
    observed = ObservedTensor.from_array(masked, np.ones(data.shape, dtype=bool))
    np.testing.assert_array_equal(observed.mask(), known)


def test_lists_are_taken() -> None:
    observed = ObservedTensor.from_array([[1, 2], [3, 4]], [[True, False], [True, True]])
    np.testing.assert_array_equal(observed.known, [1, 3, 4])


def test_any_memory_layout_gives_the_same(data: NDArray[Any], known: NDArray[Any]) -> None:
    plain = ObservedTensor.from_array(data, known)
    turned = ObservedTensor.from_array(np.asfortranarray(data), np.asfortranarray(known))
    np.testing.assert_array_equal(turned.positions, plain.positions)
    np.testing.assert_array_equal(turned.known, plain.known)


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_keep_their_dtype_and_are_also_there_as_floating_point(dtype: type[Any]) -> None:
    observed = ObservedTensor.from_array(np.array([[0, 1], [1, 0]], dtype=dtype))
    assert observed.dtype == observed.known.dtype == dtype
    assert observed.values.dtype == np.float64
    np.testing.assert_array_equal(observed.values, [0.0, 1.0, 1.0, 0.0])


def test_integers_above_two_to_the_53_are_kept_exactly() -> None:
    large = np.array([[2**53 + 1, 2**63 - 1], [2**62 + 3, 0]], dtype=np.int64)
    observed = ObservedTensor.from_array(large, np.array([[True, True], [True, False]]))
    assert observed.known.tolist() == [2**53 + 1, 2**63 - 1, 2**62 + 3]


# From coordinates


def test_coordinates_give_the_same_as_the_array_in_any_order(data: NDArray[Any], known: NDArray[Any]) -> None:
    rows = np.argwhere(known)
    shuffled = np.random.default_rng(1).permutation(rows)
    from_rows = ObservedTensor.from_coordinates(shuffled, data[tuple(shuffled.T)], data.shape)
    from_array = ObservedTensor.from_array(data, known)
    assert from_rows.shape == from_array.shape
    np.testing.assert_array_equal(from_rows.positions, from_array.positions)
    np.testing.assert_array_equal(from_rows.known, from_array.known)


def test_a_huge_tensor_of_coordinates_is_never_made_dense() -> None:
    shape = (2**20, 2**20, 2**20)
    last = [size - 1 for size in shape]
    observed = ObservedTensor.from_coordinates([last, [0, 0, 0]], [5, 7], shape)
    assert observed.size == 2**60
    assert observed.positions.tolist() == [0, 2**60 - 1]
    assert observed.known.tolist() == [7, 5]


def test_the_largest_tensor_has_two_to_the_63_minus_one_entries() -> None:
    shape = (7, (2**63 - 1) // 7)
    observed = ObservedTensor.from_coordinates([[6, shape[1] - 1]], [1.0], shape)
    assert observed.positions.tolist() == [2**63 - 2]


def test_positions_count_the_last_mode_fastest() -> None:
    rows = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 2, 3]])
    assert positions_of(rows, (2, 3, 4)).tolist() == [1, 4, 12, 23]


def test_coordinates_of_any_integer_dtype_are_taken() -> None:
    rows = check_coordinates(np.array([[1, 2]], dtype=np.uint8), (2, 3))
    assert rows.dtype == np.int64
    assert rows.tolist() == [[1, 2]]


# Negative values


def test_negative_values_are_refused_with_how_many_where_and_what_to_do(data: NDArray[Any]) -> None:
    data[0, 1, 2] = -0.5
    data[1, 2, 3] = -3
    sentence = (
        "2 observed values are negative, the first -0.5 at (0, 1, 2); if that is right, use lower=None for data "
        "without such a bound, or lower=-3.0, the smallest of them. To set them to zero use negatives='clip'."
    )
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_array(data)


def test_negative_values_at_coordinates_are_refused_too() -> None:
    with pytest.raises(InvalidInput, match=r"2 observed values are negative, the first -2 at \(0, 1\)"):
        ObservedTensor.from_coordinates([[1, 0], [0, 1]], [-1, -2], (2, 2))


def test_negative_values_marked_missing_are_nobodys_business(data: NDArray[Any]) -> None:
    data[0, 0, 0] = -9
    known = data >= 0
    np.testing.assert_array_equal(ObservedTensor.from_array(data, known).mask(), known)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16, np.float32, np.float64])
def test_negative_values_are_clipped_on_request(dtype: type[Any]) -> None:
    data = np.array([[-1, 2], [3, -4]], dtype=dtype)
    observed = ObservedTensor.from_array(data, negatives="clip")
    assert observed.known.tolist() == [0, 2, 3, 0]
    assert observed.dtype == dtype
    assert data.tolist() == [[-1, 2], [3, -4]], "the caller's array stays as it was"


def test_clipping_keeps_large_integers_exactly() -> None:
    observed = ObservedTensor.from_coordinates([[0, 0], [1, 1]], [2**53 + 1, -5], (2, 2), negatives="clip")
    assert observed.known.tolist() == [2**53 + 1, 0]


def test_an_unknown_wish_for_negatives_is_refused(data: NDArray[Any]) -> None:
    with pytest.raises(InvalidInput, match=exactly("'negatives' must be 'raise' or 'clip'. Got 'drop' instead.")):
        ObservedTensor.from_array(data, negatives="drop")  # type: ignore[arg-type]


# What is refused


NOTHING = (
    "Nothing is observed: every entry is marked missing, so there is nothing to complete from. "
    "(True in 'observed' means known.)"
)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: ObservedTensor.from_array(np.ones((2, 2)), np.zeros((2, 2), bool)), id="mask"),
        pytest.param(lambda: ObservedTensor.from_array(np.full((2, 2), np.nan)), id="NaN"),
        pytest.param(lambda: ObservedTensor.from_array(np.ma.masked_all((2, 2))), id="masked array"),
        pytest.param(lambda: ObservedTensor.from_coordinates(np.empty((0, 2), int), [], (2, 2)), id="coordinates"),
    ],
)
def test_nothing_observed_is_refused(make: Any) -> None:
    with pytest.raises(InvalidInput, match=exactly(NOTHING)):
        make()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_observed_entries_must_be_finite(data: NDArray[Any], bad: float) -> None:
    data[0, 2, 1] = data[1, 0, 0] = bad
    sentence = "2 entries marked observed are NaN or infinite, the first at (0, 2, 1); mark them as missing instead."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_array(data, np.ones(data.shape, dtype=bool))


def test_infinity_is_not_a_way_to_mark_what_is_missing(data: NDArray[Any]) -> None:
    data[0, 0, 0] = np.inf
    with pytest.raises(InvalidInput, match=r"NaN or infinite, the first at \(0, 0, 0\)"):
        ObservedTensor.from_array(data)


def test_values_at_coordinates_must_be_finite() -> None:
    with pytest.raises(InvalidInput, match=r"^2 entries marked observed are NaN or infinite, the first at \(0, 1\)"):
        ObservedTensor.from_coordinates([[1, 1], [0, 1]], [np.nan, np.inf], (2, 2))


@pytest.mark.parametrize("shape", [(3, 2, 4), (3, 4), (24,), (2, 3, 2), (2, 3, 4, 1), ()])
def test_the_mask_must_have_the_shape_of_the_data(data: NDArray[Any], shape: tuple[int, ...]) -> None:
    sentence = (
        "'observed' must have the shape of the data, (2, 3, 4), or that of its first modes, or 1 instead of a size. "
        f"Got {shape} instead."
    )
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_array(data, np.ones(shape, dtype=bool))


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 1), (1, 3, 1), (3,)])
def test_a_mask_of_some_modes_serves_all_indices_of_the_others(data: NDArray[Any], shape: tuple[int, ...]) -> None:
    mask = np.random.default_rng(0).random(shape) < 0.5
    mask.reshape(-1)[0] = True
    whole = np.broadcast_to(mask.reshape({2: (2, 3, 1), 1: (1, 3, 1)}.get(mask.ndim, shape)), data.shape)
    np.testing.assert_array_equal(ObservedTensor.from_array(data, mask).mask(), whole)


def test_what_is_no_array_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^The data cannot be taken as an array of numbers: .*inhomogeneous"):
        ObservedTensor.from_array([[1.0, 2.0], [3.0]])
    with pytest.raises(InvalidInput, match="Got object instead; write nan for what is missing"):
        ObservedTensor.from_array([[1.0, None]])  # type: ignore[list-item]


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float64", "object"])
def test_the_mask_must_be_boolean(data: NDArray[Any], dtype: str) -> None:
    sentence = f"'observed' must be a boolean array, True where the value is known. Got {dtype} instead."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_array(data, np.ones(data.shape, dtype=dtype))


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.ones((2, 2), dtype=complex), "complex128"),
        (np.ones((2, 2), dtype=object), "object"),
        (np.array([["a", "bc"]]), "<U2"),
        (np.zeros((2, 2), dtype="M8[s]"), "datetime64[s]"),
        (None, "object"),
    ],
)
def test_the_data_must_be_real_numbers(array: Any, dtype: str) -> None:
    advice = "; write nan for what is missing" if dtype == "object" else ""
    sentence = f"The data must be real numbers (integers or floating point). Got {dtype} instead{advice}."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_array(array)


def test_values_at_coordinates_must_be_real_numbers() -> None:
    with pytest.raises(InvalidInput, match=r"^The data must be real numbers .* Got complex128 instead\.$"):
        ObservedTensor.from_coordinates([[0, 0]], [1j], (2, 2))


@pytest.mark.parametrize("array", [np.float64(3), np.ones(5), []], ids=["scalar", "vector", "empty list"])
def test_the_data_must_have_two_modes(array: Any) -> None:
    shape = np.shape(array)
    sentence = f"The data must have at least 2 modes (a matrix or a higher-order tensor). Got shape {shape} instead."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_array(array)


def test_a_shape_of_one_mode_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^The data must have at least 2 modes .* Got shape \(4,\) instead\.$"):
        ObservedTensor.from_coordinates([[0]], [1.0], (4,))


@pytest.mark.parametrize("shape", [(0, 3), (2, 3, 0)])
def test_an_empty_tensor_is_refused(shape: tuple[int, ...]) -> None:
    sentence = f"The data is empty: every mode must have at least one index. Got shape {shape} instead."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_array(np.empty(shape))
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_coordinates(np.empty((0, len(shape)), dtype=int), [], shape)


def test_a_tensor_too_large_to_be_numbered_is_refused() -> None:
    sentence = "A tensor may have at most 2⁶³ − 1 entries. Got shape (4294967296, 2147483648) instead."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_coordinates([[0, 0]], [1.0], (2**32, 2**31))


@pytest.mark.parametrize(
    ("rows", "mode", "allowed", "got"),
    [
        ([[0, 0], [2, 0]], 1, "0 … 1", "0 … 2"),
        ([[0, -1], [1, 2]], 2, "0 … 2", "-1 … 2"),
        ([[0, 3], [1, 2]], 2, "0 … 2", "2 … 3"),
    ],
)
def test_coordinates_outside_the_shape_are_refused(rows: list[list[int]], mode: int, allowed: str, got: str) -> None:
    sentence = f"Coordinates of mode {mode} must lie in {allowed}. Got {got} instead."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_coordinates(rows, [1.0, 2.0], (2, 3))


def test_coordinates_given_twice_are_refused() -> None:
    rows = [[1, 2], [0, 1], [1, 0], [0, 1], [1, 2]]
    sentence = "2 coordinates are given more than once, the first of them (0, 1); give each entry once."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_coordinates(rows, [1.0, 2.0, 3.0, 4.0, 5.0], (2, 3))


@pytest.mark.parametrize("rows", [[0, 1], [[0, 1, 1]], [[0]], [[[0, 1]]]])
def test_coordinates_must_have_a_row_per_entry_and_a_column_per_mode(rows: Any) -> None:
    sentence = (
        f"Coordinates must be an array of shape (entries, 2), one row per entry. Got shape {np.shape(rows)} instead."
    )
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_coordinates(rows, [1.0], (2, 3))


@pytest.mark.parametrize(("rows", "dtype"), [([[0.0, 1.0]], "float64"), ([[True, False]], "bool")])
def test_coordinates_must_be_integers(rows: Any, dtype: str) -> None:
    with pytest.raises(InvalidInput, match=exactly(f"Coordinates must be integers. Got {dtype} instead.")):
        ObservedTensor.from_coordinates(rows, [1.0], (2, 3))


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0, 3.0], [[1.0], [2.0]], 1.0])
def test_there_must_be_one_value_per_coordinate(values: Any) -> None:
    sentence = f"There must be one value per coordinate: 2 coordinates came with values of shape {np.shape(values)}."
    with pytest.raises(InvalidInput, match=exactly(sentence)):
        ObservedTensor.from_coordinates([[0, 0], [1, 1]], values, (2, 3))


# Nobody's array is touched


def test_everything_in_it_is_read_only(data: NDArray[Any], known: NDArray[Any]) -> None:
    rows = np.argwhere(known)
    for observed in (
        ObservedTensor.from_array(data, known),
        ObservedTensor.from_array(data),
        ObservedTensor.from_array(-data, negatives="clip"),
        ObservedTensor.from_coordinates(rows, data[known], data.shape),
    ):
        for array in (observed.positions, observed.known, observed.values):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1


def test_fields_cannot_be_replaced(data: NDArray[Any]) -> None:
    with pytest.raises(AttributeError):
        ObservedTensor.from_array(data).shape = (4, 6)  # type: ignore[misc]


def test_the_callers_arrays_stay_as_they_were_and_writable(data: NDArray[Any], known: NDArray[Any]) -> None:
    rows, values = np.argwhere(known)[::-1].copy(), data[known]
    given = (data, known, rows, values)
    before = [array.copy() for array in given]
    ObservedTensor.from_array(data, known)
    ObservedTensor.from_array(data)
    ObservedTensor.from_coordinates(rows, values, data.shape)
    for array, copy in zip(given, before, strict=True):
        np.testing.assert_array_equal(array, copy)
        assert array.flags.writeable


def test_later_changes_of_the_callers_arrays_are_not_seen(data: NDArray[Any]) -> None:
    known = np.ones(data.shape, dtype=bool)
    rows = np.argwhere(known)
    values = data.reshape(-1).copy()
    from_array = ObservedTensor.from_array(data, known)
    from_rows = ObservedTensor.from_coordinates(rows, values, data.shape)
    data[...] = 99
    known[...] = False
    rows[...] = 0
    values[...] = 99
    for observed in (from_array, from_rows):
        np.testing.assert_array_equal(observed.known, np.arange(24.0))
        assert observed.mask().all()


def test_read_only_arrays_are_taken(data: NDArray[Any], known: NDArray[Any]) -> None:
    rows, values = np.argwhere(known), data[known]
    for array in (data, known, rows, values):
        array.setflags(write=False)
    from_array = ObservedTensor.from_array(data, known)
    from_rows = ObservedTensor.from_coordinates(rows, values, data.shape)
    np.testing.assert_array_equal(from_array.known, from_rows.known)


# Empty slices


def test_empty_slices_are_found_in_every_mode(data: NDArray[Any]) -> None:
    known = np.ones(data.shape, dtype=bool)
    known[:, 1, :] = False
    known[:, :, [0, 3]] = False
    found = ObservedTensor.from_array(data, known).empty_slices()
    assert [(mode, indices.tolist()) for mode, indices in found] == [(1, [1]), (2, [0, 3])]


def test_without_empty_slices_the_list_is_empty(data: NDArray[Any]) -> None:
    assert ObservedTensor.from_array(data).empty_slices() == []
