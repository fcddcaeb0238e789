"""The command itself, to which every verb adds itself; failures become one sentence and an exit code."""

import os
import re
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..errors import TensorfillError, UnreadableFile
from ..harmless import harmless
from ..interrupting import INTERRUPTED, NOTHING_WRITTEN, interruptible
from .flags import as_flags

USER_ERROR = 2


class Stopped(Exception):
    """Ctrl-C ended the work; the sentence says what is left of it."""


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
        except TensorfillError as error:
            _fail(f"Error: {error}", USER_ERROR)
        except MemoryError:
            _fail("Error: There is not enough memory for data of this size on this machine.", USER_ERROR)
        except BrokenPipeError:  # nobody reads on, as after `| head`
            raise
        except OSError as error:  # a name too long, a folder that was deleted, a disk that is full
            _fail(f"Error: {_describe(error)}", USER_ERROR)
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


def _describe(error: OSError) -> str:
    why = error.strerror or str(error)
    if error.filename is None:
        return f"Not all could be written or printed: {why}."
    return f"{os.fsdecode(error.filename)} cannot be used: {why}."


def _fail(sentence: str, code: int) -> None:
    with suppress(OSError):  # nobody can be told; the code still tells
        typer.echo(harmless(as_flags(sentence)), err=True)
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
