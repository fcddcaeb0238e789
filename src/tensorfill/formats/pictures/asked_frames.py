"""The frames of a clip that a user asked for."""

from __future__ import annotations

from pathlib import Path

from ...errors import InvalidSetting, UnreadableFile
from ..reading import Reading


def asked_frames(how: Reading, count: int, path: Path) -> range:
    """All frames, or those from the first to the last one asked for, counted from 0."""
    if count == 0:
        raise UnreadableFile(f"{path} has no pictures in it.")
    if how.frames is None:
        return range(count)
    first, last = how.frames
    if not 0 <= first <= last < count:
        raise InvalidSetting(
            f"The frames to read of {path} must be a first and a last one between 0 and {count - 1}. "
            f"Got {first} and {last} instead."
        )
    return range(first, last + 1)
