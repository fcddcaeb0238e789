"""The `tensorfill` command, also as `python -m tensorfill`."""

import sys

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    # A sentence with a character the terminal cannot show must not end in a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        from .cli import app  # takes long enough for a Ctrl-C

        app()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped; nothing was written.\n")
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
