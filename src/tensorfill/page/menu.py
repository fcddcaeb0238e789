"""The menu: what methods there are, with their settings and what each means, as their own docstrings say."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..formats import known_extensions
from ..methods.registry import available_methods, is_complete
from .samples import SAMPLES

_NAME = re.compile(r"^(\w+(?:, \w+)*)\n", re.MULTILINE)
_UNTYPED = ("weights", "lost_weights")
"""Settings of auto that an earlier run tells, and nobody types."""


def describe_menu() -> dict[str, Any]:
    """Methods, samples, and which files can be opened."""
    return {
        "methods": [_describe_method(name, kind) for name, kind in available_methods().items() if is_complete(kind)],
        "samples": [{"name": name, "about": about} for name, (_, about) in SAMPLES.items()],
        "extensions": list(known_extensions()),
    }


def _describe_method(name: str, kind: Any) -> dict[str, Any]:
    return {
        "name": name,
        "summary": kind.summary,
        "reference": kind.reference,
        "nonnegative": kind.nonnegative,
        "uncertainty": kind.tells_uncertainty,
        "components": kind.has_components,
        "settings": _describe_settings(kind),
    }


def _describe_settings(kind: Any) -> list[dict[str, Any]]:
    hints, texts = get_type_hints(kind), dict[str, str]()
    for base in reversed(inspect.getmro(kind)):
        texts |= read_parameters(inspect.cleandoc(vars(base).get("__doc__") or ""))
    found = []
    for setting in fields(kind):
        if setting.name in _UNTYPED:
            continue
        default = setting.default if setting.default is not MISSING else None
        choices = get_args(hints[setting.name]) if get_origin(hints[setting.name]) is Literal else ()
        about = texts.get(setting.name, "")
        found.append({"name": setting.name, "default": _plain(default), "choices": list(choices), "about": about})
    return found


def read_parameters(docstring: str) -> dict[str, str]:
    """What a docstring says of each parameter, in one line.

    >>> read_parameters("A.\\n\\nParameters\\n----------\\nrank\\n    How many.\\n    Or one each.\\n")
    {'rank': 'How many. Or one each.'}
    """
    _, found, section = docstring.partition("Parameters\n----------\n")
    section = re.split(r"\n\n\w[^\n]*\n---", section, maxsplit=1)[0]
    parts = _NAME.split(f"{section}\n") if found else []
    return {
        name: " ".join(text.split())
        for names, text in zip(parts[1::2], parts[2::2], strict=True)
        for name in names.split(", ")
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
