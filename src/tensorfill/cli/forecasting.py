"""What a completion will take, told before it starts; what would not fit into memory is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import TooLarge
from ..formats import Contents, Entries
from ..memory import available_memory
from ..methods.auto import method_for
from ..methods.forecast import Forecast, forecast, method_seconds
from ..tensor import entries


def forecast_of(source: Contents | Entries, method: str, settings: Mapping[str, Any]) -> Forecast:
    """What the method that these settings choose will need."""
    structured, missing = _missingness_of(source)
    effort = settings.get("effort", "normal")
    return forecast(source.shape, method_for(method, settings), effort=effort, structured=structured, missing=missing)


def seconds_of_methods(source: Contents | Entries) -> Callable[[str], float]:
    """From the name of a method to how long one run of it takes on these data."""
    structured, missing = _missingness_of(source)
    return lambda method: method_seconds(source.shape, method, structured=structured, missing=missing)


def _missingness_of(source: Contents | Entries) -> tuple[bool, float]:
    """Whether missingness is structured, and which share of the entries is missing."""
    total = entries(source.shape)
    if isinstance(source, Entries):
        return False, 1 - len(source.values) / total if total else 0.0
    if not total or (source.observed is None and source.dtype.kind != "f"):  # no entry can be missing
        return False, 0.0
    return source.missingness.structured, 1 - float(source.missingness.mask.mean())


def check_memory(source: Contents | Entries, name: str, expected: Forecast) -> None:
    """Refuse, with what to do, what would not fit; a table is completed without being made full."""
    if isinstance(source, Entries) or expected.fits:
        return
    ways = ["a smaller part of it"]
    if source.metadata.kind == "video":
        ways = ["fewer frames with --frames 0-99", *(["--gray"] if source.ndim == 4 else [])]
    raise TooLarge(
        f"Completing {name}, {entries(source.shape):,} entries, would need about {gigabytes(expected.bytes)} of "
        f"memory, and {gigabytes(available_memory())} are free; take {' or '.join(ways)}."
    )


def gigabytes(count: float) -> str:
    """Bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
