"""Method: what every completion method offers, ours and the baselines alike."""

from collections.abc import Collection
from typing import ClassVar, Protocol

import numpy as np

from ..completion import Completion, Watch
from ..observed import ObservedTensor


class Method(Protocol):
    """An immutable record of settings that can complete a tensor. It never sees the truth."""

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    nonnegative: ClassVar[bool]
    """Whether the method's own tensor is nonnegative, before anything is clipped."""

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why this method with these settings cannot complete this tensor, in one sentence; None if it can."""
        ...

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor, calling `watch` after every outer iteration."""
        ...


def fills_lost_slices(method: Method, observed: ObservedTensor) -> bool:
    """Whether a method has something to say of slices of which nothing is known: from those beside them, or because
    its answer is the same everywhere. Low rank alone has not: what it puts there is an accident of its start.
    """
    if getattr(method, "same_everywhere", False):
        return True
    return hasattr(method, "looks_at_neighbours") and bool(method.looks_at_neighbours(observed))


def interpolates(method: Method) -> bool:
    """Whether a method takes what is around a hole for what is in it, and assumes nothing about the whole."""
    return bool(getattr(method, "interpolates", getattr(method, "same_everywhere", False)))


def worth_trying(method: Method, observed: ObservedTensor) -> bool:
    """Whether `auto` should try a method on this data, as far as the method itself can tell."""
    return not hasattr(method, "worth_trying") or bool(method.worth_trying(observed))


def lost_slices_are_in(modes: Collection[int], observed: ObservedTensor) -> bool:
    """Whether all slices of which nothing is known belong to these modes, counted from 1."""
    return all(mode + 1 in modes for mode, _ in observed.empty_slices())
