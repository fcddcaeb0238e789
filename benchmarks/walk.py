"""Which files a completion walks through, in the order of their first call, and how many of them are of which kind.

    python benchmarks/walk.py [--files] [--write]

Traces `complete(x)` of a small picture with holes, and `tensorfill complete photo.png -o out.png` of the same in this
process, both warm, and counts the files of the package that a call enters; with --files each is named, with the
function that is called first, and with --write the drawing in docs/explanation/architecture.md is made
anew. Outside of the
solvers is all but selection, the rooms of methods and numerics.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from types import FrameType
from typing import Any

import numpy as np
from typer.testing import CliRunner

import tensorfill
from tensorfill.cli import app
from tensorfill.formats import Contents, write
from tensorfill.formats.contents import Metadata

ROOT = Path(tensorfill.__file__).parent
KINDS = {
    "the command": ("cli", "__main__"),
    "formats": ("formats",),
    "selection": ("selection",),
    "methods": ("methods", "method", "dual", "riemannian", "spectral", "patches", "estimates", "iterating"),
    "numerics": ("numerics",),
}
"""Rooms by kind; all others are the library itself."""
SOLVERS = ("selection", "methods", "numerics")
PAGE = ROOT.parents[1] / "docs" / "explanation" / "architecture.md"
BEGIN, END = "<!-- drawn by benchmarks/walk.py --write -->\n", "<!-- until here -->"
_WIDTH = 118
VERB = "tensorfill complete photo.png -o out.png"


def picture() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A smooth colour picture, and which of its pixels are known."""
    i, j = np.meshgrid(np.linspace(0, 6, 64), np.linspace(0, 4, 48), indexing="ij")
    shades = np.stack([np.sin(i + j), np.cos(i - j), np.sin(2 * i)], axis=2)
    known = np.random.default_rng(0).random(i.shape) < 0.5
    return np.rint(120 + 100 * shades).astype(np.uint8), known


def walk(work: Callable[[], object]) -> dict[str, str]:
    """The files of the package that calls enter, in order, each with the first function."""
    seen: dict[str, str] = {}

    def look(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            seen.setdefault(path.relative_to(ROOT).as_posix(), frame.f_code.co_qualname)

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return seen


def kind_of(file: str) -> str:
    """The kind of a file."""
    room = file.split("/")[0].removesuffix(".py")
    return next((kind for kind, rooms in KINDS.items() if room in rooms), "the library")


def show(title: str, found: dict[str, str], *, files: bool) -> None:
    """Print how many files of each kind there are, and which."""
    inside, outside = count(found)
    print(f"\n{title}: {inside} files, {outside} of them outside of the solvers")
    for kind in ("the command", "formats", "the library", *SOLVERS):
        own = [file for file in found if kind_of(file) == kind]
        print(f"  {kind}: {len(own)}", *(f"{file}: {found[file]}" for file in own if files), sep="\n    ")


def count(found: dict[str, str]) -> tuple[int, int]:
    """How many files there are in all, and outside of the solvers."""
    return len(found), sum(kind_of(file) not in SOLVERS for file in found)


def draw(title: str, found: dict[str, str]) -> str:
    """A walk as text: the files by kind, in the order of their first call; of solvers, how many there are by room."""
    inside, outside = count(found)
    lines = [f"{title}: {inside} files, {outside} of them outside of the solvers"]
    for kind in ("the command", "formats", "the library"):
        if own := [file.removeprefix("cli/").removesuffix(".py") for file in found if kind_of(file) == kind]:
            own = [name.removeprefix("formats/").removesuffix("/__init__") for name in own]
            text = f"{kind}, {len(own)}: {' ─► '.join(own)}"
            lines += fill(text, _WIDTH, initial_indent="  ", subsequent_indent="    ").splitlines()
    rooms = Counter(file.split("/")[0].removesuffix(".py") for file in found if kind_of(file) in SOLVERS)
    lines.append(f"  solvers, {inside - outside}: {', '.join(f'{room} {number}' for room, number in rooms.items())}")
    return "\n".join(lines)


def redraw(walks: dict[str, dict[str, str]]) -> None:
    """Put both walks into the page, between its marks."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    drawn = "\n\n".join(draw(title, found) for title, found in walks.items())
    PAGE.write_text(f"{before}{BEGIN}\n```text\n{drawn}\n```\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def main() -> None:
    """Print both walks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true", help="name every file")
    parser.add_argument("--write", action="store_true", help="draw both walks in docs/explanation/architecture.md")
    chosen = parser.parse_args()
    walks: dict[str, dict[str, str]] = {}
    data, known = picture()
    alpha = np.where(known, np.uint8(255), np.uint8(0))
    with TemporaryDirectory() as folder:
        photo = Path(folder) / "photo.png"
        write(photo, Contents(data, metadata=Metadata(kind="picture", alpha=alpha)))

        def command() -> None:
            given = ["complete", str(photo), "-o", str(Path(folder) / "out.png"), "--force"]
            outcome = CliRunner().invoke(app, given)
            assert outcome.exit_code == 0, outcome.output

        for title, work in (("complete(x)", lambda: tensorfill.complete(data, known)), (VERB, command)):
            work()
            walks[title] = walk(work)
            show(title, walks[title], files=chosen.files)
    if chosen.write:
        redraw(walks)


if __name__ == "__main__":
    main()
