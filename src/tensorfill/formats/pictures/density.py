"""How many pixels there are to an inch, a centimetre or a metre, from one format's way of saying so to another's."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from ..metadata import Density

Unit = Literal["inch", "centimetre", "metre", ""]
_PER_METRE: dict[Unit, Fraction] = {"inch": Fraction(10_000, 254), "centimetre": Fraction(100), "metre": Fraction(1)}


def in_unit(density: Density, unit: Unit) -> tuple[Fraction, Fraction]:
    """Pixels across and down to another unit of length; a density without a unit stays as it is."""
    across, down = Fraction(*density.across), Fraction(*density.down)
    if density.unit == "" or unit == "":
        return across, down
    times = _PER_METRE[density.unit] / _PER_METRE[unit]
    return across * times, down * times


def sound(density: Density) -> bool:
    """Whether both are positive numbers."""
    return all(above > 0 and below > 0 for above, below in (density.across, density.down))
