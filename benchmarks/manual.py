"""The reference in docs/reference/cli.md: usage, options and example of every verb, made from the command itself.

    python benchmarks/manual.py docs/reference/cli.md

Writes what stands between two marks anew, and leaves the rest.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import typer

from tensorfill.cli import app

_BLOCK = re.compile(r"(<!-- reference: (\S+) -->\n).*?(<!-- end of reference -->)", flags=re.DOTALL)
_HIDDEN = ("help",)


def with_reference(manual: str) -> str:
    """The manual with its references brought up to date."""
    return _BLOCK.sub(lambda found: f"{found[1]}{reference(found[2])}{found[3]}", manual)


def reference(verb: str) -> str:
    """Usage, arguments, options and example of a verb, as Markdown."""
    command = verbs()[verb]
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and one.name not in _HIDDEN]
    required = [one for one in options if one.required]
    usage = [verb, *(_argument(one) for one in arguments)]
    usage += [f"{one.opts[0]} {_takes(one)}".rstrip() for one in required]
    usage += ["[options]"] if len(options) > len(required) else []
    lines = ["", f"    tensorfill {' '.join(usage)}", ""]
    if arguments or options:
        lines += ["| | |", "| --- | --- |"]
        lines += [f"| `{_argument(one)}` | {_describe(one)} |" for one in arguments]
        lines += [f"| {_names(one)} | {_describe(one)} |" for one in options]
        lines.append("")
    example = (command.epilog or "").removeprefix("Example: ")
    lines += [f"For example: `{example}`", ""] if example else []
    return "\n".join(lines) + "\n"


def verbs() -> dict[str, Any]:
    """Every verb of the command by its name."""
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def _argument(parameter: Any) -> str:
    shown = str(parameter.metavar or parameter.name.upper())
    return shown if parameter.required else f"[{shown}]"


def _names(option: Any) -> str:
    names = [*option.opts, *option.secondary_opts]
    takes = _takes(option)
    return ", ".join(f"`{name}`" for name in names) + (f" `{takes}`" if takes else "")


def _takes(option: Any) -> str:
    if option.is_flag:
        return ""
    return str(option.metavar or option.opts[-1].lstrip("-").upper()).replace("|", "\\|")


def _describe(parameter: Any) -> str:
    told = " ".join((parameter.help or "").split()).replace("|", "\\|")
    default = parameter.default
    if default is None or default is False or callable(default) or parameter.required:
        return told
    return f"{told.removesuffix('.')} ({default})."


def main() -> None:
    """Bring a manual up to date."""
    path = Path(sys.argv[1])
    path.write_text(with_reference(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
