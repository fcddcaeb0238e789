"""Worker: the whole life of a process that does one piece of work for the page."""

from __future__ import annotations

import _thread
import json
import multiprocessing
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from ..errors import TensorfillError
from .filling import estimate, fill
from .painting import grow, match, scatter
from .reading import open_file, open_mask, open_sample

try:
    import resource
except ImportError:  # Windows: no limits there
    resource = None  # type: ignore[assignment]

_FEWEST_CORES = 4  # work on fewer may still use the processor for as long: it is not shared evenly

PRELOADED = ("tensorfill.page.worker",)
TASKS: Mapping[str, Callable[..., dict[str, Any]]] = {
    task.__name__: task for task in (open_file, open_sample, open_mask, match, grow, scatter, estimate, fill)
}


class Outlet:
    """How a task tells of itself while it works, and hears what is wanted meanwhile."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._lock = pipe, threading.Lock()
        self.wanted: dict[str, Any] = {}
        """What was last heard."""

    def tell(self, **message: Any) -> None:
        """Send a message; from any thread."""
        packed = json.dumps(message).encode()
        with self._lock:
            self._pipe.send_bytes(packed)

    def hear(self) -> None:
        """Keep `wanted` up to date; the end of the server is the end of this process."""
        parent = multiprocessing.parent_process()
        sources: list[Any] = [self._pipe, *([parent.sentinel] if parent else [])]
        while True:
            try:
                if self._pipe not in wait(sources):
                    os._exit(1)
                message = json.loads(self._pipe.recv_bytes())
                if message.pop("interrupt", False):
                    _press()
                self.wanted.update(message)
            except (EOFError, OSError):
                os._exit(1)


def work(pipe: Connection, told: str) -> None:
    """Do what was told, send the answer or a sentence that says why there is none, and end."""
    order = json.loads(told)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    warnings.simplefilter("ignore")
    outlet = Outlet(pipe)
    _stand_back(order["nice"])
    _limit(order["bytes"], order["seconds"])
    arguments = order["arguments"]
    try:
        threading.Thread(target=outlet.hear, name="hear", daemon=True).start()  # who may be told to stop at once
        answer: dict[str, Any] = {"done": TASKS[order["task"]](outlet, **arguments)}
    except KeyboardInterrupt:
        answer = {"error": "Stopped before there was anything to keep.", "stopped": True}
    except TensorfillError as error:
        answer = {"error": hide_places(str(error), arguments)}
    except MemoryError:
        answer = {"error": order["too_large"]}
    except Exception:
        traceback.print_exc(file=sys.stderr)  # for whoever started the server, not for the page
        answer = {"error": "Something went wrong that should not have; the terminal of the server says what."}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outlet.tell(**answer)
    os._exit(0)  # nothing is left to tidy up, and libraries take their time


def _press() -> None:
    """Ctrl-C for the main thread; a signal ends its waiting, too."""
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)
    else:
        _thread.interrupt_main()


def hide_places(sentence: str, arguments: Mapping[str, Any]) -> str:
    """The sentence with the user's name of the file instead of the place where it is kept."""
    for place, name in ((arguments.get("path"), arguments.get("name")), (arguments.get("folder"), None)):
        if place:
            sentence = sentence.replace(str(place), str(name or "the file"))
            sentence = sentence.replace(f"{Path(place).parent}{os.sep}", "")
    return sentence


def _stand_back(nice: int) -> None:
    if nice and hasattr(os, "nice"):
        os.nice(nice)


def _limit(count: int | None, seconds: float) -> None:
    """The system itself ends what takes more."""
    if resource is None:
        return
    if count is not None:
        _lower(resource.RLIMIT_AS, _address_space() + count)
    _lower(resource.RLIMIT_CPU, int(seconds * max(_FEWEST_CORES, os.cpu_count() or 1)) + 1)


def _lower(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (soft, hard))


def _address_space() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux
        return 2**40
