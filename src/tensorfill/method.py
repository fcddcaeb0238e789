"""Method: what every completion method offers, ours, the baselines and users' own alike.

What a method may say of itself besides is asked for by the functions here, which know what is meant where it says
nothing. So nobody has to know a method by name.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, cast

import numpy as np

from .completion import Completion, Watch
from .cost import UNMEASURED, Cost
from .observed import ObservedTensor
from .tensor import entries

Effort = Literal["low", "normal", "high"]

SHORT, _SMALL, _LARGE = 2**14, 2**18, 2**22  # entries


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


@dataclass(frozen=True)
class Stroke:
    """How a method is drawn in the figures of a report, in the words of matplotlib."""

    color: str
    marker: str
    line: str = "-"
    width: float = 1.3
    size: float = 5.0


@dataclass(frozen=True)
class Question:
    """What `auto` is about to do, as methods are asked whether they should be compared."""

    effort: Effort
    shape: tuple[int, ...]
    structured: bool = False
    """Whether entries are missing in blocks, lines or frames, rather than one by one."""
    strokes: bool = False
    """Whether what is missing are a few narrow holes, such as scratches."""

    @property
    def size(self) -> int:
        """How many entries the tensor has."""
        return entries(self.shape)

    @property
    def short(self) -> bool:
        """Whether the tensor is so small that one more run of nearly any method costs little."""
        return self.size <= SHORT

    @property
    def small(self) -> bool:
        """Whether several methods can be compared while a user waits."""
        return self.size <= _SMALL

    @property
    def large(self) -> bool:
        """Whether nothing should be tried but what is quick."""
        return self.size > _LARGE

    @property
    def raced(self) -> bool:
        """Whether methods are compared on a part of the data first, and only those that are close there on all."""
        return not self.short and self.effort != "high"

    def place(self, number: int, *, when: bool = True) -> int | None:
        """The place of a method that is compared at high effort, and in some cases at normal effort already.

        At high effort that is the same for all, so that they come in the order of the registry.
        """
        if self.effort == "high":
            return _ANYWHERE
        return number if self.effort != "low" and when else None


_ANYWHERE = 0


def candidate_place(kind: type[Method], question: Question) -> int | None:
    """Where a method comes among those that `auto` compares, small numbers first; None if it is not compared.

    It is asked with its default settings, as it would be run. One that does not say is compared at high effort only.
    """
    if not hasattr(kind, "candidate"):
        return question.place(_ANYWHERE, when=False)
    place: int | None = cast(Any, kind)().candidate(question)
    return place


def cost_of(method: Method | type[Method] | None, *, structured: bool) -> Cost:
    """What a method needs: its figures for entries missing one by one, or for structured missingness."""
    costs: tuple[Cost, Cost] = getattr(method, "costs", UNMEASURED)
    return costs[structured]


def looks_at_neighbours(method: Method, observed: ObservedTensor) -> bool:
    """Whether a method fills slices of which nothing is known from those beside them."""
    return hasattr(method, "looks_at_neighbours") and bool(method.looks_at_neighbours(observed))


def fills_lost_slices(method: Method, observed: ObservedTensor) -> bool:
    """Whether a method has something to say of slices of which nothing is known: from those beside them, or because
    its answer is the same everywhere. Low rank alone has not: what it puts there is an accident of its start.
    """
    return bool(getattr(method, "same_everywhere", False)) or looks_at_neighbours(method, observed)


def interpolates(method: Method) -> bool:
    """Whether a method takes what is around a hole for what is in it, and assumes nothing about the whole."""
    return bool(getattr(method, "interpolates", getattr(method, "same_everywhere", False)))


def worth_trying(method: Method, observed: ObservedTensor) -> bool:
    """Whether `auto` should try a method on this data, as far as the method itself can tell."""
    return not hasattr(method, "worth_trying") or bool(method.worth_trying(observed))


def extends_constants(method: Method) -> bool:
    """Whether data that is the same everywhere it is known may be taken to be so elsewhere, without asking a method."""
    return bool(getattr(method, "extends_constants", True))


def tells_uncertainty(kind: type[Method]) -> bool:
    """Whether completions by a method say how sure they are of every entry."""
    return bool(getattr(kind, "tells_uncertainty", False))


def needs_known_only(kind: type[Method]) -> bool:
    """Whether a method never builds a full tensor, so that one that does not fit into memory is none too large."""
    return bool(getattr(kind, "needs_known_only", False))


def has_components(kind: type[Method]) -> bool:
    """Whether a method's model is a sum of tensors, one per mode, that are worth looking at one by one."""
    return bool(getattr(kind, "has_components", False))


def label_of(kind: type[Method]) -> str:
    """What tables and figures call a method where a plan gives it no label: its own `label`, else its name."""
    return str(vars(kind).get("label", kind.name))


def stroke_of(kind: type[Method]) -> Stroke | None:
    """How a method is drawn; None leaves that to the report.

    Neither this nor the label is inherited: a method made from another one would look like it.
    """
    return vars(kind).get("stroke")


def settings_in_data_units(method: Method) -> tuple[str, ...]:
    """The settings of a method that are numbers in the units of the data: they are rescaled where the data is."""
    return tuple(getattr(method, "settings_in_data_units", ()))


def lost_slices_are_in(modes: Collection[int], observed: ObservedTensor) -> bool:
    """Whether all slices of which nothing is known belong to these modes, counted from 1."""
    return all(mode + 1 in modes for mode, _ in observed.empty_slices())
