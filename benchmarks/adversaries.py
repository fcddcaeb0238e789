"""Complete 200 synthetic tensors with holes, of many kinds, and say where the result is foolish.

    python benchmarks/adversaries.py [--cases 0-199] [--kind waves,counts] [--holes lost] [--methods auto,spectral]
                                     [--effort normal] [--draw 0] [--worst 10] [--jobs 1] [--output verdicts.jsonl]

A result is foolish if its error (root mean square over unobserved entries) is more than 1.3 times the smallest of
mean-fill, linear, and spectral without W ≥ 0 but clipped; if it took more than ten times as long as forecast; if the
error is more than five times the deviation that it states (likewise a root mean square); or if it is no result: an
exception, a value that is not finite or negative, a known entry changed. Errors up to a millionth of the largest value
count as none. The seconds are those of a process that has compiled everything. Another draw has other random numbers
in all cases: what was mended for these 200 should hold for those.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from adversary_cases.collection import CASES, Case
from adversary_cases.judging import SLOWER, TOO_SURE, WORSE, Verdict, judge
from harness import make_parser

import tensorfill


def select(cases: str | None, kinds: str | None, holes: str | None, draw: int) -> list[Case]:
    """Those with these numbers, of these kinds, and with these words in their pattern."""
    numbers: set[int] = set()
    for part in (cases or f"0-{len(CASES) - 1}").split(","):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return [
        replace(case, draw=draw)
        for case in CASES
        if case.number in numbers
        and (kinds is None or case.kind in kinds.split(","))
        and (holes is None or any(word in case.holes for word in holes.split(",")))
    ]


def compile_all() -> None:
    """Complete something small of every sort, so that compiling is not timed."""
    rng = np.random.default_rng(0)
    for shape in ((12, 12), (8, 7, 6), (5, 4, 4, 3), (3, 4, 3, 2, 3), (260, 260)):
        known = rng.random(shape) < 0.7
        tensorfill.complete(rng.random(shape), known, effort="normal" if len(shape) < 4 else "low")
        known[: shape[0] // 4] = False
        tensorfill.complete(rng.random(shape), known, effort="normal" if len(shape) < 4 else "low")


def judged(cases: list[Case], methods: list[str], effort: str, jobs: int) -> Iterator[Verdict]:
    """A verdict for each case and method, in order."""
    settings = {method: {"effort": effort} if method == "auto" else {} for method in methods}
    tasks = [partial(judge, case, method, settings[method]) for case in cases for method in methods]
    if jobs == 1:
        compile_all()
        yield from (task() for task in tasks)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), compile_all) as pool:
        yield from pool.map(_called, tasks)


def _called(task: Callable[[], Verdict]) -> Verdict:
    return task()


def line(verdict: Verdict) -> str:
    """A verdict for people."""
    sure = "none stated" if verdict.deviation is None else f"{verdict.times_deviation:.1f}"
    numbers = (
        f"error {verdict.error:.3g}, {verdict.times_best:.2f} × {verdict.best_name}, {sure} × deviation; "
        f"{verdict.seconds:.1f} s, {verdict.times_forecast:.1f} × forecast; {verdict.method}: {verdict.chosen}"
    )
    faults = f"  <<< {', '.join(verdict.faults)}" if verdict.faults else ""
    return f"{verdict.case}: {verdict.invalid or numbers}{faults}"


def worst(verdicts: list[Verdict], count: int) -> str:
    """The worst by each judge, and how many are beyond the limits."""
    told = []
    rankings: tuple[tuple[str, float, Callable[[Verdict], float]], ...] = (
        ("error over the best simple one's", WORSE, lambda verdict: verdict.times_best),
        ("error over the deviation stated", TOO_SURE, lambda verdict: verdict.times_deviation),
        ("seconds over the forecast", SLOWER, lambda verdict: verdict.times_forecast),
    )
    there = [verdict for verdict in verdicts if not verdict.invalid]
    for name, limit, ratio in rankings:
        order = sorted(there, key=lambda verdict: -np.nan_to_num(ratio(verdict), nan=np.inf))[:count]
        told.append(f"\nLargest {name} (limit {limit:g}):")
        told += [f"{ratio(verdict):8.3g}  {line(verdict)}" for verdict in order]
    failed = [verdict for verdict in verdicts if verdict.invalid]
    told += ["\nNo valid result:" if failed else "", *(line(verdict) for verdict in failed)]
    faulty = [verdict for verdict in verdicts if verdict.faults]
    faults = Counter(fault if not verdict.invalid else "invalid" for verdict in verdicts for fault in verdict.faults)
    seconds = sum(verdict.seconds for verdict in verdicts)
    told.append(
        f"\n{len(faulty)} of {len(verdicts)} beyond a limit"
        + "".join(f"; {fault}: {number}" for fault, number in sorted(faults.items()))
        + f"; {seconds:.0f} s in all. Cases: {','.join(str(verdict.case.number) for verdict in faulty) or 'none'}"
    )
    return "\n".join(told)


def follow(verdicts: Iterable[Verdict], output: Path | None) -> list[Verdict]:
    """Print and write verdicts as they come."""
    found = []
    for verdict in verdicts:
        found.append(verdict)
        print(line(verdict), flush=True)
        if output is not None:
            with output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(verdict.as_json()) + "\n")
    return found


def main() -> int:
    """Judge the cases asked for; 1 if any is beyond a limit."""
    parser = make_parser(__doc__)
    parser.add_argument("--cases", help="numbers, such as 0-49,72")
    parser.add_argument("--kind", help="kinds of data, separated by commas")
    parser.add_argument("--holes", help="words in the name of the pattern, separated by commas")
    parser.add_argument("--methods", default="auto", help="methods to judge, separated by commas")
    parser.add_argument("--effort", default="normal", help="of auto")
    parser.add_argument("--draw", type=int, default=0, help="which random numbers the cases are made of")
    parser.add_argument("--worst", type=int, default=10, help="how many to list by each judge")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once; more than one disturbs the seconds")
    parser.add_argument("--output", type=Path, help="a file to append verdicts to, a line of JSON each")
    asked = parser.parse_args()
    cases = select(asked.cases, asked.kind, asked.holes, asked.draw)
    verdicts = follow(judged(cases, asked.methods.split(","), asked.effort, asked.jobs), asked.output)
    print(worst(verdicts, asked.worst))
    return int(any(verdict.faults for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
