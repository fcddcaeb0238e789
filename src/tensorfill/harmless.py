"""Text that only shows: names come from files and from strangers, and a terminal obeys some of what it is sent."""

from __future__ import annotations

import unicodedata

_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""What makes a terminal show text the other way round."""
_CONTROLLING = ("Cc", "Cs", "Zl", "Zp")  # controls, broken bytes, ends of lines and paragraphs


def harmless(text: object) -> str:
    """The text on one line, with escape codes and the like spelled out.

    >>> harmless("two\\nlines, \\x1b[31mred.png")
    'two\\\\nlines, \\\\x1b[31mred.png'
    """
    return "".join(_spell(character) if _is_active(character) else character for character in str(text))


def _is_active(character: str) -> bool:
    return character in _TURNING or unicodedata.category(character) in _CONTROLLING


def _spell(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a file name that is no text
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
