"""Recipes: how to do the same as a run of the page from the shell and from Python."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from .reading import Words
from .uploads import extension_of
from .work import Wish


def name_filled(name: str) -> str:
    """What the result is called: photo-filled.png."""
    extension = extension_of(name) or ""
    stem = name[: len(name) - len(extension)]
    return f"{stem}-filled{name[len(stem) :]}"


def name_holes(name: str) -> str:
    """What a table with holes is called: photo-holes.csv."""
    return name_filled(name).replace("-filled", "-holes")


def shell_recipe(name: str, wish: Wish, *, table: bool, words: Words, tile: Sequence[int] | None = None) -> str:
    """The command."""
    given = name_holes(name) if table and wish.holes else name
    parts = ["tensorfill", "complete", _as_file(given), "-o", _as_file(name_filled(name))]
    if "array" in words:
        parts[2] = f"{parts[2]}::{words['array']}"
    if "table" in words:
        parts += ["--table", words["table"]]
    if "size" in words:
        parts += ["--size", "x".join(map(str, words["size"]))]
    if wish.holes and not table:
        parts += ["--observed", "known.npy"]
    parts += ["--method", wish.method]
    for setting, value in wish.settings.items():
        parts += ["--set", f"{setting}={_typed(value)}"] if setting != "effort" else ["--effort", str(value)]
    if wish.seed:
        parts += ["--seed", str(wish.seed)]
    if wish.lower != 0:
        parts += ["--lower", _typed(wish.lower)]
    if wish.upper is not None:
        parts += ["--upper", _typed(wish.upper)]
    if wish.time_limit is not None:
        parts += ["--time-limit", _typed(wish.time_limit)]
    if tile is not None:
        parts += ["--tile", _typed(tuple(tile))]
    return shlex.join(parts)


def _as_file(name: str) -> str:
    """The name as no option."""
    return f"./{name}" if name.startswith("-") else name


def _typed(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ",".join(_typed(part) for part in value)
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def python_recipe(name: str, wish: Wish, *, table: bool, words: Words, tile: Sequence[int] | None = None) -> str:
    """The lines of Python."""
    given = name_holes(name) if table and wish.holes else name
    arguments = ["data", *(["np.load('known.npy')"] if wish.holes and not table else []), f"method={wish.method!r}"]
    arguments += [f"{setting}={value!r}" for setting, value in wish.settings.items()]
    if wish.seed:
        arguments.append(f"random_state={wish.seed}")
    if wish.lower != 0:
        arguments.append(f"lower={wish.lower!r}")
    if wish.upper is not None:
        arguments.append(f"upper={wish.upper!r}")
    if wish.time_limit is not None:
        arguments.append(f"time_limit={wish.time_limit!r}")
    if tile is not None:
        arguments.append(f"tile={tuple(tile)}")
    given = f"{given}::{words['array']}" if "array" in words else given
    reading = f"{given!r}, table={words['table']!r}" if "table" in words else f"{given!r}"
    reading += f", size={tuple(words['size'])}" if "size" in words else ""
    lines = [
        *(["import numpy as np"] if wish.holes and not table else []),
        "import tensorfill",
        "",
        f"data = tensorfill.read({reading})",
        f"done = tensorfill.complete({', '.join(arguments)})",
        f"tensorfill.write({name_filled(name)!r}, done, like=data)",
    ]
    return "\n".join(lines)
