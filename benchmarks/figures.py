"""The figures of docs/reference/figures.md on real data: error, time, certificate, smallest entry, one row per run.

    python benchmarks/figures.py --data DIR [--rows baboon_256,hall_qcif] [--write]

Protocol: values in [0, 1] (8-bit data by 255, other integers by their maximum), entries observed where
numpy.random.default_rng(0).random(shape) < 0.1, RMSE of the raw model over all entries. `--write` puts the table into
that page between its figure marks. Data that is not there is a row that says so.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from harness import DOCS, GrowingTable, make_parser, names_from, put, save_results

import tensorfill
from tensorfill import formats, metrics, sampling


@dataclass(frozen=True)
class Row:
    """One run: a file, a method with settings, and the paper's figure for it, if it has one."""

    file: str
    method: str
    rank: tuple[int, ...]
    paper: float | None = None
    lam: tuple[float, ...] | None = None
    C: float = 10.0

    @property
    def name(self) -> str:
        """The data's name."""
        return self.file.partition(".")[0]


VIDEO, COLOUR = (10, 10, 5), (10, 10, 3)
ROWS = (
    Row("baboon_256.png", "nonneg-dual", COLOUR, paper=0.11943),
    Row("baboon_256.png", "dual", COLOUR),
    Row("baboon_256.png", "dual", COLOUR, paper=0.33258, lam=(1.0, 1.0, 1.0), C=1000.0),
    Row("splash_512.png", "nonneg-dual", COLOUR, paper=0.06371),
    Row("hall_qcif.npz", "nonneg-dual", VIDEO, paper=0.03696),
    Row("container_qcif_h264.npz", "nonneg-dual", VIDEO, paper=0.044908),
    Row("highway_qcif_h264.npz", "nonneg-dual", VIDEO, paper=0.03255),
    Row("cave_a.npz", "nonneg-dual", VIDEO),
    Row("cave_a.npz", "dual", VIDEO),
    Row("hangzhou_metro.npz", "nonneg-dual", VIDEO),
)


def measure(row: Row, folder: Path) -> dict[str, Any]:
    """Run one row; only `complete` is timed, by itself."""
    path = folder / row.file
    if not path.exists():
        return {**asdict(row), "missing": True}
    truth = formats.read_contents(path).data
    observed = sampling.uniform(truth.shape, keep=0.1, seed=0)
    settings: dict[str, Any] = {} if row.lam is None else {"lam": row.lam}
    done = tensorfill.complete(truth, observed, row.method, rank=row.rank, C=row.C, **settings)
    assert done.certificate is not None
    raw = metrics.score(truth, done.model, observed)
    clipped = metrics.score(truth, np.maximum(done.model, 0.0), observed)
    return {
        **asdict(row),
        "rmse": raw.rmse,
        "rmse_clipped": clipped.rmse,
        "rmse_unobserved_clipped": clipped.rmse_unobserved,
        "negative_share": raw.negative_share,
        "smallest": 0.0 if done.smallest is None else done.smallest / raw.scale,
        "relative_gap": done.certificate.relative_gap,
        "iterations": done.iterations,
        "operator_calls": done.history[-1].operator_calls,
        "seconds": done.seconds,
        "stop": done.stop.kind,
    }


HEAD = (
    "10 % observed",
    "method",
    "RMSE",
    "paper",
    "unobserved, clipped at 0",
    "smallest entry",
    "gap",
    "iterations",
    "s",
)


def formatted(found: dict[str, Any]) -> tuple[str, ...]:
    """A result as a row of the table."""
    setting = "" if found["lam"] is None else f", λ = 1, C = {found['C']:g}"
    name = (found["file"].partition(".")[0], f"`{found['method']}`{setting}")
    if found.get("missing"):
        return (*name, "data not found", *[""] * (len(HEAD) - 3))
    return (
        *name,
        f"{found['rmse']:.5f}",
        "–" if found["paper"] is None else f"{found['paper']:.5f}",
        f"{found['rmse_unobserved_clipped']:.5f}",
        f"{found['smallest']:.1e}",
        f"{found['relative_gap']:.2f}",
        str(found["iterations"]),
        f"{found['seconds']:.0f}",
    )


def main() -> None:
    """Run the rows asked for and print them."""
    parser = make_parser(__doc__, data="required")
    parser.add_argument("--rows", help="names of data, comma-separated; all by default")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reference/figures.md")
    chosen = parser.parse_args()
    names = names_from(chosen.rows, dict.fromkeys(row.name for row in ROWS), "data")
    results, table = [], GrowingTable(*HEAD)
    for row in ROWS:
        if row.name in names:
            results.append(measure(row, chosen.data))
            table.add(formatted(results[-1]))
    save_results("figures", results)
    if chosen.write:
        put(DOCS / "reference" / "figures.md", "figures", table)


if __name__ == "__main__":
    main()
