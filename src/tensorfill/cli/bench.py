"""`tensorfill bench`: datasets × methods × seeds × shares and patterns of holes, one row per run."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ..interrupting import INTERRUPTED
from .app import app
from .console import say

if TYPE_CHECKING:
    from ..bench.extras import Extras
    from ..bench.plan import Plan
    from ..bench.runner import Bench
    from ..rows import Status

SOME_FAILED = 1


@app.command(epilog="Example: tensorfill bench quick -o results")
def bench(
    plan: Annotated[
        str | None, typer.Argument(metavar="PLAN", help="A plan that ships (see --list), or a .toml file.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder with the data files; else TENSORFILL_DATA.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Where the rows go. Default: bench-PLAN.")
    ] = None,
    methods: Annotated[str | None, typer.Option(help="Only these, by name or label: nonneg-dual,dual.")] = None,
    datasets: Annotated[str | None, typer.Option(help="Only these: hall,baboon.")] = None,
    experiments: Annotated[str | None, typer.Option(help="Only these: table.")] = None,
    seeds: Annotated[
        int | None, typer.Option(help="How many seeds, in every experiment that has more than one in the plan.")
    ] = None,
    rates: Annotated[str | None, typer.Option(help="Shares to keep, instead of those of the plan: 0.05,0.1.")] = None,
    patterns: Annotated[
        str | None, typer.Option(help="Patterns of holes, instead of those of the plan: uniform,blocks.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Runs at a time; each may use its share of the cores. Default: 4, or all cores.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds after which a method is asked to stop, instead of those of the plan.")
    ] = None,
    with_files: Annotated[
        list[Path] | None,
        typer.Option("--with", metavar="FILE", help="A Python file with a METHOD or a DATASET of your own; it is run."),
    ] = None,
    again: Annotated[
        str | None, typer.Option(help="Run again what is there: 'failed' (crashed and timed out too), or 'all'.")
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="Show what would run, or the plans that ship.")] = False,
) -> None:
    """Measure methods on datasets, each run in a process of its own.

    Stopped at any moment and started again, it runs only what is missing. A method or a dataset of your own joins every
    experiment of the plan.
    """
    from ..bench.extras import load_extras
    from ..bench.plan import list_runs
    from ..bench.plan_file import Selection, extend_plan, find_plan, read_plan, select_part
    from ..bench.runner import Bench, cores
    from ..errors import InvalidSetting, must_be

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
    with load_extras(files) as found:
        whole = extend_plan(read_plan(find_plan(plan), found.known), found.methods, found.datasets)
        holes = None if patterns is None else tuple(name.strip() for name in patterns.split(","))
        selection = Selection(methods, datasets, experiments, seeds, _numbers(rates), holes, time_limit)
        part = select_part(whole, selection)
        if list_only:
            _show_runs(part, found, data)
            return
        cards = {name: dataset.card_without_data() for name, dataset in found.known.items()}
        folder = output or Path(f"bench-{part.name}")
        wanted = Bench(
            runs=list_runs(part, cards),
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
    from ..bench.display import LiveTable, PlainLines
    from ..bench.runner import run_bench

    try:
        if sys.stdout.isatty():
            from rich.console import Console

            with LiveTable(Console()) as table:
                counts = run_bench(wanted, table)
        else:
            counts = run_bench(wanted, PlainLines(say))
    except KeyboardInterrupt:
        say(f"Stopped. What is finished is in {wanted.folder}; the same command goes on from there.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    _conclude(wanted.folder, counts)


def _conclude(folder: Path, counts: Counter[Status]) -> None:
    from ..bench.runner import FAILURES
    from ..rows import ROWS_FILE, Status

    told = ", ".join(f"{counts[status]} {status}" for status in get_args(Status) if counts[status])
    say(f"{told}: {folder / ROWS_FILE}")
    failed = sum(counts[status] for status in FAILURES)
    if failed:
        say(f"What went wrong is in {folder / 'logs'}; `--again failed` tries it once more.")
    say(f"Next: tensorfill report {folder} -o {folder.with_name(folder.name + '-report')}")
    if failed:
        raise typer.Exit(SOME_FAILED)


def _show_plans() -> None:
    from ..bench.extras import load_extras
    from ..bench.plan_file import read_plan, shipped_plans
    from .console import show_table

    with load_extras(()) as found:
        plans = [(name, read_plan(path, found.known).title) for name, path in shipped_plans().items()]
    show_table(plans, headings=("plan", "what it is"))


def _show_runs(plan: Plan, found: Extras, data: Path | None) -> None:
    from ..bench.runner import find_absent_data
    from .console import show_table

    absent = find_absent_data(found.known, data)
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


def _numbers(text: str | None) -> tuple[float, ...] | None:
    from ..errors import InvalidSetting

    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(f"--rates takes shares of entries to keep, like 0.05,0.1. Got {text!r} instead.") from None
