"""Checks of settings at the door, all with the same kind of sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import InvalidSetting

Rank = int | Sequence[int] | None
Weights = float | Sequence[float] | None

DEFAULT_RANK = 10
_KNOWN_PER_NUMBER = 2  # known entries there must be for every number of a model whose rank is left open


def resolved_rank(method: str, rank: Rank, shape: tuple[int, ...], *, setting: str = "rank") -> tuple[int, ...]:
    """One rank per mode; by default 10, or the size of a smaller mode."""
    if rank is None:
        return tuple(min(DEFAULT_RANK, size) for size in shape)
    given = _one_per_mode(method, setting, rank, len(shape))
    if not all(isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1 for value in given):
        raise wrong(method, setting, "consist of whole numbers, 1 or more", rank)
    ranks = tuple(int(value) for value in given)
    largest = tuple(min(value, size) for value, size in zip(ranks, shape, strict=True))
    if largest != ranks:
        mode = next(k for k, (value, size) in enumerate(zip(ranks, shape, strict=True)) if value > size)
        raise InvalidSetting(
            f"The '{setting}' of {method} must not be larger than its mode: mode {mode + 1} has size {shape[mode]}. "
            f"Got {_shown(rank)} instead; {_shown(largest)} would do."
        )
    return ranks


def resolved_tucker_rank(method: str, rank: Rank, shape: tuple[int, ...], known: int) -> tuple[int, ...]:
    """One rank per mode, none larger than the product of the others: no tensor has such a multilinear rank.

    By default at most 10, and no more than the known entries can tell.
    """
    if rank is None:
        return supported_rank(
            lambda most: _multilinear(tuple(min(most, size) for size in shape)),
            lambda ranks: math.prod(ranks) + sum(r * (n - r) for r, n in zip(ranks, shape, strict=True)),
            known,
        )
    ranks = resolved_rank(method, rank, shape)
    possible = _multilinear(ranks)
    if possible != ranks:
        raise InvalidSetting(
            f"The 'rank' of {method} must not be larger in one mode than the product of the others. "
            f"Got {_shown(ranks)} instead; {_shown(possible)} would do."
        )
    return possible


def supported_rank(
    ranks: Callable[[int], tuple[int, ...]], numbers: Callable[[tuple[int, ...]], int], known: int
) -> tuple[int, ...]:
    """The largest ranks, `ranks(10)` at most and `ranks(1)` at least, whose model has few enough numbers.

    A model with as many free numbers as there are known entries meets them whatever it says of the others.
    """
    most = next((r for r in range(DEFAULT_RANK, 1, -1) if _KNOWN_PER_NUMBER * numbers(ranks(r)) <= known), 1)
    return ranks(most)


def _multilinear(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """The nearest ranks below that a tensor can have."""
    for _ in ranks:  # lowering one may make another too large
        product = math.prod(ranks)
        ranks = tuple(min(value, product // value) for value in ranks)
    return ranks


def resolved_counts(method: str, setting: str, value: int | Sequence[int], modes: int) -> tuple[int, ...]:
    """One whole number per mode, 1 or more."""
    given = _one_per_mode(method, setting, value, modes)
    if not all(isinstance(part, Integral) and not isinstance(part, bool) and int(part) >= 1 for part in given):
        raise wrong(method, setting, "consist of whole numbers, 1 or more", value)
    return tuple(int(part) for part in given)


def resolved_weights(method: str, lam: Weights, shape: tuple[int, ...]) -> tuple[float, ...]:
    """One λ per mode; by default λ_k = n_k."""
    if lam is None:
        return tuple(float(size) for size in shape)
    given = _one_per_mode(method, "lam", lam, len(shape))
    if not all(_is_number(value) and float(value) > 0 for value in given):
        raise wrong(method, "lam", "consist of numbers above 0", lam)
    return tuple(float(value) for value in given)


def check_shares(method: str, setting: str, value: object) -> None:
    """Numbers, zero or more and some of them above, that count relative to each other."""
    several = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and np.ndim(value)
    if not several or not all(_is_number(part) and part >= 0 for part in value) or not any(value):  # type: ignore[attr-defined, arg-type]
        raise wrong(method, setting, "be numbers, 0 or more and not all 0, one per mode", value)


def resolved_shares(method: str, setting: str, value: Sequence[float], modes: int) -> tuple[float, ...]:
    """One number per mode."""
    if len(value) != modes:
        raise wrong(method, setting, f"have {modes} entries, one per mode", value)
    return tuple(float(part) for part in value)


def check_positive(method: str, setting: str, value: object) -> None:
    """A finite number above zero."""
    if not _is_number(value) or float(value) <= 0:  # type: ignore[arg-type]
        raise wrong(method, setting, "be a number above 0", value)


def check_tolerance(method: str, setting: str, value: object) -> None:
    """A finite number, zero or more."""
    if not _is_number(value) or float(value) < 0:  # type: ignore[arg-type]
        raise wrong(method, setting, "be a number, 0 or more", value)


def check_count(method: str, setting: str, value: object, *, least: int = 1, most: int | None = None) -> None:
    """A whole number in this range."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or int(value) < least or (most is not None and int(value) > most):  # type: ignore[call-overload]
        bounds = f", {least} or more" if most is None else f" from {least:,} to {most:,}"
        raise wrong(method, setting, f"be a whole number{bounds}", value)


def check_flag(method: str, setting: str, value: object) -> None:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise wrong(method, setting, "be True or False", value)


def check_choice(method: str, setting: str, value: object, choices: Sequence[str]) -> None:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise wrong(method, setting, f"be one of {', '.join(map(repr, choices))}", value)


def are_modes(value: object) -> bool:
    """Whether a value is a sequence of different mode numbers, counted from 1."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return False
    whole = all(isinstance(mode, Integral) and not isinstance(mode, bool) and int(mode) >= 1 for mode in value)
    return whole and len(set(value)) == len(value)


def wrong(method: str, setting: str, requirement: str, got: object) -> InvalidSetting:
    """The error for a setting that is not what it must be."""
    return InvalidSetting(f"The '{setting}' of {method} must {requirement}. Got {_shown(got)} instead.")


def _is_number(value: object) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _one_per_mode(method: str, setting: str, value: Any, modes: int) -> tuple[Any, ...]:
    if isinstance(value, Real):
        return (value,) * modes
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or not np.ndim(value):  # type: ignore[arg-type]
        raise wrong(method, setting, "be one number or one per mode", value)
    values = tuple(value)
    if len(values) != modes:
        raise wrong(method, setting, f"have {modes} entries, one per mode", value)
    return values


def _shown(value: object) -> str:
    if isinstance(value, Iterable) and not isinstance(value, str | bytes) and np.ndim(value):  # type: ignore[arg-type]
        return f"({', '.join(str(part) for part in value)})"
    return repr(value)
