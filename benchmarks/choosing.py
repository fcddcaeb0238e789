"""The tables and the figure of docs/choosing.md, from benchmark rows that are in the repository. Nothing is run.

    python benchmarks/choosing.py [--check]

The sources, each with the program that makes it:

* `paper_rows.jsonl`, by `tensorfill bench paper`: the paper's methods on its data, 10 % of the entries observed;
* the table of `figures.py`: `nonneg-dual` and `dual` on the same data;
* the table of `beyond.py`: our own methods on the same data and the same masks;
* the table of `baselines.py --rivals`: later methods, likewise;
* the table of `unseen.py`: several kinds of missing entries, on data that had no part in the design of the methods.

Of a method that was run several times or with several settings the most accurate run counts, which favours it, and of
those within a percent of that the quickest. RMSE is over all entries, values in [0, 1]; in all sources but the last
one it is that of the model, observed entries not put back. Seconds were measured in different runs on shared machines
with two cores: differences of less than a factor of two mean little. `--check` writes nothing, and fails if the page
is not up to date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness import DOCS, ROOT, insert, make_parser, render_table
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tensorfill.report.drawing import DPI, Mark, house_style, place_labels, set_plain_log_ticks

PAGE = DOCS / "choosing.md"
FIGURE = DOCS / "pictures" / "choosing.png"
ROWS = Path(__file__).parent / "paper_rows.jsonl"
OWN = ("nonneg-dual", "spectral", "patches", "auto")
"""Drawn in colour; the others in gray."""
CLOSE = 1.1
"""An error at most this much larger than the best is called close."""
GAIN = 1.05
"""A slower method is worth its time if its error is smaller by this factor."""
FLOOR = 0.1
"""Seconds; what is quicker is called as quick."""
FAR_OFF = 12.0
"""A method with an error so many times the best is left out of the figure."""
TITLES = {"splash": "picture (splash)", "hall": "clip (hall)", "cave_a": "cube (cave_a)", "hangzhou_metro": "counts"}
"""The panels of the figure: data that is in all sources, one of each kind."""


@dataclass(frozen=True)
class Run:
    """A method on some data: its error and its seconds."""

    method: str
    rmse: float
    seconds: float


def marked(mark: str) -> list[dict[str, str]]:
    """The rows of the table between these marks, on whatever page it is, by the names of its columns."""
    pages = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    for page in pages:
        found = re.search(
            rf"<!-- {mark}:begin -->\n(.*?)<!-- {mark}:end -->", page.read_text(encoding="utf-8"), re.DOTALL
        )
        if found:
            head, _, *rows = (
                [cell.strip(" `") for cell in line.split("|")[1:-1]] for line in found[1].strip().split("\n")
            )
            return [dict(zip(head, row, strict=True)) for row in rows]
    raise SystemExit(f"No page has a table between the marks {mark}:begin and {mark}:end.")


def own_runs() -> Iterable[tuple[str, Run]]:
    """From the table of beyond.py: cells such as `0.0786 (0.0788), 0.7 s`, the model's error in parentheses."""
    for row in marked("beyond"):
        for method, cell in row.items():
            if found := re.fullmatch(r"[\d.]+ \(([\d.]+)\), ([\d.]+) s", cell):
                yield row["10 % observed"], Run(method, float(found[1]), float(found[2]))


def rival_runs() -> Iterable[tuple[str, Run]]:
    """From the table of baselines.py --rivals."""
    for row in marked("rivals"):
        yield row["data"], Run(row["method"].split(",")[0], float(row["RMSE"]), float(row["s"]))


def figure_runs() -> Iterable[tuple[str, Run]]:
    """From the table of figures.py, whose names say more of the data, such as hall_qcif; no other settings."""
    for row in marked("figures"):
        if "," not in row["method"]:
            yield row["10 % observed"], Run(row["method"], float(row["RMSE"]), float(row["s"]))


def paper_runs() -> Iterable[tuple[str, Run]]:
    """From the rows of the bench that were not cut short, seed 0."""
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["experiment"] == "table" and row["status"] == "ok" and row["seed"] == 0:
            yield row["data"]["name"], Run(row["method"], row["rmse"], row["seconds"])


def gather() -> dict[str, list[Run]]:
    """A run of every method on all data that our own methods were run on."""
    own = list(own_runs())
    runs: dict[str, dict[str, list[Run]]] = {name: {} for name, _ in own}
    for name, run in (*own, *figure_runs(), *rival_runs(), *paper_runs()):
        data = next((known for known in runs if re.fullmatch(rf"{known}(_\d+|_qcif.*)?", name)), None)
        if data is not None:
            runs[data].setdefault(run.method, []).append(run)
    return {name: [fairest(several) for several in by_method.values()] for name, by_method in runs.items()}


def fairest(runs: Iterable[Run]) -> Run:
    """The most accurate, or one as accurate that was quicker."""
    several = list(runs)
    least = min(run.rmse for run in several)
    return min((run for run in several if run.rmse <= 1.01 * least), key=lambda run: run.seconds)


def frontier(runs: Iterable[Run]) -> list[Run]:
    """Those that are clearly more accurate than all that are quicker, the quickest first."""
    kept: list[Run] = []
    for run in sorted(runs, key=lambda run: (max(run.seconds, FLOOR), run.rmse)):
        if not kept or run.rmse * GAIN < kept[-1].rmse:
            kept.append(run)
    return kept


def render_frontiers(found: Mapping[str, list[Run]]) -> str:
    """What to take, given so much time, in Markdown."""
    rows = []
    for name, runs in found.items():
        steps = " → ".join(f"`{run.method}` {run.rmse:.3g} ({_spell(run.seconds)})" for run in frontier(runs))
        rows.append((name, str(len(runs)), steps))
    return render_table(
        ("data", "methods compared", "RMSE (time) of those that are worth their time"), rows, words=(0, 2)
    )


def render_holes() -> str:
    """For every kind of hole: `auto`, the most accurate method, and the quickest that is close to it."""
    rows = []
    for row in marked("unseen"):
        runs = [
            Run(method, float(cell[1]), float(cell[2]))
            for method, text in row.items()
            if (cell := re.fullmatch(r"([\d.]+), ([\d.]+) s", text))
        ]
        best = min(runs, key=lambda run: (run.rmse, run.seconds))
        close = min((run for run in runs if run.rmse <= CLOSE * best.rmse), key=lambda run: run.seconds)
        auto = next(run for run in runs if run.method == "auto")
        rows.append(
            (row["data"], _words(row["known"]), _cell(auto), f"`{best.method}`", f"`{close.method}`: {_cell(close)}")
        )
    head = ("data", "what is observed", "`auto`", "most accurate", f"quickest within {CLOSE - 1:.0%} of it")
    return render_table(head, rows, words=(0, 1, 2, 3, 4))


def _words(known: str) -> str:
    kind, _, share = known.partition("-")
    return f"{share} % of the {kind}" if share else f"80 %; {kind} are missing"


def _cell(run: Run) -> str:
    return f"{run.rmse:.4f}, {_spell(run.seconds)}"


def _spell(seconds: float) -> str:
    return f"< {FLOOR:g} s" if seconds < FLOOR else f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def draw(found: Mapping[str, list[Run]]) -> None:
    """Error against time, a panel for each kind of data."""
    with house_style():
        figure = Figure(figsize=(10, 8), layout="constrained", dpi=DPI)
        panels = list(zip(figure.subplots(2, 2).flat, TITLES.items(), strict=True))
        shown = {name: _comparable(found[name]) for name in TITLES}
        for axes, (name, title) in panels:
            _draw_panel(axes, shown[name], title)
        figure.suptitle("10 % of the entries observed: lower and further left is better")
        figure.draw_without_rendering()  # where panels end up, before labels are put beside marks
        figure.set_layout_engine("none")
        for axes, (name, _) in panels:
            marks = [Mark(run.method, max(run.seconds, FLOOR), run.rmse, _colour(run)) for run in shown[name]]
            place_labels(axes, marks)
        figure.savefig(FIGURE, metadata={"Software": None})


def _comparable(runs: Iterable[Run]) -> list[Run]:
    """Those that anybody would think of."""
    there = list(runs)
    return [run for run in there if run.rmse < FAR_OFF * min(run.rmse for run in there)]


def _draw_panel(axes: Axes, runs: list[Run], title: str) -> None:
    steps = frontier(runs)
    seconds = [max(run.seconds, FLOOR) for run in steps]
    axes.step(seconds, [run.rmse for run in steps], "--", where="post", color="0.8", linewidth=1, zorder=1)
    for run in runs:
        axes.plot(max(run.seconds, FLOOR), run.rmse, "o" if run.method in OWN else "s", color=_colour(run))
    axes.set(xscale="log", yscale="log", title=title, xlabel="seconds", ylabel="RMSE")
    axes.margins(0.12)
    set_plain_log_ticks(axes, "x")
    set_plain_log_ticks(axes, "y")


def _colour(run: Run) -> str:
    return "#0057A8" if run.method in OWN else "#57606A"


def rendered(page: str, found: Mapping[str, list[Run]]) -> str:
    """The page with its tables as they should be."""
    page = insert(page, "choosing-holes", render_holes(), PAGE.name)
    return insert(page, "choosing-time", render_frontiers(found), PAGE.name)


def main() -> None:
    """Write the page and the figure, or only look whether the page is up to date."""
    parser = make_parser(__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is not up to date")
    asked = parser.parse_args()
    there, found = PAGE.read_text(encoding="utf-8"), gather()
    if asked.check:
        raise SystemExit(
            there != rendered(there, found) and f"{PAGE.name} is not up to date; run benchmarks/choosing.py."
        )
    PAGE.write_text(rendered(there, found), encoding="utf-8")
    draw(found)


if __name__ == "__main__":
    main()
