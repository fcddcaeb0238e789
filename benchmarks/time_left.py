"""How well the time left is told: what the command says after a tenth of a run, and what it was in truth.

    python benchmarks/time_left.py --data DIR [--cases picture,clip,cube,folder]

A picture (splash_512.png), a clip (hall_qcif.npz), a cube (cave_a.npz) and a folder of four crops of the picture, each
with a tenth of its entries kept, are completed by the command itself, in this process. What it would show on a terminal
is written down twenty times a second.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from harness import GrowingTable, make_parser, names_from
from typer.testing import CliRunner

from tensorfill import formats, sampling
from tensorfill.cli import app
from tensorfill.cli import complete as verb
from tensorfill.cli.progress import ProgressLine, measure_pace

CASES = {"picture": "splash_512.png", "clip": "hall_qcif.npz", "cube": "cave_a.npz", "folder": "splash_512.png"}
SHARES = (0.1, 0.25, 0.5)
KEEP = 0.1


class WatchedLine(ProgressLine):
    """The lines of progress, as on a terminal, with what they say over time."""

    latest: WatchedLine | None = None

    def __init__(self, files: int = 1, *, quiet: bool = False) -> None:
        super().__init__(files, quiet=quiet)
        self.__dict__["_machine_pace"] = measure_pace()
        WatchedLine.latest = self


def said_over_time(stop: threading.Event, said: list[tuple[float, float]]) -> None:
    """Write down what is said, until told to stop."""
    while not stop.wait(0.05):
        line = WatchedLine.latest
        if line is not None:
            said.append((time.monotonic(), line.time_left_in_all()))


def hidden(case: str, data: Path, folder: Path) -> Path:
    """The input of a case: with holes, in `folder`."""
    whole = formats.read_contents(data / CASES[case]).data
    parts = {case: whole}
    if case == "folder":
        starts = ((0, 0), (0, 300), (300, 0), (300, 300))
        parts = {f"part-{row}-{column}": whole[row : row + 160, column : column + 160] for row, column in starts}
    place = folder / "holes"
    place.mkdir()
    for name, part in parts.items():
        known = sampling.mask("uniform", part.shape, KEEP, 0)
        formats.write(place / f"{name}.npz", formats.Contents(np.where(known, part, 0).astype(part.dtype), known))
    return place if case == "folder" else place / f"{case}.npz"


def measure(case: str, data: Path) -> list[str]:
    """A line of the table."""
    with TemporaryDirectory() as folder:
        source = hidden(case, data, Path(folder))
        said: list[tuple[float, float]] = []
        stop = threading.Event()
        thread = threading.Thread(target=said_over_time, args=(stop, said), daemon=True)
        thread.start()
        began = time.monotonic()
        outcome = CliRunner().invoke(app, ["complete", str(source), "-o", str(Path(folder) / "done"), *_format(case)])
        total = time.monotonic() - began
        stop.set()
        thread.join()
        assert outcome.exit_code == 0, outcome.output
    cells = [case, f"{total:.1f} s"]
    for share in SHARES:
        told = next(left for moment, left in said if moment - began >= share * total)
        truth = (1 - share) * total
        cells.append(f"{told:.1f} s, {truth:.1f} s ({told / truth:.2f})")
    return cells


def _format(case: str) -> list[str]:
    return [] if case == "folder" else ["--output-format", "npy"]


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__, data="required")
    parser.add_argument("--cases", default=",".join(CASES))
    chosen = parser.parse_args()
    setattr(verb, "ProgressLine", WatchedLine)  # noqa: B010 - where the command takes it from
    table = GrowingTable("case", "in all", *(f"said and true after {share:.0%}" for share in SHARES))
    for case in names_from(chosen.cases, CASES, "case"):
        table.add(measure(case, chosen.data))


if __name__ == "__main__":
    main()
