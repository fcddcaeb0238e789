"""Which files a completion walks through, in the order of their first call.

    python benchmarks/walk.py

Traces `complete(x)` of a small picture with holes, and `tensorfill complete photo.png -o out.png` of the same in this
process, both warm, and prints every file of the package that a call enters, with the function that is called first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import numpy as np
from typer.testing import CliRunner

import tensorfill
from tensorfill.cli import app
from tensorfill.formats import Contents, write
from tensorfill.formats.contents import Metadata

ROOT = Path(tensorfill.__file__).parent


def picture() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A smooth colour picture, and which of its pixels are known."""
    i, j = np.meshgrid(np.linspace(0, 6, 64), np.linspace(0, 4, 48), indexing="ij")
    shades = np.stack([np.sin(i + j), np.cos(i - j), np.sin(2 * i)], axis=2)
    known = np.random.default_rng(0).random(i.shape) < 0.5
    return np.rint(120 + 100 * shades).astype(np.uint8), known


def walk(work: Callable[[], object]) -> list[str]:
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
    return [f"{file}: {function}" for file, function in seen.items()]


def main() -> None:
    """Print both walks."""
    data, known = picture()
    alpha = np.where(known, np.uint8(255), np.uint8(0))
    with TemporaryDirectory() as folder:
        photo = Path(folder) / "photo.png"
        write(photo, Contents(data, metadata=Metadata(kind="picture", alpha=alpha)))

        def command() -> None:
            given = ["complete", str(photo), "-o", str(Path(folder) / "out.png"), "--force"]
            outcome = CliRunner().invoke(app, given)
            assert outcome.exit_code == 0, outcome.output

        for title, work in (("complete(x)", lambda: tensorfill.complete(data, known)), ("the command", command)):
            work()
            found = walk(work)
            print(f"\n{title}: {len(found)} files", *found, sep="\n  ")


if __name__ == "__main__":
    main()
