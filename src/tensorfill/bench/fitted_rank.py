"""Fitted rank: the ranks of a plan, made to fit the tensor at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def fitted_rank(rank: Sequence[int], shape: Sequence[int]) -> list[int]:
    """One rank per mode, none larger than its mode.

    Where the tensor has more modes than there are ranks, the last is repeated; where it has fewer, the last ones are
    left out.

    >>> fitted_rank([10, 10, 5], (256, 256, 3)), fitted_rank([10, 10, 5], (9, 64, 20, 4)), fitted_rank([4, 2], (8, 8))
    ([10, 10, 3], [9, 10, 5, 4], [4, 2])
    """
    wanted = [*rank, *[rank[-1]] * len(shape)]
    return [min(value, size) for value, size in zip(wanted, shape, strict=False)]


def fitted_settings(settings: Mapping[str, Any], shape: Sequence[int]) -> dict[str, Any]:
    """Settings with a list for a rank fitted to the tensor; a single number is left as it is.

    A single number may be the rank of the whole tensor rather than of each mode.
    """
    rank = settings.get("rank")
    if not isinstance(rank, list) or not rank:
        return dict(settings)
    return {**settings, "rank": fitted_rank(rank, shape)}
