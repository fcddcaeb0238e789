"""Sentences of the library name arguments; here they become the flags that a person types."""

from __future__ import annotations

import re

_NAMES = "force|format|frames|gray|grow|mask_means|missing|size|table|tolerance"
_ARGUMENT = re.compile(rf"(?<![\w/.=-])({_NAMES})=(\([^()]*\)|'[^']*'|-?\d[\d.e+-]*|True|VALUE)(?=[\s,;:)]|\.?$|\.\s)")
_SUBJECT = re.compile(r"(?<!\S)'table' (?=takes |says )")
_BETWEEN = {"frames": "-", "size": "x"}


def as_flags(sentence: str) -> str:
    """Arguments with their values as flags; everything else as it is.

    >>> as_flags("Say table='wide,header' or size=(176, 144); add force=True, frames=(0, 2) or missing=(255, 0, 9).")
    'Say --table wide,header or --size 176x144; add --force, --frames 0-2 or --missing 255,0,9.'
    """
    return _SUBJECT.sub("--table ", _ARGUMENT.sub(_make_flag, sentence))


def _make_flag(argument: re.Match[str]) -> str:
    name, value = argument.groups()
    flag = f"--{name.replace('_', '-')}"
    if value == "True":
        return flag
    if value.startswith("("):
        value = _BETWEEN.get(name, ",").join(part.strip() for part in value.strip("()").split(","))
    return f"{flag} {value.strip(chr(39))}"
