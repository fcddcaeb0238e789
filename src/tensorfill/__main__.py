"""The `tensorfill` command, also as `python -m tensorfill`."""

import os
import sys
import warnings
from contextlib import suppress

from .interrupting import INTERRUPTED, NOTHING_WRITTEN, leave_when_pressed, stay_until_the_end

__all__ = ["main"]

_USER_ERROR = 2

if os.path.basename(sys.argv[0]).startswith("tensorfill"):  # the installed script, which loads this first of all
    leave_when_pressed()


def main() -> None:
    """Run the command line."""
    leave_when_pressed()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # those of other libraries say nothing to a user; ours are shown by each verb
    # Where they are closed, Python has none, and what prints would fail.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    # A sentence with a character the terminal cannot show must not end in a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    code = _run()
    stay_until_the_end()
    sys.exit(_printed(code))


def _run() -> int:
    """The exit code of the command."""
    try:
        from .cli import app

        app()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        _complain(NOTHING_WRITTEN)
        return INTERRUPTED
    except BrokenPipeError:
        return 1
    except OSError as error:  # the help, on a device that is full
        _complain(f"Error: Not all could be printed: {error.strerror}.")
        return _USER_ERROR
    return 0


def _printed(code: int) -> int:
    """The exit code once all is printed: another one if it could not be, as on a device that is full."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer would be tried again, and fail again, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code == 0:
            _complain(f"Error: Not all could be printed: {error.strerror}.")
        return code or _USER_ERROR
    return code


def _complain(sentence: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"{sentence}\n")


if __name__ == "__main__":
    main()
