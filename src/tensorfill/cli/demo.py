"""`tensorfill demo`: hide most of a picture that comes with the package, and fill it in again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..interrupting import INTERRUPTED
from .app import app


@app.command(epilog="Example: tensorfill demo -o demo")
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder for the pictures.")] = Path("demo"),
    keep: Annotated[float, typer.Option(help="The share of entries to keep, above 0 and at most 1.")] = 0.1,
    seed: Annotated[int, typer.Option(help="The same seed hides the same entries.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are already there.")] = False,
) -> None:
    """Hide most of a picture, complete it, and show both next to the truth."""
    from importlib.resources import as_file, files

    import numpy as np

    from .. import formats, metrics, sampling
    from .console import show_notes, show_table
    from .inputs import make_folder
    from .running import run, uninterrupted
    from .side_by_side import side_by_side
    from .summary import lines, score_lines

    with as_file(files("tensorfill.assets") / "cat.png") as cat:
        truth = formats.read_contents(cat).data
    observed = sampling.uniform(truth.shape, keep, seed)
    make_folder(output)
    paths = {name: output / f"{name}.png" for name in ("holes", "completed", "truth", "before-after")}
    again = force or all(path.is_file() for path in paths.values())  # what an earlier demo left is replaced
    for path in paths.values():
        formats.check_place(path, force=again)
    done, notes = run(truth, observed, random_state=seed)
    together = paths["before-after"]
    with uninterrupted():
        holes = np.where(observed, truth, np.uint8(0))
        captioned = {f"{keep:.0%} observed": holes, "completed": done.tensor, "truth": truth}
        pictures = {"holes": holes, "completed": done.tensor, "truth": truth}
        for name, picture in (*pictures.items(), (together.stem, side_by_side(captioned))):
            formats.write(paths[name], formats.Contents(picture), force=again)
        result = metrics.score(truth, done.tensor, observed)
        show_table([*lines(done), *score_lines(result), ("pictures in", str(output)), ("look at", str(together))])
        show_notes(notes, err=False)
    if done.stop.kind == "interrupted":
        raise typer.Exit(INTERRUPTED)
