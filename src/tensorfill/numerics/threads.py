"""Share independent pieces of compiled work between the cores, without spinning on busy ones."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache


@cache
def thread_count() -> int:
    """How many threads to use: TENSORFILL_THREADS, or the cores this process may run on."""
    wish = os.environ.get("TENSORFILL_THREADS", "")
    if wish.isdigit() and int(wish) > 0:
        return int(wish)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    # One pool per process: a forked child must not wait for its parent's threads.
    return ThreadPoolExecutor(thread_count() - 1, thread_name_prefix="tensorfill")


def share(work: Callable[[int], None], pieces: int) -> None:
    """Call `work(0), …, work(pieces − 1)`, each once, on all threads; returns when all are done.

    `work` must release the GIL (compiled kernels do). Pieces are handed out as threads become free, so a core
    that is busy elsewhere does less of them. Which thread did what must not matter to the result.
    """
    helpers = min(thread_count(), pieces) - 1
    if helpers < 1:
        for piece in range(pieces):
            work(piece)
        return
    counter = itertools.count()

    def take_turns() -> None:
        while (piece := next(counter)) < pieces:
            work(piece)

    running = [_pool(os.getpid()).submit(take_turns) for _ in range(helpers)]
    try:
        take_turns()
    finally:
        # Also after Ctrl-C: nobody may still be writing into our arrays when we leave.
        wait(running)
    for helper in running:
        helper.result()
