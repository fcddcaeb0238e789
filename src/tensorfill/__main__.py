"""The `tensorfill` command, also as `python -m tensorfill`."""

import os
import signal
import sys
from contextlib import suppress

__all__ = ["main"]

_USER_ERROR = 2
_INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    # Where they are closed, Python has none, and what prints would fail.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    # A sentence with a character the terminal cannot show must not end in a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    code = _run()
    sys.exit(_printed(code))


def _run() -> int:
    """The exit code of the command."""
    try:
        try:
            from .cli import app  # takes long enough for a Ctrl-C

            app()
        except SystemExit as ended:
            return _number(ended.code)
        finally:
            # All is said by now; a Ctrl-C while Python tidies up would only be a traceback.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        _complain("Stopped; nothing was written.")
        return _INTERRUPTED
    except BrokenPipeError:
        return 1
    except OSError as error:  # the help, on a device that is full
        _complain(f"Error: Not all could be printed: {error.strerror}.")
        return _USER_ERROR
    return 0


def _complain(sentence: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"{sentence}\n")


def _number(code: object) -> int:
    return code if isinstance(code, int) else int(code is not None)


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


if __name__ == "__main__":
    main()
