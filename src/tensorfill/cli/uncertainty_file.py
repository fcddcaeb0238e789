"""UncertaintyFile: how unsure every entry is, in a file beside the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..completion import Completion
from ..errors import InvalidSetting
from ..formats import Contents, DataFile
from ..interrupting import INTERRUPTED
from ..methods.registry import names_of
from .console import say
from .running import ignore_interrupts

_WHITE = 0.995  # share of the missing entries that a picture tells apart; the rest is white


@dataclass(frozen=True)
class UncertaintyFile:
    """Deviations in the data's units, or, in a picture, brighter where they are larger."""

    file: DataFile
    force: bool = False
    """Whether a file that is there is replaced."""

    def check_place(self, method: str) -> None:
        """Refuse, before anything is read, what could not be written in the end."""
        self.file.check_place(force=self.force)
        telling = names_of(lambda kind: kind.tells_uncertainty)
        if method not in telling:
            raise InvalidSetting(
                f"{method} does not tell how sure it is of an entry, which --uncertainty asks for; "
                f"take --method {', '.join(telling[:-1])} or {telling[-1]}."
            )

    def check_fits(self, shape: tuple[int, ...]) -> None:
        """Refuse what is no picture."""
        self.file.check_holds(Contents(np.broadcast_to(np.zeros((), np.uint8), shape)))

    def write(self, done: Completion) -> str:
        """Compute and write; Ctrl-C leaves it. Returns what a user should know about the file."""
        try:
            deviations = done.uncertainty
        except KeyboardInterrupt:
            say(f"Stopped by Ctrl-C; {self.file} was not written.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except InvalidSetting as error:  # auto may end with a method that does not tell
            return f"{self.file} was not written: {error}"
        with ignore_interrupts():
            if not self.file.form.picture:
                self.file.write(Contents(deviations, done.observed.mask()), force=self.force)
                return f"{self.file} holds the standard deviation of every entry."
            white = _brightest(deviations)
            self.file.write(Contents(_gray(deviations, white)), force=self.force)
            return f"{self.file} is black where an entry is sure, and white where its deviation is {white:.3g} or more."


def _brightest(deviations: NDArray[Any]) -> float:
    """A deviation that few exceed, so that the rest can be told apart."""
    unsure = deviations[deviations > 0]
    return float(np.quantile(unsure, _WHITE)) if unsure.size else 1.0


def _gray(deviations: NDArray[Any], white: float) -> NDArray[Any]:
    return np.asarray(np.rint(255 * np.minimum(deviations / white, 1)), dtype=np.uint8)
