"""The command line, run as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ran:
    """What a command took."""

    seconds: float
    megabytes: float
    code: int
    output: str
    errors: str


def tensorfill(folder: Path, *words: str) -> Ran:
    """Run the command line as a user would, and watch its time and memory."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([sys.executable, "-m", "tensorfill", *words], cwd=folder, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        for file in (out, err):
            file.seek(0)
        told, errors = out.read().decode(), err.read().decode()
    return Ran(seconds, usage.ru_maxrss / 1024, process.returncode, told, errors)
