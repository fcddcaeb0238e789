"""How well the fibre operator uses the machine, next to matrix multiplication and memory bandwidth, in one run.

    python benchmarks/fibre_operator.py [--data DIR] [--threads 1,2] [--seconds 3]

One application of K on the size and mask of Hall (144×176×150, 10 % observed), ranks (10, 10, 5): 4 flops per entry and
rank. "GEMM" is a product of two 1024×1024 matrices, "bandwidth" a triad a = b + s·c on arrays far larger than the
caches, both with the same precision and number of threads. Bytes moved are the least possible: for every mode, indices
and x read once, the result read and written once, factors in cache. The preconditioner is `LeadingDirections`, in its
one precision. Each number of threads has a process of its own; each figure is the best of many repeats, in turns.
"""

from __future__ import annotations

import json
import time
from argparse import SUPPRESS, Namespace
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import count_cores, make_parser, render_table, run_apart, save_results
from numba import njit
from tasks import TASKS, C

from tensorfill import ObservedTensor
from tensorfill.dual.objective import spectral_start
from tensorfill.dual.preconditioner import LeadingDirections
from tensorfill.numerics.fibre_operator import FibreOperator
from tensorfill.numerics.threads import share

(HALL,) = (task for task in TASKS if task.name == "hall")
GEMM_SIZE = 1024
TRIAD_BYTES = 3 * 2**27  # of the three arrays together
PIECES = 8


@njit(nogil=True, fastmath=True)
def _triad(a, b, s, c, first, last):  # type: ignore[no-untyped-def]
    a, b, c = a[first:last], b[first:last], c[first:last]  # indices that cannot be negative make it three times faster
    for i in range(len(a)):
        a[i] = b[i] + s * c[i]


def measure(folder: Path | None, seconds: float) -> list[dict[str, Any]]:
    """All figures with this process's threads: one row for each precision."""
    loaded = HALL.load(folder)
    known = ObservedTensor.from_array(loaded.truth, loaded.observed)
    operator = FibreOperator(known.shape, known.positions)
    start = spectral_start(operator, known.values, HALL.rank, known.share)
    D, free = np.full(known.count, 1 / (2 * C)), np.ones(known.count, dtype=bool)
    precondition = LeadingDirections(operator, start, loaded.lam, D, free)
    found = []
    for precision in (np.float64, np.float32):
        work = _reference_work(precision)
        U: Any = tuple(factor.astype(precision) for factor in start)
        x: Any = known.values.astype(precision)
        lam: Any = tuple(map(precision, loaded.lam))
        try:
            accepts = operator.apply(U, lam, x).dtype == precision
        except Exception:  # whatever it is: this precision cannot be measured
            accepts = False
        if accepts:
            work["apply"] = partial(operator.apply, U, lam, x)
        if precision is np.float64:
            work["precondition"] = partial(precondition, x)
        best = best_seconds(work, seconds)
        row = {
            "data": loaded.title,
            "precision": np.dtype(precision).name,
            "seconds": best,
            "gemm_flops_per_second": 2 * GEMM_SIZE**3 / best["gemm"],
            "bandwidth": TRIAD_BYTES / best["triad"],
        }
        if accepts:
            row |= _compared(operator, x.itemsize, row)
        found.append(row)
    return found


def _compared(operator: FibreOperator, itemsize: int, row: Mapping[str, Any]) -> dict[str, float]:
    seconds, count = row["seconds"]["apply"], len(operator.positions)
    flops = 4 * count * sum(HALL.rank) / seconds
    indices = sum(fibres.starts.nbytes + fibres.entry.nbytes + fibres.row.nbytes for fibres in operator.modes)
    moved = indices + 3 * itemsize * count * len(operator.modes)
    return {
        "flops_per_second": flops,
        "share_of_gemm": flops / row["gemm_flops_per_second"],
        "bytes_moved": moved,
        "bytes_per_second": moved / seconds,
        "share_of_bandwidth": moved / seconds / row["bandwidth"],
    }


def _reference_work(precision: type[np.floating[Any]]) -> dict[str, Callable[[], object]]:
    """Matrix multiplication, and a triad that shares its pieces among threads as the operator does."""
    left, right = np.random.default_rng(0).random((2, GEMM_SIZE, GEMM_SIZE)).astype(precision)
    out = np.empty_like(left)
    length = TRIAD_BYTES // 3 // np.dtype(precision).itemsize
    a, b, c = (np.ones(length, precision) for _ in range(3))
    cuts = np.linspace(0, length, PIECES + 1).astype(np.int64)
    return {
        "gemm": partial(np.matmul, left, right, out=out),
        "triad": lambda: share(lambda i: _triad(a, b, precision(3), c, cuts[i], cuts[i + 1]), PIECES),
    }


def best_seconds(work: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """The shortest time of each piece of work, taken in turns so that a busy moment does not hit one only."""
    for one in work.values():
        one()
    best = dict.fromkeys(work, np.inf)
    until = time.perf_counter() + seconds * len(work)
    while time.perf_counter() < until:
        for name, one in work.items():
            for _ in range(5):
                began = time.perf_counter()
                one()
                best[name] = min(best[name], time.perf_counter() - began)
    return best


def measure_with(threads: int, chosen: Namespace) -> list[dict[str, Any]]:
    """`measure` in a process that has so many threads for everything."""
    settings = ("TENSORFILL_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    arguments = ["--measure", "--seconds", str(chosen.seconds)]
    arguments += [] if chosen.data is None else ["--data", str(chosen.data)]
    found = run_apart(*arguments, **dict.fromkeys(settings, str(threads)))
    return [{"threads": threads, **row} for row in found]


def formatted(results: list[dict[str, Any]]) -> str:
    """The figures for people."""
    rows = []
    for found in results:
        name = f"{found['precision']}, {found['threads']} thread{'s' if found['threads'] > 1 else ''}"
        gemm, bandwidth = f"{found['gemm_flops_per_second'] / 1e9:.1f}", f"{found['bandwidth'] / 1e9:.1f}"
        if "share_of_gemm" not in found:
            rows.append((name, "refused", "–", gemm, "–", "–", "–", bandwidth, "–", "–"))
            continue
        seconds = found["seconds"]
        rows.append(
            (
                name,
                f"{1e3 * seconds['apply']:.2f}",
                f"{found['flops_per_second'] / 1e9:.1f}",
                gemm,
                f"{100 * found['share_of_gemm']:.0f} %",
                f"{found['bytes_moved'] / 1e6:.1f}",
                f"{found['bytes_per_second'] / 1e9:.1f}",
                bandwidth,
                f"{100 * found['share_of_bandwidth']:.0f} %",
                f"{1e3 * seconds['precondition']:.2f}" if "precondition" in seconds else "–",
            )
        )
    head = ("", "ms/call", "GFLOP/s", "GEMM", "of GEMM", "MB/call", "GB/s", "bandwidth", "of bandwidth", "precond. ms")
    return render_table(head, rows)


def main() -> None:
    """Measure with each number of threads and print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, help="folder with hall_qcif.npz; without, the data is synthetic")
    parser.add_argument(
        "--threads", default=",".join(map(str, sorted({1, min(2, count_cores())}))), help="comma-separated"
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="for each figure")
    parser.add_argument("--measure", action="store_true", help=SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(measure(chosen.data, chosen.seconds)))
        return
    results = [row for threads in chosen.threads.split(",") for row in measure_with(int(threads), chosen)]
    print(f"\nThe fibre operator on {HALL.load(chosen.data).title}\n\n{formatted(results)}")
    save_results("fibre_operator", results)


if __name__ == "__main__":
    main()
