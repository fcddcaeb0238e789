"""What a completion will take, told before it starts; what would not fit into memory is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import TooLarge
from ..memory import available_memory
from ..tensor import entries

if TYPE_CHECKING:
    from ..formats import Contents, Entries
    from ..methods.forecast import Forecast


def forecast_of(source: Contents | Entries, method: str, settings: Mapping[str, Any]) -> Forecast:
    """What the method that these settings choose will need."""
    from ..methods.forecast import forecast
    from ..methods.registry import method_for

    structured, missing = _holes_of(source)
    chosen = method_for(method, settings)
    effort = settings.get("effort", "normal")
    return forecast(source.shape, chosen, effort=effort, structured=structured, missing=missing)


def seconds_of_methods(source: Contents | Entries) -> Callable[[str], float]:
    """From the name of a method to how long one run of it takes on these data."""
    from ..methods.forecast import method_seconds

    structured, missing = _holes_of(source)
    return lambda method: method_seconds(source.shape, method, structured=structured, missing=missing)


def _holes_of(source: Contents | Entries) -> tuple[bool, float]:
    """Whether what is missing has a shape, and which share it is."""
    from .. import formats
    from ..missingness import is_structured

    total = entries(source.shape)
    if not isinstance(source, formats.Contents):
        return False, 1 - len(source.values) / total if total else 0.0
    if not total or (source.observed is None and source.dtype.kind != "f"):  # no entry can be missing
        return False, 0.0
    known = source.known()
    return is_structured(known), 1 - float(known.mean())


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
