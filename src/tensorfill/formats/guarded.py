"""Decoding in a child process, for libraries that may crash, hang or fill the memory on damaged files.

Of 1,500 damaged HDF5 files, libhdf5 2.0 crashed on 5 and did not end on 1. Nothing in the same process can catch that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, cast

from .contents import Contents
from .damage import damaged, readable
from .entries import Entries
from .reading import Reading
from .wire import receive


def decode_guarded(format_name: str, kind: str, path: Path, how: Reading) -> Contents | Entries:
    """What `Format.decode` returns in the child; its crash is damage of the file, `kind` is what the file should be."""
    question = json.dumps([format_name, os.fspath(path), asdict(how)])
    root = Path(__file__).parents[2]
    places = os.pathsep.join([str(root), *(place for place in sys.path if place)])
    with (
        readable(path, kind),
        subprocess.Popen(
            [sys.executable, "-P", "-m", f"{__package__}.guarded_child", question],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": places},
        ) as child,
    ):
        try:
            return cast(Contents | Entries, receive(cast(BinaryIO, child.stdout)))
        except (EOFError, LookupError, TypeError, AttributeError) as error:
            raise damaged(path, kind) from error
        finally:
            child.kill()
