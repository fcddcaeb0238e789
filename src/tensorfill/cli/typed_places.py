"""Places in data as people type them: `10-12,20`, `176x144`, `255,0,255`."""

from __future__ import annotations

from ..errors import InvalidSetting

_MOST = 10**6  # nobody has more frames, and 0-999999999999 must not fill the memory


def frames_from(text: str, option: str = "--missing-frames") -> tuple[int, ...]:
    """Indices, and ranges of them that include both ends.

    >>> frames_from("10-12, 20")
    (10, 11, 12, 20)
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or not (last.isdecimal() if dash else True):
            raise _wrong_frames(option, text)
        start, end = int(first), int(last) if dash else int(first)
        if end < start or end - start >= _MOST or len(found) >= _MOST:
            raise _wrong_frames(option, text)
        found.extend(range(start, end + 1))
    return tuple(dict.fromkeys(found))


def slices_from(text: str) -> tuple[int, tuple[int, ...]]:
    """A mode, counted from 1, and indices of it.

    >>> slices_from("3:10-12,20")
    (3, (10, 11, 12, 20))
    """
    mode, colon, indices = text.partition(":")
    if not colon or not mode.strip().isdecimal():
        raise InvalidSetting(
            "--missing-slices takes a mode, counted from 1, and indices of it, counted from 0, like 3:10-12,20. "
            f"Got {text!r} instead."
        )
    return int(mode), frames_from(indices, "--missing-slices MODE:INDICES")


def _wrong_frames(option: str, text: str) -> InvalidSetting:
    return InvalidSetting(
        f"{option} takes indices counted from 0 and ranges of them, like 10-12,20. Got {text!r} instead."
    )


def range_from(text: str) -> tuple[int, int]:
    """The first and the last frame.

    >>> range_from("0-99"), range_from("7")
    ((0, 99), (7, 7))
    """
    first, dash, last = text.strip().partition("-")
    if first.isdecimal() and (last.isdecimal() if dash else True):
        start, end = int(first), int(last) if dash else int(first)
        if start <= end:
            return start, end
    raise InvalidSetting(
        f"--frames takes the first and the last frame, counted from 0, like 0-99. Got {text!r} instead."
    )


def size_from(text: str) -> tuple[int, int]:
    """Columns and rows.

    >>> size_from("176x144")
    (176, 144)
    """
    columns, cross, rows = text.lower().replace("×", "x").partition("x")
    if not (cross and columns.strip().isdecimal() and rows.strip().isdecimal() and int(columns) and int(rows)):
        raise InvalidSetting(f"--size takes columns x rows, like 176x144. Got {text!r} instead.")
    return int(columns), int(rows)


def values_from(text: str) -> tuple[float, ...]:
    """One value, or one for every channel.

    >>> values_from("0"), values_from("255,0,255")
    ((0.0,), (255.0, 0.0, 255.0))
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(
            f"--missing takes a value, or one for every channel, like 0 or 255,0,255. Got {text!r} instead."
        ) from None
