"""A server for all tests of a module, and a browser that asserts that no page complains or asks anybody else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

collect_ignore = ["conftest.py"]  # it has no examples to run, and shares its name with another one


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One for all tests of a module."""
    from served import start_server  # which skips where the page cannot be served

    started = start_server(tmp_path_factory.mktemp("serve"))
    yield started
    assert started.stop() == 0
    assert started.folders == [], "nothing is left behind"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's own Chromium; where there is none, these tests say so and are skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="journeys need playwright: pip install playwright")
    from served import find_browser

    place = find_browser()
    if place is None:
        pytest.skip("journeys need Chromium, see CONTRIBUTING.md")
    with playwright.sync_playwright() as running:
        # Not in a sandbox of its own where this runs as root; what it opens is this repository's page alone.
        flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        started = running.chromium.launch(executable_path=place, args=flags)
        yield started
        started.close()


@pytest.fixture
def visitor(browser: Any, server: Any) -> Iterator[Any]:
    """Somebody who looks at the page; complaints of the browser and requests to other hosts fail the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 800}, accept_downloads=True)
    context.set_default_timeout(60_000)
    for item in server.state()["items"]:
        server.client.delete(f"/api/items/{item['id']}").raise_for_status()
    from served import Visitor

    found = Visitor(context, server)
    yield found
    context.close()
    assert found.complaints == []
    assert found.strangers == []
