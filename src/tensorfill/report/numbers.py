"""Numbers and lists for people: as many digits as mean something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """A mean over seeds and its standard deviation (n − 1 in the denominator); None for a single seed."""

    mean: float
    deviation: float | None
    count: int


def error(value: float) -> str:
    """An RMSE with four digits, five decimals at most.

    >>> error(0.119432), error(0.036987), error(2.7629), error(214.77)
    ('0.1194', '0.03699', '2.763', '214.8')
    """
    return f"{value:.{_decimals(value)}f}"


def spread(found: Spread) -> str:
    """Mean ± standard deviation, with the decimals of the mean.

    >>> spread(Spread(0.119432, 0.000213, 3)), spread(Spread(0.119432, None, 1))
    ('0.1194 ± 0.0002', '0.1194')
    """
    text = error(found.mean)
    return text if found.deviation is None else f"{text} ± {found.deviation:.{_decimals(found.mean)}f}"


def ratio(value: float) -> str:
    """Ours over theirs.

    >>> ratio(0.99731), ratio(1.7), ratio(0.0131)
    ('1.00', '1.70', '0.013')
    """
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def seconds(value: float) -> str:
    """Two or three digits.

    >>> seconds(0.00012), seconds(0.0532), seconds(0.532), seconds(61.8)
    ('< 0.001', '0.053', '0.53', '61.8')
    """
    if value < 0.001:
        return "< 0.001"
    if value < 0.1:
        return f"{value:.3f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def mebibytes(value: float) -> str:
    """Bytes as MiB.

    >>> mebibytes(3 * 2**20), mebibytes(1500 * 2**20)
    ('3.0', '1500')
    """
    size = value / 2**20
    return f"{size:.1f}" if size < 100 else f"{size:.0f}"


def share(value: float) -> str:
    """A share in per cent; nothing small is rounded to zero.

    >>> share(0), share(1.2e-5), share(0.0231), share(0.5)
    ('0 %', '0.0012 %', '2.31 %', '50 %')
    """
    if value == 0:
        return "0 %"
    scaled = 100 * value
    decimals = max(0, 1 - math.floor(math.log10(scaled))) if scaled < 1 else 2
    text = f"{scaled:.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.')} %" if "." in text else f"{text} %"


def percent(value: float) -> str:
    """A round share, such as a sampling rate: 0.1 is 10 %."""
    return f"{100 * value:.3g} %"


def join(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> join(["a"]), join(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _decimals(value: float) -> int:
    if value == 0 or not math.isfinite(value):
        return 4
    return min(5, max(1, 3 - math.floor(math.log10(abs(value)))))
