"""How often the truth is within one and within two of the deviations that a completion gives itself.

    python benchmarks/uncertainty.py --data DIR [--rows baboon,hall] [--patterns uniform] [--methods patches]

Protocol: values in [0, 1]; "uniform" keeps entries where numpy.random.default_rng(0).random(shape) < keep, other
patterns are those of `tensorfill hide`, with seed 0. All figures are of unobserved entries. Of normal errors, 68.3 %
are within one deviation and 95.4 % within two. "surest" and "least sure" are the RMSE of the tenths of the entries
with the smallest and the largest deviations: a constant deviation would make them alike. The seconds of the deviations
come on top of those of the completion.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from harness import make_parser, save_results, show
from numpy.typing import NDArray

import tensorfill
from tensorfill import sampling
from tensorfill.bench.dataset import datasets
from tensorfill.errors import DataNotFound, UnrecoverableSlice
from tensorfill.methods.registry import names_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """Data, and what is kept of it."""

    data: str
    keep: float = 0.1
    pattern: str = "uniform"


ALL = ("baboon", "splash", "hall", "container", "highway", "airplane", "akiyo", "cave_a", "hangzhou_metro")
ROWS = (
    *(Row(name) for name in ALL),
    *(Row(name, keep=0.5) for name in ("baboon", "splash", "hall", "cave_a", "hangzhou_metro")),
    *(Row(name, keep=0.8, pattern="blocks") for name in ("baboon", "splash", "airplane")),
    *(Row(name, keep=0.8, pattern="frames") for name in ("hall", "cave_a")),
)


def measure(row: Row, folder: Path, method: str) -> dict[str, Any]:
    """Complete, and compare errors with deviations."""
    try:
        truth = datasets()[row.data].load(folder).truth
    except DataNotFound:
        return {"method": method, **asdict(row), "found": False}
    known = sampling.mask(row.pattern, truth.shape, row.keep, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrecoverableSlice)  # of low rank alone, which this is not
        done = tensorfill.complete(truth, known, method=method, random_state=0)
    before = time.perf_counter()
    deviations = done.uncertainty[~known]
    seconds = time.perf_counter() - before
    errors = np.abs(done.model - truth)[~known]
    order = np.argsort(deviations)
    tenth = max(1, len(order) // 10)
    return {
        "method": method,
        **asdict(row),
        "found": True,
        "rmse": _root_mean_square(errors),
        "deviation": _root_mean_square(deviations),
        "within_one": float(np.mean(errors <= deviations)),
        "within_two": float(np.mean(errors <= 2 * deviations)),
        "surest": _root_mean_square(errors[order[:tenth]]),
        "least_sure": _root_mean_square(errors[order[-tenth:]]),
        "seconds": done.seconds,
        "deviation_seconds": seconds,
    }


def _root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


HEAD = (
    "method",
    "data",
    "known",
    "within 1",
    "within 2",
    "RMSE",
    "deviation",
    "surest",
    "least sure",
    "s",
    "s of deviations",
)


def formatted(found: dict[str, Any]) -> tuple[str, ...]:
    """A row for people."""
    known = f"{found['keep']:.0%} {found['pattern']}"
    if not found["found"]:
        return (found["method"], found["data"], known, "no data", *("–" for _ in range(7)))
    return (
        found["method"],
        found["data"],
        known,
        f"{found['within_one']:.1%}",
        f"{found['within_two']:.1%}",
        *(f"{found[name]:.4f}" for name in ("rmse", "deviation", "surest", "least_sure")),
        f"{found['seconds']:.1f}",
        f"{found['deviation_seconds']:.1f}",
    )


def main() -> None:
    """Measure every row and print the table."""
    telling = names_of(lambda kind: kind.tells_uncertainty)
    parser = make_parser(__doc__, data="required")
    parser.add_argument("--rows", help="data sets to run, separated by commas")
    parser.add_argument("--patterns", help="patterns of holes to run, separated by commas")
    parser.add_argument("--methods", default="spectral,patches", help=f"comma-separated: {','.join(telling)}")
    chosen = parser.parse_args()
    wanted, holes = (None if given is None else given.split(",") for given in (chosen.rows, chosen.patterns))
    rows = [row for row in ROWS if (wanted is None or row.data in wanted) and (holes is None or row.pattern in holes)]
    methods = chosen.methods.split(",")
    if silent := [method for method in methods if method not in telling]:
        parser.error(f"{', '.join(silent)} does not tell how sure it is; take some of {', '.join(telling)}")
    found = (measure(row, chosen.data, method) for method in methods for row in rows)
    results, _ = show(HEAD, found, formatted, words=(0, 1, 2))
    save_results("uncertainty", results)


if __name__ == "__main__":
    main()
