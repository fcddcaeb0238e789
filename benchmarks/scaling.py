"""How time and memory grow: with the number of observed entries, with the rank, with the order of the tensor.

    python benchmarks/scaling.py [--largest 1e7]

Cubes with 10 % of their entries observed; the data is synthetic (nonnegative, low rank, a little noise). Time is that
of one application of the fibre operator, the best of several, and of its set-up. Memory is the peak of a whole
`complete` (from coordinates, one iteration) above what the process held before, such as the input, per observed entry.
Every figure comes from a process of its own. `nonneg-dual` is run up to a million observed entries.
"""

from __future__ import annotations

import json
import time
from argparse import SUPPRESS
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from harness import make_parser, run_apart, save_results, show
from numpy.typing import NDArray

import tensorfill
from tensorfill import ObservedTensor
from tensorfill.bench.peak_memory import PeakMemory
from tensorfill.numerics.fibre_operator import FibreOperator
from tensorfill.numerics.threads import thread_count

SHARE = 0.1
SIZES = (1e4, 1e5, 1e6, 1e7, 5e7)
RANKS = (5, 10, 20, 40)
ORDERS = (3, 4, 5)
MIDDLE, RANK, ORDER = 1e6, 10, 3  # what is kept while something else varies
LARGEST_NONNEGATIVE = 1e6
REPEATS, PATIENCE = 50, 5.0  # at most so many applications, or so many seconds of them, but three at least


@dataclass(frozen=True)
class Case:
    """One tensor to measure."""

    group: str
    wanted: float
    rank: int = RANK
    order: int = ORDER

    @property
    def shape(self) -> tuple[int, ...]:
        """A cube of which SHARE holds the entries wanted."""
        return (round((self.wanted / SHARE) ** (1 / self.order)),) * self.order

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose memory is measured."""
        return ("dual", "nonneg-dual") if self.wanted <= LARGEST_NONNEGATIVE else ("dual",)


def cases(largest: float) -> list[Case]:
    """Sizes, then ranks, then orders."""
    return [
        *(Case("observed entries", size) for size in SIZES if size <= largest),
        *(Case("rank", min(MIDDLE, largest), rank=rank) for rank in RANKS),
        *(Case("order", min(MIDDLE, largest), order=order) for order in ORDERS),
    ]


def sampled(shape: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Sorted positions and values of the observed entries, made slice by slice so that the whole is never there."""
    rng = np.random.default_rng(0)
    first, *rest = (rng.random((size, 3)) ** 2 for size in shape)
    inner = int(np.prod(shape[1:]))
    positions, values = [], []
    for i, weights in enumerate(first):
        within = np.flatnonzero(rng.random(inner) < SHARE)
        products = np.tile(weights, (len(within), 1))
        for factor, indices in zip(rest, np.unravel_index(within, shape[1:]), strict=True):
            products *= factor[indices]
        positions.append(within + i * inner)
        values.append(products.sum(axis=1) + 0.05 * rng.random(len(within)))
    return np.concatenate(positions), np.concatenate(values)


def time_operator(case: Case) -> dict[str, float]:
    """Seconds of one application and of the set-up."""
    positions, values = sampled(case.shape)
    rng = np.random.default_rng(0)
    factors = tuple(rng.random((size, case.rank)) for size in case.shape)
    U = tuple(factor / np.linalg.norm(factor) for factor in factors)
    lam = tuple(map(float, case.shape))
    FibreOperator(case.shape, positions[:9]).apply(U, lam, values[:9])  # compile
    began = time.perf_counter()
    operator = FibreOperator(case.shape, positions)
    set_up = time.perf_counter() - began
    times: list[float] = []
    while len(times) < 3 or (len(times) < REPEATS and sum(times) < PATIENCE):
        began = time.perf_counter()
        operator.apply(U, lam, values)
        times.append(time.perf_counter() - began)
    return {"observed": len(positions), "apply": min(times), "set_up": set_up}


def measure_memory(case: Case, method: str) -> dict[str, float]:
    """Peak memory of a completion above what was there before, in bytes."""
    rng = np.random.default_rng(0)
    tiny = rng.random((4,) * case.order)
    tensorfill.complete(tiny, rng.random(tiny.shape) < 0.7, method, rank=2, max_iter=2)  # compile
    positions, values = sampled(case.shape)
    coordinates = np.stack(np.unravel_index(positions, case.shape), axis=1)
    del positions
    observed = ObservedTensor.from_coordinates(coordinates, values, case.shape)
    del coordinates, values
    peak = PeakMemory()
    done = tensorfill.complete(observed, method=method, rank=case.rank, max_iter=1)
    return {"bytes": peak.bytes() or 0, "seconds": done.seconds, "calls": done.history[-1].operator_calls}


def measure(case: Case) -> dict[str, Any]:
    """A row of the table, each figure from a process of its own."""
    told = json.dumps(asdict(case))
    return {
        **asdict(case),
        "shape": case.shape,
        "operator": run_apart("--measure", "operator", told),
        "memory": {method: run_apart("--measure", method, told) for method in case.methods},
    }


def formatted(found: dict[str, Any]) -> tuple[str, ...]:
    """A row for people."""
    seconds, observed = found["operator"]["apply"], found["operator"]["observed"]
    per_entry = {method: memory["bytes"] / observed for method, memory in found["memory"].items()}
    return (
        found["group"],
        f"{observed:,}",
        "×".join(map(str, found["shape"])),
        str(found["rank"]),
        f"{1e3 * seconds:.2f}",
        f"{1e9 * seconds / observed:.1f}",
        f"{4 * observed * found['rank'] * found['order'] / seconds / 1e9:.1f}",
        f"{found['operator']['set_up'] / seconds:.0f}",
        *(f"{per_entry[method]:.0f}" if method in per_entry else "–" for method in ("dual", "nonneg-dual")),
    )


HEAD = (
    "varied",
    "observed",
    "shape",
    "rank",
    "ms/call",
    "ns/entry/call",
    "GFLOP/s",
    "set-up in calls",
    "bytes/entry, dual",
    "nonneg-dual",
)


def main() -> None:
    """Measure every case and print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("--largest", type=float, default=SIZES[-1], help="most observed entries")
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "CASE"), help=SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        what, case = chosen.measure[0], Case(**json.loads(chosen.measure[1]))
        print(json.dumps(time_operator(case) if what == "operator" else measure_memory(case, what)))
        return
    title = f"Scaling ({thread_count()} threads)\n\n"
    results, _ = show(HEAD, map(measure, cases(chosen.largest)), formatted, title=title)
    save_results("scaling", results)


if __name__ == "__main__":
    main()
