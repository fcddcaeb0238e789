"""Method: what every completion method offers, ours, the baselines and users' own alike.

Everything that others must know of a method is a member of `Method`, with a default: nobody has to know one by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from .completion import Completion, Watch
from .observed import ObservedTensor
from .tensor import entries

Effort = Literal["low", "normal", "high"]
HeldOutUnits = Literal["data", "largest"]
"""The units of the data, or the largest known value."""

SHORT, _SMALL, _LARGE = 2**14, 2**18, 2**22  # entries
_LAST = 100
FIXED_SECONDS = 0.2
"""What a completion takes in any case, whatever the method."""


@dataclass(frozen=True)
class Cost:
    """What a method needs per entry of the tensor, in bytes and microseconds.

    Figures are measured by benchmarks/forecast.py on two cores. Time depends on the data: it is good to about a factor
    of two, memory is closer.
    """

    bytes: float
    """Memory in bytes per entry."""
    microseconds: float
    """Time in microseconds per entry."""
    bytes_if_missing: float = 0.0
    """On top of that, times the share of entries that is missing."""
    microseconds_if_missing: float = 0.0
    """The same for time."""
    microseconds_per_side: float = 0.0
    """On top of that, times the shorter side of a slice: singular values."""
    seconds: float = 0.03
    """For each run, however small the tensor."""

    def bytes_for(self, shape: Sequence[int], missing: float) -> float:
        """Memory for a tensor.

        Parameters
        ----------
        shape : sequence of int
            The sizes of its modes.
        missing : float
            The share of its entries that is missing, 0 to 1.

        Returns
        -------
        float
            Bytes.
        """
        return entries(shape) * (self.bytes + missing * self.bytes_if_missing)

    def seconds_for(self, shape: Sequence[int], missing: float) -> float:
        """Time for one run on a tensor.

        Parameters
        ----------
        shape : sequence of int
            The sizes of its modes.
        missing : float
            The share of its entries that is missing, 0 to 1.

        Returns
        -------
        float
            Seconds.
        """
        side = sorted(shape)[-2] if len(shape) > 1 else 1
        each = self.microseconds + missing * self.microseconds_if_missing + side * self.microseconds_per_side
        return self.seconds + 1e-6 * entries(shape) * each

    @classmethod
    def of_known(cls, bytes: float, microseconds: float, seconds: float) -> Cost:
        """The cost of a method that looks at known entries alone, however large the tensor is.

        Parameters
        ----------
        bytes, microseconds : float
            What it needs for each known entry.
        seconds : float
            What a run takes in any case.

        Returns
        -------
        Cost
            The same per entry of the tensor, less as much for each that is missing.
        """
        return cls(bytes, microseconds, -bytes, -microseconds, seconds=seconds)


UNMEASURED = Cost(250, 30), Cost(250, 30)
"""Of a method that has no figures of its own."""


class Method(ABC):
    """An immutable record of settings that can complete a tensor. It never sees the truth.

    A subclass is a frozen dataclass with keyword-only fields, its settings. It says what it is called, and completes;
    what it does not say else is as here.
    """

    name: ClassVar[str]
    """Lower-case words with hyphens, what users type."""
    summary: ClassVar[str]
    """One line for `tensorfill methods`."""
    reference: ClassVar[str]
    """Where it comes from."""
    nonnegative: ClassVar[bool] = False
    """Whether the method's own tensor is nonnegative, before anything is clipped."""

    label: ClassVar[str | None] = None
    """What tables and figures call it where a plan gives it no label; None: its name. Not inherited."""
    stroke: ClassVar[Stroke | None] = None
    """How figures draw it; None leaves that to the report. Not inherited: two methods would look alike."""

    costs: ClassVar[tuple[Cost, Cost]] = UNMEASURED
    """What it needs per entry: with entries missing one by one, and with structured missingness."""
    tile_costs: ClassVar[tuple[Cost, Cost] | None] = None
    """The same for a tile, once all is learned that tiles share; None: as much as for a tensor of its own."""
    compared: ClassVar[bool] = True
    """Whether `auto` compares it with others at all."""
    place_if_small: ClassVar[int | None] = None
    """Its place among those that `auto` compares on small tensors at normal effort; None: at high effort only."""
    place_if_sparse: ClassVar[int | None] = None
    """Its place among those that `auto` compares on tables of interactions; None: it is not."""

    interpolates: ClassVar[bool] = False
    """Whether it takes what is around a hole for what is in it, and assumes nothing about the whole. `auto` trusts it
    where there is little to judge by."""
    same_everywhere: ClassVar[bool] = False
    """Whether what it fills in does not depend on the place, so that it has an answer for lost slices, too."""
    extends_constants: ClassVar[bool] = True
    """Whether data that is the same everywhere it is known may be taken to be so elsewhere, without asking it."""
    tells_uncertainty: ClassVar[bool] = False
    """Whether its completions say how sure they are of every entry."""
    needs_known_only: ClassVar[bool] = False
    """Whether it never builds a full tensor, so that one that does not fit into memory is none too large."""
    has_components: ClassVar[bool] = False
    """Whether its model is a sum of tensors, one per mode, that are worth looking at one by one."""
    settings_in_data_units: ClassVar[tuple[str, ...]] = ()
    """Its settings that are numbers in the units of the data: they are rescaled where the data is."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for own in ("label", "stroke"):
            if own not in vars(cls):
                setattr(cls, own, None)

    @abstractmethod
    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete a tensor.

        Parameters
        ----------
        observed : ObservedTensor
            What is known; at least one entry is, and at least one is missing.
        rng : numpy.random.Generator
            Where all randomness comes from.
        watch : callable, optional
            Called after every outer iteration; the method stops when it returns True.

        Returns
        -------
        Completion
            The completed tensor.
        """

    def learn(self, samples: Sequence[ObservedTensor], *, rng: np.random.Generator, work: int = 0) -> Method:
        """A method for the tiles of a large tensor, whose choices are made already.

        Parameters
        ----------
        samples : sequence of ObservedTensor
            A few windows of the tensor, to choose by.
        rng : numpy.random.Generator
            Where all randomness comes from.
        work : int, default 0
            The number of entries of all tiles together, so that nothing is chosen that takes too long; 0 if unknown.

        Returns
        -------
        Method
            It can be pickled, and does the same in any process.
        """
        return self

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why this method with these settings cannot complete a tensor.

        Parameters
        ----------
        observed : ObservedTensor
            The tensor.

        Returns
        -------
        str or None
            One sentence, or None if it can.
        """
        return None

    def candidate(self, question: Question) -> int | None:
        """Its place among the methods that `auto` compares; asked of the method with its default settings.

        Parameters
        ----------
        question : Question
            What `auto` is about to do.

        Returns
        -------
        int or None
            Small numbers come first; None if it is not compared.
        """
        return type(self).usual_place(question)

    @classmethod
    def usual_place(cls, question: Question) -> int | None:
        """The same by `compared` and `place_if_small` alone, for which no method need be made.

        Parameters
        ----------
        question : Question
            What `auto` is about to do.

        Returns
        -------
        int or None
            Small numbers come first; None if it is not compared.
        """
        if question.sparse:
            return cls._place_if_sparse(question)
        place = cls.place_if_small
        return question.place(place or 0, when=place is not None and question.small) if cls.compared else None

    @classmethod
    def _place_if_sparse(cls, question: Question) -> int | None:
        """At low effort the first alone; at high effort, after the others, whatever builds no full tensor."""
        place = cls.place_if_sparse
        if place is None:
            return _LAST if question.effort == "high" and cls.compared and cls.needs_known_only else None
        return place if place == 0 or question.effort != "low" else None

    def settled(self, done: Completion) -> Method:
        """The method with the choices it made for a completion, for nearly the same data.

        Parameters
        ----------
        done : Completion
            What it returned.

        Returns
        -------
        Method
            Itself by default.
        """
        return self

    @classmethod
    def for_sparse(cls) -> Method:
        """The method with settings for ratings and other tables of interactions, if its defaults are for others.

        Returns
        -------
        Method
            At its defaults, unless it says otherwise.
        """
        return cls()

    def worth_trying(self, observed: ObservedTensor) -> bool:
        """Whether `auto` should compare it on a tensor, below high effort.

        Parameters
        ----------
        observed : ObservedTensor
            The tensor.

        Returns
        -------
        bool
            True by default.
        """
        return True

    def held_out_units(self, observed: ObservedTensor) -> HeldOutUnits | None:
        """In which units the cost of the history is, if it is the root mean square error at held-out entries.

        Parameters
        ----------
        observed : ObservedTensor
            The tensor.

        Returns
        -------
        HeldOutUnits or None
            None by default: the cost is something else.
        """
        return None

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether it fills slices in which nothing is known from their neighbours.

        Parameters
        ----------
        observed : ObservedTensor
            The tensor.

        Returns
        -------
        bool
            False by default.
        """
        return False

    def fills_lost_slices(self, observed: ObservedTensor) -> bool:
        """Whether it can fill slices in which nothing is known.

        It can if it uses their neighbours, or if its answer is the same everywhere. Low rank alone cannot: what it puts
        there depends on its starting point.

        Parameters
        ----------
        observed : ObservedTensor
            The tensor.

        Returns
        -------
        bool
            Whether it can.
        """
        return self.same_everywhere or self.looks_at_neighbours(observed)


def add_defaults(kind: type[Any]) -> None:
    """Give a class of methods that does not derive from `Method` what it does not say itself."""
    for member, default in vars(Method).items():
        if not member.startswith("_") and member != "complete" and not hasattr(kind, member):
            setattr(kind, member, default)


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
    sparse: bool = False
    """Whether it is a table of interactions, such as ratings: few entries are known of most slices, and nothing is next
    to anything."""

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
            return 0
        return number if self.effort != "low" and when else None


def lost_slices_are_in(modes: Collection[int], observed: ObservedTensor) -> bool:
    """Whether all slices of which nothing is known belong to these modes, counted from 1."""
    return all(mode + 1 in modes for mode, _ in observed.empty_slices())
