"""When the frames of a video are shown: whether evenly, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

_UNEVEN = 1.25  # how much longer the longest step between frames is than the shortest; less is rounding or jitter


@dataclass
class FrameClock:
    """Looks at every frame; times are whole numbers of ticks."""

    tick: Fraction | None = None
    last: int | None = None
    shortest: int = 0
    longest: int = 0

    def see(self, frame: Any) -> None:
        """Another frame."""
        if frame.pts is not None and self.last is not None:
            step = frame.pts - self.last
            self.shortest, self.longest = min(step, self.shortest or step), max(step, self.longest)
        self.tick, self.last = frame.time_base, frame.pts

    @property
    def uneven(self) -> bool:
        """Whether some frames are shown longer than others."""
        return self.longest - self.shortest > 1 and self.longest > _UNEVEN * self.shortest

    @property
    def last_shown(self) -> Fraction | None:
        """When the last frame appears, in seconds; None if it does not say."""
        return None if self.last is None or self.tick is None else self.last * self.tick
