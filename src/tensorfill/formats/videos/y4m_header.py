"""The line that a .y4m file begins with: size, frame rate, and how colour is coded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ...errors import UnreadableFile
from ..damage import damaged
from .clip_array import MOST_PIXELS
from .colour import BT601, ColourCoding, usual_weights
from .plane_file import PlaneLayout

_MAGIC = b"YUV4MPEG2"
_COLOUR = re.compile(
    r"(?:(?P<mono>mono)|(?P<size>420|422|444|411|440)(?P<site>jpeg|mpeg2|paldv|alpha)?p?)(?P<bits>9|1[0246])?"
)
_SMALLER = {"420": (2, 2), "422": (2, 1), "444": (1, 1), "411": (4, 1), "440": (1, 2)}  # across, down
_FULL, _LIMITED = "COLORRANGE=FULL", "COLORRANGE=LIMITED"


@dataclass(frozen=True)
class Y4mHeader:
    """What all frames of a .y4m file share."""

    layout: PlaneLayout
    coding: ColourCoding
    rate: Fraction | None

    @classmethod
    def parsed(cls, line: bytes, path: Path) -> Y4mHeader:
        """From the first line of a file."""
        words = line.decode("ascii", "replace").split()
        if not words or words[0].encode() != _MAGIC or not line.endswith(b"\n"):
            raise damaged(path, "a .y4m video")
        fields = {word[0]: word[1:] for word in words[1:] if word[0] != "X"}
        extensions = [word[1:].upper() for word in words[1:] if word[0] == "X"]
        rows, columns = (int(fields.get(key, "0")) if fields.get(key, "0").isdecimal() else 0 for key in "HW")
        if not 0 < rows * columns <= MOST_PIXELS:
            raise damaged(path, "a .y4m video")
        told = fields.get("C", "420")
        found = _COLOUR.fullmatch(told)
        if found is None:
            raise UnreadableFile(
                f"The colours of {path} must be coded as 420, 422, 444, 411, 440 or mono, of 8 to 16 bits. "
                f"Got {told} instead."
            )
        bits, mono = int(found["bits"] or 8), found["mono"] is not None
        full = _FULL in extensions or (mono and _LIMITED not in extensions)
        coding = ColourCoding(usual_weights(rows, columns), full=full, bits=bits)
        across, down = (0, 0) if mono else _SMALLER[found["size"]]
        alpha = rows * columns if found["site"] == "alpha" else 0
        layout = PlaneLayout(rows, columns, across, down, "u1" if bits == 8 else "<u2", alpha)
        return cls(layout, coding, _rate(fields.get("F", "")))

    def line(self) -> bytes:
        """As it stands in a file, for gray and for colour of full size, and all levels."""
        layout, deep = self.layout, self.coding.bits == 16
        colour = ("C444p16 XYSCSS=444P16" if deep else "C444") if layout.across else ("Cmono16" if deep else "Cmono")
        rate = Fraction(1) if self.rate is None else self.rate
        size = f"W{layout.columns} H{layout.rows}"
        return f"YUV4MPEG2 {size} F{rate.numerator}:{rate.denominator} Ip A1:1 {colour} X{_FULL}\n".encode()

    def notes(self, path: Path, *, colour: bool, gray: bool) -> Iterator[str]:
        """What a user should know about how the values came about."""
        if self.layout.across and not colour and not gray:
            yield f"{path} has no colour in it, so it is read as gray."
        if self.coding.bits not in (8, 16):
            yield f"The {self.coding.bits} bits of each value of {path} are scaled to 16, so that white is 65535."
        if self.layout.left_out:
            yield f"The transparency of {path} is not kept."
        if colour and self.coding.weights != BT601:
            yield f"{path} does not say how its colours are coded; BT.709 is assumed, as players do."


def _rate(text: str) -> Fraction | None:
    found = re.fullmatch(r"(\d{1,18}):(\d{1,18})", text)
    if found is None or not int(found[1]) or not int(found[2]):
        return None
    return Fraction(int(found[1]), int(found[2]))
