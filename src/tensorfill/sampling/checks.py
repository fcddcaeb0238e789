"""Checks of what every pattern is given: a shape, a share to keep, and a seed."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InvalidSetting, must_be

MOST_CHANNELS = 4
"""A mode after the second with at most this many indices is taken for colours or other channels, not for frames."""


def check_shape(shape: Sequence[int], keep: float, seed: int) -> tuple[int, ...]:
    """The shape as a tuple, where share and seed are possible."""
    if not 0 < keep <= 1:
        raise InvalidSetting(must_be("keep", "be above 0 and at most 1, the share of entries to keep", keep))
    if seed < 0:
        raise InvalidSetting(must_be("seed", "be 0 or more", seed))
    return tuple(shape)


def check_picture(pattern: str, shape: Sequence[int], keep: float, seed: int) -> tuple[int, ...]:
    """The same, for patterns that need rows and columns."""
    found = check_shape(shape, keep, seed)
    if len(found) < 2 or 0 in found:
        raise InvalidSetting(
            f"The pattern '{pattern}' needs rows and columns, modes 1 and 2, and one entry or more. "
            f"Got shape {found} instead."
        )
    return found


def check_mode(pattern: str, shape: tuple[int, ...], mode: int | None) -> int:
    """The axis of a mode that is counted from 1; the last one for None."""
    if len(shape) < 2 or not 1 <= (len(shape) if mode is None else mode) <= len(shape):
        wanted = "needs two modes or more" if mode is None else f"along mode {mode} needs that mode and another one"
        raise InvalidSetting(f"The pattern '{pattern}' {wanted}. Got shape {shape} instead.")
    return len(shape) - 1 if mode is None else mode - 1


def count_kept(pattern: str, what: str, number: int, keep: float) -> int:
    """How many of a number of things are kept: at least one, and not all of them unless `keep` is 1."""
    if keep == 1:
        return number
    if number < 2:
        raise InvalidSetting(
            f"The pattern '{pattern}' hides whole {what}, and there is {number or 'none'}: nothing would be left. "
            "Use another pattern, or keep all with 1."
        )
    return min(max(round(keep * number), 1), number - 1)
