"""What a completion will take, told before it starts; what would not fit into memory is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import TooLarge
from ..memory import available_memory
from ..tensor import entries

if TYPE_CHECKING:
    from ..formats import Contents, Entries
    from ..methods.forecast import Forecast


def forecast_of(source: Contents | Entries, method: str, settings: Mapping[str, Any]) -> Forecast:
    """What the method that these settings choose will need."""
    from .. import formats
    from ..methods.forecast import forecast
    from ..methods.registry import method_for
    from ..spectral.holes import has_holes

    shaped = isinstance(source, formats.Contents) and source.data.size > 0 and has_holes(source.known())
    chosen = method_for(method, settings)
    return forecast(source.shape, chosen, effort=settings.get("effort", "normal"), shaped_holes=shaped)


def check_memory(source: Contents | Entries, name: str, expected: Forecast) -> None:
    """Refuse, with what to do, what would not fit; a table is completed without being made full."""
    from .. import formats

    if not isinstance(source, formats.Contents) or expected.fits:
        return
    ways = ["a smaller part of it"]
    if source.metadata.kind == "video":
        ways = ["fewer frames with --frames 0-99", *(["--gray"] if source.ndim == 4 else [])]
    raise TooLarge(
        f"Completing {name}, {entries(source.shape):,} entries, would need about {gigabytes(expected.bytes)} of "
        f"memory, and {gigabytes(available_memory() or 0)} are free; take {' or '.join(ways)}."
    )


def gigabytes(count: float) -> str:
    """Bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
