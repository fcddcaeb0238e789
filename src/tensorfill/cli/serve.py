"""`tensorfill serve`: the page."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidSetting, UnreadableFile
from ..formats import DataFile
from ..formats.damage import check_source
from .console import say

try:
    from ..page.launching import serve as serve_page
except ImportError as error:  # an extra, most of which few need
    _missing: ImportError | None = error
else:
    _missing = None

_LARGEST_PORT = 65_535


def serve(file: Path | None, port: int | None, host: str | None, no_browser: bool) -> None:
    """Serve the page until it is stopped."""
    if _missing is not None:
        raise UnreadableFile(
            f"The page needs {_missing.name or 'libraries'}, which is not installed: pip install 'tensorfill[page]'"
        )
    if port is not None and not 0 <= port <= _LARGEST_PORT:
        raise InvalidSetting(f"--port takes a number from 0 to {_LARGEST_PORT}. Got {port} instead.")
    if file is not None:
        found = DataFile.of(file)
        check_source(found.path, folder=found.form.folder)
    serve_page(file, host=host, port=port, browser=not no_browser, say=say)
