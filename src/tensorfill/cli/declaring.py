"""How verbs are declared: options in groups that verbs share, and work that is loaded when the verb runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

from .app import app


def verb(*, example: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a verb of a declaration: a function with annotated options, a docstring and no body.

    A parameter that is annotated with a dataclass stands for its fields, each an option; the work gets the dataclass.
    The work is the function of the same name in the module of the same name. It is loaded when the verb runs, so that
    `--help` answers at once.
    """

    def declare(declaration: Callable[..., None]) -> Callable[..., None]:
        name = declaration.__name__
        groups: dict[str, Any] = {}
        options: list[Parameter] = []
        hints = get_type_hints(declaration, include_extras=True)
        for parameter in signature(declaration).parameters.values():
            hint = hints[parameter.name]
            if is_dataclass(hint):
                groups[parameter.name] = hint
                options += _options_of(hint)
            else:
                options.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hint))

        @wraps(declaration)
        def run(**given: Any) -> None:
            for group, kind in groups.items():
                given[group] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            getattr(import_module(f"{__package__}.{name}"), name)(**given)

        run.__signature__ = Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in options}
        app.command(name, epilog=f"Example: {example}")(run)
        return run

    return declare


def _options_of(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
