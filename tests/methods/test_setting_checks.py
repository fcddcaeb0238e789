"""Checks of settings at the door: what passes, and the one kind of sentence for what does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tensorfill.errors import InvalidSetting
from tensorfill.methods.setting_checks import (
    check_choice,
    check_count,
    check_positive,
    check_tolerance,
    resolved_rank,
    resolved_weights,
    wrong,
)

SHAPE = (20, 8, 3)


def refusal(call: Callable[[], object]) -> str:
    """The sentence with which a setting is refused."""
    with pytest.raises(InvalidSetting) as caught:
        call()
    return str(caught.value)


# Ranks


def test_ranks_left_open_are_ten_or_the_size_of_a_smaller_mode() -> None:
    assert resolved_rank("m", None, SHAPE) == (10, 8, 3)


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        (2, (2, 2, 2)),
        (np.int64(3), (3, 3, 3)),
        ((5, 4, 3), (5, 4, 3)),
        ([20, 8, 3], (20, 8, 3)),
        (np.array([1, 2, 3]), (1, 2, 3)),
        (range(1, 4), (1, 2, 3)),
    ],
)
def test_a_rank_is_one_number_or_one_per_mode(rank: Any, expected: tuple[int, ...]) -> None:
    ranks = resolved_rank("m", rank, SHAPE)
    assert ranks == expected
    assert all(type(value) is int for value in ranks)


@pytest.mark.parametrize(
    ("rank", "shown"),
    [
        (0, "0"),
        (-2, "-2"),
        (2.0, "2.0"),
        (float("nan"), "nan"),
        (True, "True"),
        ((1, 0, 1), "(1, 0, 1)"),
        ([1, 2.5, 1], "(1, 2.5, 1)"),
        ((1, True, 1), "(1, True, 1)"),
        (("1", "2", "3"), "(1, 2, 3)"),
    ],
)
def test_ranks_must_be_whole_numbers(rank: Any, shown: str) -> None:
    sentence = f"The 'rank' of m must consist of whole numbers, 1 or more. Got {shown} instead."
    assert refusal(lambda: resolved_rank("m", rank, SHAPE)) == sentence


@pytest.mark.parametrize(
    ("rank", "shown"), [((), "()"), ((2,), "(2)"), ((2, 2), "(2, 2)"), ((2, 2, 2, 2), "(2, 2, 2, 2)")]
)
def test_there_must_be_a_rank_for_every_mode(rank: Any, shown: str) -> None:
    sentence = f"The 'rank' of m must have 3 entries, one per mode. Got {shown} instead."
    assert refusal(lambda: resolved_rank("m", rank, SHAPE)) == sentence


@pytest.mark.parametrize("rank", ["3", "full", object])
def test_a_rank_must_be_a_number_or_a_list(rank: Any) -> None:
    sentence = f"The 'rank' of m must be one number or one per mode. Got {rank!r} instead."
    assert refusal(lambda: resolved_rank("m", rank, SHAPE)) == sentence


@pytest.mark.parametrize(
    ("rank", "mode", "size", "shown", "would_do"),
    [
        (4, 3, 3, "4", "(4, 4, 3)"),
        (100, 1, 20, "100", "(20, 8, 3)"),
        ((5, 9, 9), 2, 8, "(5, 9, 9)", "(5, 8, 3)"),
    ],
)
def test_a_rank_larger_than_its_mode_is_refused_with_what_would_do(
    rank: Any, mode: int, size: int, shown: str, would_do: str
) -> None:
    sentence = (
        f"The 'rank' of m must not be larger than its mode: mode {mode} has size {size}. Got {shown} instead; "
        f"{would_do} would do."
    )
    assert refusal(lambda: resolved_rank("m", rank, SHAPE)) == sentence


# Weights


def test_weights_left_open_are_the_sizes_of_the_modes() -> None:
    assert resolved_weights("m", None, SHAPE) == (20.0, 8.0, 3.0)


@pytest.mark.parametrize(
    ("lam", "expected"),
    [
        (2, (2.0, 2.0, 2.0)),
        (1e-3, (1e-3, 1e-3, 1e-3)),
        ((1, 2.5, 3), (1.0, 2.5, 3.0)),
        (np.array([1, 2, 3]), (1.0, 2.0, 3.0)),
        (np.float32(0.5), (0.5, 0.5, 0.5)),
    ],
)
def test_weights_are_one_number_or_one_per_mode(lam: Any, expected: tuple[float, ...]) -> None:
    weights = resolved_weights("m", lam, SHAPE)
    assert weights == expected
    assert all(type(value) is float for value in weights)


@pytest.mark.parametrize(
    ("lam", "shown"),
    [
        (0, "0"),
        (-1.5, "-1.5"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ((1, 0, 1), "(1, 0, 1)"),
        ((1, "2", 1), "(1, 2, 1)"),
        ((1, None, 1), "(1, None, 1)"),
    ],
)
def test_weights_must_be_above_zero(lam: Any, shown: str) -> None:
    sentence = f"The 'lam' of m must consist of numbers above 0. Got {shown} instead."
    assert refusal(lambda: resolved_weights("m", lam, SHAPE)) == sentence


def test_there_must_be_a_weight_for_every_mode() -> None:
    sentence = "The 'lam' of m must have 3 entries, one per mode. Got (1, 2) instead."
    assert refusal(lambda: resolved_weights("m", (1, 2), SHAPE)) == sentence


def test_a_weight_must_be_a_number_or_a_list() -> None:
    sentence = "The 'lam' of m must be one number or one per mode. Got 'big' instead."
    assert refusal(lambda: resolved_weights("m", "big", SHAPE)) == sentence  # type: ignore[arg-type]


# Single numbers and words


@pytest.mark.parametrize("value", [1, 1e-300, 2.5, np.float32(3), np.int64(4), Fraction(1, 3)])
def test_a_number_above_zero_passes(value: Any) -> None:
    check_positive("m", "C", value)


@pytest.mark.parametrize("value", [0, -1, 0.0, float("nan"), float("inf"), True, None, "1", 1j])
def test_anything_else_than_a_number_above_zero_is_refused(value: Any) -> None:
    sentence = f"The 'C' of m must be a number above 0. Got {value!r} instead."
    assert refusal(lambda: check_positive("m", "C", value)) == sentence


@pytest.mark.parametrize("value", [0, 0.0, 1e-8, 3, np.float64(0.5)])
def test_a_tolerance_may_be_zero(value: Any) -> None:
    check_tolerance("m", "gap_tolerance", value)


@pytest.mark.parametrize("value", [-1e-9, float("nan"), float("inf"), False, None, "0"])
def test_anything_else_than_a_tolerance_is_refused(value: Any) -> None:
    sentence = f"The 'gap_tolerance' of m must be a number, 0 or more. Got {value!r} instead."
    assert refusal(lambda: check_tolerance("m", "gap_tolerance", value)) == sentence


@pytest.mark.parametrize("value", [1, 10**9, np.int32(5)])
def test_a_count_passes(value: Any) -> None:
    check_count("m", "max_iter", value)


@pytest.mark.parametrize("value", [0, -3, 1.0, True, None, "7", float("inf")])
def test_anything_else_than_a_count_is_refused(value: Any) -> None:
    sentence = f"The 'max_iter' of m must be a whole number, 1 or more. Got {value!r} instead."
    assert refusal(lambda: check_count("m", "max_iter", value)) == sentence


@pytest.mark.parametrize("value", [2, 1000])
def test_a_count_in_a_range_passes(value: int) -> None:
    check_count("m", "members", value, least=2, most=1000)


@pytest.mark.parametrize("value", [1, 1001, 2.0])
def test_anything_else_than_a_count_in_a_range_is_refused(value: Any) -> None:
    sentence = f"The 'members' of m must be a whole number from 2 to 1,000. Got {value!r} instead."
    assert refusal(lambda: check_count("m", "members", value, least=2, most=1000)) == sentence


def test_one_of_the_words_passes() -> None:
    check_choice("m", "start", "random", ("spectral", "random"))


@pytest.mark.parametrize("value", ["Random", "", None, 0])
def test_any_other_word_is_refused_with_the_choices(value: Any) -> None:
    sentence = f"The 'start' of m must be one of 'spectral', 'random'. Got {value!r} instead."
    assert refusal(lambda: check_choice("m", "start", value, ("spectral", "random"))) == sentence


def test_the_sentence_names_method_setting_requirement_and_what_came() -> None:
    error = wrong("nonneg-dual", "rank", "have 3 entries, one per mode", [10, 10])
    assert isinstance(error, InvalidSetting)
    assert re.fullmatch(
        r"The 'rank' of nonneg-dual must have 3 entries, one per mode\. Got \(10, 10\) instead\.", str(error)
    )
