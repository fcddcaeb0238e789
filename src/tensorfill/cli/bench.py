"""`tensorfill bench`: datasets × methods × seeds × shares and patterns of holes, one row per run."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import typer
from rich.console import Console

from ..bench.extras import Extras, extras
from ..bench.live_table import LiveTable
from ..bench.plain_lines import PlainLines
from ..bench.plan import Plan
from ..bench.plan_file import plan_path, read_plan, shipped_plans
from ..bench.runner import FAILURES, Bench, absent_data, cores, run_bench
from ..bench.runs import runs_of
from ..bench.selection import Selection, joined, selected
from ..errors import InvalidSetting, must_be
from ..interrupting import INTERRUPTED
from ..rows import ROWS_FILE, Status
from .console import say, show_table

SOME_FAILED = 1


def bench(
    plan: str | None,
    data: Path | None,
    output: Path | None,
    methods: str | None,
    datasets: str | None,
    experiments: str | None,
    seeds: int | None,
    rates: str | None,
    patterns: str | None,
    jobs: int | None,
    time_limit: float | None,
    with_files: list[Path] | None,
    again: str | None,
    list_only: bool,
) -> None:
    """Run a plan, or show it."""
    if plan is None:
        if not list_only:
            raise InvalidSetting("Give a plan, like: tensorfill bench quick. With --list, see those that ship.")
        _show_plans()
        return
    if again not in (None, "failed", "all"):
        raise InvalidSetting(must_be("again", "be 'failed' or 'all'", again))
    if jobs is not None and jobs < 1:
        raise InvalidSetting(must_be("jobs", "be 1 or more", jobs))
    files = tuple(Path(os.path.realpath(path)) for path in with_files or ())
    with extras(files) as found:
        whole = joined(read_plan(plan_path(plan), found.known), found.methods, found.datasets)
        holes = None if patterns is None else tuple(name.strip() for name in patterns.split(","))
        selection = Selection(methods, datasets, experiments, seeds, _parse_rates(rates), holes, time_limit)
        part = selected(whole, selection)
        if list_only:
            _show_runs(part, found, data)
            return
        cards = {name: dataset.card_without_data() for name, dataset in found.known.items()}
        folder = output or Path(f"bench-{part.name}")
        wanted = Bench(
            runs=runs_of(part, cards),
            extras=found,
            folder=folder,
            data=data,
            files=files,
            jobs=jobs or min(4, cores()),
            again=again,  # type: ignore[arg-type]
            title=part.title,
        )
        _run(wanted)


def _run(wanted: Bench) -> None:
    try:
        if sys.stdout.isatty():
            with LiveTable(Console()) as table:
                counts = run_bench(wanted, table)
        else:
            counts = run_bench(wanted, PlainLines(say))
    except KeyboardInterrupt:
        say(f"Stopped. What is finished is in {wanted.folder}; the same command goes on from there.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    _conclude(wanted.folder, counts)


def _conclude(folder: Path, counts: Counter[Status]) -> None:
    told = ", ".join(f"{counts[status]} {status}" for status in get_args(Status) if counts[status])
    say(f"{told}: {folder / ROWS_FILE}")
    failed = sum(counts[status] for status in FAILURES)
    if failed:
        say(f"What went wrong is in {folder / 'logs'}; `--again failed` tries it once more.")
    say(f"Next: tensorfill report {folder} -o {folder.with_name(folder.name + '-report')}")
    if failed:
        raise typer.Exit(SOME_FAILED)


def _show_plans() -> None:
    with extras(()) as found:
        plans = [(name, read_plan(path, found.known).title) for name, path in shipped_plans().items()]
    show_table(plans, headings=("plan", "what it is"))


def _show_runs(plan: Plan, found: Extras, data: Path | None) -> None:
    absent = absent_data(found.known, data)
    show_table(
        [
            (
                part.name,
                name,
                "not there" if name in absent else "yes",
                ", ".join(choice.label for choice in part.methods),
                ", ".join(f"{rate:.0%}" for rate in part.rates),
                ", ".join(part.patterns),
                str(part.seeds),
                ", ".join(map(str, part.ranks)) or "–",
                str(len(part.methods) * len(part.rates) * len(part.patterns) * part.seeds * max(1, len(part.ranks))),
            )
            for part in plan.experiments
            for name in part.datasets
        ],
        headings=("experiment", "data", "there", "methods", "kept", "holes", "seeds", "ranks", "runs"),
    )


def _parse_rates(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(f"--rates takes shares of entries to keep, like 0.05,0.1. Got {text!r} instead.") from None
