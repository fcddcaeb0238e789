"""`tensorfill demo`: hide most of a picture that comes with the package, and fill it in again."""

from __future__ import annotations

from importlib.resources import as_file
from importlib.resources import files as package_files
from pathlib import Path

import numpy as np
import typer

from .. import metrics, sampling
from ..formats import Contents, DataFile, read_contents
from ..interrupting import INTERRUPTED
from .console import show_notes, show_table
from .places import make_folder
from .preview import side_by_side
from .running import ignore_interrupts, run
from .summary import lines, score_lines


def demo(output: Path, keep: float, seed: int, force: bool) -> None:
    """Complete the picture."""
    with as_file(package_files("tensorfill.assets") / "cat.png") as cat:
        truth = read_contents(cat).data
    observed = sampling.uniform(truth.shape, keep, seed)
    make_folder(output)
    files = {name: DataFile.of(output / f"{name}.png") for name in ("holes", "completed", "truth", "before-after")}
    again = force or all(file.path.is_file() for file in files.values())  # what an earlier demo left is replaced
    for file in files.values():
        file.check_place(force=again)
    done, notes = run(Contents(truth, observed), random_state=seed)
    together = files["before-after"].path
    with ignore_interrupts():
        holes = np.where(observed, truth, np.uint8(0))
        captioned = {f"{keep:.0%} observed": holes, "completed": done.tensor, "truth": truth}
        pictures = {"holes": holes, "completed": done.tensor, "truth": truth}
        for name, picture in (*pictures.items(), (together.stem, side_by_side(captioned))):
            files[name].write(Contents(picture), force=again)
        result = metrics.score(truth, done.tensor, observed)
        show_table([*lines(done), *score_lines(result), ("pictures in", str(output)), ("look at", str(together))])
        show_notes(notes, err=False)
    if done.stop.kind == "interrupted":
        raise typer.Exit(INTERRUPTED)
