"""Which methods `auto` runs on a tensor: the one that leads, and those that are compared with it."""

from __future__ import annotations

from ..method import Method, Question
from .patches import Patches
from .registry import available_methods, is_complete, make
from .spectral import Spectral


def leader(question: Question) -> Patches | Spectral:
    """The method that runs first: groups of similar patches, where there can be any and they are worth the effort.

    They start from spectral, except for a few narrow holes, which are done quickly.
    """
    if not Patches.has_groups(question.shape) or (question.effort == "low" and not question.strokes):
        return Spectral()
    return Patches(max_iter=1) if question.effort == "low" else Patches()


def candidates(question: Question) -> dict[str, Method]:
    """The methods that are compared with the leader, in the order in which they are tried."""
    able = [name for name, kind in available_methods().items() if is_complete(kind)]
    asked = {name: make(name, {}).candidate(question) for name in able}
    places = {name: place for name, place in asked.items() if place is not None}
    # Stable: those in the same place come in the order of the registry.
    return {name: make(name, {}) for name in sorted(places, key=lambda name: places[name])}


def methods_tried(question: Question) -> tuple[str, ...]:
    """The names of all methods that are run, the leader first."""
    return (leader(question).name, *candidates(question))
