"""Held-out errors of all methods on one scale, that of the error of painted holes, so that curves can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..bounds import Bounds
from ..formats import Contents, Entries
from ..methods.auto import method_for
from ..methods.registry import make
from ..metrics import unit_scale
from ..peers import accept
from ..units import Shift, SliceUnits, Unit


@dataclass(frozen=True)
class Curve:
    """What a method's cost is called on the page, and what it is multiplied by."""

    name: str = "Cost"
    factor: float = 1.0

    @classmethod
    def of(cls, source: Contents | Entries, method: str, settings: Mapping[str, Any], bounds: Bounds) -> Curve:
        """The error at held-out entries on a scale of 0 to 1, as in `metrics.unit_scale`; of other methods their cost.

        Columns in units of their own are brought to one size first, and the largest value is then 1.
        """
        chosen = make(method_for(method, settings), settings)
        data = source.observed_tensor
        units = chosen.held_out_units(data) if data.count else None
        if units is None:
            return cls()
        shifted = Shift.of(bounds, data).apply(data)
        arrived = accept(source)
        slices = SliceUnits.of(shifted) if arrived is not None and arrived.columns_apart else SliceUnits()
        seen = slices.apply(shifted)
        largest = float(seen.known.max())
        scale = unit_scale(data.known) if slices.is_none else largest
        factor = largest if units == "largest" else 2.0 ** Unit.of(seen).exponent
        name = "Error at held-out entries, on a scale of 0 to 1"
        return cls(name if slices.is_none else f"{name}; columns brought to one size", factor / scale)
