"""The 200 cases, by number: a kind of data, a pattern of holes, a shape, a scale and a dtype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .holes import make_holes
from .kinds import KINDS

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A tensor with holes; number and draw are the seed of all that is random in it."""

    number: int
    kind: str
    holes: str
    shape: Shape
    dtype: str = "float64"
    scale: float = 1.0
    """What the data is multiplied by; of whole numbers the largest value."""
    draw: int = 0
    """Another one is another tensor of the same sort."""

    def __str__(self) -> str:
        size = "×".join(map(str, self.shape))
        kind = "" if self.dtype == "float64" else f" {self.dtype}"
        scale = "" if self.scale == 1 else f" ·{self.scale:g}"
        draw = f"/{self.draw}" if self.draw else ""
        return f"{self.number:3d}{draw} {self.kind}, {self.holes}, {size}{kind}{scale}"

    def make(self) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The whole tensor, and what is known of it."""
        rng = np.random.default_rng([self.number, self.draw])
        full = KINDS[self.kind](self.shape, rng)
        known = make_holes(self.holes, self.shape, rng)
        if self.kind in _LARGEST_KNOWN or not full[known].any():
            places = [np.argmax(full), rng.choice(np.flatnonzero(known))]
            full.flat[places] = full.flat[places[::-1]]
        if np.issubdtype(self.dtype, np.integer):
            full = np.rint(full * (self.scale / (full.max() or 1)))
        else:
            full = full * self.scale
        return full.astype(self.dtype), known


_LARGEST_KNOWN = ("single-one", "outlier", "cauchy")
"""Kinds without order whose largest value changes places with one that is known, as it does where only zeros would be
known: whoever has never seen anything like it can guess neither it nor how unsure to be."""

# What all kinds are crossed with, by turns.
_SHAPES: tuple[Shape, ...] = (
    (40, 50),
    (20, 30, 10),
    (48, 40, 3),
    (8, 9, 10, 6),
    (30, 30, 12),
    (30, 200),
    (5, 4, 6, 3, 7),
    (14, 11, 8),
    (64, 64),
    (16, 18, 20),
    (12, 7, 24),
    (6, 5, 4, 4, 5),
    (24, 20, 3),
    (60, 25),
    (10, 6, 5, 8),
    (25, 20, 30),
    (7, 90),
)
_STORED: tuple[tuple[str, float], ...] = (
    *[("float64", 1.0)] * 4,
    ("uint8", 255.0),
    ("float64", 1e-12),
    ("float64", 1.0),
    ("float32", 1.0),
    ("float64", 1e12),
    ("int64", 5000.0),
    ("float32", 1e-6),
)
_SCATTERED = tuple(f"scattered-{share}" for share in ("05", "10", "20", "30", "50", "70", "90", "95"))
_SHAPED = (
    *("block", "lost-slices", "fibres", "lost-end", "stretches", "several-blocks", "lost-slice", "lines"),
    *("one-slice", "first-fibres", "corner", "lost-in-two-modes", "every-third-slice", "lost-beginning"),
)
_MIXED = (
    "scattered-70+lost-slice",
    "scattered-50+block",
    "lines+block",
    "scattered-30+lost-slices",
    "fibres+lost-end",
    "scattered-90+lost-in-two-modes",
    "stretches+lost-beginning",
)
_BY_HAND = ("single-one", "constant", "outlier", "nothing")
"""Kinds of which a few cases are enough."""


def _crossed() -> list[Case]:
    """Every kind with six patterns."""
    cases: list[Case] = []
    for kind in (kind for kind in KINDS if kind not in _BY_HAND):
        for turn, patterns in enumerate((_SCATTERED, _SHAPED, _MIXED, _SCATTERED, _SHAPED, _MIXED)):
            number = len(cases)
            holes = patterns[(number // 6 * 3 + turn) % len(patterns)]
            dtype, scale = _STORED[number % len(_STORED)]
            cases.append(Case(number, kind, holes, _SHAPES[number % len(_SHAPES)], dtype, scale))
    return cases


# kind, holes, shape, then dtype and scale where they are not float64 and 1
_SPECIAL: tuple[tuple[Any, ...], ...] = (
    # one exception, or none
    ("single-one", "small-block", (20, 20)),
    ("single-one", "scattered-50", (20, 20)),
    ("single-one", "lost-slice", (12, 10, 8)),
    ("single-one", "scattered-90+lost-in-two-modes", (20, 30, 10), "uint8", 255.0),
    ("nothing", "scattered-50", (10, 12)),
    ("constant", "scattered-10", (20, 30, 10)),
    ("constant", "block", (40, 30), "float32", 1.0),
    ("constant", "scattered-70+lost-slice", (16, 18, 20), "float64", 1e-12),
    ("constant", "lines", (24, 20, 3), "uint8", 200.0),
    ("outlier", "scattered-50", (30, 40)),
    ("outlier", "block", (20, 30, 10)),
    ("outlier", "scattered-70+lost-slice", (30, 30, 12)),
    ("outlier", "scattered-30", (8, 9, 10, 6), "float32", 1.0),
    ("outlier", "scattered-90", (4, 900)),
    # next to nothing known
    ("waves", "one-entry", (20, 15)),
    ("low-rank", "one-entry", (8, 7, 6)),
    ("noise", "one-entry", (300, 2)),
    ("bumps", "one-slice", (30, 20, 6)),
    ("low-rank", "one-slice", (20, 15, 6)),
    ("counts", "one-slice", (12, 10, 8), "int64", 9.0),
    # tiny
    ("noise", "scattered-50", (2, 2)),
    ("low-rank", "scattered-70", (2, 2)),
    ("low-rank", "scattered-50", (3, 2, 2)),
    ("constant", "scattered-30", (2, 2), "uint8", 7.0),
    ("waves", "block", (4, 3)),
    ("counts", "scattered-70", (3, 3, 3), "int64", 12.0),
    ("low-rank", "lost-slice", (5, 4, 3)),
    ("sparse-low-rank", "scattered-70", (6, 7, 5)),
    ("spikes", "scattered-50", (2, 2, 2, 2, 2)),
    ("ramp", "lost-slice", (3, 8)),
    ("lognormal", "scattered-50", (6, 5)),
    ("tucker", "scattered-90", (4, 4, 4), "float64", 1e12),
    # skinny
    ("waves", "scattered-50", (2, 3000)),
    ("walk", "stretches", (2, 3000)),
    ("walk", "scattered-30", (1, 500)),
    ("waves", "lost-slices", (1, 500)),
    ("noise", "scattered-50", (300, 1, 1)),
    ("bumps", "scattered-70", (300, 1, 1)),
    ("seasons", "stretches", (5, 4000)),
    ("walk", "scattered-70+lost-slice", (4, 12000)),
    ("waves", "fibres", (900, 2)),
    ("low-rank", "scattered-50", (2, 2, 700)),
    ("cauchy", "scattered-50", (3, 2000)),
    ("steps", "lost-end", (1200, 3)),
    ("spikes", "scattered-70", (1, 1500)),
    # whole orders and scales
    ("low-rank", "scattered-30", (6, 5, 4, 4, 5), "float64", 1e-12),
    ("waves", "scattered-70+lost-slice", (5, 4, 6, 3, 7), "float64", 1e12),
    ("sparse-low-rank", "scattered-30", (20, 30, 10)),
    ("low-rank", "scattered-50", (14, 11, 8)),
    ("waves", "scattered-70+lost-slice", (30, 30, 12)),
    # larger
    ("bumps", "scattered-10", (200, 180, 3), "uint8", 255.0),
    ("waves", "lines+block", (60, 60, 30)),
    ("sparse-low-rank", "scattered-20", (60, 50, 40)),
    ("blocks", "several-blocks", (300, 350), "uint8", 255.0),
    ("seasons", "fibres", (80, 60, 24), "int64", 30000.0),
    ("counts", "scattered-30+lost-slices", (50, 40, 50)),
)


def _collected() -> tuple[Case, ...]:
    cases = _crossed()
    return (*cases, *(Case(number, *given) for number, given in enumerate(_SPECIAL, start=len(cases))))


CASES = _collected()
