"""What a user should know about how a video was read, gathered frame by frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .pixels import Pixels, quarter_turns

_TURNS = ("", "90 degrees counterclockwise", "180 degrees", "90 degrees clockwise")


@dataclass
class Remarks:
    """Looks at every frame that is read, and has sentences at the end."""

    path: Path
    turns: int = 0
    bits: int = 8
    colour_layout: bool = False
    transparent: bool = False
    guessed: str | None = None

    def see(self, frame: Any, pixels: Pixels) -> None:
        """Another frame and what became of it."""
        self.turns = quarter_turns(frame)
        self.bits = pixels.bits
        self.colour_layout |= pixels.colour_layout
        self.transparent |= pixels.transparent
        self.guessed = self.guessed or pixels.guessed

    def sentences(self, container: Any, *, colour: bool, gray: bool, uneven: bool) -> Iterator[str]:
        """One for everything that was changed, guessed or left out; `gray`: only brightness was asked for."""
        path = self.path
        if container.streams.audio:
            yield f"The sound of {path} is not kept."
        if len(container.streams.video) > 1:
            yield f"{path} has {len(container.streams.video)} streams of pictures, and only the first is read."
        if self.colour_layout and not colour and not gray:
            yield f"{path} has no colour in it, so it is read as gray."
        if self.transparent:
            yield f"The transparency of {path} is not kept."
        if self.bits not in (8, 16):
            yield f"The {self.bits} bits of each value of {path} are scaled to 16, so that white is 65535."
        if self.guessed:
            yield f"{path} does not say how its colours are coded; {self.guessed} is assumed, as players do."
        if self.turns:
            yield f"{path} is turned by {_TURNS[self.turns]}, as it asks for."
        if uneven:
            yield f"The frames of {path} are not evenly spaced in time; its frame rate is an average."
