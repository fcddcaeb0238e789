"""Checks of settings, all with the same kind of sentence.

The types of a method's fields say what they must be: `tolerance: Tolerance = 1e-4` is checked by `check_tolerance`, and
a `Literal` for being one of its words. What has to fit a tensor is checked by `resolve_…`, which fill in what is left
open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache, partial
from numbers import Integral, Real
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..errors import InvalidSetting

Check = Callable[[str, str, Any], None]
"""Raises for a method's setting that is not what it must be: (method, setting, value)."""

DEFAULT_RANK = 10
_KNOWN_PER_NUMBER = 2  # known entries there must be for every number of a model whose rank is left open


def wrong(method: str, setting: str, requirement: str, got: object) -> InvalidSetting:
    """The error for a setting that is not what it must be."""
    return InvalidSetting(f"The '{setting}' of {method} must {requirement}. Got {_show(got)} instead.")


def require(requirement: str, holds: Callable[[Any], bool]) -> Check:
    """A check with this sentence."""

    def check(method: str, setting: str, value: Any) -> None:
        if not holds(value):
            raise wrong(method, setting, requirement, value)

    return check


def check_count(method: str, setting: str, value: object, *, least: int = 1, most: int | None = None) -> None:
    """A whole number in this range."""
    if not _is_whole(value, least) or (most is not None and int(value) > most):  # type: ignore[call-overload]
        bounds = f", {least} or more" if most is None else f" from {least:,} to {most:,}"
        raise wrong(method, setting, f"be a whole number{bounds}", value)


def check_choice(method: str, setting: str, value: object, choices: Sequence[str]) -> None:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise wrong(method, setting, f"be one of {', '.join(map(repr, choices))}", value)


check_positive = require("be a number above 0", lambda value: is_number(value) and value > 0)
check_tolerance = require("be a number, 0 or more", lambda value: is_number(value) and value >= 0)
check_flag = require("be True or False", lambda value: isinstance(value, bool | np.bool_))
check_shares = require("be numbers, 0 or more and not all 0, one per mode", lambda value: _are_shares(value))


def are_modes(value: object, *, least: int = 0) -> bool:
    """Whether a value is a sequence of different mode numbers, counted from 1, and of at least so many."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return False
    return all(_is_whole(mode) for mode in value) and len(set(value)) == len(value) >= least


Positive = Annotated[float, check_positive]
Tolerance = Annotated[float, check_tolerance]
Growth = Annotated[float, check_positive, require("be 1 or more", lambda value: value >= 1)]
Count = Annotated[int, check_count]
Flag = Annotated[bool, check_flag]
Shares = Annotated[Sequence[float], check_shares]
AUTO = "auto"
"""What a setting is that is to be chosen from the data."""
PositiveOrAuto = Annotated[
    float | str, require("be a number above 0, or 'auto'", lambda value: is_auto(value) or _is_positive(value))
]
FlagOrAuto = Annotated[
    bool | str,
    require("be True, False or 'auto'", lambda value: is_auto(value) or isinstance(value, bool | np.bool_)),
]
Rank = int | Sequence[int] | None
Weights = float | Sequence[float] | None


def check_settings(method: Any) -> None:
    """Check all settings by the types of their fields. None passes where it is the default: it is left open."""
    kind: type = type(method)
    checks = _checks(kind)
    for field in fields(method):
        value = getattr(method, field.name)
        if value is not None or field.default is not None:
            for check in checks[field.name]:
                check(method.name, field.name, value)


def plain_settings(method: Any) -> dict[str, Any]:
    """All settings as they are given, numbers as Python's own."""
    kind: type = type(method)
    values = {field.name: getattr(method, field.name) for field in fields(method)}
    for name, number in _number_types(kind).items():
        if values[name] is not None:
            values[name] = number(values[name])
    return values


@cache
def _checks(kind: type) -> Mapping[str, tuple[Check, ...]]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: tuple(_find_checks(hints[field.name])) for field in fields(kind)}


@cache
def _number_types(kind: type) -> Mapping[str, type]:
    """The settings that are one number, or left open, and the type of it."""
    found = {}
    for name, hint in get_type_hints(kind).items():
        types = {*(get_args(hint) or (hint,))} - {type(None)}
        if types in ({float}, {int}, {bool}):
            found[name] = types.pop()
    return {field.name: found[field.name] for field in fields(kind) if field.name in found}


def _find_checks(hint: Any) -> Iterator[Check]:
    if get_origin(hint) is Annotated:
        yield from hint.__metadata__
    elif get_origin(hint) is Literal:
        yield partial(check_choice, choices=get_args(hint))
    elif get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _find_checks(part)


def resolve_rank(method: str, rank: Rank, shape: tuple[int, ...], *, setting: str = "rank") -> tuple[int, ...]:
    """One rank per mode; by default 10, or the size of a smaller mode."""
    if rank is None:
        return tuple(min(DEFAULT_RANK, size) for size in shape)
    ranks = resolve_counts(method, setting, rank, len(shape))
    largest = tuple(min(value, size) for value, size in zip(ranks, shape, strict=True))
    if largest != ranks:
        mode = next(k for k, (value, size) in enumerate(zip(ranks, shape, strict=True)) if value > size)
        raise InvalidSetting(
            f"The '{setting}' of {method} must not be larger than its mode: mode {mode + 1} has size {shape[mode]}. "
            f"Got {_show(rank)} instead; {_show(largest)} would do."
        )
    return ranks


def resolve_tucker_rank(method: str, rank: Rank, shape: tuple[int, ...], known: int) -> tuple[int, ...]:
    """One rank per mode, none larger than the product of the others: no tensor has such a multilinear rank.

    By default at most 10, and no more than the known entries can tell.
    """
    if rank is None:
        return supported_rank(
            lambda most: _multilinear(tuple(min(most, size) for size in shape)),
            lambda ranks: math.prod(ranks) + sum(r * (n - r) for r, n in zip(ranks, shape, strict=True)),
            known,
        )
    ranks = resolve_rank(method, rank, shape)
    possible = _multilinear(ranks)
    if possible != ranks:
        raise InvalidSetting(
            f"The 'rank' of {method} must not be larger in one mode than the product of the others. "
            f"Got {_show(ranks)} instead; {_show(possible)} would do."
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


def resolve_counts(method: str, setting: str, value: int | Sequence[int], modes: int) -> tuple[int, ...]:
    """One whole number per mode, 1 or more."""
    given = _one_per_mode(method, setting, value, modes)
    if not all(_is_whole(part) for part in given):
        raise wrong(method, setting, "consist of whole numbers, 1 or more", value)
    return tuple(int(part) for part in given)


def resolve_weights(method: str, lam: Weights, shape: tuple[int, ...]) -> tuple[float, ...]:
    """One λ per mode; by default λ_k = n_k."""
    if lam is None:
        return tuple(float(size) for size in shape)
    given = _one_per_mode(method, "lam", lam, len(shape))
    if not all(is_number(value) and value > 0 for value in given):
        raise wrong(method, "lam", "consist of numbers above 0", lam)
    return tuple(float(value) for value in given)


def resolve_shares(method: str, setting: str, value: Sequence[float], modes: int) -> tuple[float, ...]:
    """One number per mode."""
    if len(value) != modes:
        raise wrong(method, setting, f"have {modes} entries, one per mode", value)
    return tuple(float(part) for part in value)


def resolve_modes(method: str, setting: str, value: Sequence[int], modes: int) -> tuple[int, ...]:
    """Mode numbers in order, counted from 1, none beyond the last mode."""
    if max(value, default=1) > modes:
        raise wrong(method, setting, f"be mode numbers from 1 to {modes}", value)
    return tuple(sorted(int(mode) for mode in value))


def _multilinear(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """The nearest ranks below that a tensor can have."""
    for _ in ranks:  # lowering one may make another too large
        product = math.prod(ranks)
        ranks = tuple(min(value, product // value) for value in ranks)
    return ranks


def _one_per_mode(method: str, setting: str, value: Any, modes: int) -> tuple[Any, ...]:
    if isinstance(value, Real):
        return (value,) * modes
    if not is_list(value):
        raise wrong(method, setting, "be one number or one per mode", value)
    values = tuple(value)
    if len(values) != modes:
        raise wrong(method, setting, f"have {modes} entries, one per mode", value)
    return values


def is_number(value: object) -> bool:
    """Whether a value is a finite number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_whole(value: object, least: int = 1) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def is_auto(value: object) -> bool:
    """Whether a setting is to be chosen from the data."""
    return isinstance(value, str) and value == AUTO


def _is_positive(value: Any) -> bool:
    return is_number(value) and value > 0


def is_list(value: object) -> bool:
    """Whether a value is several values."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and bool(np.ndim(value))  # type: ignore[arg-type]


def _are_shares(value: Any) -> bool:
    several = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and np.ndim(value)
    return bool(several) and all(is_number(part) and part >= 0 for part in value) and any(value)


def _show(value: Any) -> str:
    return f"({', '.join(str(part) for part in value)})" if is_list(value) else repr(value)
