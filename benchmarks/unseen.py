"""Data on which no setting of `patches` was chosen, with holes of every kind: error and seconds of several methods.

    python benchmarks/unseen.py [--data DIR] [--rows coffee,akiyo] [--holes entries-10,lines] [--methods spectral,auto]
                                [--seeds 3] [--size 256] [--frames 50] [--write]

The settings of `patches` were chosen on splash, baboon, airplane, hall and cave_a, which are left out unless `--rows`
names them. Here are the photographs that ship inside scikit-image and, from the folder, three clips and the passenger
counts of Hangzhou's metro.

Protocol: values in [0, 1]; holes are those of `tensorfill.sampling` with seeds 0, 1, …, which are the methods' too;
"entries-10" keeps 10 % of the entries and "pixels-10" 10 % of the pixels with all their channels or frames; lines,
frames and blocks keep 80 %. RMSE over all entries, known ones kept, and seconds: means over the seeds. Every method
completes a corner of the data first, so that compiling is not counted. Of a gray picture pixels are entries, and of a
picture there are no frames: such rows are left out. "auto against the rest" is how much larger the error of `auto` is
than the smallest one of the other methods of the row; below zero it is the best. `--size` cuts everything but counts
down to its middle and `--frames` clips to their beginning, for quick runs. `--write` puts the table into
docs/explanation/patches.md. Data that is not there is a row that says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from harness import DOCS, GrowingTable, make_parser, names_from, put, save_results
from numpy.typing import NDArray
from photographs import COLOUR, GRAY, middle, photograph

import tensorfill
from tensorfill import metrics, sampling
from tensorfill.bench.dataset import datasets
from tensorfill.errors import DataNotFound, TensorfillError, TensorfillWarning

Array = NDArray[np.float64]

UNSEEN_CLIPS, COUNTS = ("container", "highway", "akiyo"), "hangzhou_metro"
ROWS = (*COLOUR, *GRAY, *UNSEEN_CLIPS, COUNTS)
CLIPS = (*UNSEEN_CLIPS, "hall")
TUNED = ("splash", "baboon", "airplane", "hall", "cave_a")
HOLES = {
    **{f"entries-{share}": ("uniform", share / 100) for share in (5, 10, 20, 50)},
    **{f"pixels-{share}": ("pixels", share / 100) for share in (10, 20, 50)},
    "lines": ("lines", 0.8),
    "frames": ("frames", 0.8),
    "blocks": ("blocks", 0.8),
}
"""Patterns and shares to keep."""
CORNER = 32


@dataclass(frozen=True)
class Run:
    """What a method made of one mask; no error if it refused, and then why."""

    rmse: float | None
    seconds: float
    refusal: str = ""


@dataclass(frozen=True)
class Cell:
    """A method on one row: means over the seeds."""

    method: str
    rmse: float | None
    seconds: float
    refusal: str = ""

    def __str__(self) -> str:
        return "refused" if self.rmse is None else f"{self.rmse:.4f}, {self.seconds:.1f} s"


def truth_of(name: str, folder: Path | None, size: int | None, frames: int | None) -> Array:
    """Values in [0, 1]. Raises DataNotFound or ImportError for what is not there."""
    if name in COLOUR + GRAY:
        return np.asarray(photograph(name, size) / 255)
    truth = datasets()[name].load(folder).truth
    if name == COUNTS:
        return truth
    return middle(truth[..., :frames] if name in CLIPS else truth, size)


def possible(holes: str, shape: tuple[int, ...]) -> bool:
    """Whether there are such holes in a tensor, and not the same ones by another name."""
    pattern, _ = HOLES[holes]
    if pattern == "pixels":
        return len(shape) > 2
    return pattern != "frames" or (len(shape) > 2 and shape[-1] > 4)


def run(truth: Array, holes: str, method: str, seed: int) -> Run:
    """Complete one mask."""
    pattern, keep = HOLES[holes]
    known = sampling.mask(pattern, truth.shape, keep, seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TensorfillWarning)  # of slices without a known entry
            done = tensorfill.complete(truth, known, method, random_state=seed)
    except TensorfillError as refusal:
        return Run(None, 0.0, str(refusal))
    return Run(metrics.rmse(truth, done.tensor), done.seconds)


def measure(truth: Array, holes: str, method: str, seeds: int) -> Cell:
    """Complete a corner, then all of it with every seed."""
    run(np.ascontiguousarray(truth[(slice(CORNER),) * truth.ndim]), holes, method, seed=0)
    runs = [run(truth, holes, method, seed) for seed in range(seeds)]
    errors = [found.rmse for found in runs if found.rmse is not None]
    if len(errors) < len(runs):
        return Cell(method, None, 0.0, next(found.refusal for found in runs if found.refusal))
    return Cell(method, float(np.mean(errors)), float(np.mean([found.seconds for found in runs])))


def verdict(cells: Sequence[Cell]) -> tuple[str, str]:
    """The best method of a row, and how `auto` does against the others."""
    errors = {cell.method: cell.rmse for cell in cells if cell.rmse is not None}
    if not errors:
        return "–", "–"
    best = min(errors, key=errors.__getitem__)
    others = [error for method, error in errors.items() if method != "auto"]
    if "auto" not in errors or not others or min(others) == 0:
        return f"`{best}`", "–"
    return f"`{best}`", f"{errors['auto'] / min(others) - 1:+.1%}"


def summary(rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Of every method but the first, a sentence on its error next to that of the first."""
    told = []
    for place in range(1, len(rows[0]) if rows else 0):
        pairs = [(row[0].rmse, row[place].rmse) for row in rows]
        ratios = [theirs / first for first, theirs in pairs if first and theirs]
        if ratios:
            worse = sum(ratio > 1.005 for ratio in ratios)
            told.append(
                f"`{rows[0][place].method}` next to `{rows[0][0].method}`: {np.exp(np.mean(np.log(ratios))) - 1:+.1%} "
                f"in the geometric mean of {len(ratios)} rows, from {min(ratios) - 1:+.1%} to {max(ratios) - 1:+.1%}; "
                f"more than 0.5 % worse in {worse}."
            )
    return told


def main() -> None:
    """Measure row by row, and print each as it is there."""
    parser = make_parser(__doc__, data="optional")
    parser.add_argument("--rows", help=f"comma-separated: {','.join(ROWS)}, all by default; also {','.join(TUNED)}")
    parser.add_argument("--holes", help=f"comma-separated: {','.join(HOLES)}; all by default")
    parser.add_argument("--methods", default="spectral,patches,auto", help="comma-separated")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--size", type=int, nargs="?", const=256, help="cut pictures to this side, 256 by default")
    parser.add_argument("--frames", type=int, help="of a clip, only so many")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/patches.md")
    given = parser.parse_args()
    names = names_from(given.rows, ROWS, "data", TUNED)
    kinds = names_from(given.holes, tuple(HOLES), "kind of holes")
    methods = names_from(given.methods, tuple(tensorfill.available_methods()), "method")
    head = ("data", "known", *(f"`{method}`" for method in methods), "best", "auto against the rest")
    table = GrowingTable(*head)
    rows: list[list[Cell]] = []
    results = []
    for name in names:
        try:
            truth = truth_of(name, given.data, given.size, given.frames)
        except (DataNotFound, ImportError):
            table.add([name, "data not found", *[""] * (len(methods) + 2)])
            continue
        size = "×".join(map(str, truth.shape))
        for holes in kinds:
            if possible(holes, truth.shape):
                rows.append([measure(truth, holes, method, given.seeds) for method in methods])
                table.add([f"{name} {size}", holes, *map(str, rows[-1]), *verdict(rows[-1])])
                results.append({"data": name, "shape": truth.shape, "holes": holes, "cells": [*map(asdict, rows[-1])]})
    refusals = {f"{cell.method} refused: {cell.refusal}" for row in rows for cell in row if cell.refusal}
    print("", *summary(rows), *sorted(refusals), sep="\n")
    if given.write:
        put(DOCS / "explanation" / "patches.md", "unseen", table)
    save_results("unseen", results, ("scikit-image",))


if __name__ == "__main__":
    main()
