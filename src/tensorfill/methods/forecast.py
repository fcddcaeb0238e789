"""Forecast: about how much memory and time a method will take, before it starts.

Methods say themselves what they need per entry, and `auto` needs what those need that it compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..memory import available_memory
from ..method import FIXED_SECONDS, UNMEASURED, Cost, Effort, Question
from ..selection.comparison import runs_in_all
from ..selection.entry_comparison import COMPARING_ENTRIES
from ..selection.held_out import holdings
from ..tensor import entries
from .auto import leader_in_tiles, methods_tried
from .registry import available_methods

FIXED_BYTES = 3e8
"""The interpreter, libraries and compiled code."""
_STANDING = 40  # bytes per entry for the answer that auto has, while it tries others
_SOME = 0.3  # of the entries are missing, if undeclared


@dataclass(frozen=True)
class Forecast:
    """About what a completion will need."""

    bytes: int
    seconds: float

    @property
    def fits(self) -> bool:
        """Whether that much memory is free now."""
        return self.bytes <= available_memory()


def method_seconds(shape: Sequence[int], method: str, *, structured: bool, missing: float = _SOME) -> float:
    """How long one run of a method takes on a tensor of this shape of which this share is missing."""
    return _cost(method, structured=structured).seconds_for(shape, missing)


def _cost(method: str, *, structured: bool) -> Cost:
    kind = available_methods().get(method)
    return (kind.costs if kind else UNMEASURED)[structured]


def forecast(
    shape: Sequence[int],
    method: str,
    *,
    effort: Effort = "normal",
    structured: bool = False,
    missing: float = _SOME,
    sparse: bool = False,
) -> Forecast:
    """What this method will need on a tensor of this shape of which this share is missing; see `auto` for `sparse`."""
    size = entries(shape)
    question = Question(effort, tuple(shape), structured, sparse=sparse)
    names = methods_tried(question) if method == "auto" else (method,)
    first, *others = (_cost(name, structured=structured) for name in names)
    standing = 0 if sparse else _STANDING * size
    memory = max(first.bytes_for(shape, missing), *(standing + cost.bytes_for(shape, missing) for cost in others), 0)
    once = sum(cost.seconds_for(shape, missing) for cost in (first, *others))
    if sparse:  # all of them are compared, on some slices if much is known, and then run on everything
        looked_at = min(1.0, COMPARING_ENTRIES.part / max(1.0, size * (1 - missing))) if others else 0.0
        return Forecast(round(FIXED_BYTES + memory), FIXED_SECONDS + (1 + looked_at) * once)
    runs = [cost.seconds_for(shape, missing) for cost in others]
    seconds = first.seconds_for(shape, missing) + runs_in_all(len(others), shape, raced=question.raced) * sum(runs)
    if others:
        seconds += (holdings(size) - 1) * sum(cost.seconds for cost in others)
    return Forecast(round(FIXED_BYTES + memory), FIXED_SECONDS + seconds)


def forecast_tile(
    shape: Sequence[int],
    work: int,
    method: str,
    *,
    effort: Effort = "normal",
    structured: bool = False,
    missing: float = _SOME,
) -> Forecast:
    """The memory that the largest tile needs, of this shape, and the time for all, which have so many entries."""
    size, kinds = max(1, entries(shape)), available_methods()
    if method == "auto":
        rest = size // max(1, shape[0])
        question = Question(effort, (max(shape[0], work // max(1, rest)), *shape[1:]), structured)
        method = leader_in_tiles(question, missing)[0].name
    kind = kinds.get(method)
    costs = UNMEASURED if kind is None else kind.tile_costs or kind.costs
    cost = costs[structured]
    seconds = cost.seconds_for(shape, missing) * work / size
    return Forecast(round(FIXED_BYTES + cost.bytes_for(shape, missing)), seconds)


def most_bytes_of_tile(
    shape: Sequence[int], work: int, method: str, *, effort: Effort = "normal", missing: float = _SOME
) -> int:
    """What the largest tile will need, however entries are missing."""
    return max(
        forecast_tile(shape, work, method, effort=effort, structured=structured, missing=missing).bytes
        for structured in (False, True)
    )


def most_bytes(shape: Sequence[int], method: str, *, effort: Effort = "normal", missing: float = _SOME) -> int:
    """What it will need, however entries are missing."""
    return max(
        forecast(shape, method, effort=effort, structured=structured, missing=missing).bytes
        for structured in (False, True)
    )
