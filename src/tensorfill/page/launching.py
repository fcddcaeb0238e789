"""Launching: a port, an address with its key, a browser, and a server that ends when it is told to."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import InvalidSetting
from .app import create_app
from .guarding import LOOPBACK

try:
    import resource
except ImportError:  # Windows: no such limit
    resource = None  # type: ignore[assignment]

USUAL_PORT = 8377
_MOST_CONNECTIONS = 2_000
_MOST_FILES = 4_096
_LOOK = 5.0  # seconds between two looks at a connection
_MOST_LOOKS = 6
_EVERYWHERE = ("0.0.0.0", "::")
_FAR_AWAY = "198.51.100.1"  # reserved for documentation: nobody has it


class PatientProtocol(H11Protocol):
    """Closes connections on which no request comes, and those whose client does not take the answer."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._waited = 0
        self._seen: Any = None
        self._look = self.loop.call_later(_LOOK, self._look_after)

    def connection_lost(self, exc: Exception | None) -> None:
        self._look.cancel()
        super().connection_lost(exc)

    def _look_after(self) -> None:
        between = self.conn.their_state is h11.IDLE and (self.cycle is None or self.cycle.response_complete)
        stuck = between or self.flow.write_paused
        now = (self.cycle, between)
        self._waited = self._waited + 1 if stuck and now == self._seen else 0
        self._seen = now
        if self._waited >= (1 if between else _MOST_LOOKS):
            self.transport.abort()
        else:
            self._look = self.loop.call_later(_LOOK, self._look_after)


class PageServer(uvicorn.Server):
    """Ends at Ctrl-C and at SIGTERM, after it has tidied up, and does not raise the signal again."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take both signals while the server runs."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        names = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
        before = {name: signal.signal(name, self.handle_exit) for name in names}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end: streams that would stay open are closed first."""
        desk = getattr(self.config.app.state, "desk", None)  # type: ignore[union-attr]
        if desk is not None:
            desk.events.close()
        super().handle_exit(sig, frame)


def serve(
    file: Path | None = None,
    *,
    sample: str | None = None,
    host: str | None = None,
    port: int | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the page until Ctrl-C or SIGTERM; `say` is told its address."""
    listening = _listen(host or LOOPBACK[0], port)
    number = listening.getsockname()[1]
    key = secrets.token_urlsafe(24)
    app = create_app(key=key, hosts=_own_names(host), file=file, sample=sample)
    address = f"http://{_shown(host)}:{number}/#key={key}"
    _allow_files()
    server = PageServer(_configure(app))
    if browser:
        threading.Thread(target=_open_browser, args=(server, app, address), daemon=True).start()
    say(address)
    server.run(sockets=[listening])


def _allow_files() -> None:
    """Every connection is an open file, and systems allow few of them unless they are asked."""
    if resource is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(_MOST_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def _configure(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_level="critical",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        backlog=1024,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=2,
    )


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket on this port; on the usual one, or any that is free, if none is asked for."""
    for wanted in (USUAL_PORT, 0) if port is None else (port,):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # so that asyncio sends at once
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, wanted))
            return listening
        except OSError as error:
            listening.close()
            why = error.strerror or str(error)
    raise InvalidSetting(f"The page cannot be served at {host}, port {port}: {why}; give another --port or --host.")


def _own_names(host: str | None) -> tuple[str, ...]:
    """What the server may be called."""
    if host is None:
        return LOOPBACK
    if host in _EVERYWHERE:
        return (*LOOPBACK, "0.0.0.0", socket.gethostname().lower())
    return (*LOOPBACK, f"[{host}]" if ":" in host else host.lower())


def _shown(host: str | None) -> str:
    if host is None:
        return LOOPBACK[0]
    if host in _EVERYWHERE:
        return _number_of_this_machine() or socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _number_of_this_machine() -> str | None:
    """Its address as others see it, whom its name may tell nothing; asked of the routing table, nothing is sent."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect((_FAR_AWAY, 9))
        return str(asking.getsockname()[0])
    return None


def _open_browser(server: uvicorn.Server, app: Starlette, address: str) -> None:
    """Open the page by way of a private file: others on this machine may read the arguments of a browser."""
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.02)
    page = Path(app.state.folder) / "open.html"
    text = f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><title>tensorfill</title>'
    with suppress(OSError):
        page.write_text(text, encoding="utf-8")
        page.chmod(0o600)
        with suppress(webbrowser.Error):
            webbrowser.open(page.as_uri())
