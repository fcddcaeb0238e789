"""EntryComparison: what methods say of held-out entries of a sparse tensor, of which nothing of full size is built.

Entries are held out at random, as a user of ratings is asked about any of them, or the last ones in time. Where much is
known, methods are compared on all that is known of some slices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..method import Method
from ..sampling.entries import hold_out_entries, hold_out_last, take_slices
from ..tensor import Array
from .comparison import Course, tell_comparing
from .evidence import blend_weights


@dataclass(frozen=True, kw_only=True)
class ComparingEntries:
    """How much is looked at."""

    part: int = 1_000_000  # known entries, at most
    share: float = 0.1  # of them are held out,
    most_held: int = 20_000  # at most: so many tell methods apart


COMPARING_ENTRIES = ComparingEntries()


@dataclass(frozen=True, eq=False)
class EntryComparison:
    """Weights by held-out entries, and the methods with what they chose for themselves on the way."""

    weights: Mapping[str, float]
    errors: Mapping[str, float]
    error: float
    """Of the blend."""
    settled: Mapping[str, Method]

    @classmethod
    def of(
        cls,
        course: Course,
        methods: Mapping[str, Method],
        last_along: int | None = None,
        settings: ComparingEntries = COMPARING_ENTRIES,
    ) -> EntryComparison:
        """The first method is the favourite: others take its place only if they are clearly better.

        `last_along` is a mode, counted from 0, along which the last entries are held out instead of any.
        """
        rng = np.random.default_rng([course.seed, 0])
        part = take_slices(course.observed, settings.part, rng)
        count = min(settings.most_held, int(settings.share * part.count) + 1)
        if last_along is None:
            rest, held = hold_out_entries(part, count, rng)
        else:
            rest, held = hold_out_last(part, count, last_along, rng)
        predictions: dict[str, Array] = {}
        settled: dict[str, Method] = {}
        for name, method in methods.items():
            tell_comparing(name, tuple(methods), course.observed.shape)
            done = method.complete(rest, rng=course.rng(), watch=course.watcher())
            course.kept(replace(done, observed=course.observed))
            predictions[name] = np.maximum(done.estimate.at(held.coordinates), rest.floor)
            settled[name] = method.settled(done)
        weights = blend_weights(predictions, held.values, favourite=next(iter(methods)))
        blend = np.sum([weight * predictions[name] for name, weight in weights.items()], axis=0)
        errors = {name: _root_mean_square(found - held.values) for name, found in predictions.items()}
        return cls(weights, errors, _root_mean_square(blend - held.values), settled)


def _root_mean_square(misses: Array) -> float:
    return float(np.sqrt(np.mean(misses**2)))
