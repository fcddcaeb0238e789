"""Plan files: small TOML files that say what to run, found by name or by path, and checked before anything runs.

Datasets and methods of the plan itself are those of every experiment that has none of its own.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ..errors import InvalidSetting, UnreadableFile
from ..methods.registry import available_methods, make, setting_names
from ..sampling import check_pattern
from .plan import Choice, Experiment, Plan

SHIPPED = Path(__file__).parent / "plans"
_PLAN_KEYS = ("title", "time_limit", "datasets", "methods", "experiment")
_EXPERIMENT_KEYS = (
    "name",
    "datasets",
    "methods",
    "rates",
    "patterns",
    "seeds",
    "ranks",
    "curve",
    "pictures",
    "time_limit",
)
_METHOD_KEYS = ("method", "label", "settings", "time_limit")


def shipped_plans() -> dict[str, Path]:
    """The plans that come with the package, by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def plan_path(name: str) -> Path:
    """Where a plan is: one that ships, by its name, or a file."""
    shipped = shipped_plans()
    if name in shipped:
        return shipped[name]
    path = Path(name)
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
    experiments = tuple(_experiment(where, {**shared, **part}, datasets) for part in parts)
    _check_once(where, "experiment", [experiment.name for experiment in experiments])
    title = found.get("title", path.stem)
    if not isinstance(title, str):
        raise _wrong(where, "title", "be a text", title)
    return Plan(path.stem, title, experiments, _time_limit(where, found))


def checked_rates(where: str, rates: object) -> tuple[float, ...]:
    """Shares above 0 and at most 1, none twice."""
    if (
        not isinstance(rates, list | tuple)
        or not rates
        or not all(_is_number(rate) and 0 < rate <= 1 for rate in rates)
    ):
        raise _wrong(where, "rates", "be a list of shares above 0 and at most 1, like [0.1]", rates)
    _check_once(where, "rate", rates)
    return tuple(float(rate) for rate in rates)


def checked_patterns(where: str, patterns: object) -> tuple[str, ...]:
    """Names of patterns of holes, none twice."""
    if not isinstance(patterns, list | tuple) or not patterns or not all(isinstance(name, str) for name in patterns):
        raise _wrong(where, "patterns", "be a list of names, like ['uniform', 'blocks']", patterns)
    try:
        found = tuple(check_pattern(name) for name in patterns)
    except InvalidSetting as error:
        raise InvalidSetting(f"{where} cannot be run: {error}") from None
    _check_once(where, "pattern", found)
    return found


def _experiment(plan: str, found: Mapping[str, Any], datasets: Collection[str]) -> Experiment:
    name = found.get("name")
    if not isinstance(name, str) or not name:
        raise _wrong(f"An experiment of {plan[0].lower()}{plan[1:]}", "name", "be a text", name)
    where = f"{plan}, experiment {name!r},"
    _check_keys(where, found, _EXPERIMENT_KEYS)
    flags = {key: found.get(key, False) for key in ("curve", "pictures")}
    for key, value in flags.items():
        if not isinstance(value, bool):
            raise _wrong(where, key, "be true or false", value)
    seeds = found.get("seeds", 1)
    if not _is_count(seeds):
        raise _wrong(where, "seeds", "be a whole number, 1 or more: how many there are", seeds)
    ranks = found.get("ranks", [])
    if not isinstance(ranks, list) or not all(map(_is_count, ranks)):
        raise _wrong(where, "ranks", "be a list of whole numbers, 1 or more", ranks)
    _check_once(where, "rank", ranks)
    return Experiment(
        name=name,
        datasets=_datasets(where, found.get("datasets"), datasets),
        methods=_methods(where, found.get("methods"), _time_limit(where, found), ranked=bool(ranks)),
        rates=checked_rates(where, found.get("rates", [0.1])),
        patterns=checked_patterns(where, found.get("patterns", ["uniform"])),
        seeds=seeds,
        ranks=tuple(ranks),
        **flags,
    )


def _datasets(where: str, names: object, known: Collection[str]) -> tuple[str, ...]:
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise _wrong(where, "datasets", "be a list of names", names)
    for name in names:
        if name not in known:
            raise InvalidSetting(f"{where} asks for data {name!r}. The datasets are: {', '.join(known)}.")
    _check_once(where, "dataset", names)
    return tuple(names)


def _methods(where: str, entries: object, limit: float | None, *, ranked: bool) -> tuple[Choice, ...]:
    if not isinstance(entries, list) or not entries:
        raise _wrong(where, "methods", "be a list of names or of tables like {method = 'dual', label = '…'}", entries)
    choices = tuple(_choice(where, entry, limit, ranked=ranked) for entry in entries)
    _check_once(where, "label", [choice.label for choice in choices])
    return choices


def _choice(where: str, entry: object, limit: float | None, *, ranked: bool) -> Choice:
    found = {"method": entry} if isinstance(entry, str) else entry
    if not isinstance(found, dict) or not isinstance(found.get("method"), str):
        raise _wrong(where, "methods", "hold names or tables like {method = 'dual', label = '…'}", entry)
    _check_keys(f"{where} method {found['method']!r},", found, _METHOD_KEYS)
    method, settings = found["method"], found.get("settings", {})
    label = found.get("label", method)
    if not isinstance(label, str) or not label:
        raise _wrong(where, "label", "be a text", label)
    if not isinstance(settings, dict) or not all(map(_is_plain, settings.values())):
        raise _wrong(where, "settings", "be a table of numbers, words and lists of them", settings)
    try:
        make(method, settings)
    except InvalidSetting as error:
        raise InvalidSetting(f"{where} cannot be run: {error}") from None
    if ranked and ("rank" in settings or "rank" not in setting_names(available_methods()[method])):
        raise InvalidSetting(f"{where} goes through 'ranks', so {label} must have a setting 'rank' that is left open.")
    return Choice(method, label, settings, _time_limit(f"{where} method {label!r},", found) or limit)


def _time_limit(where: str, found: Mapping[str, Any]) -> float | None:
    limit = found.get("time_limit")
    if limit is not None and not (_is_number(limit) and limit > 0):
        raise _wrong(where, "time_limit", "be a number of seconds above 0", limit)
    return None if limit is None else float(limit)


def _check_keys(where: str, found: Mapping[str, Any], known: Collection[str]) -> None:
    for key in found:
        if key not in known:
            raise InvalidSetting(f"{where} has an unknown key {key!r}. The keys are: {', '.join(known)}.")


def _check_once(where: str, what: str, values: Collection[Any]) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise InvalidSetting(f"{where} has the {what} {value!r} twice; give it once.")
        seen.add(value)


def _wrong(where: str, key: str, requirement: str, got: object) -> InvalidSetting:
    return InvalidSetting(f"{where} is wrong: '{key}' must {requirement}. Got {got!r} instead.")


def _is_number(value: object) -> bool:
    # What is not finite does not survive in JSON, and with it the identity of a run would be lost.
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return isinstance(value, str | bool) or _is_number(value)
