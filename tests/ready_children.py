"""Guarded children that are forked from a process which has loaded all libraries once.

`tensorfill.formats.guarded` starts a new Python for every file, and loading the libraries takes a hundred times as
long as decoding a file of a test. What a child does, and within which limits, is the same in both; the tests of
`formats/test_guarded_reading.py` and those of the real command start it the real way.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace, TracebackType
from typing import IO, Any

from tensorfill.formats import guarded

_LIBRARIES = ("tensorfill.formats.listed", "scipy.io", "h5py", "av", "polars", "zarr")
_PYTHON = sys.executable
_LONGEST = 2**17
"""Bytes of a question, which a socket of the system takes at once."""


@dataclass
class Nursery:
    """A process that forks a child for every question, one at a time."""

    most_memory: int = 0
    """The most kibibytes that one of its children has had."""
    _free: threading.Lock = field(default_factory=threading.Lock)
    _asked: socket.socket | None = None
    _owner: int = 0

    def start(self, command: list[str], *, env: Mapping[str, str], **streams: int) -> Any:
        """In place of `subprocess.Popen`, for the command of a guarded child."""
        if command[0] != _PYTHON:  # a test put something else in the place of Python
            return subprocess.Popen(command, env=env, **streams)
        self._free.acquire()
        if self._owner != os.getpid():
            self._asked, self._owner = _forking_process(), os.getpid()
        assert self._asked is not None
        output, given = os.pipe()
        question = json.dumps({"question": command[-1], "folder": os.getcwd(), "environment": dict(env)}).encode()
        assert len(question) < _LONGEST
        socket.send_fds(self._asked, [question], [given])
        os.close(given)
        return _Child(os.fdopen(output, "rb"), self)

    def end(self) -> None:
        """End the child that was started last."""
        assert self._asked is not None
        self._asked.send(b"end")
        self.most_memory = max(self.most_memory, int(self._asked.recv(100)))
        self._free.release()


@dataclass
class _Child:
    """What `decode_guarded` needs of a process."""

    stdout: IO[bytes]
    _nursery: Nursery
    _alive: bool = True

    def kill(self) -> None:
        if self._alive:
            self._alive = False
            self._nursery.end()

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.kill()
        self.stdout.close()


def use() -> Nursery:
    """From now on this process has its files decoded by such children, where the system has what that takes."""
    nursery = Nursery()
    if sys.platform != "linux":
        return nursery
    guarded.subprocess = SimpleNamespace(  # type: ignore[attr-defined]
        Popen=nursery.start, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL
    )
    return nursery


def _forking_process() -> socket.socket:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (here, there):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * _LONGEST)
    subprocess.Popen(
        [_PYTHON, __file__, str(there.fileno())],
        pass_fds=[there.fileno()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the process that asks
    )
    there.close()
    return here


def _fork_until_the_end(asked: socket.socket) -> None:
    for library in _LIBRARIES:
        importlib.import_module(library)
    while True:
        question, outputs, *_ = socket.recv_fds(asked, _LONGEST, 1)
        if not question:  # whoever asked has ended
            return
        child = os.fork()
        if not child:
            asked.close()
            _answer(json.loads(question), outputs[0])
        os.close(outputs[0])
        asked.recv(100)
        os.kill(child, signal.SIGKILL)
        asked.send(str(os.wait4(child, 0)[2].ru_maxrss).encode())


def _answer(told: dict[str, Any], output: int) -> None:
    try:
        os.dup2(output, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.chdir(told["folder"])
        os.environ.clear()
        os.environ.update(told["environment"])
        sys.path[1:1] = told["environment"]["PYTHONPATH"].split(os.pathsep)
        sys.argv[1:] = [told["question"]]
        guarded.answer()
    finally:
        os._exit(1)


if __name__ == "__main__":
    _fork_until_the_end(socket.socket(fileno=int(sys.argv[1])))
