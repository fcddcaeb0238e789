"""Attacks on the page are refused, and afterwards the server still works and its folder is clean."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import os
import signal
import socket
import struct
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image
from served import Server, httpx, run, start_server


@pytest.fixture(autouse=True)
def unharmed(server: Server) -> Iterator[None]:
    """Whatever a test has tried, the server answers, and keeps nothing but what is open."""
    yield
    assert server.client.get("/api/menu").status_code == 200
    state = server.state()
    (folder,) = server.folders
    assert {path.name for path in folder.iterdir()} == {item["id"] for item in state["items"]}


def announce(*files: tuple[str, int]) -> dict[str, str]:
    return {"X-Tensorfill-Files": quote(json.dumps(files))}


def send(server: Server, name: str, content: bytes) -> dict[str, Any]:
    """Open a file, and wait until it is read or refused."""
    answer = server.client.post("/api/items", content=content, headers=announce((name, len(content))))
    assert answer.status_code == 202, answer.text
    return wait_for(server, answer.json()["id"])


def speak(server: Server, front: str) -> bytes:
    """The answer to a request as it stands, with all but the host and the key."""
    with socket.create_connection((httpx.URL(server.base).host, httpx.URL(server.base).port)) as raw:
        whole = f"{front}Host: 127.0.0.1\r\nX-Tensorfill-Key: {server.key}\r\nConnection: close\r\n\r\n"
        raw.sendall(whole.encode())
        return b"".join(iter(lambda: raw.recv(65536), b""))


def wait_for(server: Server, number: str) -> dict[str, Any]:
    for _ in range(600):
        (item,) = (item for item in server.state()["items"] if item["id"] == number)
        if item["state"] != "reading":
            return dict(item)
        time.sleep(0.05)
    raise AssertionError("it was never read")


def open_picture(server: Server) -> dict[str, Any]:
    file = io.BytesIO()
    Image.fromarray(np.full((8, 9, 3), 77, np.uint8)).save(file, "PNG")
    return send(server, "small.png", file.getvalue())


def close(server: Server, item: dict[str, Any]) -> None:
    assert server.client.delete(f"/api/items/{item['id']}").status_code == 204


# Strangers


def test_data_is_not_given_without_the_key(server: Server) -> None:
    for path in ("state", "menu", "events", "items/0/plane/0"):
        for headers in ({}, {"X-Tensorfill-Key": "wrong"}, {"Cookie": f"key={server.key}"}):
            assert httpx.get(f"{server.base}/api/{path}", headers=headers).status_code == 401
        assert httpx.get(f"{server.base}/api/{path}?key={server.key}").status_code == 401, "not in an address"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_a_foreign_host_is_refused_so_names_cannot_be_rebound(server: Server, host: str) -> None:
    for path in ("/", "/api/state"):
        assert server.client.get(path, headers={"Host": host}).status_code in (400, 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_requests_of_other_pages_are_refused(server: Server, headers: dict[str, str]) -> None:
    assert server.client.get("/api/state", headers=headers).status_code == 403
    assert server.client.post("/api/samples/cat", headers=headers).status_code == 403


def test_headers_forbid_what_a_page_needs_not(server: Server) -> None:
    for answer in (httpx.get(server.base), server.client.get("/api/state"), httpx.get(f"{server.base}/none")):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Set-Cookie" not in answer.headers
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert "Server" not in answer.headers
    page = httpx.get(server.base).text
    assert "<script>" not in page
    assert "style=" not in page
    assert "onclick" not in page


# Paths, names and numbers


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2fapp.py",
        "/static/../app.py",
        "//etc/passwd",
        "/main.js%00.css",
        "/api/items/..%2f..%2fetc/plane/0",
        "/api/runs/../../etc/file/filled",
    ],
)
def test_no_path_leads_out(server: Server, path: str) -> None:
    answer = speak(server, f"GET {path} HTTP/1.1\r\n")
    assert answer.split(b" ", 2)[1] in (b"404", b"400")
    assert b"root:" not in answer
    assert b"tensorfill-page" not in answer


@pytest.mark.parametrize("name", ["../../evil.png", "/etc/evil.png", "..\\evil.png", "a\x00b.png", "\u202egnp.exe.png"])
def test_a_name_is_only_shown_and_never_a_place(server: Server, name: str) -> None:
    (folder,) = server.folders
    item = send(server, name, b"not a picture")
    assert item["state"] == "failed"
    assert "/" not in item["name"]
    assert "\x00" not in item["name"]
    assert "\u202e" not in item["name"]
    assert str(folder) not in item["error"]
    assert sorted(path.name for path in (folder / item["id"]).iterdir()) == ["data.png"]
    close(server, item)


def test_numbers_out_of_range_are_refused(server: Server) -> None:
    item = open_picture(server)
    place = f"/api/items/{item['id']}"
    asked = {"plane": 0, "row": 0, "column": 0, "tolerance": 3}
    for wrong in ({"plane": 1}, {"row": -1}, {"column": 9}, {"tolerance": 1e9}, {"row": "0"}, {"row": True}):
        assert server.client.post(f"{place}/match", json=asked | wrong).status_code == 422
    for plane in ("1", "99999999999999999999", "-1"):
        assert server.client.get(f"{place}/plane/{plane}").status_code == 404
    for wish in (
        {"method": "rm"},
        {"settings": {"rank": "x" * 1000}},
        {"seed": -1},
        {"method": "spectral", "settings": {"nope": 1}},
        {"lower": 3, "upper": 1},
        {"time_limit": -1},
    ):
        assert server.client.post("/api/runs", json={"item": item["id"], **wish}).status_code == 422
    assert server.client.post("/api/runs", json={"item": item["id"], "holes": "../../known"}).status_code == 404
    assert server.client.post("/api/runs", content=b"[1,").status_code == 400
    close(server, item)


# Size


def test_an_upload_that_is_too_large_is_refused_before_it_is_taken(server: Server) -> None:
    files = announce(("large.npy", 10**12))["X-Tensorfill-Files"]
    answer = speak(server, f"POST /api/items HTTP/1.1\r\nX-Tensorfill-Files: {files}\r\nContent-Length: {10**12}\r\n")
    assert answer.split(b" ", 2)[1] == b"413"


def test_an_endless_upload_is_cut_off(server: Server) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(1000):
            yield bytes(2**20)

    with pytest.raises((httpx.TransportError, AssertionError)):  # noqa: PT012
        answer = server.client.post("/api/items", content=endless(), headers=announce(("endless.npy", 10**8)))
        assert answer.status_code == 202


def test_a_body_must_be_as_long_as_it_is_said_to_be(server: Server) -> None:
    for size, body in ((3, b"12345"), (9, b"12345")):
        answer = server.client.post("/api/items", content=body, headers=announce(("a.npy", size)))
        assert answer.status_code == 400
    assert server.client.post("/api/items", content=b"1").status_code == 400
    assert server.client.post("/api/items", content=b"1", headers={"X-Tensorfill-Files": "%7B"}).status_code == 400


def test_a_mask_that_unpacks_to_too_much_is_refused(server: Server) -> None:
    item = open_picture(server)
    for body in (gzip.compress(bytes(50_000_000)), b"no gzip", gzip.compress(b"12")):
        answer = server.client.put(f"/api/items/{item['id']}/holes", content=body)
        assert answer.status_code in (400, 413)
    close(server, item)


def bomb_of_zeros() -> bytes:
    """An .npz of 200 kB that holds 200 MB and says it holds 800 GB."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**5)})  # type: ignore[arg-type]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("data.npy", "w") as part:
        part.write(head.getvalue())
        for _ in range(20):
            part.write(bytes(10**7))
    return file.getvalue()


def picture_of(width: int, height: int) -> bytes:
    """A .png whose header declares this size, with hardly any pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    pixels = zlib.compress(bytes(10_000_000))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", pixels)
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [("bomb.npz", bomb_of_zeros()), ("bomb.png", picture_of(60_000, 60_000)), ("bomb.png", picture_of(2**31 - 1, 1))],
)
def test_bombs_are_refused_in_a_sentence(server: Server, name: str, content: bytes) -> None:
    item = send(server, name, content)
    assert item["state"] == "failed"
    assert item["error"].endswith(".")
    assert "Traceback" not in item["error"]
    close(server, item)


def test_html_in_a_table_is_only_text(server: Server) -> None:
    item = send(
        server, "<img src=x onerror=alert(1)>.csv", b"city,<script>alert(1)</script>,b\nOslo,1,2\n<b>Lima</b>,,4\n"
    )
    assert item["state"] == "ready"
    assert item["labels"][0] == ["Oslo", "<b>Lima</b>"]
    answer = server.client.get("/api/state")
    assert answer.headers["Content-Type"] == "application/json"
    close(server, item)


# Many and slow


def test_a_thousand_requests_at_once_are_answered_or_turned_away(server: Server) -> None:
    async def ask_all() -> list[int]:
        limits = httpx.Limits(max_connections=1000)
        headers = {"X-Tensorfill-Key": server.key}
        async with httpx.AsyncClient(base_url=server.base, headers=headers, limits=limits, timeout=30) as client:

            async def ask() -> int:
                try:
                    return (await client.get("/api/state")).status_code
                except httpx.TransportError:
                    return 0

            return await asyncio.gather(*(ask() for _ in range(1000)))

    answers = run(ask_all())
    assert set(answers) <= {200, 503, 0}
    assert answers.count(200) > 100


def test_event_streams_that_are_left_open_are_limited_and_forgotten(server: Server) -> None:
    with httpx.Client(base_url=server.base, headers={"X-Tensorfill-Key": server.key}, timeout=5) as client:
        streams = [client.send(client.build_request("GET", "/api/events"), stream=True) for _ in range(40)]
        found = [stream.status_code for stream in streams]
        assert found.count(200) == 32
        assert found.count(503) == 8
        for stream in streams:
            stream.close()
    for _ in range(100):
        with server.client.stream("GET", "/api/events") as stream:
            if stream.status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError("streams that were closed still count")


def test_clients_that_say_nothing_are_sent_away(server: Server) -> None:
    place = (httpx.URL(server.base).host, httpx.URL(server.base).port)
    silent = [socket.create_connection(place) for _ in range(100)]
    silent[0].sendall(b"GET / HTTP/1.1\r\nHost: 127")
    assert server.client.get("/api/menu").status_code == 200
    for one in silent:
        one.settimeout(15)
        with contextlib.suppress(ConnectionResetError):
            assert one.recv(1) == b""
        one.close()


# The end


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_server_ends_in_the_middle_of_work(tmp_path: Path, with_signal: int) -> None:
    server = start_server(tmp_path)
    item = wait_for(server, server.client.post("/api/samples/cat").json()["id"])
    sites = gzip.compress(os.urandom(8192))
    holes = server.client.put(f"/api/items/{item['id']}/holes", content=sites).json()["holes"]
    run = {"item": item["id"], "method": "nonneg-dual", "holes": holes}
    assert server.client.post("/api/runs", json=run).status_code == 202
    for _ in range(200):
        if server.state()["runs"][0]["state"] == "running":
            break
        time.sleep(0.02)
    assert len(server.folders) == 1
    assert server.folders[0].stat().st_mode & 0o077 == 0
    began = time.monotonic()
    assert server.stop(with_signal) == 0
    assert time.monotonic() - began < 10
    assert server.folders == []


def test_what_a_killed_server_left_is_removed_by_the_next(tmp_path: Path) -> None:
    server = start_server(tmp_path)
    wait_for(server, server.client.post("/api/samples/cat").json()["id"])
    server.process.kill()
    server.process.wait()
    (left,) = server.folders
    other = start_server(tmp_path)
    other.state()
    assert left not in other.folders
    assert other.stop() == 0
