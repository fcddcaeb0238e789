"""The command itself: how verbs are declared, and how failures become one sentence, in words of the command."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup
from typer.models import OptionInfo

from ..errors import TensorfillError, UnreadableFile
from ..interrupting import INTERRUPTED, NOTHING_WRITTEN, interruptible
from ..telling import harmless

USER_ERROR = 2
NO_MEMORY = "There is not enough memory for data of this size on this machine."


class Stopped(Exception):
    """Ctrl-C ended the work; the sentence says what is left of it."""


# The group of all verbs

# As a value by itself, or after the name of an option: -o "", --output=, -o -, --output=-
_NOTHING = re.compile(r"(--[\w-]+=)?")
_STANDARD_STREAM = re.compile(r"(--[\w-]+=|-\w)?-")


class PlainFailures(TyperGroup):
    """Shows what the user can put right as one sentence, without a traceback."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what the shell made of a name that was not set: an empty path would be the current folder."""
        for argument in args:
            if _NOTHING.fullmatch(argument):
                _fail(f'Error: An argument is empty: {argument}""; give a name or a value there.', USER_ERROR)
            if _STANDARD_STREAM.fullmatch(argument):
                _fail(
                    "Error: - would be standard input or output, which are neither read nor written; give the name of "
                    "a file.",
                    USER_ERROR,
                )
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        try:
            with interruptible():
                _check_here()
                return super().invoke(ctx)
        except (TensorfillError, MemoryError) as error:
            _fail(f"Error: {describe(error)}", USER_ERROR)
        except BrokenPipeError:  # nobody reads on, as after `| head`
            raise
        except OSError as error:  # a name too long, a folder that was deleted, a disk that is full
            why = error.strerror or str(error)
            named = "" if error.filename is None else os.fsdecode(error.filename)
            told = f"{named} cannot be used: {why}." if named else f"Not all could be written or printed: {why}."
            _fail(f"Error: {told}", USER_ERROR)
        except Stopped as stopped:
            _fail(str(stopped), INTERRUPTED)
        except KeyboardInterrupt:
            _fail(NOTHING_WRITTEN, INTERRUPTED)


def _check_here() -> None:
    """Refuse to work nowhere: names are looked up from here, and the compiler and workers need a place to be in."""
    try:
        os.getcwd()
    except OSError:
        raise UnreadableFile("The folder you are in was deleted, or cannot be read; change to another one.") from None


def _fail(sentence: str, code: int) -> None:
    with suppress(OSError):  # nobody can be told; the code still tells
        typer.echo(harmless(sentence), err=True)
    raise typer.Exit(code) from None


app = typer.Typer(
    cls=PlainFailures,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="Fill the holes of nonnegative tensors: pictures, cubes, any array with missing entries.",
    epilog="Example: tensorfill demo",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"tensorfill {__version__}")
        raise typer.Exit


@app.callback()
def tensorfill(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Fill the holes of nonnegative tensors: pictures, cubes, any array with missing entries."""


# How verbs are declared


def verb(*, example: str, work: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a verb of a declaration: a function with annotated options, a docstring and no body.

    A parameter that is annotated with a dataclass stands for its fields, each an option; the work gets the dataclass.
    The work is the function of the same name in the module `work` of this package. It is loaded when the verb runs, so
    that `--help` answers at once.
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
            getattr(import_module(f"{__package__}.{work}"), name)(**given)

        run.__signature__ = Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in options}
        _flags.update({option.name: flag for option in options if (flag := Flag.of(option))})
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


# Sentences of the library name arguments, such as missing=0; the command has flags for them


@dataclass(frozen=True)
class Flag:
    """How an argument is typed."""

    name: str
    between: str = ","
    """What stands between several values."""

    @classmethod
    def of(cls, parameter: Parameter) -> Flag | None:
        """Of a parameter of a verb, if it is an option."""
        for option in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(option, OptionInfo):
                declared = (option.default, *(option.param_decls or ()))  # typer takes the first name for a default
                names = [name for name in declared if isinstance(name, str) and name.startswith("--")]
                values = re.fullmatch(r"[A-Z]+([^A-Z|])[A-Z]+", option.metavar or "")  # FIRST-LAST, COLUMNSxROWS
                return cls(names[0] if names else f"--{parameter.name.replace('_', '-')}", values[1] if values else ",")
        return None

    def typed(self, value: str | None) -> str:
        """The flag with a value that is written as in Python."""
        if value is None or value == "True":
            return self.name
        if value.startswith("("):
            value = self.between.join(part.strip(" '") for part in value[1:-1].split(",") if part.strip())
        return f"{self.name} {'none' if value == 'None' else value.strip(chr(39))}"


_flags: dict[str, Flag] = {}
_RENAMED = {"random_state": "seed", "means": "mask_means"}
_SWITCHES = {("negatives", "'clip'"): "clip_negative", ("keep_observed", "False"): "no_keep_observed"}
"""Values of arguments for which the command has a flag of its own."""
_VALUE = r"None|True|False|[A-Z]+|'[^']*'|\([^()]*\)|-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)"
_ARGUMENT = re.compile(rf"(?<![^\s(])(\w+)=({_VALUE})?(?=[\s,;:)]|\.?(?:\s|$))")
_COMPLAINT = re.compile(r"^(The )?'([\w-]+)'(?= (?:of [\w-]+ )?must )")


def in_flags(sentence: str) -> str:
    """A sentence of the library in words of the command: `missing=0` is `--missing 0` there.

    What has no flag stays as it is, and so does what only looks like an argument, such as a part of a file's name.
    """

    def propose(found: re.Match[str]) -> str:
        name, value = found.groups()
        if (name, value) in _SWITCHES:
            return _flags[_SWITCHES[name, value]].name
        flag = _flags.get(_RENAMED.get(name, name))
        return found[0] if flag is None else flag.typed(value)

    def complain(found: re.Match[str]) -> str:
        name = found[2].replace("-", "_")
        flag = _flags.get(_RENAMED.get(name, name))
        return found[0] if flag is None else f"{found[1] or ''}{flag.name}"

    return _COMPLAINT.sub(complain, _ARGUMENT.sub(propose, sentence))


def describe(error: Exception) -> str:
    """What the user did wrong, or what there is not enough of, in a sentence."""
    return NO_MEMORY if isinstance(error, MemoryError) else in_flags(str(error))
