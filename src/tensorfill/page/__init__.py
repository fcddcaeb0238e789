"""The page: a local web page that opens files, paints holes, and shows how they are filled.

app.py ─► desk.py ─► processes.py ─► worker.py     routes, what is open, a process for each piece of work
guarding.py, uploads.py, private_files.py          what is refused; files that are gone at the end
in a worker: reading.py, painting.py, filling.py   the library's own functions, and their answers as planes of bytes
"""

from .app import create_app

__all__ = ["create_app"]
