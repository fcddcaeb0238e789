"""Arriving: what requests bring: questions, masks, and files, which belong together and get names of our own."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from ..formats import known_extensions
from .desk import Desk, Item
from .planes import Layout
from .private_files import free_bytes
from .uploads import Announced, Limits, announced_files, extension_of, read_message, read_packed, save_files

_SPARE = 2**30  # bytes of the disk that are left alone
_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")


async def take_files(request: Request, desk: Desk, limits: Limits) -> Item:
    """Keep what is sent in a new item, and open it."""
    files = announced_files(request)
    _check_room(desk, sum(file.size for file in files), limits)
    item = desk.add_item(files[0].name)
    try:
        targets = _place(files, item)
        await save_files(request, [file.size for file in files], targets, limits)
    except BaseException:
        await asyncio.to_thread(shutil.rmtree, item.folder, ignore_errors=True)
        raise
    desk.open(item)
    return item


def _check_room(desk: Desk, size: int, limits: Limits) -> None:
    if size <= limits.upload_bytes and free_bytes(desk.folder) < 4 * size + _SPARE:
        raise HTTPException(507, "There is not enough room on the disk for this; close files that are done.")


def _place(files: Sequence[Announced], item: Item) -> list[Path]:
    """Where each file goes; sets what the item is called and where it is read."""
    extensions = [extension_of(file.name) for file in files]
    if len(files) == 1:
        item.path = item.folder / f"data{_known(files[0].name, extensions[0])}"
        return [item.path]
    if ".hdr" in extensions and len(files) == 2:
        header = extensions.index(".hdr")
        item.name, item.path = files[header].name, item.folder / "data.hdr"
        return [item.path if index == header else item.folder / "data.img" for index in range(2)]
    if len(set(extensions)) == 1 and extensions[0] in _PICTURES:
        item.name, item.path = "frames", item.folder / "data"
        item.path.mkdir(mode=0o700)
        numbers = [_number(file.name, index) for index, file in enumerate(files)]
        if len(set(numbers)) < len(numbers):
            raise HTTPException(422, "Two of these pictures have the same number, so their order cannot be told.")
        return [item.path / f"frame_{number:08d}{extensions[0]}" for number in numbers]
    raise HTTPException(
        422, "Several files are one clip of numbered pictures, or a header with its numbers; open others one by one."
    )


def _known(name: str, extension: str | None) -> str:
    if extension is None:
        told = ", ".join(dict.fromkeys(known_extensions()))
        raise HTTPException(415, f"The page does not know what {name} is by its name. It opens: {told}.")
    return extension


def _number(name: str, index: int) -> int:
    """The last number in a name, as the reader of frames sees it."""
    found = re.findall(r"\d{1,8}", name)
    return int(found[-1]) if found else index


async def take_mask(request: Request, desk: Desk, limits: Limits) -> tuple[bytes, dict[str, Any]]:
    """Read a mask file for an item; returns the sites that it declares missing."""
    item, means = desk.item(request.path_params["item"]), request.query_params.get("means", "")
    if means not in ("missing", "known"):
        raise HTTPException(422, "Say what white, 1 or True in the mask means: missing or known.")
    files = announced_files(request, most=1)
    path = item.folder / f"mask{_known(files[0].name, extension_of(files[0].name))}"
    path.unlink(missing_ok=True)
    try:
        await save_files(request, [files[0].size], [path], limits)
        return await desk.paint(item, "open_mask", path=str(path), name=files[0].name, means=means)
    finally:
        path.unlink(missing_ok=True)


async def read_json(request: Request) -> dict[str, Any]:
    """What a request asks, by names; nothing if its body is empty."""
    try:
        found = json.loads(await read_message(request, request.app.state.limits) or b"{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise HTTPException(400, "The request is not what this server understands.")
    return found


async def read_sites(request: Request, layout: Layout) -> bytes:
    """A mask of all sites, eight in a byte."""
    count, rows, columns = layout.sites
    return await read_packed(request, -(-count * rows * columns // 8), request.app.state.limits)
