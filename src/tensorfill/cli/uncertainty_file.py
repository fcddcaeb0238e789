"""UncertaintyFile: how unsure every entry is, in a file beside the output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .. import formats
from ..errors import InvalidSetting
from ..interrupting import INTERRUPTED
from .console import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..completion import Completion

_WHITE = 0.995  # share of the missing entries that a picture tells apart; the rest is white


@dataclass(frozen=True)
class UncertaintyFile:
    """Deviations in the data's units, or, in a picture, brighter where they are larger."""

    path: Path
    force: bool = False
    """Whether a file that is there is replaced."""

    def check_place(self, method: str) -> None:
        """Refuse, before anything is read, what could not be written in the end."""
        from ..method import tells_uncertainty
        from ..methods.registry import names_of

        formats.check_place(self.path, force=self.force)
        telling = names_of(tells_uncertainty)
        if method not in telling:
            raise InvalidSetting(
                f"{method} does not tell how sure it is of an entry, which --uncertainty asks for; "
                f"take --method {', '.join(telling[:-1])} or {telling[-1]}."
            )

    def check_fits(self, shape: tuple[int, ...]) -> None:
        """Refuse what is no picture."""
        import numpy as np

        formats.check_writable(self.path, formats.Contents(np.broadcast_to(np.zeros((), np.uint8), shape)))

    def write(self, done: Completion) -> str:
        """Compute and write; Ctrl-C leaves it. Returns what a user should know about the file."""
        from .running import uninterrupted

        try:
            deviations = done.uncertainty
        except KeyboardInterrupt:
            say(f"Stopped by Ctrl-C; {self.path} was not written.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except InvalidSetting as error:  # auto may end with a method that does not tell
            return f"{self.path} was not written: {error}"
        with uninterrupted():
            if not formats.format_of(self.path).picture:
                formats.write(self.path, formats.Contents(deviations, done.observed.mask()), force=self.force)
                return f"{self.path} holds the standard deviation of every entry."
            white = _brightest(deviations)
            formats.write(self.path, formats.Contents(_gray(deviations, white)), force=self.force)
            return f"{self.path} is black where an entry is sure, and white where its deviation is {white:.3g} or more."


def _brightest(deviations: NDArray[Any]) -> float:
    """A deviation that few exceed, so that the rest can be told apart."""
    import numpy as np

    unsure = deviations[deviations > 0]
    return float(np.quantile(unsure, _WHITE)) if unsure.size else 1.0


def _gray(deviations: NDArray[Any], white: float) -> NDArray[Any]:
    import numpy as np

    return np.asarray(np.rint(255 * np.minimum(deviations / white, 1)), dtype=np.uint8)
