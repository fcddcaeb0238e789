"""How long it takes to a given quality: `dual` and `nonneg-dual` against a plain implementation and other packages.

    python benchmarks/time_to_quality.py [--data DIR] [--rows baboon,splash,hall,cave_a] [--repeat 3] [--no-rivals]

Two tables. The first has seconds and operator calls to an objective within 0.1 % of the lowest one known, to the RMSE
that the task asks for, and to the end. "plain" is plain.py: the same objective and start, with SciPy, linear CG to a
fixed tolerance, and pymanopt; "×" is its time (its calls) to the objective as a multiple of that of `dual`. It runs
until both qualities are reached, its gradient is next to zero, or time is up, so it has no end of its own. A call of
ours comes with a pass of the preconditioner, which is not counted as a call; its time is. The same goes for polishing
at the end, after which the result is looked at once more.

The second table has what other packages reach. RMSE is that of the raw models, over all entries and over those not
observed. Factorisations get several ranks, and the one shown is the best by the truth, which no user would know.

The lowest objective known comes from a longer run (not timed), or from "plain" where that got lower. Neither looking at
iterates nor compiling is counted. Iterates of `nonneg-dual` before S joins count as having reached nothing. Data that
is not there is replaced by synthetic data, whose RMSE to reach is 1 % above that of the longer run.
"""

from __future__ import annotations

import time
from argparse import BooleanOptionalAction
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from harness import make_parser, names_from, render_table, save_results, version
from numpy.typing import NDArray
from plain import PlainDual, Step, minimise
from rivals import RIVALS, Rival, TooSlow
from tasks import TASKS, C, Loaded

import tensorfill
from tensorfill import Snapshot, metrics
from tensorfill.dual.objective import spectral_start
from tensorfill.numerics.fibre_operator import FibreOperator
from tensorfill.numerics.threads import thread_count

METHODS = ("dual", "nonneg-dual")
NEAR = 1e-3  # how far above the lowest known objective counts as there
LONGER = 1e-3  # gradient tolerance of the longer run
FLAT = 1e-4  # relative gradient norm at which "plain" has nowhere to go
RANKS = (5, 10, 20)  # of the factorisations


@dataclass(frozen=True)
class Moment:
    """One iterate of a run."""

    seconds: float
    cost: float
    gradient_norm: float
    operator_calls: int
    rmse: float


@dataclass(frozen=True, eq=False)
class Run:
    """A run in moments; `seconds` is the time to its end."""

    moments: Sequence[Moment]
    seconds: float
    model: NDArray[np.float64] | None = None

    @property
    def lowest(self) -> float:
        """The lowest objective."""
        return min(moment.cost for moment in self.moments)

    def first(self, holds: Callable[[Moment], bool]) -> Moment | None:
        """The first moment for which something holds."""
        return next(filter(holds, self.moments), None)


def ours(loaded: Loaded, method: str, **settings: Any) -> Run:
    """One run of tensorfill."""
    seen: list[tuple[Moment, int]] = []

    def watch(snapshot: Snapshot) -> bool:
        step = snapshot.step
        error = metrics.rmse(loaded.truth, snapshot.estimate.dense())
        seen.append(
            (Moment(step.seconds, step.cost, step.gradient_norm, int(step.operator_calls), error), int(step.active))
        )
        return False

    done = tensorfill.complete(
        loaded.truth, loaded.observed, method, rank=loaded.task.rank, C=C, watch=watch, **settings
    )
    # S has joined once something is active; where nothing ever is, it makes no difference.
    joined = next((i for i, (_, active) in enumerate(seen) if active), 0)
    moments = [moment for moment, _ in seen[joined:]]
    moments.append(replace(moments[-1], seconds=done.seconds, rmse=metrics.rmse(loaded.truth, done.model)))
    return Run(moments, done.seconds, done.model)


def plainly(loaded: Loaded, tolerance: str, is_enough: Callable[[Moment], bool], limit: float) -> Run:
    """One run of the plain implementation, from the same start."""
    known = tensorfill.ObservedTensor.from_array(loaded.truth, loaded.observed)
    began = time.perf_counter()
    start = spectral_start(FibreOperator(known.shape, known.positions), known.values, loaded.task.rank, known.share)
    problem = PlainDual(known.shape, known.positions, known.values, loaded.lam, C, float(tolerance))
    moments: list[Moment] = []

    def watch(step: Step, model: Callable[[], NDArray[np.float64]]) -> bool:
        moments.append(Moment(**asdict(step), rmse=metrics.rmse(loaded.truth, model())))
        return is_enough(moments[-1])

    seconds = minimise(problem, start, watch, limit, began)
    return Run(moments or [Moment(seconds, np.inf, np.inf, problem.operator_calls, np.inf)], seconds)


@dataclass(frozen=True)
class Finish:
    """A row of the first table: when a run got to the objective, to the RMSE, and to its end."""

    data: str
    method: str
    objective: float
    rmse: float
    to_objective: Moment | None
    to_rmse: Moment | None
    longer: bool
    """Whether it took the longer run to get to the objective."""
    end: Moment
    seconds: float
    is_limited: bool = False
    """Whether the time limit ended it."""


def compare(loaded: Loaded, repeat: int, tolerances: Sequence[str], limit: float) -> tuple[list[Finish], list[Run]]:
    """The rows of the first table for one task, and the runs of our methods."""
    default, longer = {}, {}
    for method in METHODS:
        default[method] = min((ours(loaded, method) for _ in range(repeat)), key=lambda run: run.seconds)
        longer[method] = ours(loaded, method, gradient_tolerance=LONGER, max_iter=1000)
    errors = {method: loaded.target(method) or 1.01 * longer[method].moments[-1].rmse for method in METHODS}
    lowest = {method: min(default[method].lowest, longer[method].lowest) for method in METHODS}

    def is_enough(moment: Moment) -> bool:
        arrived = moment.cost <= (1 + NEAR) * lowest["dual"] and moment.rmse <= errors["dual"]
        return arrived or moment.gradient_norm <= FLAT * moment.cost

    plain = {tolerance: plainly(loaded, tolerance, is_enough, limit) for tolerance in tolerances}
    lowest["dual"] = min([lowest["dual"], *(run.lowest for run in plain.values())])

    def finish(name: str, method: str, run: Run, more: Run | None = None) -> Finish:
        def is_there(moment: Moment) -> bool:
            return moment.cost <= (1 + NEAR) * lowest[method]

        there = run.first(is_there)
        return Finish(
            data=loaded.title,
            method=name,
            objective=lowest[method],
            rmse=errors[method],
            to_objective=there or (more.first(is_there) if more else None),
            to_rmse=run.first(lambda moment: moment.rmse <= errors[method]),
            longer=there is None and more is not None,
            end=run.moments[-1],
            seconds=run.seconds,
            is_limited=more is None and run.seconds >= limit,
        )

    return [
        *(finish(method, method, default[method], longer[method]) for method in METHODS),
        *(finish(f"plain, {tolerance}", "dual", run) for tolerance, run in plain.items()),
    ], [default[method] for method in METHODS]


def first_table(finishes: Sequence[Finish]) -> str:
    """Seconds and operator calls to each quality."""
    to_objective, to_rmse = ("to objective: s", "calls", "time ×", "calls ×"), ("to RMSE", "s", "calls")
    head = ("data", "method", *to_objective, *to_rmse, "to the end: s", "calls", "RMSE there")
    rows = []
    for found in finishes:
        (base,) = (row for row in finishes if row.data == found.data and row.method == "dual")
        seconds, calls = _reached(found, found.to_objective)
        if found.longer and found.to_objective:
            seconds = f"{seconds}*"
        is_plain = found.method.startswith("plain")
        ratios = _ratios(found, base.to_objective) if is_plain else ("1" if found is base else "", "")
        rows.append(
            (
                found.data,
                found.method,
                seconds,
                calls,
                *ratios,
                f"≤ {found.rmse:.4f}",
                *_reached(found, found.to_rmse),
                *(("", "") if is_plain else (f"{found.seconds:.2f}", f"{found.end.operator_calls}")),
                f"{found.end.rmse:.4f}",
            )
        )
    return render_table(head, rows, words=(0, 1))


def _reached(found: Finish, moment: Moment | None) -> tuple[str, str]:
    if moment:
        return f"{moment.seconds:.2f}", f"{moment.operator_calls}"
    return (f"> {found.seconds:.0f}", f"> {found.end.operator_calls}") if found.is_limited else ("never", "–")


def _ratios(found: Finish, base: Moment | None) -> tuple[str, str]:
    """Seconds and calls to the objective, as multiples of those of `dual`."""
    if base is None or not (found.to_objective or found.is_limited):
        return "–", "–"
    at = found.to_objective or found.end
    seconds = at.seconds if found.to_objective else found.seconds
    sign = "" if found.to_objective else "> "
    return f"{sign}{seconds / base.seconds:.1f}", f"{sign}{at.operator_calls / base.operator_calls:.1f}"


def our_result(loaded: Loaded, method: str, run: Run) -> dict[str, Any]:
    """What one of our methods has to show."""
    assert run.model is not None
    note = f"rank {', '.join(map(str, loaded.task.rank))}"
    return {
        "data": loaded.title,
        "method": method,
        **errors_of(loaded, run.model),
        "seconds": run.seconds,
        "note": note,
    }


def rival_result(loaded: Loaded, rival: Rival, limit: float) -> dict[str, Any]:
    """The best that a rival has to show, over ranks where it takes one."""
    about = {"data": loaded.title, "method": f"{rival.package} {rival.what}"}
    if version(rival.package) == "not installed":
        return {**about, "note": "not installed"}
    observed = loaded.observed
    tries: list[dict[str, Any]] = []
    for rank in RANKS if rival.has_rank else (0,):
        began = time.perf_counter()
        try:
            model = rival.complete(np.where(observed, loaded.truth, 0.0), observed, rank, limit)
        except TooSlow as why:
            return {**about, "note": f"only {why} within {limit:g} s"}
        seconds = time.perf_counter() - began
        note = "keeps what is observed" if not rival.has_rank else f"rank {rank}, best of {', '.join(map(str, RANKS))}"
        tries.append({**about, **errors_of(loaded, model), "seconds": seconds, "note": note})
    return min(tries, key=lambda found: float(found["rmse"]))


def errors_of(loaded: Loaded, model: NDArray[np.float64]) -> dict[str, float]:
    """RMSE of a raw model over all entries and over the hidden ones, and its smallest entry."""
    hidden = ~loaded.observed
    return {
        "rmse": metrics.rmse(loaded.truth, model),
        "rmse_unobserved": metrics.rmse(loaded.truth[hidden], model[hidden]),
        "smallest": float(model.min()),
    }


def second_table(results: Sequence[dict[str, Any]]) -> str:
    """Errors and seconds side by side."""
    rows = []
    for found in results:
        (base,) = (row for row in results if row["data"] == found["data"] and row["method"] == "nonneg-dual")
        figures = ("–",) * 5
        if "rmse" in found:
            figures = (
                f"{found['rmse']:.4f}",
                f"{found['rmse_unobserved']:.4f}",
                f"{found['smallest']:.0e}",
                f"{found['seconds']:.1f}",
                f"{found['seconds'] / base['seconds']:.1f}",
            )
        rows.append((found["data"], found["method"], *figures, found["note"]))
    head = ("data", "method", "RMSE, all", "unobserved", "smallest", "s", "time ×", "note")
    return render_table(head, rows, words=(0, 1, 7))


def compile_everything() -> None:
    """Run both methods on next to nothing, so that no run is timed with the compiler."""
    rng = np.random.default_rng(0)
    data = np.maximum(rng.random((40, 40, 20)) - 0.3, 0.0)
    for method in METHODS:
        tensorfill.complete(data, rng.random(data.shape) < 0.8, method, rank=3, max_iter=10)


def main() -> None:
    """Run the tasks asked for and print both tables."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, help="folder with the data files; without, all data is synthetic")
    parser.add_argument("--rows", help="tasks, comma-separated")
    parser.add_argument("--repeat", type=int, default=1, help="runs of ours, of which the fastest counts")
    parser.add_argument("--plain-limit", type=float, default=300.0, help="seconds for each plain run")
    parser.add_argument("--plain-tolerances", default="1e-4,1e-6", help="of its linear systems, one run for each")
    parser.add_argument("--rivals", action=BooleanOptionalAction, default=True, help="run other packages too")
    parser.add_argument("--rival-limit", type=float, default=60.0, help="seconds for each run of a rival")
    chosen = parser.parse_args()
    wanted = names_from(chosen.rows, [task.name for task in TASKS], "data")
    tolerances = [tolerance for tolerance in chosen.plain_tolerances.split(",") if tolerance]
    compile_everything()
    finishes: list[Finish] = []
    others: list[dict[str, Any]] = []
    for task in TASKS:
        if task.name not in wanted:
            continue
        loaded = task.load(chosen.data)
        rows, runs = compare(loaded, chosen.repeat, tolerances, chosen.plain_limit)
        finishes += rows
        print(f"\n{first_table(rows)}", flush=True)
        others += [our_result(loaded, method, run) for method, run in zip(METHODS, runs, strict=True)]
        if chosen.rivals:
            others += [rival_result(loaded, rival, chosen.rival_limit) for rival in RIVALS.values()]
        save(finishes, others, say_so=False)
    threads = f"{thread_count()} threads for ours, one for plain"
    print(f"\nTo a given quality ({threads}; * needed the longer run)\n\n{first_table(finishes)}")
    print(f"\nAgainst other packages\n\n{second_table(others)}")
    save(finishes, others)


def save(finishes: Sequence[Finish], others: Sequence[dict[str, Any]], *, say_so: bool = True) -> None:
    """Write both tables as they are so far."""
    results = {"to_quality": [asdict(found) for found in finishes], "other_packages": others}
    save_results("time_to_quality", results, ("pymanopt", *RIVALS), say_so=say_so)


if __name__ == "__main__":
    main()
