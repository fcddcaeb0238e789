"""Answers: the page's own files, planes of bytes, downloads, and errors as sentences without internals."""

from __future__ import annotations

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.resources import files as package_files
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ..formats import DataFile
from .desk import Item
from .planes import Layout
from .processes import WorkFailed
from .reading import filled_file, holes_file
from .recipes import name_filled, name_holes
from .work import Run

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_PIECE = 2**18


# The page's own files


def static_file(name: str) -> Callable[[Request], Awaitable[Response]]:
    """A route to one file of the package; nothing that a client sends is part of its name."""
    content = (package_files(__package__) / "static" / name).read_bytes()
    kind = _TYPES[Path(name).suffix]

    async def send(request: Request) -> Response:
        return Response(content, media_type=kind)

    return send


def static_routes() -> list[Route]:
    """A route for each file of the page but the first."""
    names = sorted(place.name for place in (package_files(__package__) / "static").iterdir())
    return [Route(f"/{name}", static_file(name)) for name in names if Path(name).suffix in _TYPES]


# Planes


async def send_plane(path: Path, layout: Layout, plane: int) -> Response:
    """One plane out of a file that holds them one after the other, a piece at a time."""
    _, rows, columns = layout.sites
    size = rows * columns * layout.depth
    if not 0 <= plane < layout.count or not path.is_file():
        raise HTTPException(404, "There is no such picture.")

    async def pieces() -> AsyncIterator[bytes]:
        with path.open("rb") as file:
            file.seek(plane * size)
            left = size
            while left and (piece := await asyncio.to_thread(file.read, min(_PIECE, left))):
                left -= len(piece)
                yield piece

    shape = json.dumps([rows, columns, layout.depth])
    headers = {"X-Shape": shape, "Content-Length": str(size)}
    return StreamingResponse(pieces(), media_type="application/octet-stream", headers=headers)


# Downloads


async def download(item: Item, run: Run, what: str) -> Response:
    """A file of a run under a name that a user knows."""
    if what == "report":
        return _attach(run.folder / "report.json", f"{name_filled(item.name)}.json")
    if what == "holes":
        table = holes_file(run.folder, item.path).path
        return (
            _attach(table, name_holes(item.name)) if table.is_file() else _attach(run.folder / "known.npy", "known.npy")
        )
    if what != "filled" or run.summary is None:
        raise HTTPException(404, "There is no such file.")
    written = filled_file(run.folder, item.path)
    name = name_filled(item.name)
    if len(written.files) == 1 and written.path.is_file():
        return _attach(written.path, name)
    packed = await asyncio.to_thread(_pack, written, run.folder / "filled.zip", Path(name))
    return _attach(packed, f"{name}.zip")


def _pack(written: DataFile, target: Path, name: Path) -> Path:
    """Several files as one, under names that go with the user's."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in written.files:
            if path.is_dir():
                for part in sorted(path.rglob("*")):
                    archive.write(part, Path(name.name) / part.relative_to(path))
            else:
                archive.write(path, name.with_suffix(path.suffix).name)
    return target


def _attach(path: Path, name: str) -> Response:
    if not path.is_file():
        raise HTTPException(404, "There is no such file.")
    shown = f"attachment; filename*=UTF-8''{quote(name)}"
    headers = {"Content-Disposition": shown}
    return FileResponse(path, media_type="application/octet-stream", headers=headers)


# Errors


async def error_answer(request: Request, error: Exception) -> Response:
    """What went wrong as a sentence; of what nobody foresaw, nothing but that."""
    if isinstance(error, HTTPException):
        told = error.detail if error.status_code != 404 or error.detail != "Not Found" else "There is nothing here."
        return JSONResponse({"error": told}, error.status_code)
    if isinstance(error, WorkFailed):
        return JSONResponse({"error": str(error)}, 422)
    return JSONResponse({"error": "Something went wrong; the terminal of the server says what."}, 500)
