"""Colour profiles (ICC): whether one belongs to the channels that a picture has."""

from __future__ import annotations

from ..contents import Contents
from ..metadata import Metadata

_SPACES = {b"GRAY": 1, b"RGB ": 3}


def fitting_profile(metadata: Metadata, channels: int) -> bytes:
    """The profile, if it is one for so many channels; else none, for its colours would be other ones."""
    return metadata.icc if _SPACES.get(metadata.icc[16:20]) == channels else b""


def profile_losses(contents: Contents, channels: int) -> tuple[str, ...]:
    """That a profile is left out."""
    icc = contents.metadata.icc
    if not icc or fitting_profile(contents.metadata, channels):
        return ()
    space = icc[16:20].decode("latin-1").strip() or "unknown"
    return (f"The colour profile is one for {space}, not for a picture of {channels} channels; it is left out.",)
