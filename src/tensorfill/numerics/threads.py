"""Share independent pieces of compiled work between the cores, without spinning on busy ones.

Work is always cut into the same pieces: results have the same bits for any number of threads.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from queue import SimpleQueue
from threading import Event, Lock, Thread, local
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..errors import InvalidSetting, must_be
from ..interrupting import look_at_clock
from ..tensor import Array

_WISH = "TENSORFILL_THREADS"
MOST_THREADS = 256


@cache
def thread_count() -> int:
    """How many threads to use: TENSORFILL_THREADS, or the cores this process may run on."""
    wish = os.environ.get(_WISH, "").strip()
    if wish:
        if not (re.fullmatch("[0-9]{1,9}", wish) and 1 <= int(wish) <= MOST_THREADS):
            raise InvalidSetting(must_be(_WISH, f"be a whole number from 1 to {MOST_THREADS}", wish[:40]))
        return int(wish)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class _QuietBlas:
    """Counts who wants BLAS to be quiet, for its number of threads is a setting of the whole process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._limits: threadpool_limits | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._limits = threadpool_limits(1, user_api="blas")
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0 and self._limits is not None:
                    self._limits.restore_original_limits()

    def __reduce__(self) -> str:
        """There is one in a process: a pickle holds its name."""
        return "quiet_blas"


quiet_blas = _QuietBlas()
"""`with quiet_blas():` while it lasts, BLAS uses the calling thread only.

Its threads spin while they wait for each other: on a core that is busy elsewhere, hundreds of times slower than none,
and in the way of kernels that use all cores themselves.
"""


class _Helper:
    """A thread that waits for work, does it, and says so: much quicker to ask than a pool of futures.

    It ends when nobody holds the helper any more.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._done: SimpleQueue[BaseException | None] = SimpleQueue()
        Thread(target=_serve, args=(self._asked, self._done), name="tensorfill", daemon=True).start()

    def ask(self, work: Callable[[], None]) -> None:
        self._asked.put(work)

    def wait(self) -> BaseException | None:
        """Block until the work is done; what it raised, if anything."""
        return self._done.get()

    def finish(self) -> None:
        """Block until all that was ever asked is done, whatever came of it."""
        finished = Event()
        self._asked.put(finished.set)
        finished.wait()

    def __del__(self) -> None:
        self._asked.put(None)


def _serve(asked: SimpleQueue[Callable[[], None] | None], done: SimpleQueue[BaseException | None]) -> None:
    while (work := asked.get()) is not None:
        try:
            work()
        except BaseException as error:  # to be raised where the work was asked for
            failure: BaseException | None = error
        else:
            failure = None
        del work  # it holds the caller's arrays, and the next one may be a long time coming
        done.put(failure)


def _hire(count: int) -> tuple[_Helper, ...]:
    """So many helpers, or as many as the system lets us have: a limit on processes counts threads too."""
    helpers: list[_Helper] = []
    with suppress(RuntimeError):  # "can't start new thread"
        for _ in range(count):
            helpers.append(_Helper())
    return tuple(helpers)


class _Staff(local):
    """The helpers of one thread. A forked child must not wait for its parent's, nor one caller for another's."""

    process: int = 0
    helpers: tuple[_Helper, ...] = ()
    wanted: int = 0  # there may be fewer, where the system has no more threads
    sharing: bool = False  # this thread does a piece: the others are busy with theirs
    most: int = MOST_THREADS  # others do other work at the same time

    def of(self, count: int) -> tuple[_Helper, ...]:
        if self.process != os.getpid() or self.wanted != count:
            self.wanted = count
            self.process, self.helpers = os.getpid(), _hire(count)
        return self.helpers

    def dismiss(self) -> None:
        self.helpers, self.wanted = (), 0


_staff = _Staff()


def threads_here() -> int:
    """How many threads a library may use for what is asked of it now: one, if all are busy with pieces."""
    return 1 if _staff.sharing else min(_staff.most, thread_count())


@contextmanager
def threads_limited(count: int) -> Iterator[None]:
    """In the block, the calling thread shares its work between so many threads at most, itself among them."""
    before, _staff.most = _staff.most, count
    try:
        yield
    finally:
        _staff.most = before


def use_threads(count: int) -> None:
    """From here on this process uses so many threads, for kernels of ours and for BLAS."""
    os.environ[_WISH] = str(count)
    thread_count.cache_clear()
    threadpool_limits(count)


def share(work: Callable[[int], None], pieces: int) -> None:
    """Call `work(0), …, work(pieces − 1)`, each once, on all threads; returns when all are done.

    `work` must release the GIL (compiled kernels do). Pieces are handed out as threads become free, so a core
    that is busy elsewhere does less of them. Which thread did what must not matter to the result. Within a piece,
    what is shared again is done by the thread that has the piece. The caller looks at its clock between pieces.
    """
    look_at_clock()
    helpers = () if _staff.sharing else _staff.of(threads_here() - 1)
    if not helpers or pieces < 2:
        for piece in range(pieces):
            work(piece)
            if pieces > 1:
                look_at_clock()
        return
    remaining = iter(range(pieces))  # taking the next one is atomic

    def take_turns() -> None:
        _staff.sharing = True
        try:
            for piece in remaining:
                work(piece)
                look_at_clock()  # of the thread that shares; the others have no deadline
        finally:
            _staff.sharing = False

    try:
        for helper in helpers:
            helper.ask(take_turns)
        take_turns()
        errors = [helper.wait() for helper in helpers]
    except BaseException:
        # Also after Ctrl-C: nobody may still be writing into our arrays when we leave.
        list(remaining)
        for helper in helpers:
            helper.finish()
        _staff.dismiss()
        raise
    for error in errors:
        if error is not None:
            raise error


PIECES = 8
SMALL_ARRAY = 2**15
"""Entries of an array below which threads cost more than they bring."""
SMALL_SUPPORT = 20_000
"""Known entries below which they do: compiled loops take longer for each of them."""


def cut(size: int, pieces: int = PIECES) -> list[int]:
    """Where to cut a range: where each piece begins, and the end.

    >>> cut(20, 3)
    [0, 6, 13, 20]
    """
    return [size * piece // pieces for piece in range(pieces + 1)]


def count_pieces(size: int) -> int:
    """How many pieces an array with so many entries is worth."""
    return PIECES if size >= SMALL_ARRAY else 1


def cut_groups(starts: NDArray[np.integer[Any]], most: int = PIECES) -> list[int]:
    """Where to cut groups into pieces with about as many entries each: `most` of them, or one if entries are few.

    Group g begins at entry `starts[g]`; there is one more number for the end.
    """
    count = int(starts[-1])
    cuts = np.searchsorted(starts, np.linspace(0, count, (most if count > SMALL_SUPPORT else 1) + 1))
    cuts[-1] = len(starts) - 1
    return [int(cut) for cut in cuts]


def share_pieces(kernel: Callable[[int, int], Any], cuts: Sequence[int]) -> None:
    """Call `kernel(first, end)` for every piece, on all cores."""
    share(lambda i: kernel(cuts[i], cuts[i + 1]), len(cuts) - 1)


def sum_pieces(kernel: Callable[[Array, int, int], Any], cuts: Sequence[int], shape: tuple[int, ...]) -> Array:
    """What `kernel(out, first, end)` adds to an array of zeros, over all pieces: each has its own, summed in order."""
    parts = np.zeros((len(cuts) - 1, *shape))
    share(lambda i: kernel(parts[i], cuts[i], cuts[i + 1]), len(parts))
    return parts[0] if len(parts) == 1 else np.asarray(parts.sum(axis=0))
