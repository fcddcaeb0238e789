"""Selection: the part of a plan that somebody wants to run today."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from ..errors import InvalidSetting, must_be
from ..methods.registry import available_methods
from .plan import Choice, Experiment, Plan
from .plan_file import checked_patterns, checked_rates


@dataclass(frozen=True)
class Selection:
    """What to leave of a plan and what to change; None leaves all as it is."""

    methods: str | None = None
    """Names or labels, separated by commas."""
    datasets: str | None = None
    experiments: str | None = None
    seeds: int | None = None
    """Instead of the number in the plan, in experiments that have more than one."""
    rates: tuple[float, ...] | None = None
    """Instead of those in the plan, in every experiment."""
    patterns: tuple[str, ...] | None = None
    """Likewise."""
    time_limit: float | None = None


def joined(plan: Plan, methods: Iterable[str], datasets: Iterable[str]) -> Plan:
    """The plan with further methods and datasets in each of its experiments.

    An experiment that goes through ranks gets the datasets only.
    """
    return replace(plan, experiments=tuple(_joined(part, tuple(methods), tuple(datasets)) for part in plan.experiments))


def selected(plan: Plan, selection: Selection) -> Plan:
    """The part of the plan that is asked for; refuses what the plan does not have."""
    parts = plan.experiments
    if selection.seeds is not None and selection.seeds < 1:
        raise InvalidSetting(must_be("seeds", "be 1 or more", selection.seeds))
    if selection.time_limit is not None and not selection.time_limit > 0:
        raise InvalidSetting(must_be("time-limit", "be a number of seconds above 0", selection.time_limit))
    if selection.experiments is not None:
        wanted = _named("experiment", selection.experiments, [part.name for part in parts], plan)
        parts = tuple(part for part in parts if part.name in wanted)
    if selection.datasets is not None:
        wanted = _named("dataset", selection.datasets, [name for part in parts for name in part.datasets], plan)
        parts = tuple(replace(p, datasets=tuple(name for name in p.datasets if name in wanted)) for p in parts)
    if selection.methods is not None:
        choices = [choice for part in parts for choice in part.methods]
        known = [*(choice.label for choice in choices), *(choice.method for choice in choices)]
        others = [name for name in available_methods() if name not in known]
        wanted = _named("method", selection.methods, known, plan, others)
        # A method that the plan does not have joins with its own defaults, as one of the user's own would.
        asked = tuple(name for name in others if name in wanted)
        parts = tuple(_joined(replace(part, methods=_chosen(part.methods, wanted)), asked, ()) for part in parts)
    if selection.rates is not None:
        rates = checked_rates("--rates", selection.rates)
        parts = tuple(replace(part, rates=rates) for part in parts)
    if selection.patterns is not None:
        patterns = checked_patterns("--patterns", selection.patterns)
        parts = tuple(replace(part, patterns=patterns) for part in parts)
    if selection.seeds is not None:
        parts = tuple(replace(part, seeds=selection.seeds) if part.seeds > 1 else part for part in parts)
    if selection.time_limit is not None:
        parts = tuple(replace(p, methods=tuple(replace(c, time_limit=None) for c in p.methods)) for p in parts)
        plan = replace(plan, time_limit=float(selection.time_limit))
    parts = tuple(part for part in parts if part.datasets and part.methods)
    if not parts:
        raise InvalidSetting("Nothing is left of the plan: no experiment has both a method and a dataset asked for.")
    return replace(plan, experiments=parts)


def _joined(part: Experiment, methods: tuple[str, ...], datasets: tuple[str, ...]) -> Experiment:
    there = {choice.method for choice in part.methods}
    new = () if part.ranks else tuple(Choice(name, name) for name in methods if name not in there)
    more = tuple(name for name in datasets if name not in part.datasets)
    return replace(part, methods=(*part.methods, *new), datasets=(*part.datasets, *more))


def _chosen(choices: tuple[Choice, ...], wanted: Collection[str]) -> tuple[Choice, ...]:
    return tuple(choice for choice in choices if choice.label in wanted or choice.method in wanted)


def _named(what: str, text: str, known: Iterable[str], plan: Plan, others: Sequence[str] = ()) -> set[str]:
    """Names from a text with commas; a label may have commas of its own. `others` are not in the plan, but there."""
    names = list(dict.fromkeys(known))
    parts = [part.strip() for part in text.split(",")]
    found: set[str] = set()
    while parts:
        for length in range(len(parts), 0, -1):
            name = ", ".join(parts[:length])
            if name in names or name in others:
                break
        else:
            also = f"; there are also: {', '.join(others)}" if others else ""
            raise InvalidSetting(f"The plan {plan.name} has no {what} {parts[0]!r}. It has: {', '.join(names)}{also}.")
        found.add(name)
        parts = parts[length:]
    return found
