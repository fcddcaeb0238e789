"""The command itself, to which every verb adds itself; failures become one sentence and an exit code."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..errors import TensorfillError

USER_ERROR = 2
INTERRUPTED = 130


class Stopped(Exception):
    """Ctrl-C ended the work; the sentence says what is left of it."""


class PlainFailures(TyperGroup):
    """Shows what the user can put right as one sentence, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        try:
            return super().invoke(ctx)
        except TensorfillError as error:
            _fail(f"Error: {error}", USER_ERROR)
        except MemoryError:
            _fail("Error: There is not enough memory for data of this size on this machine.", USER_ERROR)
        except Stopped as stopped:
            _fail(str(stopped), INTERRUPTED)
        except KeyboardInterrupt:
            _fail("Stopped; nothing was written.", INTERRUPTED)


def _fail(sentence: str, code: int) -> None:
    typer.echo(sentence, err=True)
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
