"""`tensorfill bench`, one row per dataset × method × seed × share and pattern of holes; and `report`, from the rows."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import typer
from rich.console import Console

from .. import __version__
from ..bench.display import LiveTable, PlainLines
from ..bench.extras import Extras, load_extras
from ..bench.plan import Plan, list_runs
from ..bench.plan_file import Selection, extend_plan, find_plan, read_plan, select_part, shipped_plans
from ..bench.runner import FAILURES, Bench, find_absent_data, run_bench
from ..bench.workers import cores
from ..errors import InvalidSetting, must_be
from ..interrupting import INTERRUPTED
from ..report.writing import check_report, write_report
from ..rows import ROWS_FILE, Status, read_rows
from .console import say, show_notes, show_table
from .solving import ignore_interrupts

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
    scheduler: str | None,
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
    if scheduler is not None and jobs is not None:
        raise InvalidSetting("--scheduler says how many runs there are at a time; leave out --jobs.")
    cluster, at_a_time = read_scheduler(scheduler)
    files = tuple(Path(os.path.realpath(path)) for path in with_files or ())
    with load_extras(files) as found:
        whole = extend_plan(read_plan(find_plan(plan), found.known), found.methods, found.datasets)
        holes = None if patterns is None else tuple(name.strip() for name in patterns.split(","))
        selection = Selection(methods, datasets, experiments, seeds, _parse_rates(rates), holes, time_limit)
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
            jobs=jobs or at_a_time or min(4, cores()),
            scheduler=cluster,
            again=again,  # type: ignore[arg-type]
            title=part.title,
        )
        _run(wanted)


def read_scheduler(scheduler: str | None) -> tuple[str | None, int | None]:
    """The address of a cluster, or how many processes there are to be here, as far as that is said.

    >>> read_scheduler("tcp://10.0.0.1:8786"), read_scheduler("processes:3"), read_scheduler("processes")
    (('tcp://10.0.0.1:8786', None), (None, 3), (None, None))
    """
    local = re.fullmatch(r"(?:threads|processes)(?::([1-9]\d{0,3}))?", scheduler or "processes")
    if local:
        return None, int(local[1]) if local[1] else None
    if not re.fullmatch(r"\w+://\S+", scheduler or ""):
        requirement = "be 'processes', alone or with a number as in 'processes:2', or the address of a Dask scheduler"
        raise InvalidSetting(must_be("scheduler", f"{requirement}, like 'tcp://host:8786'", scheduler))
    return scheduler, None


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
    with load_extras(()) as found:
        plans = [(name, read_plan(path, found.known).title) for name, path in shipped_plans().items()]
    show_table(plans, headings=("plan", "what it is"))


def _show_runs(plan: Plan, found: Extras, data: Path | None) -> None:
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


def _parse_rates(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(f"--rates takes shares of entries to keep, like 0.05,0.1. Got {text!r} instead.") from None


# Tables, figures and one page from the rows


def report(rows: Path, output: Path, force: bool) -> None:
    """Write a report."""
    check_report(output, force=force)
    found = read_rows(rows)
    made_with = f"tensorfill {__version__} and Python {platform.python_version()}"
    written = write_report(found, output, made_with=made_with, force=force)
    with ignore_interrupts():
        show_notes(written.problems)
        show_notes(written.left_out)
        figures = [name for name in written.files if name.startswith("figures/") and name.endswith(".svg")]
        tables = [name for name in written.files if name.startswith("tables/") and name.endswith(".tex")]
        datasets = {row.data.name for row in found.rows}
        methods = {row.method for row in found.rows}
        show_table(
            [
                ("rows", f"{len(found.rows):,}: {len(datasets)} datasets, {len(methods)} methods"),
                ("tables", f"{len(tables)} in {output / 'tables'} (.md, .csv, .tex), cells.csv, runs.csv"),
                ("figures", f"{len(figures)} in {output / 'figures'} (.png, .svg)"),
                ("against the paper", str(output / "reproduction.md")),
                ("look at", str(output / "index.html")),
            ]
        )
