"""What is refused before any route sees it: strangers, and requests that other pages make in a visitor's name.

* The Host must be one that this server was asked to be: a name that an attacker points at this machine is not (DNS
  rebinding). An address written in numbers cannot be pointed anywhere, so it is always allowed.
* An Origin, if there is one, must be this server's own, and so must the browser's own word, Sec-Fetch-Site.
* Every request for data brings the secret of this launch in a header, which no other page can know or send. There are
  no cookies: those of 127.0.0.1 would be shared with every other server on this machine.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEY_HEADER = "x-tensorfill-key"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_HEADERS_ON_LOOPBACK = {"Cross-Origin-Opener-Policy": "same-origin"}
"""Browsers heed this one, without a complaint, only where nobody can listen in: over HTTPS or on the machine itself."""


class Guard:
    """Lets through what comes from this server's own page and brings the key."""

    def __init__(self, app: ASGIApp, key: str, hosts: Collection[str] = LOOPBACK) -> None:
        self._app, self._key = app, key.encode()
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets
            return
        answer, headers = self._app, Headers(scope=scope)
        more = _HEADERS | (_HEADERS_ON_LOOPBACK if _name_of(headers.get("host", "")) in LOOPBACK else {})
        if refusal := self._refuse(scope["path"], headers):
            status, sentence = refusal
            answer = JSONResponse({"error": sentence}, status)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in more.items():
                    out[name] = value
            await send(message)

        await answer(scope, receive, send_guarded)

    def _refuse(self, path: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._is_own(host) or len(headers.getlist("host")) != 1:
            return 421, "This server does not answer to that name."
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return 403, "Other pages may not ask this server."
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "Other pages may not ask this server."
        if path.startswith("/api/") and not hmac.compare_digest(headers.get(KEY_HEADER, "").encode(), self._key):
            return 401, "The key is missing or belongs to an earlier start; open the address that tensorfill printed."
        return None

    def _is_own(self, host: str) -> bool:
        name = _name_of(host)
        return name in self._hosts or ("0.0.0.0" in self._hosts and _is_number(name))


def _name_of(host: str) -> str:
    """A host without its port."""
    return (host.rsplit(":", 1)[0] if not host.endswith("]") else host).lower()


def _is_number(name: str) -> bool:
    """Whether a host is an address in numbers."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
