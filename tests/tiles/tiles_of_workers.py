"""What workers of tests do with a tile: functions of a module, so that they can be sent."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tensorfill.errors import InvalidInput
from tensorfill.interrupting import look_at_clock
from tensorfill.numerics.threads import threads_here
from tensorfill.tiles.answer import TileAnswer, TileQuestion

DONE = {"stop": ("done", "")}


class OddError(Exception):
    """One that cannot be made again from what it holds."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


def say_number(question: TileQuestion) -> TileAnswer:
    return TileAnswer(np.full_like(question.values, question.number), None, DONE)


def tell_threads(question: TileQuestion) -> TileAnswer:
    return TileAnswer(question.values, None, {**DONE, "threads": threads_here()})


def fail(question: TileQuestion) -> TileAnswer:
    if question.number == 4:
        time.sleep(0.5)
        raise InvalidInput("tile 4 is bad")
    return TileAnswer(question.values, None, DONE)


def fail_oddly(question: TileQuestion) -> TileAnswer:
    raise OddError("od", "d")


def sleep_until_stopped(question: TileQuestion) -> TileAnswer:
    """The first tile is done at once, the others never."""
    while question.number:
        time.sleep(0.01)
        look_at_clock()
    return TileAnswer(question.values, None, DONE)


@dataclass(frozen=True)
class DieOnce:
    """Every third tile ends its process when it is begun first."""

    folder: str

    def __call__(self, question: TileQuestion) -> TileAnswer:
        mark = Path(self.folder) / str(question.number)
        if not mark.exists():
            mark.touch()
            if question.number % 3 == 1:
                os.kill(os.getpid(), signal.SIGKILL)
        return say_number(question)


def die_often(question: TileQuestion) -> TileAnswer:
    if question.number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return say_number(question)
