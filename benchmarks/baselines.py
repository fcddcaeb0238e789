"""The other methods next to what reference programs gave: error and seconds, side by side.

    python benchmarks/baselines.py --data DIR [--seeds 3] [--rows ncpc,tmac] [--write]
    python benchmarks/baselines.py --data DIR --rivals --seeds 1 [--write]

Protocol: values in [0, 1], a tenth of the entries observed where numpy.random.default_rng(seed).random(shape) < 0.1,
ranks (10, 10, 5), or (10, 10, 3) for colour pictures; RMSE of the raw model over all entries. "syn" is a nonnegative
tensor of size 64×64×20 and multilinear rank (5, 5, 3), 30 % observed; the authors' programs ran on another such tensor.

The reference figures of the paper's baselines come from the authors' programs under GNU Octave 7.3 on one thread of a
shared two-core machine; one mask and one seed each, seconds ± 50 %. Those of the later rivals (`--rivals`) come from
programs in NumPy that give what the authors' do on baboon, on one core of such a machine, with the mask of seed 0 and
known entries put back. They are constants here: those programs are not run again. `--write` puts the table into
docs/reference/baselines.md.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from harness import DOCS, make_parser, put, save_results, show
from numpy.typing import NDArray

import tensorfill
from tensorfill.bench.dataset import datasets
from tensorfill.errors import DataNotFound
from tensorfill.estimates.factored import TuckerTensor

VIDEO, COLOUR = (10, 10, 5), (10, 10, 3)


@dataclass(frozen=True)
class Row:
    """One method with settings on one data set, and what its authors' program gave."""

    method: str
    data: str
    settings: dict[str, Any] = field(default_factory=dict)
    rmse: float | None = None
    seconds: float | None = None

    @property
    def rank(self) -> tuple[int, ...]:
        """The ranks of the protocol."""
        return COLOUR if self.data in ("baboon", "splash") else VIDEO

    def all_settings(self) -> dict[str, Any]:
        """With the rank, where the method has one per mode."""
        ranked = self.method in ("dual", "dual-demo", "nonneg-dual", "rprecon", "geomcg", "tmac", "smf-lrtc")
        return {**({"rank": self.rank} if ranked else {}), **self.settings}

    @property
    def title(self) -> str:
        """The method and what differs from its defaults."""
        return ", ".join([self.method, *(f"{name}={value}" for name, value in self.settings.items())])


_STANDARD = {"tau": 100.0, "standardize": True}
ROWS = (
    Row("zero-fill", "baboon", rmse=0.5120),
    Row("zero-fill", "hall", rmse=0.5588),
    Row("mean-fill", "baboon", rmse=0.1974),
    Row("mean-fill", "hall", rmse=0.1750),
    Row("linear", "baboon"),
    Row("biharmonic", "baboon"),
    Row("dual-demo", "syn", rmse=0.0032, seconds=16),
    Row("dual-demo", "baboon", rmse=0.33225, seconds=3),
    Row("dual-demo", "splash", rmse=0.33511, seconds=11),
    Row("dual", "baboon", rmse=0.12118, seconds=11),
    Row("dual", "splash", rmse=0.06401, seconds=77),
    Row("dual", "hall", rmse=0.0509, seconds=112),
    Row("rprecon", "syn", rmse=0.0211, seconds=4),
    Row("rprecon", "baboon", rmse=0.168, seconds=15),
    Row("rprecon", "hall", rmse=0.06846, seconds=91),
    Row("geomcg", "syn", rmse=0.360, seconds=96),
    Row("geomcg", "baboon", rmse=4.3, seconds=130),
    Row("geomcg", "hall", rmse=0.06847, seconds=32),
    Row("ncpc", "syn", rmse=0.0018, seconds=2.5),
    Row("ncpc", "baboon", rmse=0.1241, seconds=8),
    Row("ncpc", "hall", rmse=0.0714, seconds=129),
    Row("tmac", "syn", {"weights": "dynamic"}, rmse=0.0181, seconds=6),
    Row("tmac", "syn", rmse=0.0184, seconds=5),
    Row("tmac", "baboon", {"weights": "dynamic"}, rmse=0.5120, seconds=0.1),
    Row("tmac", "baboon", rmse=0.1272, seconds=9),
    Row("tmac", "hall", {"weights": "dynamic"}, rmse=0.0648, seconds=50),
    Row("tmac", "hall"),
    Row("lrtc-tv", "syn", rmse=0.0491, seconds=45),
    Row("lrtc-tv", "baboon", rmse=0.0996, seconds=259),
    Row("lrtc-tv", "syn", {"variant": "II"}, rmse=0.0063, seconds=145),
    Row("lrtc-tv", "baboon", {"variant": "II"}),
    Row("smf-lrtc", "syn", rmse=0.0042, seconds=12),
    Row("smf-lrtc", "baboon", rmse=0.1150, seconds=240),
    Row("smf-lrtc", "hall", {"max_iter": 60}, rmse=0.0634, seconds=110),
    Row("ffw", "syn", {"tau": 100.0}, rmse=0.0047, seconds=14),
    Row("ffw", "baboon", {"tau": 100.0}, rmse=0.1468, seconds=10),
    Row("ffw", "hall", {"tau": 100.0}, rmse=0.0422, seconds=35),
    Row("ffw", "syn", _STANDARD, rmse=0.0064, seconds=13),
    Row("ffw", "baboon", _STANDARD, rmse=0.1241, seconds=8),
    Row("ffw", "hall", _STANDARD, rmse=0.0803, seconds=27),
    Row("ffw", "syn"),
    Row("ffw", "baboon"),
    Row("ffw", "hall"),
)

_WITH_PENALTY = {"penalty": 1.0}
RIVALS = (
    Row("t-ctv", "baboon", rmse=0.0881, seconds=25),
    Row("t-ctv", "splash", rmse=0.0293, seconds=85),
    Row("t-ctv", "hall", rmse=0.0191, seconds=380),
    Row("t-ctv", "container", rmse=0.0182, seconds=204),
    Row("t-ctv", "highway", rmse=0.0200, seconds=458),
    Row("t-ctv", "cave_a", rmse=0.0141, seconds=245),
    Row("t-ctv", "hangzhou_metro", rmse=0.0104, seconds=10),
    Row("tnn", "baboon", rmse=0.1303, seconds=13),
    Row("tnn", "splash", rmse=0.0665, seconds=84),
    Row("tnn", "hall", rmse=0.0286, seconds=55),
    Row("tnn", "cave_a", rmse=0.0301, seconds=108),
    Row("tnn", "hangzhou_metro", rmse=0.0118, seconds=6),
    Row("halrtc", "baboon", rmse=0.1178, seconds=8),
    Row("halrtc", "splash", rmse=0.0590, seconds=38),
    Row("halrtc", "hall", rmse=0.0728, seconds=35),
    Row("halrtc", "container", rmse=0.0691, seconds=45),
    Row("halrtc", "highway", rmse=0.0410, seconds=46),
    Row("halrtc", "cave_a", rmse=0.0567, seconds=36),
    Row("halrtc", "hangzhou_metro", _WITH_PENALTY, rmse=0.0345, seconds=6),
    Row("halrtc", "hangzhou_metro"),
    Row("spc", "baboon", rmse=0.0852, seconds=14),
    Row("spc", "splash", rmse=0.0316, seconds=29),
    Row("spc", "hall", rmse=0.0346, seconds=142),
    Row("spc", "cave_a", rmse=0.0190, seconds=142),
    Row("spc", "hangzhou_metro"),
    Row("spc", "baboon", {"variant": "total-variation"}, rmse=0.0987, seconds=21),
    Row("bcpf", "baboon"),
    Row("bcpf", "splash"),
    Row("bcpf", "hall"),
    Row("bcpf", "cave_a"),
    Row("bcpf", "hangzhou_metro"),
)


def truth_of(name: str, folder: Path, seed: int) -> NDArray[np.float64] | None:
    """The data, or None if its file is not there."""
    if name == "syn":
        rng = np.random.default_rng(100 + seed)
        ranks, shape = (5, 5, 3), (64, 64, 20)
        factors = tuple(rng.random((size, rank)) for size, rank in zip(shape, ranks, strict=True))
        full = TuckerTensor(rng.random(ranks), factors).dense()
        return np.asarray(full / full.max())
    try:
        return datasets()[name].load(folder).truth
    except DataNotFound:
        return None


def measure(row: Row, folder: Path, seeds: int) -> dict[str, Any]:
    """Run one row with several seeds, of mask and method alike."""
    runs: list[dict[str, Any]] = []
    for seed in range(seeds):
        truth = truth_of(row.data, folder, seed)
        if truth is None:
            break
        known = np.random.default_rng(seed).random(truth.shape) < (0.3 if row.data == "syn" else 0.1)
        done = tensorfill.complete(truth, known, method=row.method, random_state=seed, **row.all_settings())
        runs.append(
            {
                "rmse": float(np.sqrt(np.mean((done.model - truth) ** 2))),
                "seconds": done.seconds,
                "iterations": done.iterations,
                "stop": done.stop.kind,
                "smallest": done.smallest,
                "negative_share": done.negative_share,
            }
        )
    return {**asdict(row), "runs": runs}


def formatted(row: Row, found: dict[str, Any]) -> tuple[str, ...]:
    """A row for people."""
    runs = found["runs"]
    if not runs:
        return (row.data, row.title, "no data", *("–" for _ in range(8)))
    rmse = [run["rmse"] for run in runs]
    seconds = min(run["seconds"] for run in runs)
    negative = [run["negative_share"] for run in runs if run["negative_share"] is not None]
    return (
        row.data,
        row.title,
        f"{np.median(rmse):.4f}",
        f"{min(rmse):.4f}–{max(rmse):.4f}",
        "–" if row.rmse is None else f"{row.rmse:.4f}",
        "–" if row.rmse is None else f"{np.median(rmse) / row.rmse:.2f}",
        f"{seconds:.1f}",
        "–" if row.seconds is None else f"{row.seconds:g}",
        "–" if row.seconds is None else f"{row.seconds / max(seconds, 1e-3):.0f}",
        f"{min(run['smallest'] for run in runs):.2g}",
        f"{max(negative):.1%}" if negative else "–",
    )


HEAD = (
    "data",
    "method",
    "RMSE",
    "all seeds",
    "reference",
    "ratio",
    "s",
    "reference s",
    "times faster",
    "smallest",
    "negative",
)


def main() -> None:
    """Measure every row and print the table."""
    parser = make_parser(__doc__, data="required")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", help="methods or data sets to run, separated by commas")
    parser.add_argument("--rivals", action="store_true", help="the later rivals instead of the paper's baselines")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reference/baselines.md")
    chosen = parser.parse_args()
    wanted = None if chosen.rows is None else set(chosen.rows.split(","))
    which, all_rows = ("rivals", RIVALS) if chosen.rivals else ("baselines", ROWS)
    rows = [row for row in all_rows if wanted is None or {row.method, row.data} & wanted]
    found = ((row, measure(row, chosen.data, chosen.seeds)) for row in rows)
    results, table = show(HEAD, found, lambda pair: formatted(*pair), words=(0, 1))
    if chosen.write:
        put(DOCS / "reference" / "baselines.md", which, table)
    save_results(which, [result for _, result in results], ("scikit-image",))


if __name__ == "__main__":
    main()
