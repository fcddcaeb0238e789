"""`spectral`, `patches` and `auto` without settings on real data, next to the paper and the best rival: error, seconds.

    python benchmarks/beyond.py --data DIR [--rows baboon,hall] [--methods spectral] [--ablation] [--write]

Protocol: values in [0, 1], entries observed where numpy.random.default_rng(0).random(shape) < 0.1, RMSE over all
entries: of the completed tensor, known entries kept, and of the raw model W. `--ablation` leaves out one ingredient of
`spectral` after the other. `--write` puts the tables into README.md and
docs/explanation/spectral.md. Data that is not there is a
row that says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from harness import DOCS, ROOT, GrowingTable, make_parser, names_from, put

import tensorfill
from tensorfill import formats, metrics, sampling
from tensorfill.telling import seconds_compiling

FILES = {
    "baboon": "baboon_256.png",
    "splash": "splash_512.png",
    "airplane": "airplane_f16_512.png",
    "hall": "hall_qcif.npz",
    "container": "container_qcif_h264.npz",
    "highway": "highway_qcif_h264.npz",
    "akiyo": "akiyo_qcif_h264.npz",
    "cave_a": "cave_a.npz",
    "hangzhou_metro": "hangzhou_metro.npz",
}
PAPER = {"baboon": 0.1194, "splash": 0.0637, "hall": 0.0370, "container": 0.0449, "highway": 0.0326}
RIVALS = {
    "baboon": "0.0852 SPC",
    "splash": "0.0293 t-CTV",
    "hall": "0.0191 t-CTV",
    "container": "0.0182 t-CTV",
    "highway": "0.0200 t-CTV",
    "cave_a": "0.0128 HLRTF",
    "hangzhou_metro": "0.0104 t-CTV",
}
"""What programs of others gave under the same protocol, best first."""

VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "cosines only": {"bases": ("dct", "dct", "dct")},
    "learned everywhere": {"bases": ("learned", "learned", "learned")},
    "spectrum not smoothed": {"smoothing": 0.01},
    "borders not looked for": {"borders": ((0, 0), (0, 0), (0, 0))},
    "three rounds": {"max_iter": 3, "learned_rounds": 3},
    "clipped, not W ≥ 0": {"constrained": False},
    "no power": {"power": 1},
}
ABLATED = ("baboon", "splash", "hall", "cave_a", "hangzhou_metro")


def measure(file: Path, method: str, settings: dict[str, Any]) -> dict[str, Any]:
    """One run; only `complete` is timed, by itself, and without the compiling that a first run does."""
    truth = formats.read_contents(file).data
    observed = sampling.uniform(truth.shape, keep=0.1, seed=0)
    compiled, _ = seconds_compiling()
    done = tensorfill.complete(truth, observed, method, **settings)
    seconds = done.seconds - (seconds_compiling()[0] - compiled)
    kept, raw = (metrics.score(truth, tensor, observed) for tensor in (done.tensor, done.model))
    return {"kept": kept.rmse, "raw": raw.rmse, "seconds": seconds, "settings": done.settings}


def cell(found: dict[str, Any]) -> str:
    """Error with known entries kept, that of W, and seconds."""
    return f"{found['kept']:.4f} ({found['raw']:.4f}), {found['seconds']:.1f} s"


def told_choice(settings: dict[str, Any]) -> str:
    """What a method has chosen by itself: the weights of methods, bases, or what patches are like."""
    if "weights" in settings:
        return " + ".join(f"{weight:.2f} {name}" for name, weight in settings["weights"].items())
    if "bases" in settings:
        return ", ".join(settings["bases"])
    return ", ".join(f"{name} {value}" for name, value in settings.items() if value is not None)


def compare(folder: Path, names: list[str], methods: list[str]) -> GrowingTable:
    """A row per dataset."""
    table = GrowingTable(
        "10 % observed", *(f"`{method}`" for method in methods), "chosen", "paper's method", "best rival"
    )
    for name in names:
        if (folder / FILES[name]).exists():
            table.add(_cells(folder / FILES[name], name, methods))
        else:
            table.add([name, "data not found", *[""] * (len(methods) + 2)])
    return table


def _cells(file: Path, name: str, methods: list[str]) -> Iterator[str]:
    yield name
    for method in methods:
        found = measure(file, method, {})
        yield cell(found)
    yield told_choice(found["settings"])
    yield f"{PAPER[name]:.4f}" if name in PAPER else "–"
    yield RIVALS.get(name, "–")


def ablate(folder: Path, names: list[str]) -> GrowingTable:
    """A row per variant, a column per dataset."""
    names = [name for name in names if (folder / FILES[name]).exists()]
    table = GrowingTable("`spectral`", *names)
    for variant, settings in VARIANTS.items():
        runs = (measure(folder / FILES[name], "spectral", settings) for name in names)
        table.add(chain([variant], (f"{found['kept']:.4f}, {found['seconds']:.1f} s" for found in runs)))
    return table


def main() -> None:
    """Run what is asked for and print it."""
    parser = make_parser(__doc__, data="required")
    parser.add_argument("--rows", help="names of data, comma-separated; all by default")
    parser.add_argument(
        "--methods", default="spectral,patches,auto", help="comma-separated; it is told what the last one chose"
    )
    parser.add_argument("--ablation", action="store_true", help="leave out ingredients instead")
    parser.add_argument("--write", action="store_true", help="put the table into the pages")
    chosen = parser.parse_args()
    names = names_from(chosen.rows, ABLATED if chosen.ablation else FILES, "data", FILES)
    if chosen.ablation:
        table, page, mark = ablate(chosen.data, names), DOCS / "explanation" / "spectral.md", "ablation"
    else:
        table, page, mark = compare(chosen.data, names, chosen.methods.split(",")), ROOT / "README.md", "beyond"
    if chosen.write:
        put(page, mark, table)


if __name__ == "__main__":
    main()
