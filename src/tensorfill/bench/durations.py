"""Durations: times as people say them."""


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(42), duration(200), duration(5400)
    ('42 s', '3 min', '1 h 30 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
