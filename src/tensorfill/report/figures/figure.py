"""Figures as data: a drawing with its caption, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawn:
    """A finished figure; `name` is what its files are called."""

    name: str
    title: str
    caption: str
    figure: Figure
    on_page: bool = True
    """Whether the page shows it; grids of pictures are there in another form."""


@dataclass(frozen=True)
class LeftOut:
    """A figure for which there are no rows."""

    title: str
    why: str
