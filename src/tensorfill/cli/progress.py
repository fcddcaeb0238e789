"""The live line that tells how far a completion is; silent where nobody watches."""

from __future__ import annotations

import math
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..completion import Iteration, Snapshot


class ProgressLine:
    """Shows the latest iteration on standard error if that is a terminal, and counts iterations anywhere."""

    def __init__(self) -> None:
        self.iterations = 0
        self._progress: Progress | None = _spinner() if sys.stderr.isatty() else None
        self._task = None if self._progress is None else self._progress.add_task("preparing")

    def watch(self, snapshot: Snapshot) -> None:
        """The watcher to hand to the library."""
        self.iterations += 1
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=described(snapshot.step))

    def say(self, sentence: str) -> None:
        """Print a line on standard error without breaking the live one."""
        if self._progress is None:
            typer.echo(sentence, err=True)
        else:
            self._progress.console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


def described(step: Iteration) -> str:
    """One iteration in one line."""
    line = f"iteration {step.iteration}  cost {step.cost:.6g}"
    if math.isfinite(step.gradient_norm):  # not every method has a gradient
        line += f"  gradient {step.gradient_norm:.2e}"
    return line if step.relative_gap is None else f"{line}  gap {step.relative_gap:.2e}"


def _spinner() -> Progress:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
