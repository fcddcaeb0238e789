"""Checks of settings: what passes, and the one kind of sentence for what does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest

from tensorfill.errors import InvalidSetting
from tensorfill.methods.setting_checks import (
    Count,
    Growth,
    Tolerance,
    check_choice,
    check_count,
    check_positive,
    check_settings,
    check_tolerance,
    plain_settings,
    require,
    resolve_rank,
    resolve_weights,
)

SHAPE = (20, 8, 3)
NAN, INF = float("nan"), float("inf")


def refusal(call: Callable[[], object]) -> str:
    """The sentence with which a setting is refused."""
    with pytest.raises(InvalidSetting) as caught:
        call()
    return str(caught.value)


# Ranks and weights, one per mode


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        (None, (10, 8, 3)),
        (2, (2, 2, 2)),
        (np.int64(3), (3, 3, 3)),
        ((5, 4, 3), (5, 4, 3)),
        ([20, 8, 3], (20, 8, 3)),
        (np.array([1, 2, 3]), (1, 2, 3)),
        (range(1, 4), (1, 2, 3)),
    ],
)
def test_a_rank_is_one_number_or_one_per_mode(rank: Any, expected: tuple[int, ...]) -> None:
    ranks = resolve_rank("m", rank, SHAPE)
    assert ranks == expected
    assert all(type(value) is int for value in ranks)


@pytest.mark.parametrize(
    ("lam", "expected"),
    [
        (None, (20.0, 8.0, 3.0)),
        (2, (2.0, 2.0, 2.0)),
        (1e-3, (1e-3, 1e-3, 1e-3)),
        ((1, 2.5, 3), (1.0, 2.5, 3.0)),
        (np.array([1, 2, 3]), (1.0, 2.0, 3.0)),
        (np.float32(0.5), (0.5, 0.5, 0.5)),
    ],
)
def test_weights_are_one_number_or_one_per_mode(lam: Any, expected: tuple[float, ...]) -> None:
    weights = resolve_weights("m", lam, SHAPE)
    assert weights == expected
    assert all(type(value) is float for value in weights)


WHOLE, ABOVE, ONE_OR_ALL = (
    "consist of whole numbers, 1 or more",
    "consist of numbers above 0",
    "be one number or one per mode",
)


@pytest.mark.parametrize(
    ("requirement", "values"),
    [
        (WHOLE, (0, -2, 2.0, NAN, True, (1, 0, 1), [1, 2.5, 1], (1, True, 1), ("1", "2", "3"))),
        ("have 3 entries, one per mode", ((), (2,), (2, 2), (2, 2, 2, 2))),
        (ONE_OR_ALL, ("3", "full", object)),
    ],
)
def test_other_ranks_are_refused(requirement: str, values: tuple[Any, ...]) -> None:
    for value in values:
        shown = f"({', '.join(map(str, value))})" if isinstance(value, tuple | list) else repr(value)
        assert refusal(lambda value=value: resolve_rank("m", value, SHAPE)) == (  # type: ignore[misc]
            f"The 'rank' of m must {requirement}. Got {shown} instead."
        )


@pytest.mark.parametrize(
    ("requirement", "values"),
    [
        (ABOVE, (0, -1.5, NAN, INF, (1, 0, 1), (1, "2", 1), (1, None, 1))),
        ("have 3 entries, one per mode", ((1, 2),)),
        (ONE_OR_ALL, ("big",)),
    ],
)
def test_other_weights_are_refused(requirement: str, values: tuple[Any, ...]) -> None:
    for value in values:
        shown = f"({', '.join(map(str, value))})" if isinstance(value, tuple) else repr(value)
        assert refusal(lambda value=value: resolve_weights("m", value, SHAPE)) == (  # type: ignore[misc]
            f"The 'lam' of m must {requirement}. Got {shown} instead."
        )


@pytest.mark.parametrize(
    ("rank", "place", "shown", "would_do"),
    [
        (4, "mode 3 has size 3", "4", "(4, 4, 3)"),
        (100, "mode 1 has size 20", "100", "(20, 8, 3)"),
        ((5, 9, 9), "mode 2 has size 8", "(5, 9, 9)", "(5, 8, 3)"),
    ],
)
def test_a_rank_larger_than_its_mode_is_refused_with_what_would_do(
    rank: Any, place: str, shown: str, would_do: str
) -> None:
    assert refusal(lambda: resolve_rank("m", rank, SHAPE)) == (
        f"The 'rank' of m must not be larger than its mode: {place}. Got {shown} instead; {would_do} would do."
    )


# Single numbers and words


IN_RANGE = partial(check_count, least=2, most=1000)
ONE_OF = partial(check_choice, choices=("spectral", "random"))


@pytest.mark.parametrize(
    ("check", "requirement", "right", "wrong"),
    [
        (
            check_positive,
            "be a number above 0",
            (1, 1e-300, 2.5, np.float32(3), np.int64(4), Fraction(1, 3)),
            (0, -1, 0.0, NAN, INF, True, None, "1", 1j),
        ),
        (check_tolerance, "be a number, 0 or more", (0, 0.0, 3, np.float64(0.5)), (-1e-9, NAN, INF, False, None, "0")),
        (check_count, "be a whole number, 1 or more", (1, 10**9, np.int32(5)), (0, -3, 1.0, True, None, "7", INF)),
        (IN_RANGE, "be a whole number from 2 to 1,000", (2, 1000), (1, 1001, 2.0)),
        (ONE_OF, "be one of 'spectral', 'random'", ("random",), ("Random", "", None, 0)),
    ],
    ids=["positive", "tolerance", "count", "range", "choice"],
)
def test_what_fits_passes_and_anything_else_is_refused(
    check: Any, requirement: str, right: tuple[Any, ...], wrong: tuple[Any, ...]
) -> None:
    for value in right:
        check("m", "C", value)
    for value in wrong:
        sentence = f"The 'C' of m must {requirement}. Got {value!r} instead."
        assert refusal(lambda value=value: check("m", "C", value)) == sentence  # type: ignore[misc]


# Checks by the types of fields


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Some settings; the types say what they must be."""

    name: ClassVar[str] = "m"

    steps: Count = 3
    growth: Growth | None = None
    start: Literal["data", "zero"] | None = None
    share: Annotated[float, require("be below 1", lambda value: value < 1)] = 0.5
    tolerance: Tolerance = 0.1
    anything: Any = None


@pytest.mark.parametrize(
    ("setting", "value", "requirement"),
    [
        ("steps", None, "be a whole number, 1 or more"),
        ("growth", 0.5, "be 1 or more"),
        ("growth", -1, "be a number above 0"),
        ("start", "one", "be one of 'data', 'zero'"),
        ("share", 2, "be below 1"),
    ],
)
def test_settings_are_checked_by_their_types(setting: str, value: Any, requirement: str) -> None:
    check_settings(Settings(anything=object()))
    sentence = f"The '{setting}' of m must {requirement}. Got {value!r} instead."
    assert refusal(lambda: check_settings(Settings(**{setting: value}))) == sentence


def test_numbers_are_told_as_pythons_own() -> None:
    told = plain_settings(Settings(steps=np.int64(4), growth=2, tolerance=np.float32(0.5)))  # type: ignore[arg-type]
    assert told == {"steps": 4, "growth": 2.0, "start": None, "share": 0.5, "tolerance": 0.5, "anything": None}
    assert [type(told[name]) for name in ("steps", "growth", "tolerance")] == [int, float, float]
