"""What each ingredient of `patches` brings, and pictures of what it does at edges.

    python benchmarks/patches.py --ablation --data DIR [--rows baboon,hall] [--write]
    python benchmarks/patches.py --pictures DIR

Protocol of `--ablation`: values in [0, 1], entries observed where numpy.random.default_rng(0).random(shape) < 0.1,
RMSE over all entries, known ones kept, and seconds. So that a table takes minutes, data is cut to the middle and a clip
to its first 60 frames; the table says to which size. The first run of a column chooses settings by itself; all others
are given these, so that they differ in one ingredient only. Settings of the method are passed as such, other
ingredients as values of `PatchSettings`. `--write` puts the table into docs/explanation/patches.md. Data that is not
there is no column.

`--pictures` writes patches.png, the middle of a photograph that ships inside scikit-image of which 10 % of the entries
are known, and patches-scribbles.png, the same under scribbles. Shown is the middle of that; the two squares with most
edges, or where scribbles cross most of them, are magnified four times. RMSE over all entries, of the second picture
inside the scribbles, is printed, from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from beyond import FILES
from harness import DOCS, GrowingTable, make_parser, names_from, put
from inpainting import damaged, missing_of, telling_places
from numpy.typing import NDArray
from photographs import Picture, middle, photograph

import tensorfill
from tensorfill import formats, metrics, sampling
from tensorfill.cli.preview import side_by_side
from tensorfill.methods.patches import Patches
from tensorfill.methods.registry import forget, register

SHARE = 0.1
SIDES = {"baboon": 160, "splash": 192, "coffee": 256, "hall": 64, "cave_a": 128}
FRAMES = {"hall": 60}
PHOTOGRAPH, SIDE, SHOWN, TILE, MAGNIFIED = "coffee", 256, 192, 48, 4
GAP = 8
TINY = 1e-6
ABLATED = "patches-ablated"


@dataclass(frozen=True)
class Variant:
    """What differs from the method as it is."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    """Factors of settings that were chosen."""
    solver: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the `PatchSettings` that steer it."""
    model: Mapping[str, Any] = field(default_factory=dict)
    """Fields of their `ModelSettings`."""

    def method(self) -> type[Patches]:
        """`patches` that is steered so."""
        usual = Patches.solver
        steered = replace(usual, model=replace(usual.model, **self.model), **self.solver)
        return type("Ablated", (Patches,), {"name": ABLATED, "solver": steered})


VARIANTS = {
    "one pass, so no C": Variant(model={"passes": 1}),
    "no common covariance": Variant(model={"strength": TINY}),
    "no relaxation": Variant(model={"relaxation": 1.0, "relaxation_of_many_bands": 1.0}),
    "no share of the start": Variant(solver={"least_share": 1.0}),
    "no power": Variant(settings={"power": 1, "noise": None}),
    "σ² × 4": Variant(times={"noise": 2.0}),
    "σ² ÷ 4": Variant(times={"noise": 0.5}),
    "patches with a side of 4": Variant(settings={"patch": 4}),
    "patches with a side of 5": Variant(settings={"patch": 5}),
    "half as many members": Variant(times={"members": 0.5}),
    "all places": Variant(solver={"covered": 1.0, "covered_in_volumes": 1.0}),
    "1 round": Variant(settings={"max_iter": 1}),
    "2 rounds": Variant(settings={"max_iter": 2}),
    "4 rounds": Variant(settings={"max_iter": 4}),
}


def truth_of(name: str, folder: Path | None) -> NDArray[Any] | None:
    """The middle of a data set; None if it is not there."""
    if name not in FILES:
        return photograph(name, SIDES[name])
    if folder is None or not (folder / FILES[name]).exists():
        return None
    whole: Any = formats.read_contents(folder / FILES[name]).data
    if name in FRAMES:
        whole = whole[..., : FRAMES[name]]
    return middle(whole, SIDES[name])


def measure(truth: NDArray[Any], method: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """One run; only `complete` is timed, by itself."""
    observed = sampling.uniform(truth.shape, keep=SHARE, seed=0)
    done = tensorfill.complete(truth, observed, method, **settings)
    return {
        "kept": metrics.score(truth, done.tensor, observed).rmse,
        "seconds": done.seconds,
        "settings": {name: value for name, value in done.settings.items() if value is not None},
    }


def cell(found: Mapping[str, Any]) -> str:
    """Error and seconds."""
    return f"{found['kept']:.5f}, {found['seconds']:.1f} s"


def settings_of(variant: Variant, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Those that were chosen, but for what differs."""
    scaled = {name: type(chosen[name])(chosen[name] * factor) for name, factor in variant.times.items()}
    return {**chosen, **variant.settings, **scaled}


def ablate(folder: Path | None, names: list[str]) -> GrowingTable:
    """A row per variant, a column per data set."""
    truths = {name: truth for name in names if (truth := truth_of(name, folder)) is not None}
    sizes = [f"{name} {'×'.join(map(str, truth.shape))}" for name, truth in truths.items()]
    table = GrowingTable("10 % observed", *sizes)

    def tell(row: str, runs: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []

        def cells() -> Iterator[str]:
            yield row
            for run in runs:
                found.append(run)
                yield cell(run)

        table.add(cells())
        return found

    def of_variant(variant: Variant) -> Iterator[dict[str, Any]]:
        register(variant.method())
        try:
            for truth, settings in zip(truths.values(), chosen, strict=True):
                yield measure(truth, ABLATED, settings_of(variant, settings))
        finally:
            forget(ABLATED)

    measure(photograph(PHOTOGRAPH, TILE), "patches", {})  # compiles
    tell("`spectral`", (measure(truth, "spectral", {}) for truth in truths.values()))
    usual = tell("`patches`, as it is", (measure(truth, "patches", {}) for truth in truths.values()))
    chosen = [found["settings"] for found in usual]
    for row, variant in VARIANTS.items():
        tell(row, of_variant(variant))
    return table


def write_sheet(path: Path, panels: Mapping[str, Picture], missing: NDArray[np.bool_]) -> None:
    """The middle of pictures, the truth last, and under each the places where edges are missing, magnified."""
    cut = {caption: middle(whole, SHOWN) for caption, whole in panels.items()}
    places = telling_places(list(cut.values())[-1], middle(missing, SHOWN), tile=TILE)
    shown = {}
    for caption, picture in cut.items():
        gap = np.full_like(picture[:GAP], 255)
        parts = [picture]
        for place in places:
            parts += [gap, picture[place].repeat(MAGNIFIED, axis=0).repeat(MAGNIFIED, axis=1)]
        shown[caption] = np.concatenate(parts)
    formats.write(path, formats.Contents(side_by_side(shown)))


def draw_entries(path: Path) -> None:
    """10 % of the entries of a photograph."""
    truth = photograph(PHOTOGRAPH, SIDE)
    observed = sampling.uniform(truth.shape, keep=SHARE, seed=0)
    panels = {"10 % observed": np.where(observed, truth, np.uint8(0))}
    for method in ("spectral", "patches"):
        done = tensorfill.complete(truth, observed, method)
        error = metrics.score(truth, done.tensor, observed).rmse
        print(f"{path.name}, {method}: RMSE {error:.4f}, {done.seconds:.1f} s", flush=True)
        panels[f"{method}, RMSE {error:.4f}"] = done.tensor
    write_sheet(path, {**panels, "truth": truth}, np.ones(truth.shape[:2], dtype=bool))


def draw_scribbles(path: Path) -> None:
    """Scribbles over a photograph."""
    truth = photograph(PHOTOGRAPH, SIDE)
    missing = missing_of("strokes", truth.shape)
    panels = {f"{missing.mean():.1%} under scribbles": damaged(truth, missing)}
    for method in ("spectral", "patches"):
        done = tensorfill.complete(truth, ~missing, method)
        error = metrics.rmse(truth[missing] / 255, done.tensor[missing] / 255)
        print(f"{path.name}, {method}: RMSE {error:.4f} inside, {done.seconds:.1f} s", flush=True)
        panels[f"{method}, RMSE {error:.4f} inside"] = done.tensor
    write_sheet(path, {**panels, "truth": truth}, missing)


def main() -> None:
    """Run what is asked for and print it."""
    parser = make_parser(__doc__, data="optional")
    parser.add_argument("--rows", help="names of data, comma-separated; all by default")
    parser.add_argument("--ablation", action="store_true", help="leave out one ingredient after the other")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/patches.md")
    parser.add_argument("--pictures", type=Path, help="folder for the pictures of docs/explanation/patches.md")
    given = parser.parse_args()
    names = names_from(given.rows, SIDES, "data")
    if not given.ablation and given.pictures is None:
        parser.error("nothing to do: --ablation or --pictures DIR")
    if given.ablation:
        table = ablate(given.data, names)
        if given.write:
            put(DOCS / "explanation" / "patches.md", "patches-ablation", table)
    if given.pictures is not None:
        given.pictures.mkdir(parents=True, exist_ok=True)
        draw_entries(given.pictures / "patches.png")
        draw_scribbles(given.pictures / "patches-scribbles.png")


if __name__ == "__main__":
    main()
