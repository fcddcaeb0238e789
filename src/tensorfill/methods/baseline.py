"""What the baselines share: settings that check themselves, data on a scale of 0 to 1, and the way to a Completion.

The programs of their authors take data divided by its largest value. So do these, which makes every setting mean the
same whatever the unit of the data; the costs in the history are those of the scaled data.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..completion import Certificate, Completion, Estimate, StopReason, Watch
from ..estimates.derived import AffineEstimate
from ..estimates.estimate import ConstantEstimate
from ..iterating import Progress, Solver, follow, iterate
from ..memory import physical_memory
from ..method import Method
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..tensor import entries
from .registry import names_of
from .setting_checks import check_settings, plain_settings

Algorithm = Callable[[ObservedTensor], Iterator[Progress]]
"""From data whose largest value is 1 to the states of a method, the start first."""

_LARGEST_LOOK = 2**27  # entries up to which the smallest one is looked for everywhere, not only where data is known


class CheckedMethod(Method):
    """A method whose settings check themselves. Subclasses are frozen dataclasses whose fields are the settings."""

    def __post_init__(self) -> None:
        check_settings(self)

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings that depend on the tensor, as they are used on it; raises for those that do not fit it."""
        return {}

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings as they are used on a tensor, nothing left open."""
        return plain_settings(self) | self.resolve(observed)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for settings that do not fit the tensor; refuses nothing else."""
        self.resolve(observed)
        return None

    def warn(self, observed: ObservedTensor, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences a user should read about these settings on this tensor."""
        return ()


class Baseline(CheckedMethod):
    """A method with a `Solver`."""

    @abstractmethod
    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> Solver:
        """The start of the iteration on data whose largest value is 1.

        `settings` are those of `used_on`; a setting that is chosen only here is written into it.
        """

    def count_arrays(self, observed: ObservedTensor) -> int:
        """How many arrays of the size of the tensor are held at a time; 0: only what is known is looked at."""
        return 0

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses what does not fit into memory; raises for settings that do not fit the tensor."""
        return super().refuses(observed) or too_large_to_fill(self.name, observed, self.count_arrays(observed))

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = self.used_on(observed)

        def states(data: ObservedTensor) -> Iterator[Progress]:
            yield from follow(self.solver(data, settings, rng))  # the start is made when the clock is running

        return complete_by(self, observed, states, settings, watch=watch, notes=self.warn(observed, settings))


class OneStep(Solver):
    """A method that does not iterate: where it starts, and what it makes of that in one step."""

    def __init__(self, start: Estimate, finish: Callable[[], Estimate]) -> None:
        self._estimate, self._finish = start, finish
        self._stop: StopReason | None = None
        self.cost = 0.0

    def step(self) -> None:
        self._estimate = self._finish()
        self._stop = StopReason("done", "There is nothing to iterate.")

    def estimate(self) -> Estimate:
        return self._estimate

    def finished(self) -> StopReason | None:
        return self._stop


def complete_by(
    method: Method,
    observed: ObservedTensor,
    algorithm: Algorithm,
    settings: Mapping[str, Any],
    *,
    watch: Watch | None,
    notes: tuple[str, ...] = (),
) -> Completion:
    """Run an algorithm with settings that hold `max_iter`, and make a Completion of where it ended."""
    scale = max(float(observed.values.max()), -float(observed.values.min()))
    if scale == 0:
        return complete_zeros(observed, method.name, settings)
    with quiet_blas():
        found = iterate(
            scale_back(algorithm(replace(observed, known=observed.values / scale)), scale),
            settings["max_iter"],
            watch,
        )
    smallest, negative_share = _find_lowest(found.estimate, observed)
    return Completion(
        observed=observed,
        method=method.name,
        estimate=found.estimate,
        nonnegative=method.nonnegative,
        stop=found.stop,
        seconds=found.seconds,
        history=found.history,
        settings=settings,
        smallest=smallest,
        negative_share=negative_share,
        notes=notes,
    )


def complete_zeros(
    observed: ObservedTensor, method: str, settings: Mapping[str, Any], certificate: Certificate | None = None
) -> Completion:
    """The completion of data that is zero wherever it was observed."""
    return Completion(
        observed=observed,
        method=method,
        estimate=ConstantEstimate(observed.shape, 0.0),
        nonnegative=True,
        stop=StopReason("all_zero", "Every observed value is zero, so the completion is zero everywhere."),
        seconds=0.0,
        certificate=certificate,
        settings=settings,
        smallest=0.0,
    )


def too_large_to_fill(name: str, observed: ObservedTensor, copies: int) -> str | None:
    """Why a method that works on `copies` full arrays cannot complete a tensor of this size, if so."""
    refusal = refuse_memory(
        entries(observed.shape) * 8 * copies,
        f"{name} works on the whole tensor: shape {observed.shape} would need {{needed}} GiB and this machine has "
        "{there}. Methods that only look at what is known can complete it: ",
    )
    if refusal is None:
        return None
    return f"{refusal}{', '.join(names_of(lambda kind: kind.needs_known_only))}."


def refuse_memory(needed: float, sentence: str) -> str | None:
    """A sentence, if this machine has less memory than this many bytes; it has {needed} and {there}, in GiB."""
    there = physical_memory()
    if needed <= there:
        return None
    return sentence.format(needed=f"{needed / 2**30:,.0f}", there=f"{there / 2**30:,.0f}")


def scale_back(steps: Iterator[Progress], scale: float) -> Iterator[Progress]:
    """States of scaled data, in the units of the data."""
    for step in steps:
        yield replace(step, estimate=AffineEstimate(step.estimate, scale))


def _find_lowest(estimate: Estimate, observed: ObservedTensor) -> tuple[float, float | None]:
    """The smallest entry, and the share of negative ones if all were looked at."""
    if observed.size <= _LARGEST_LOOK:
        dense = estimate.dense()
        return float(dense.min()), float(np.count_nonzero(dense < 0) / dense.size)
    known = np.stack(np.unravel_index(observed.positions, observed.shape), axis=1)
    return float(estimate.at(known).min()), None
