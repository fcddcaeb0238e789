"""What libtiff, by which Pillow unpacks TIFF pages, says about damaged ones: it prints it, and goes on with gray."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from ..damage import damaged
from .tiff_chain import KIND

_STDERR = 2
_COMPLAINT = re.compile(rb"[\w.]+: .*\.\r?\n")  # its error handler: a function or a file, a colon, a full stop
_HARMLESS = re.compile(rb"TIFFFetchNormalTag: Defined set_get_field_type of custom tag")


@contextmanager
def complaints_as_damage(path: Path) -> Iterator[None]:
    """Nothing is printed in the block by libtiff; if it would have been, the file counts as damaged.

    What others print meanwhile is printed afterwards.
    """
    try:
        usual = os.dup(_STDERR)
    except OSError:  # nobody listens
        yield
        return
    with TemporaryFile() as caught:
        try:
            os.dup2(caught.fileno(), _STDERR)
            yield
        finally:
            os.dup2(usual, _STDERR)
            os.close(usual)
            caught.seek(0)
            lines = caught.read().splitlines(keepends=True)
            complaints = [line for line in lines if _COMPLAINT.match(line)]
            if others := [line for line in lines if line not in complaints]:
                os.write(_STDERR, b"".join(others))
        if any(not _HARMLESS.match(line) for line in complaints):
            raise damaged(path, KIND)
