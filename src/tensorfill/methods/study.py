"""Studies: what a method makes of windows of a large tensor, from which it learns what its tiles share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..completion import Completion, Watch
from ..interrupting import TimeIsUp
from ..observed import ObservedTensor
from ..patches.shared import GroupLesson
from ..selection.judge import HeldOutRun
from ..spectral.run import SpectralRun
from .powers import ChosenPower


@dataclass(frozen=True, eq=False)
class Notes:
    """What was found in a window, whose data may be raised to a power."""

    done: Completion
    held_out: HeldOutRun | None
    run: SpectralRun | None
    """That of spectral; None if there was nothing to do."""
    groups: GroupLesson | None = None


@dataclass(frozen=True, eq=False)
class Study:
    """A window, what was made of it, and how."""

    observed: ObservedTensor
    done: Completion
    held_out: HeldOutRun | None
    power: ChosenPower
    unit: float
    """What is 1 in all runs: the largest value of all windows, raised to the power."""
    run: SpectralRun | None
    groups: GroupLesson | None


def study_windows(
    samples: Sequence[ObservedTensor],
    power: ChosenPower,
    look: Callable[[ObservedTensor, np.random.Generator, float], Notes],
    rng: np.random.Generator,
) -> list[Study]:
    """Look at every window, whose largest value is above zero, in units that they share."""
    unit = float(max(float(sample.known.max()) for sample in samples) ** power.power)
    studies = []
    for sample in samples:
        notes: list[Notes] = []

        def method(
            observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None, notes: list[Notes] = notes
        ) -> tuple[Completion, HeldOutRun | None]:
            notes.append(look(observed, rng, unit))
            return notes[0].done, notes[0].held_out

        own = np.random.default_rng(int(rng.integers(2**31)))
        done, held_out = ChosenPower(power.power).run(method, sample, rng=own, watch=None)
        raise_if_stopped(done)
        studies.append(Study(sample, done, held_out, power, unit, notes[0].run, notes[0].groups))
    return studies


def raise_if_stopped(done: Completion) -> None:
    """A study that did not come to its end teaches nothing."""
    if done.stop.kind == "interrupted":
        raise KeyboardInterrupt
    if done.stop.kind == "time":
        raise TimeIsUp


def are_bright(samples: Sequence[ObservedTensor]) -> list[ObservedTensor]:
    """Those in which something is above zero."""
    return [sample for sample in samples if float(sample.known.max()) > 0]
