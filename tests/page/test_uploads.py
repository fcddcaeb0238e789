"""What comes too slowly, or not to its end, is refused; of nothing that is refused anything is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from served import httpx, run  # which skips where the page cannot be served

from tensorfill.page import create_app
from tensorfill.page.uploads import Limits, extension_of, safe_name

QUICK = Limits(upload_bytes=100_000, silence=0.2, slowest=50_000)


async def upload(parts: AsyncIterator[bytes], size: int, limits: Limits = QUICK) -> tuple[Any, list[str]]:
    """The answer to a body that comes in parts, and what is kept then."""
    app = create_app(limits=limits)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        headers = {"X-Tensorfill-Key": app.state.key, "X-Tensorfill-Files": quote(json.dumps([["a.npy", size]]))}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            answer = await client.post("/api/items", content=parts, headers=headers)
        kept = [path.name for path in Path(app.state.folder).iterdir()]
    assert not Path(app.state.folder).exists()
    return answer, kept


async def drip(count: int, size: int, seconds: float) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield bytes(size)
        await asyncio.sleep(seconds)


@pytest.mark.parametrize(
    ("parts", "size", "status"),
    [
        ((2, 10, 0.5), 20, 408),  # silent for too long
        ((60, 10, 0.02), 600, 408),  # never silent, and still too slow
        ((3, 60_000, 0.0), 180_000, 413),  # too much, whatever was announced
        ((2, 10, 0.0), 30, 400),
        ((4, 10, 0.0), 30, 400),
    ],
)
def test_a_body_that_is_slow_or_not_what_was_announced_is_refused(
    parts: tuple[int, int, float], size: int, status: int
) -> None:
    answer, kept = run(upload(drip(*parts), size))
    assert answer.status_code == status, answer.text
    assert answer.json()["error"].endswith(".")
    assert kept == []


def test_names_are_text_and_extensions_are_ours() -> None:
    assert safe_name("C:\\photos\\a\x1b[31m.png") == "a\\x1b[31m.png"
    assert len(safe_name("a" * 500 + ".png")) <= 121
    assert extension_of("x.NII.GZ") == ".nii.gz"
    assert extension_of("photo.png/../../x") is None
    assert extension_of("x.exe") is None
