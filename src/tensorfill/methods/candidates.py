"""Which methods `auto` compares on a tensor, and how often entries are held out for that."""

from __future__ import annotations

from ..method import SHORT, Method, Question, candidate_place
from .spectral import Spectral

_TINY = 2**10  # entries up to which trying again costs next to nothing
HOLDINGS, _TINY_HOLDINGS = 4, 12
"""How often entries are held out at high effort, or where that costs little."""


def candidates(question: Question) -> dict[str, Method]:
    """The methods that are compared with spectral, in the order in which they are tried."""
    from .registry import available_methods, make  # which has the class that uses this

    asked = {name: candidate_place(kind, question) for name, kind in available_methods().items()}
    places = {name: place for name, place in asked.items() if place is not None}
    # Stable: those in the same place come in the order of the registry.
    return {name: make(name, {}) for name in sorted(places, key=lambda name: places[name])}


def methods_tried(question: Question) -> tuple[str, ...]:
    """The names of all methods that are run, spectral first."""
    return (Spectral.name, *candidates(question))


def holdings(size: int) -> int:
    """How often entries of a tensor of this size are held out, at most, at normal effort."""
    return _TINY_HOLDINGS if size <= _TINY else HOLDINGS if size <= SHORT else 1
