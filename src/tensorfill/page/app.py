"""The app: its routes, each of which parses, asks the desk, and returns."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .. import __version__
from .allowances import RunLimits
from .answers import download, error_answer, send_plane, static_file, static_routes
from .arriving import take_files, take_mask
from .desk import Desk
from .guarding import LOOPBACK, Guard
from .menu import describe_menu
from .planes import Layout
from .private_files import make_private_folder, remove_folder
from .processes import WorkFailed
from .recipes import python_recipe, shell_recipe
from .samples import SAMPLES
from .uploads import Limits, read_message, read_packed
from .work import Wish, number, read_words, whole_number

_WIDEST_GROWTH = 200
_MOST_LEVELS = 255


def create_app(
    *,
    key: str | None = None,
    hosts: Collection[str] = LOOPBACK,
    file: Path | None = None,
    sample: str | None = None,
    limits: Limits | None = None,
    run_limits: RunLimits | None = None,
) -> Starlette:
    """The page as an ASGI app: `app.state.key` is the secret that its requests must bring.

    Parameters
    ----------
    key
        The secret; a new one if none is given.
    hosts
        The names that the server answers to, apart from addresses in numbers if "0.0.0.0" is among them.
    file, sample
        What is open from the beginning: a file of this machine, or one of the samples.
    limits
        How much may be sent, and how slowly.
    run_limits
        How much memory and time a run may take.
    """
    key = secrets.token_urlsafe(24) if key is None else key

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        folder = await asyncio.to_thread(make_private_folder)
        desk = app.state.desk = Desk(folder, run_limits)
        app.state.folder = folder
        try:
            desk.start()
            if file is not None:
                item = desk.add_item(file.name)
                item.path = file.absolute()
                desk.open(item)
            elif sample is not None:
                desk.open(desk.add_item(SAMPLES[sample][0]), "open_sample", sample=sample)
            yield
        finally:
            await desk.close()
            await asyncio.to_thread(remove_folder, folder)

    app = Starlette(
        routes=[*static_routes(), *_ROUTES],
        lifespan=living,
        exception_handlers={HTTPException: error_answer, WorkFailed: error_answer, Exception: error_answer},
    )
    app.state.key, app.state.limits = key, limits or Limits()
    app.add_middleware(Guard, key=key, hosts=hosts)
    return app


async def _read_json(request: Request) -> dict[str, Any]:
    try:
        found = json.loads(await read_message(request, request.app.state.limits))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise HTTPException(400, "The request is not what this server understands.")
    return found


def _desk(request: Request) -> Desk:
    return request.app.state.desk  # type: ignore[no-any-return]


# What is open


async def state(request: Request) -> Response:
    """Everything there is."""
    return JSONResponse(_desk(request).told())


async def menu(request: Request) -> Response:
    """What never changes."""
    return JSONResponse({"version": __version__, **await asyncio.to_thread(describe_menu)})


async def events(request: Request) -> Response:
    """What happens, as it happens."""
    desk = _desk(request)
    return StreamingResponse(desk.events.listen(desk.told), media_type="text/event-stream")


async def add_item(request: Request) -> Response:
    """Open what is sent: one file, a header with its numbers, or numbered pictures."""
    desk = _desk(request)
    async with desk.arriving:
        item = await take_files(request, desk, request.app.state.limits)
    return JSONResponse(item.told(), 202)


async def add_sample(request: Request) -> Response:
    """Open a sample."""
    name = request.path_params["name"]
    if name not in SAMPLES:
        raise HTTPException(404, "There is no such sample.")
    desk = _desk(request)
    item = desk.add_item(SAMPLES[name][0])
    desk.open(item, "open_sample", sample=name)
    return JSONResponse(item.told(), 202)


async def read_again(request: Request) -> Response:
    """Read a file in other words: a table as wide or long, one array of several, raw video of a size."""
    desk, message = _desk(request), await _read_json(request)
    item = desk.item(request.path_params["item"])
    if item.state == "reading":
        raise HTTPException(409, "The file is being read.")
    item.words = read_words(message)
    item.state, item.error, item.facts = "reading", "", {}
    desk.open(item)
    return JSONResponse(item.told(), 202)


async def close_item(request: Request) -> Response:
    """Close a file."""
    desk = _desk(request)
    await desk.close_item(desk.item(request.path_params["item"]))
    return Response(status_code=204)


async def item_plane(request: Request) -> Response:
    """A plane of the data, eight bits for each shade."""
    item = _desk(request).item(request.path_params["item"])
    return await send_plane(item.folder / "planes.bin", item.layout, request.path_params["plane"])


async def item_known(request: Request) -> Response:
    """Which sites the file itself says are known."""
    item = _desk(request).item(request.path_params["item"])
    assert isinstance(item.layout, Layout)
    return FileResponse(item.folder / "known.bin", media_type="application/octet-stream")


# Holes


async def match(request: Request) -> Response:
    """Sites of about the same colour as the one that was picked."""
    desk, message = _desk(request), await _read_json(request)
    item = desk.item(request.path_params["item"])
    count, rows, columns = item.layout.sites
    packed, told = await desk.paint(
        item,
        "match",
        plane=whole_number(message.get("plane"), 0, count - 1),
        row=whole_number(message.get("row"), 0, rows - 1),
        column=whole_number(message.get("column"), 0, columns - 1),
        tolerance=number(message.get("tolerance"), 0, _MOST_LEVELS),
        levels=item.facts["white"] - item.facts["black"],
        everywhere=message.get("everywhere") is True,
    )
    return _packed(packed, told)


async def grow(request: Request) -> Response:
    """The mask that is sent, wider."""
    desk = _desk(request)
    item = desk.item(request.path_params["item"])
    try:
        pixels = int(request.query_params.get("pixels", ""))
    except ValueError:
        pixels = 0
    whole_number(pixels, 1, _WIDEST_GROWTH)
    async with desk.arriving:
        asked = await _read_sites(request, item.layout)
        return _packed(*await desk.paint(item, "grow", asked, pixels=pixels))


async def scatter(request: Request) -> Response:
    """Holes at random."""
    desk, message = _desk(request), await _read_json(request)
    item = desk.item(request.path_params["item"])
    packed, told = await desk.paint(
        item,
        "scatter",
        pattern=str(message.get("pattern", "uniform"))[:20],
        keep=number(message.get("keep"), 0.001, 1.0),
        seed=whole_number(message.get("seed", 0), 0, 2**31),
    )
    return _packed(packed, told)


async def add_mask(request: Request) -> Response:
    """Holes from a mask file."""
    return _packed(*await take_mask(request, _desk(request), request.app.state.limits))


async def keep_holes(request: Request) -> Response:
    """Keep the mask that is sent; returns its name."""
    desk = _desk(request)
    item = desk.item(request.path_params["item"])
    async with desk.arriving:
        return JSONResponse(await desk.keep_holes(item, await _read_sites(request, item.layout)))


async def kept_holes(request: Request) -> Response:
    """A mask that was kept, for a page that is opened again."""
    item = _desk(request).item(request.path_params["item"])
    return FileResponse(item.holes_file(request.path_params["holes"]), media_type="application/octet-stream")


async def _read_sites(request: Request, layout: Layout) -> bytes:
    count, rows, columns = layout.sites
    return await read_packed(request, -(-count * rows * columns // 8), request.app.state.limits)


def _packed(sites: bytes, told: dict[str, Any]) -> Response:
    """A mask, and what is said about it in a header."""
    return Response(sites, media_type="application/octet-stream", headers={"X-Told": json.dumps(told)})


# Runs


async def estimate(request: Request) -> Response:
    """How long a run will take."""
    desk = _desk(request)
    item = desk.item(request.path_params["item"])
    return JSONResponse(await desk.estimate(item, Wish.of(await _read_json(request))))


async def add_run(request: Request) -> Response:
    """Queue a run."""
    desk, message = _desk(request), await _read_json(request)
    item = desk.item(str(message.get("item")))
    run = desk.add_run(item, Wish.of(message), whole_number(message.get("plane", 0), 0, item.layout.count - 1))
    return JSONResponse(run.told(), 202)


async def look(request: Request) -> Response:
    """Say which plane is looked at, so that this one is drawn while it fills in."""
    desk, message = _desk(request), await _read_json(request)
    run = desk.run(request.path_params["run"])
    run.plane = whole_number(message.get("plane"), 0, desk.item(run.item).layout.count - 1)
    if run.working is not None:
        run.working.send({"plane": run.plane})
    return Response(status_code=204)


async def cancel(request: Request) -> Response:
    """Stop a run, keeping the best so far; or end it now, whatever it is doing."""
    desk, message = _desk(request), await _read_json(request)
    run = desk.run(request.path_params["run"])
    desk.cancel(run, now=message.get("now") is True)
    return JSONResponse(run.told())


async def remove_run(request: Request) -> Response:
    """Forget a run."""
    desk = _desk(request)
    await desk.remove_run(desk.run(request.path_params["run"]))
    return Response(status_code=204)


async def run_plane(request: Request) -> Response:
    """A plane of the result, of how unsure it is, of a component, or of what there is so far."""
    desk = _desk(request)
    run = desk.run(request.path_params["run"])
    layout, what = desk.item(run.item).layout, request.path_params["what"]
    if what == "live":
        return await send_plane(run.folder / "live.bin", layout, 0)
    if what == "unsure":
        layout = Layout(layout.shape[:-1], 0) if layout.channels else layout
        return await send_plane(run.folder / "unsure.bin", layout, request.path_params["plane"])
    names = {"filled": "shown", **{f"part-{part}": f"part-{part}" for part in range(len(run.components))}}
    if what not in names:
        raise HTTPException(404, "There is no such picture.")
    return await send_plane(run.folder / f"{names[what]}.bin", layout, request.path_params["plane"])


async def run_file(request: Request) -> Response:
    """A file to keep: the result, its report, or the holes."""
    desk = _desk(request)
    run = desk.run(request.path_params["run"])
    return await download(desk.item(run.item), run, request.path_params["what"])


async def recipe(request: Request) -> Response:
    """How to do the same elsewhere."""
    desk = _desk(request)
    run = desk.run(request.path_params["run"])
    item = desk.item(run.item)
    table, tile = bool(item.facts.get("is_table")), (run.summary or {}).get("tile")
    makers = {"shell": shell_recipe, "python": python_recipe}
    return JSONResponse(
        {name: make(item.name, run.wish, table=table, words=item.words, tile=tile) for name, make in makers.items()}
    )


_ROUTES = [
    Route("/", static_file("index.html")),
    Route("/api/state", state),
    Route("/api/menu", menu),
    Route("/api/events", events),
    Route("/api/items", add_item, methods=["POST"]),
    Route("/api/samples/{name}", add_sample, methods=["POST"]),
    Route("/api/items/{item}", close_item, methods=["DELETE"]),
    Route("/api/items/{item}/words", read_again, methods=["POST"]),
    Route("/api/items/{item}/plane/{plane:int}", item_plane),
    Route("/api/items/{item}/known", item_known),
    Route("/api/items/{item}/match", match, methods=["POST"]),
    Route("/api/items/{item}/grow", grow, methods=["POST"]),
    Route("/api/items/{item}/scatter", scatter, methods=["POST"]),
    Route("/api/items/{item}/mask", add_mask, methods=["POST"]),
    Route("/api/items/{item}/holes", keep_holes, methods=["PUT"]),
    Route("/api/items/{item}/holes/{holes}", kept_holes),
    Route("/api/items/{item}/estimate", estimate, methods=["POST"]),
    Route("/api/runs", add_run, methods=["POST"]),
    Route("/api/runs/{run}", remove_run, methods=["DELETE"]),
    Route("/api/runs/{run}/look", look, methods=["POST"]),
    Route("/api/runs/{run}/cancel", cancel, methods=["POST"]),
    Route("/api/runs/{run}/recipe", recipe),
    Route("/api/runs/{run}/file/{what}", run_file),
    Route("/api/runs/{run}/{what}/{plane:int}", run_plane),
]
