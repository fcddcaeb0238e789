"""What a running bench shows: the errors so far, what is running, the time left."""

from __future__ import annotations

import io

import pytest
from made_up import a_run, card
from rich.console import Console

from tensorfill.bench.display import Cells, LiveTable, PlainLines, TimeLeft
from tensorfill.bench.plan import Run

RUNS = [a_run(seed=seed, label=label, method=label) for seed in (0, 1) for label in ("mean-fill", "dual")]


def drawn(table: LiveTable) -> str:
    console = Console(file=io.StringIO(), width=80, height=24, force_terminal=False)
    console.print(table.draw())
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_a_cell_is_the_mean_over_the_seeds_so_far() -> None:
    cells = Cells(RUNS)
    assert cells.text("table", "dual", "tiny") == ""
    cells.add(RUNS[1].row("ok", rmse=0.1))
    assert cells.text("table", "dual", "tiny") == "0.1000"
    cells.add(RUNS[3].row("ok", rmse=0.2))
    assert cells.text("table", "dual", "tiny") == "0.1500"
    cells.add(RUNS[0].row("crashed", error="x"))
    assert cells.text("table", "mean-fill", "tiny") == "crashed"


def test_rates_patterns_and_ranks_have_lines_of_their_own() -> None:
    rates = Cells([a_run(experiment="rates", rate=rate) for rate in (0.05, 0.5)])
    assert rates.lines("rates") == ["mean-fill, 5%", "mean-fill, 50%"]
    ranks = Cells([a_run(experiment="ranks", settings={"rank": [x, x, x]}) for x in (1, 7)])
    assert ranks.lines("ranks") == ["mean-fill, rank 1", "mean-fill, rank 7"]
    holes = Cells([a_run(pattern=pattern) for pattern in ("blocks", "lines")])
    assert holes.lines("table") == ["mean-fill, blocks", "mean-fill, lines"]


def test_rows_of_other_plans_are_not_shown() -> None:
    cells = Cells(RUNS)
    cells.add(a_run(experiment="another").row("ok", rmse=0.1))
    assert cells.columns("table") == ["tiny"]


def test_the_table_shows_errors_failures_and_what_is_running() -> None:
    console = Console(file=io.StringIO(), width=80, height=24, force_terminal=False)
    table = LiveTable(console)
    table.begin(RUNS, [RUNS[1].row("ok", rmse=0.1234)], jobs=1)
    table.started(RUNS[0])
    table.finished(RUNS[0], RUNS[0].row("failed", error="RuntimeError: out of luck"), 2.0)
    table.started(RUNS[2])
    shown = drawn(table)
    assert "0.1234" in shown
    assert "failed…" in shown
    assert "table: mean-fill on tiny, 50% kept, seed 1" in shown
    assert "2 of 4 runs, about 4 s left, 1 went wrong" in shown
    assert "seed 0: failed. RuntimeError: out of luck" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_table_that_is_too_large_shows_what_is_at_work() -> None:
    runs = [a_run(data=card(f"data{d}"), label=f"m{m}") for d in range(30) for m in range(60)]
    table = LiveTable(Console(file=io.StringIO(), width=80, height=24, force_terminal=False))
    table.begin(runs, [], jobs=1)
    table.started(runs[20 * 60 + 40])
    shown = drawn(table)
    assert "data20" in shown
    assert "m40" in shown
    assert len(shown.splitlines()) <= 24
    assert max(map(len, shown.splitlines())) <= 80


def test_plain_lines_are_one_for_each_run_that_ends() -> None:
    said: list[str] = []
    lines = PlainLines(said.append)
    lines.begin(RUNS, [RUNS[1].row("ok", rmse=0.1)], jobs=1)
    lines.started(RUNS[0])
    lines.finished(RUNS[0], RUNS[0].row("ok", rmse=0.25, seconds=1.26, stop="time"), 2.0)
    lines.finished(RUNS[2], RUNS[2].row("timed out", error="It was ended."), 2.0)
    lines.glance()
    assert said == [
        "1 of 4 runs are there already.",
        "[2/4] table: mean-fill on tiny, 50% kept, seed 0: RMSE 0.2500 in 1.3 s, stopped by the time limit",
        "[3/4] table: mean-fill on tiny, 50% kept, seed 1: timed out. It was ended.",
    ]


def sized(label: str, entries: int, limit: float | None = None) -> Run:
    return a_run(label=label, data=card(shape=(entries, 1)), time_limit=limit)


def test_the_time_left_goes_by_method_and_size() -> None:
    left = TimeLeft(jobs=2)
    assert left.seconds([sized("slow", 10)], []) is None
    left.learn(sized("quick", 1000), 1.0)
    left.learn(sized("slow", 1000), 11.0)
    assert left.seconds([sized("slow", 2000)] * 4, []) == pytest.approx(4 * 21 / 2)
    assert left.seconds([sized("quick", 2000)] * 4, []) == pytest.approx(4 * 1 / 2)
    assert left.seconds([sized("new", 2000)], []) == pytest.approx((1 + 10) / 2), "like all so far"
    assert left.seconds([], [(sized("slow", 2000), 6.0)]) == pytest.approx(15.0), "no other job can help"
    assert left.seconds([sized("slow", 10**6, limit=5.0)], []) == pytest.approx((1 + 10) / 2), "there is a limit"
