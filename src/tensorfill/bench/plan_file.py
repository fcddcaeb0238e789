"""Plan files: small TOML files that say what to run, found by name or by path, and checked before anything runs.

Datasets and methods of the plan itself are those of every experiment that has none of its own.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..errors import InvalidSetting, UnreadableFile, must_be
from ..methods.registry import available_methods, make, setting_names
from ..sampling import check_pattern
from .plan import Choice, Experiment, Plan

SHIPPED = Path(__file__).parent / "plans"
_PLAN_KEYS = ("title", "time_limit", "datasets", "methods", "experiment")
_EXPERIMENT_KEYS = (*(field.name for field in fields(Experiment)), "time_limit")
_METHOD_KEYS = tuple(field.name for field in fields(Choice))


def _is_list(value: object, fits: Callable[[Any], bool], *, filled: bool = True) -> bool:
    return isinstance(value, list | tuple) and all(map(fits, value)) and (len(value) > 0 or not filled)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    # What is not finite does not survive in JSON, and with it the identity of a run would be lost.
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_plain(value: object) -> bool:
    return _is_list(value, _is_plain, filled=False) or isinstance(value, str | bool) or _is_number(value)


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "title": (_is_text, "be a text"),
    "name": (lambda value: _is_text(value) and value != "", "be a text"),
    "label": (lambda value: _is_text(value) and value != "", "be a text"),
    "datasets": (lambda value: _is_list(value, _is_text), "be a list of names"),
    "methods": (
        lambda value: _is_list(value, lambda entry: True),
        "be a list of names or of tables like {method = 'dual', label = '…'}",
    ),
    "settings": (
        lambda value: isinstance(value, dict) and all(map(_is_plain, value.values())),
        "be a table of numbers, words and lists of them",
    ),
    "rates": (
        lambda value: _is_list(value, lambda rate: _is_number(rate) and 0 < rate <= 1),
        "be a list of shares above 0 and at most 1, like [0.1]",
    ),
    "patterns": (lambda value: _is_list(value, _is_text), "be a list of names, like ['uniform', 'blocks']"),
    "seeds": (_is_count, "be a whole number, 1 or more: how many there are"),
    "ranks": (lambda value: _is_list(value, _is_count, filled=False), "be a list of whole numbers, 1 or more"),
    "curve": (lambda value: isinstance(value, bool), "be true or false"),
    "pictures": (lambda value: isinstance(value, bool), "be true or false"),
    "time_limit": (lambda value: value is None or (_is_number(value) and value > 0), "be a number of seconds above 0"),
}
"""By key, what fits, and how that is said."""
_ELEMENTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "datasets": ("dataset", str),
    "rates": ("rate", float),
    "patterns": ("pattern", check_pattern),
    "ranks": ("rank", int),
}
"""By key of a list in which nothing may stand twice, what its elements are called, and how one is read."""


def shipped_plans() -> dict[str, Path]:
    """The plans that come with the package, by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def find_plan(name: str) -> Path:
    """Where a plan is: one that ships, by its name, or a file."""
    shipped = shipped_plans()
    path = shipped.get(name, Path(name))
    if not path.is_file():
        raise UnreadableFile(
            f"There is no plan {name!r}: neither a file, nor one of those that ship: {', '.join(shipped)}."
        )
    return path


def read_plan(path: Path, datasets: Collection[str]) -> Plan:
    """The plan in a file, every name and setting in it checked; `datasets` are those there are."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{path} is not a plan in TOML: {error}.") from error
    where = f"The plan {path.name}"
    _check_keys(where, found, _PLAN_KEYS)
    parts = found.get("experiment")
    if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
        raise InvalidSetting(f"{where} must have one or more parts that begin with [[experiment]].")
    shared: dict[str, Any] = {key: found[key] for key in ("datasets", "methods") if key in found}
    experiments = tuple(_read_experiment(where, {**shared, **part}, datasets) for part in parts)
    _check_once(where, "experiment", [experiment.name for experiment in experiments])
    title = _take(where, {"title": path.stem, **found}, "title")
    return Plan(path.stem, title, experiments, _take(where, found, "time_limit"))


def _read_experiment(plan: str, found: Mapping[str, Any], datasets: Collection[str]) -> Experiment:
    name = _take(f"An experiment of {plan[0].lower()}{plan[1:]}", found, "name")
    where = f"{plan}, experiment {name!r},"
    _check_keys(where, found, _EXPERIMENT_KEYS)
    taken = {key: _take(where, found, key) for key in dict.fromkeys(("datasets", "methods", *found))}
    for asked in taken["datasets"]:
        if asked not in datasets:
            raise InvalidSetting(f"{where} asks for data {asked!r}. The datasets are: {', '.join(datasets)}.")
    limit, ranked = taken.pop("time_limit", None), bool(taken.get("ranks"))
    taken["methods"] = tuple(_read_choice(where, entry, limit, ranked=ranked) for entry in taken["methods"])
    _check_once(where, "label", [choice.label for choice in taken["methods"]])
    return Experiment(**taken)


def _read_choice(where: str, entry: object, limit: float | None, *, ranked: bool) -> Choice:
    found = {"method": entry} if isinstance(entry, str) else entry
    if not isinstance(found, dict) or not isinstance(found.get("method"), str):
        raise _wrong(where, "methods", "hold names or tables like {method = 'dual', label = '…'}", entry)
    method = found["method"]
    _check_keys(f"{where} method {method!r},", found, _METHOD_KEYS)
    label = _take(where, {"label": _default_label(method), **found}, "label")
    settings = _take(where, {"settings": {}, **found}, "settings")
    with _blame(where):
        make(method, settings)
    if ranked and ("rank" in settings or "rank" not in setting_names(available_methods()[method])):
        raise InvalidSetting(f"{where} goes through 'ranks', so {label} must have a setting 'rank' that is left open.")
    return Choice(method, label, settings, _take(f"{where} method {label!r},", found, "time_limit") or limit)


def _default_label(method: str) -> str:
    kind = available_methods().get(method)
    return (kind.label or kind.name) if kind else method


# The part that is wanted


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


def extend_plan(plan: Plan, methods: Iterable[str], datasets: Iterable[str]) -> Plan:
    """The plan with further methods and datasets in each of its experiments.

    An experiment that goes through ranks gets the datasets only.
    """
    more = tuple(methods), tuple(datasets)
    return replace(plan, experiments=tuple(_extend(part, *more) for part in plan.experiments))


def _extend(part: Experiment, methods: tuple[str, ...], datasets: tuple[str, ...] = ()) -> Experiment:
    there = {choice.method for choice in part.methods}
    new = () if part.ranks else tuple(Choice(name, _default_label(name)) for name in methods if name not in there)
    more = tuple(name for name in datasets if name not in part.datasets)
    return replace(part, methods=(*part.methods, *new), datasets=(*part.datasets, *more))


def select_part(plan: Plan, selection: Selection) -> Plan:
    """The part of the plan that is asked for; refuses what the plan does not have."""
    if selection.seeds is not None and selection.seeds < 1:
        raise InvalidSetting(must_be("seeds", "be 1 or more", selection.seeds))
    if selection.time_limit is not None and not selection.time_limit > 0:
        raise InvalidSetting(must_be("time-limit", "be a number of seconds above 0", selection.time_limit))
    parts = [part for part in _select(plan, selection) if part.datasets and part.methods]
    if not parts:
        raise InvalidSetting("Nothing is left of the plan: no experiment has both a method and a dataset asked for.")
    limit = plan.time_limit if selection.time_limit is None else float(selection.time_limit)
    return replace(plan, experiments=tuple(_change(part, selection) for part in parts), time_limit=limit)


def _select(plan: Plan, selection: Selection) -> Sequence[Experiment]:
    """What is left of the experiments."""
    parts: Sequence[Experiment] = plan.experiments
    if selection.experiments is not None:
        wanted = _read_names("experiment", selection.experiments, [part.name for part in parts], plan)
        parts = [part for part in parts if part.name in wanted]
    if selection.datasets is not None:
        wanted = _read_names("dataset", selection.datasets, [name for part in parts for name in part.datasets], plan)
        parts = [replace(p, datasets=tuple(name for name in p.datasets if name in wanted)) for p in parts]
    if selection.methods is not None:
        choices = [choice for part in parts for choice in part.methods]
        known = [*(choice.label for choice in choices), *(choice.method for choice in choices)]
        others = [name for name in available_methods() if name not in known]
        wanted = _read_names("method", selection.methods, known, plan, others)
        # A method that the plan does not have joins with its own defaults, as one of the user's own would.
        joining = tuple(name for name in others if name in wanted)
        parts = [_extend(replace(part, methods=_choose(part.methods, wanted)), joining) for part in parts]
    return parts


def _choose(choices: tuple[Choice, ...], wanted: Collection[str]) -> tuple[Choice, ...]:
    return tuple(choice for choice in choices if choice.label in wanted or choice.method in wanted)


def _change(part: Experiment, selection: Selection) -> Experiment:
    """The experiment with what is to be otherwise than in the plan."""
    if selection.rates is not None:
        part = replace(part, rates=_take("--rates", {"rates": selection.rates}, "rates"))
    if selection.patterns is not None:
        part = replace(part, patterns=_take("--patterns", {"patterns": selection.patterns}, "patterns"))
    if selection.seeds is not None and part.seeds > 1:
        part = replace(part, seeds=selection.seeds)
    if selection.time_limit is not None:
        part = replace(part, methods=tuple(replace(choice, time_limit=None) for choice in part.methods))
    return part


def _read_names(what: str, text: str, known: Iterable[str], plan: Plan, others: Sequence[str] = ()) -> set[str]:
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


# Checks


def _take(where: str, found: Mapping[str, Any], key: str) -> Any:
    """What stands under a key; refused unless it fits, and where something stands twice in a list of its."""
    value: Any = found.get(key)
    fits, requirement = _RULES[key]
    if not fits(value):
        raise _wrong(where, key, requirement, value)
    if key == "time_limit":
        return None if value is None else float(value)
    if key not in _ELEMENTS:
        return value
    what, read = _ELEMENTS[key]
    with _blame(where):
        elements = tuple(map(read, value))
    _check_once(where, what, elements)
    return elements


@contextmanager
def _blame(where: str) -> Iterator[None]:
    """Say which part of the plan a setting that is refused stands in."""
    try:
        yield
    except InvalidSetting as error:
        raise InvalidSetting(f"{where} cannot be run: {error}") from None


def _check_keys(where: str, found: Mapping[str, Any], known: Collection[str]) -> None:
    for key in found:
        if key not in known:
            raise InvalidSetting(f"{where} has an unknown key {key!r}. The keys are: {', '.join(known)}.")


def _check_once(where: str, what: str, values: Sequence[Any]) -> None:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise InvalidSetting(f"{where} has the {what} {value!r} twice; give it once.")


def _wrong(where: str, key: str, requirement: str, got: object) -> InvalidSetting:
    return InvalidSetting(f"{where} is wrong: '{key}' must {requirement}. Got {got!r} instead.")
