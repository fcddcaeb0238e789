"""Which methods `auto` compares on a tensor."""

from __future__ import annotations

from ..method import Method, Question, candidate_place
from .spectral import Spectral


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
