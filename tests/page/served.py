"""A server in a process of its own, as a user starts it, and somebody who looks at it in a browser."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

for _needed in ("starlette", "uvicorn"):
    pytest.importorskip(_needed, reason=f"the page needs {_needed}: pip install 'tensorfill[page]'")
httpx = pytest.importorskip("httpx", reason="tests of the page ask by httpx: pip install httpx")

Answer = TypeVar("Answer")
ADDRESS = re.compile(r"(http://[^/]+)/#key=([\w-]+)\n")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass
class Server:
    """A page that is served."""

    process: subprocess.Popen[str]
    base: str
    key: str
    temporary: Path
    client: Any = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.base, headers={"X-Tensorfill-Key": self.key}, timeout=30)

    @property
    def address(self) -> str:
        return f"{self.base}/#key={self.key}"

    @property
    def folders(self) -> list[Path]:
        """What the server keeps on disk."""
        return list(self.temporary.glob("tensorfill-page-*"))

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get("/api/state").raise_for_status().json()
        return found

    def stop(self, with_signal: int = signal.SIGTERM) -> int:
        """End it, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        self.client.close()
        return self.process.wait(20)


def run(work: Coroutine[Any, Any, Answer]) -> Answer:
    """What `asyncio.run` does, in a thread, because playwright keeps a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def start_server(temporary: Path, *arguments: str) -> Server:
    """Serve the page as a user does, with a temporary folder of its own."""
    environment = {**os.environ, "TMPDIR": str(temporary), "TENSORFILL_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tensorfill", "serve", "--no-browser", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    found = ADDRESS.fullmatch(process.stdout.readline())
    assert found is not None, "the address is on a line of its own"
    return Server(process, found[1], found[2], temporary)


def find_browser() -> str | None:
    """Where the system's browser is."""
    return os.environ.get("TENSORFILL_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)


@dataclass
class Visitor:
    """Tabs of a browser, and what went wrong in them."""

    context: Any
    server: Server
    complaints: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def open(self) -> Any:
        """A tab with the page."""
        tab = self.context.new_page()
        tab.on("console", lambda said: said.type in ("error", "warning") and self.complaints.append(said.text))
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        tab.on("request", lambda asked: self._look_at(asked.url))
        tab.goto(self.server.address)
        return tab

    def _look_at(self, url: str) -> None:
        if not url.startswith((f"{self.server.base}/", f"blob:{self.server.base}/")):
            self.strangers.append(url)
