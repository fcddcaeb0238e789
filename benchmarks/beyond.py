"""`spectral`, `patches` and `auto` without settings on real data, next to the paper and the best rival: error, seconds.

    python benchmarks/beyond.py --data DIR [--rows baboon,hall] [--methods spectral] [--ablation] [--write]

Protocol: values in [0, 1], entries observed where numpy.random.default_rng(0).random(shape) < 0.1, RMSE over all
entries: of the completed tensor, known entries kept, and of the raw model W. `--ablation` leaves out one ingredient of
`spectral` after the other. `--write` puts the tables into README.md and docs/spectral.md. Data that is not there is a
row that says so.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import tensorfill
from tensorfill import formats, metrics, sampling

ROOT = Path(__file__).parent.parent

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
    """One run; only `complete` is timed, by itself."""
    truth = formats.read_contents(file).data
    observed = sampling.uniform(truth.shape, keep=0.1, seed=0)
    done = tensorfill.complete(truth, observed, method, **settings)
    kept, raw = (metrics.score(truth, tensor, observed) for tensor in (done.tensor, done.model))
    return {"kept": kept.rmse, "raw": raw.rmse, "seconds": done.seconds, "settings": done.settings}


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


def compared(folder: Path, names: list[str], methods: list[str]) -> str:
    """A row per dataset."""
    lines = [
        f"| 10 % observed | {' | '.join(f'`{method}`' for method in methods)} | chosen | paper's method | best rival |",
        "| --- |" + " --- |" * (len(methods) + 3),
    ]
    for name in names:
        if not (folder / FILES[name]).exists():
            lines.append(f"| {name} | data not found |" + " |" * (len(methods) + 2))
            continue
        found = [measure(folder / FILES[name], method, {}) for method in methods]
        chosen = told_choice(found[-1]["settings"])
        paper = f"{PAPER[name]:.4f}" if name in PAPER else "–"
        lines.append(f"| {name} | {' | '.join(map(cell, found))} | {chosen} | {paper} | {RIVALS.get(name, '–')} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def ablated(folder: Path, names: list[str]) -> str:
    """A row per variant, a column per dataset."""
    names = [name for name in names if (folder / FILES[name]).exists()]
    lines = [f"| `spectral` | {' | '.join(names)} |", "| --- |" + " --- |" * len(names)]
    for variant, settings in VARIANTS.items():
        lines.append(f"| {variant} |")
        for name in names:
            found = measure(folder / FILES[name], "spectral", settings)
            lines[-1] += f" {found['kept']:.4f}, {found['seconds']:.1f} s |"
        print(lines[-1], flush=True)
    return "\n".join(lines)


def put(page: Path, mark: str, table: str) -> None:
    """Write a table between its marks."""
    begin, end = f"<!-- {mark}:begin -->", f"<!-- {mark}:end -->"
    text = page.read_text(encoding="utf-8")
    if not (begin in text and end in text.partition(begin)[2]):
        raise SystemExit(f"{page.name} has no {begin} with {end} after it, so the table was not put there.")
    page.write_text(f"{text.partition(begin)[0]}{begin}\n{table}\n{end}{text.partition(end)[2]}", encoding="utf-8")


def main() -> None:
    """Run what is asked for and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the data files")
    parser.add_argument("--rows", help="names of data, comma-separated; all by default")
    parser.add_argument(
        "--methods", default="spectral,patches,auto", help="comma-separated; it is told what the last one chose"
    )
    parser.add_argument("--ablation", action="store_true", help="leave out ingredients instead")
    parser.add_argument("--write", action="store_true", help="put the table into the pages")
    chosen = parser.parse_args()
    if unknown := [name for name in (chosen.rows or "").split(",") if name and name not in FILES]:
        parser.error(f"there is no data called {', '.join(unknown)}; known are {', '.join(FILES)}")
    if chosen.ablation:
        names = list(ABLATED) if chosen.rows is None else chosen.rows.split(",")
        table, page, mark = ablated(chosen.data, names), ROOT / "docs" / "spectral.md", "ablation"
    else:
        names = list(FILES) if chosen.rows is None else chosen.rows.split(",")
        table = compared(chosen.data, names, chosen.methods.split(","))
        page, mark = ROOT / "README.md", "beyond"
    print(f"\n{table}")
    if chosen.write:
        put(page, mark, table)


if __name__ == "__main__":
    main()
