"""Runs `tensorfill complete` again and again in one process, within bounds, and tells what became of each run.

A line of JSON comes in for each run, and one goes out: exit code, standard output and error as the system sees them,
seconds, and the largest memory so far. A run that takes longer than it may ends this process, and so does `--die`.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, TextIO

sys.path.append(str(Path(__file__).parents[1]))
import ready_children

SECONDS = 10
ADDRESSES = 4 * 2**30
_MUCH_USED = ("scipy.io", "PIL.Image", "tifffile", "nibabel", "av", "polars", "numba")


def main() -> None:
    """Answer until there are no more questions."""
    answers = os.fdopen(os.dup(1), "w")
    for module in ("tensorfill.cli", "tensorfill.cli.complete", "tensorfill.methods.registry", *_MUCH_USED):
        importlib.import_module(module)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nursery = ready_children.use()
    _say(answers, {"memory": _memory(nursery)})
    command = _command()
    for line in sys.stdin:
        _say(answers, _answer(command, json.loads(line)) | {"memory": _memory(nursery)})


def _say(answers: TextIO, told: dict[str, Any]) -> None:
    answers.write(json.dumps(told) + "\n")
    answers.flush()


def _command() -> Any:
    """The command, made once: making it takes longer than refusing most files."""
    from typer.main import get_command

    from tensorfill.cli import app

    return get_command(app)


def _answer(command: Any, arguments: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        started, code = time.monotonic(), 0
        signal.alarm(SECONDS)
        if arguments == ["--die"]:
            os.kill(os.getpid(), signal.SIGSEGV)
        try:
            command(["complete", *arguments], prog_name="tensorfill")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:
            code = 1
            traceback.print_exc()
        signal.alarm(0)
        seconds = time.monotonic() - started
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return {"code": code, "out": texts[0], "err": texts[1], "seconds": seconds}


def _memory(nursery: ready_children.Nursery) -> int:
    """The most bytes that this process, or one that it started, has had at a time."""
    own = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return 1024 * max(nursery.most_memory, *own)


if __name__ == "__main__":
    main()
