"""The process that decodes a file on behalf of another, within limits of memory and time."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from ..errors import TensorfillError
from . import limits
from .listed import FORMATS
from .reading import Reading
from .table_words import TableWords
from .wire import send, send_error


def main(question: str) -> None:
    """Decode, hand over, and end at once: a library that stumbled need not tidy up."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not disturb the numbers
    name, path, how = json.loads(question)
    form = next(form for form in FORMATS if form.name == name)
    limits.start()
    try:
        send(out, form.decode(Path(path), _reading(how)))
    except TensorfillError as error:
        send_error(out, error)
    out.close()
    os._exit(0)


def _reading(how: dict[str, object]) -> Reading:
    """JSON has lists where `Reading` has tuples."""
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in how.items()}
    return Reading(**{**plain, "table": TableWords(**how["table"])})  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1])
