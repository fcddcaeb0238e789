"""The desk: what is open on the page and what is being done about it, the same for all its tabs."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from .allowances import RunLimits, allow_painting, allow_reading
from .events import Events
from .planes import Layout, unpack
from .processes import Processes, WorkFailed, Working, WorkStopped
from .reading import Words
from .work import Run, Wish

MOST_ITEMS, MOST_RUNS = 24, 200
_MOST_HOLES = 40  # masks kept for one item that no run needs


@dataclass
class Item:
    """A file that is open."""

    id: str
    name: str
    folder: Path
    path: Path
    state: str = "reading"
    error: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    words: Words = field(default_factory=lambda: Words())

    @property
    def layout(self) -> Layout:
        """How it is looked at."""
        if self.state != "ready":
            raise HTTPException(409, "The file is not open yet.")
        return Layout(tuple(self.facts["shape"]), self.facts["channels"])

    @property
    def place(self) -> dict[str, Any]:
        """What painting is told."""
        layout = self.layout
        return {"folder": str(self.folder), "shape": list(layout.shape), "channels": layout.channels}

    def holes_file(self, holes: str) -> Path:
        """Where a mask is kept; its name is a hash, and nothing else gets near the disk."""
        path = self.folder / f"holes-{holes}.bin"
        if not re.fullmatch(r"[0-9a-f]{24}", holes) or not path.is_file():
            raise HTTPException(404, "There is no such mask any more; paint again.")
        return path

    def told(self) -> dict[str, Any]:
        """What clients know of it."""
        return {"id": self.id, "name": self.name, "state": self.state, "error": self.error, **self.facts}


class Desk:
    """Items and runs."""

    def __init__(self, folder: Path, limits: RunLimits | None = None) -> None:
        self.folder = folder
        self.limits = limits or RunLimits()
        self.processes = Processes()
        self.events = Events()
        self.items: dict[str, Item] = {}
        self.runs: dict[str, Run] = {}
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self._reading = asyncio.Semaphore(2)
        self._painting = asyncio.Semaphore(2)
        self.arriving = asyncio.Semaphore(6)
        """Held while a large body comes: all of them are in memory, or on the disk, before they are looked at."""
        self._locks: dict[str, asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # What is open

    def add_item(self, name: str) -> Item:
        """A new item with a folder of its own, not read yet."""
        if len(self.items) >= MOST_ITEMS:
            raise HTTPException(409, f"{MOST_ITEMS} files are open already; close one first.")
        number = secrets.token_hex(8)
        folder = self.folder / number
        folder.mkdir(mode=0o700)
        return Item(number, name, folder, folder / "data")

    def open(self, item: Item, task: str = "open_file", **more: Any) -> None:
        """Read it in the background."""
        self.items[item.id] = item
        self.events.tell("item", item.told())
        self._begin(self._open(item, task, more))

    async def _open(self, item: Item, task: str, more: Mapping[str, Any]) -> None:
        given = {"folder": str(item.folder), **more}
        if task == "open_file":
            given |= {"path": str(item.path), "name": item.name, "words": item.words}
        try:
            async with self._reading:
                item.facts = await self.processes.perform(task, given, allow_reading())
            if "file" in item.facts:
                item.path = item.folder / item.facts.pop("file")
            item.state = "ready"
        except WorkFailed as error:
            item.state, item.error = "failed", str(error)
        if item.id in self.items:
            self.events.tell("item", item.told())

    def item(self, number: str) -> Item:
        """The one of this number."""
        if number not in self.items:
            raise HTTPException(404, "This file is not open any more.")
        return self.items[number]

    async def close_item(self, item: Item) -> None:
        """Forget it, with its runs and files."""
        for run in [run for run in self.runs.values() if run.item == item.id]:
            await self.remove_run(run)
        del self.items[item.id]
        await asyncio.to_thread(shutil.rmtree, item.folder, ignore_errors=True)
        self.events.tell("closed", {"id": item.id})

    # Holes

    async def paint(
        self, item: Item, task: str, asked: bytes | None = None, **more: Any
    ) -> tuple[bytes, dict[str, Any]]:
        """The sites that a way of painting finds, and what it says about them."""
        place = item.place
        async with self._painting, self._locks.setdefault(item.id, asyncio.Lock()):
            if asked is not None:
                await asyncio.to_thread((item.folder / "asked.bin").write_bytes, asked)
            told = await self.processes.perform(task, {**place, **more}, allow_painting())
            return await asyncio.to_thread((item.folder / "answer.bin").read_bytes), told

    async def keep_holes(self, item: Item, packed: bytes) -> dict[str, Any]:
        """Keep a mask for estimates and runs; returns what it is called and how much is known with it."""
        layout = item.layout
        name = hashlib.sha256(packed).hexdigest()[:24]

        def keep() -> tuple[float, int]:
            holes = unpack(packed, layout.sites)
            known = unpack((item.folder / "known.bin").read_bytes(), layout.sites)
            path = item.folder / f"holes-{name}.bin"
            if not path.exists():
                path.with_suffix(".new").write_bytes(packed)
                path.with_suffix(".new").replace(path)
            self._forget_holes(item, name)
            return float((known & ~holes).mean()), int((known & holes).sum())

        share, painted = await asyncio.to_thread(keep)
        return {"holes": name, "known_share": share, "painted": painted}

    def _forget_holes(self, item: Item, name: str) -> None:
        needed = {run.wish.holes for run in list(self.runs.values())} | {name}
        spare = [path for path in item.folder.glob("holes-*.bin") if path.stem.removeprefix("holes-") not in needed]
        spare.sort(key=lambda path: path.stat().st_mtime)
        for path in spare[: max(0, len(spare) - _MOST_HOLES)]:
            path.unlink(missing_ok=True)

    async def estimate(self, item: Item, wish: Wish) -> dict[str, Any]:
        """About how long a run will take, and how much memory."""
        layout = item.layout
        holes = None if wish.holes is None else str(item.holes_file(wish.holes))
        given = {
            "shape": list(layout.shape),
            "channels": layout.channels,
            "listed": item.facts["is_table"],
            "known": str(item.folder / "known.bin"),
            "holes": holes,
            "method": wish.method,
            "settings": wish.settings,
        }
        async with self._painting:
            return await self.processes.perform("estimate", given, allow_painting())

    # Runs

    def add_run(self, item: Item, wish: Wish, plane: int) -> Run:
        """Put a run at the end of the queue."""
        if len(self.runs) >= MOST_RUNS:
            raise HTTPException(409, f"There are {MOST_RUNS} runs already; remove some first.")
        if wish.holes is not None:
            item.holes_file(wish.holes)
        number = secrets.token_hex(8)
        run = Run(number, item.id, item.folder / f"run-{number}", wish, plane=plane % item.layout.count)
        run.folder.mkdir(mode=0o700)
        self.runs[number] = run
        self._waiting.put_nowait(number)
        self.events.tell("run", run.told())
        return run

    def run(self, number: str) -> Run:
        """The one of this number."""
        if number not in self.runs:
            raise HTTPException(404, "This run is not there any more.")
        return self.runs[number]

    def cancel(self, run: Run, *, now: bool = False) -> None:
        """Stop it, and keep the best so far; one that has not begun, or is to end `now`, is over at once."""
        if run.state == "queued":
            run.state, run.error = "stopped", "Stopped before it began."
        elif run.state == "running" and now:
            run.fail("stopped", "Ended at once, with nothing kept.")
            if run.working is not None:
                run.working.kill()
        elif run.state == "running":
            run.stopping = True
            if run.working is not None:
                run.working.interrupt()
        self.events.tell("run", run.told())

    async def remove_run(self, run: Run) -> None:
        """Forget it, whatever it is doing."""
        self.runs.pop(run.id, None)
        run.state = "removed"
        if run.working is not None:
            await asyncio.to_thread(run.working.end)
        await asyncio.to_thread(shutil.rmtree, run.folder, ignore_errors=True)
        self.events.tell("removed", {"id": run.id})

    async def work(self) -> None:
        """Do one run after the other, for ever."""
        while True:
            run = self.runs.get(await self._waiting.get())
            if run is not None and run.state == "queued":
                with suppress(HTTPException):
                    await self._work_on(run, self.item(run.item))

    async def _work_on(self, run: Run, item: Item) -> None:
        run.state, wish = "running", run.wish
        timers: list[asyncio.TimerHandle] = []
        self.events.tell("run", run.told())

        def started(working: Working) -> None:
            run.working = working
            if run.state != "running":  # it was ended, or stopped, while its process was made
                working.kill()
            elif run.stopping:
                working.interrupt()
            timers.append(asyncio.get_running_loop().call_later(self.limits.seconds, self.cancel, run))

        def told(message: dict[str, Any]) -> None:
            self.events.tell(*run.hear(message))

        given = {
            "folder": str(run.folder),
            "path": str(item.path),
            "name": item.name,
            "words": item.words,
            "channels": item.facts["channels"],
            "black": item.facts["black"],
            "white": item.facts["white"],
            "holes": None if wish.holes is None else str(item.holes_file(wish.holes)),
            **wish.told(),
            "plane": run.plane,
        }
        try:
            allowance = self.limits.allow()
            run.finish(await self.processes.perform("fill", given, allowance, told=told, started=started))
        except WorkStopped as error:
            run.fail("stopped", str(error))
        except WorkFailed as error:
            run.fail("failed", str(error))
        finally:
            run.working = None
            for timer in timers:
                timer.cancel()
        if run.id in self.runs:
            self.events.tell("run", run.told())

    # Beginning and end

    def _begin(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def start(self) -> None:
        """Begin to work off the queue."""
        self._begin(self.work())

    async def close(self) -> None:
        """End all work."""
        self.events.close()
        self.processes.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def told(self) -> dict[str, Any]:
        """Everything that a tab must know that has just been opened."""
        return {
            "items": [item.told() for item in self.items.values()],
            "runs": [run.told() for run in self.runs.values()],
        }
