"""Which frames of a video are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...errors import InvalidSetting, must_be
from ..reading import Reading


@dataclass(frozen=True)
class FrameRange:
    """From `first` to `last`, both included and counted from 0; to the end if `last` is None."""

    first: int = 0
    last: int | None = None

    @classmethod
    def asked(cls, how: Reading) -> FrameRange:
        """What the user asked for: everything, unless told otherwise."""
        if how.frames is None:
            return cls()
        first, last = how.frames
        if not 0 <= first <= last:
            raise InvalidSetting(
                must_be("frames", "be the first and the last frame to read, counted from 0", f"{first}-{last}")
            )
        return cls(first, last)

    @property
    def whole(self) -> bool:
        """Whether everything is wanted."""
        return self.last is None

    def __contains__(self, number: int) -> bool:
        return self.first <= number and (self.last is None or number <= self.last)

    def over(self, number: int) -> bool:
        """Whether nothing from this frame on is wanted."""
        return self.last is not None and number > self.last

    def count(self, there: int) -> int:
        """How many frames of so many are wanted."""
        return max(0, (there if self.last is None else min(there, self.last + 1)) - self.first)

    def check(self, there: int, path: Path) -> None:
        """Refuse frames that a video of so many does not have."""
        if self.last is not None and self.last >= there:
            raise InvalidSetting(
                must_be("frames", f"lie within 0-{there - 1}, all that {path} has", f"{self.first}-{self.last}")
            )
