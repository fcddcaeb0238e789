"""A server in a process of its own, and a browser that asserts that no page complains or asks anybody else."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("starlette", reason="the page needs starlette: pip install 'tensorfill[page]'")
pytest.importorskip("uvicorn", reason="the page needs uvicorn: pip install 'tensorfill[page]'")

ADDRESS = re.compile(r"(http://[^/]+)/#key=([\w-]+)\n")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass
class Server:
    """A page that is served."""

    process: subprocess.Popen[str]
    base: str
    key: str
    temporary: Path
    client: httpx.Client = field(init=False)

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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests of a module."""
    started = start_server(tmp_path_factory.mktemp("serve"))
    yield started
    assert started.stop() == 0
    assert started.folders == [], "nothing is left behind"


def find_browser() -> str | None:
    """Where the system's browser is."""
    return os.environ.get("TENSORFILL_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's own Chromium; where there is none, these tests say so and are skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="journeys need playwright: pip install playwright")
    place = find_browser()
    if place is None:
        pytest.skip("journeys need Chromium, see CONTRIBUTING.md")
    with playwright.sync_playwright() as running:
        # Not in a sandbox of its own where this runs as root; what it opens is this repository's page alone.
        flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        started = running.chromium.launch(executable_path=place, args=flags)
        yield started
        started.close()


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


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:
    """Somebody who looks at the page; complaints of the browser and requests to other hosts fail the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 800}, accept_downloads=True)
    context.set_default_timeout(15_000)
    for item in server.state()["items"]:
        server.client.delete(f"/api/items/{item['id']}").raise_for_status()
    found = Visitor(context, server)
    yield found
    context.close()
    assert found.complaints == []
    assert found.strangers == []
