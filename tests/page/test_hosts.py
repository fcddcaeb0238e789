"""With --host others can reach the page who know the key; without it nobody but this machine can."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from served import Visitor, httpx, start_server

from tensorfill.page.guarding import Guard
from tensorfill.page.launching import _number_of_this_machine

ADDRESS = _number_of_this_machine()
needs_address = pytest.mark.skipif(ADDRESS is None or ADDRESS.startswith("127."), reason="this machine has no network")


@needs_address
def test_without_host_the_address_of_the_machine_answers_nobody(tmp_path: Path) -> None:
    server = start_server(tmp_path)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://{ADDRESS}:{httpx.URL(server.base).port}/")
    assert server.stop() == 0


@needs_address
@pytest.mark.parametrize("host", ["0.0.0.0", ADDRESS])
def test_with_host_the_key_is_printed_and_asked_for(host: str, tmp_path: Path) -> None:
    server = start_server(tmp_path, "--host", host)
    assert httpx.URL(server.base).host == ADDRESS, "an address that others can use, whatever they call this machine"
    assert httpx.get(server.base).status_code == 200, "the page itself is no secret"
    assert httpx.get(f"{server.base}/api/state").status_code == 401
    assert httpx.get(f"{server.base}/api/state", headers={"X-Tensorfill-Key": "wrong"}).status_code == 401
    assert server.client.get("/api/state").status_code == 200
    assert server.client.get("/api/state", headers={"Host": "evil.example"}).status_code == 421
    assert server.client.get("/api/state", headers={"Origin": "http://evil.example"}).status_code == 403
    assert server.client.get("/api/state", headers={"Origin": server.base}).status_code == 200
    assert server.stop() == 0


@needs_address
def test_the_page_works_from_another_address_without_a_complaint(browser: Any, tmp_path: Path) -> None:
    """There browsers know no clipboard and refuse some headers, because nothing is encrypted."""
    server = start_server(tmp_path, "--host", "0.0.0.0")
    context = browser.new_context()
    visitor = Visitor(context, server)
    tab = visitor.open()
    assert not tab.evaluate("() => isSecureContext")
    tab.get_by_role("button", name="A table with gaps").click()
    tab.locator("#next:enabled").click()
    tab.locator('label:has(input[name="choice-Choice"][value="one"])').click()
    tab.locator("#method").select_option("mean-fill")
    tab.locator("#fill").click()
    tab.locator("#recipes summary").click()
    tab.get_by_text("--method mean-fill").wait_for()
    tab.get_by_role("button", name="Copy").click()
    tab.get_by_role("button", name="Copied").wait_for()
    context.close()
    assert (visitor.complaints, visitor.strangers) == ([], [])
    assert server.stop() == 0


def test_every_address_in_numbers_is_ours_only_if_all_are_asked_for() -> None:
    """A name may be pointed at this machine by somebody else; a number cannot be pointed anywhere."""

    async def nothing(*_: object) -> None: ...

    for hosts, own in ((("0.0.0.0",), True), (("127.0.0.1",), False)):
        assert Guard(nothing, "key", hosts)._is_own("192.0.2.7:80") is own
        assert not Guard(nothing, "key", hosts)._is_own(f"evil.{socket.gethostname()}:80")
