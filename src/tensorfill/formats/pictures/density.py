"""How many pixels there are to an inch, a centimetre or a metre, from one format's way of saying so to another's."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from ..metadata import Density

Unit = Literal["inch", "centimetre", "metre", ""]
_PER_METRE: dict[Unit, Fraction] = {"inch": Fraction(10_000, 254), "centimetre": Fraction(100), "metre": Fraction(1)}


def to_unit(density: Density, unit: Unit) -> tuple[Fraction, Fraction]:
    """Pixels across and down to another unit of length; a density without a unit stays as it is."""
    across, down = Fraction(*density.across), Fraction(*density.down)
    if density.unit == "" or unit == "":
        return across, down
    times = _PER_METRE[density.unit] / _PER_METRE[unit]
    return across * times, down * times


def density_field(across: tuple[int, int], down: tuple[int, int], unit: Unit) -> dict[str, Any]:
    """The field of `Metadata`; nothing, unless both are positive numbers."""
    sound = min(*across, *down) > 0
    return {"density": Density(across, down, unit)} if sound else {}
