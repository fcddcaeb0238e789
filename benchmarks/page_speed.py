"""How quick the page is: answers and progress while it solves, the first view, and how fluidly large files move.

    python benchmarks/page_speed.py [--seconds 30]

A server of its own, as `tensorfill serve` starts it, completes a sample by `auto` at high effort, again and again.
Meanwhile one client asks for the picture as it is, as often as it is answered, another listens to what is told, and,
where there is a Chromium, a browser opens the page. Then nothing is solved any more, and the browser paints on a photo
of 12 megapixels, moves the line between before and after on it, and scrubs through a clip of 150 frames.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from harness import GrowingTable, make_parser
from PIL import Image

ADDRESS = re.compile(r"(http://[^/]+)/#key=([\w-]+)\n")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LARGE, CLIP = (3000, 4000), (288, 352, 150)
STEPS = 60
ASSETS = Path(__file__).parent.parent / "src" / "tensorfill" / "assets"


def main() -> None:
    """Serve, ask, and print."""
    parser = make_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    table = GrowingTable("what", "median", "99 of 100", "largest")
    with tempfile.TemporaryDirectory() as folder, serve() as (base, key, launched):
        table.add(["s until the address is printed", f"{launched:.2f}", "", ""])
        settings: dict[str, Any] = {"base_url": base, "headers": {"X-Tensorfill-Key": key}, "timeout": 30}
        with httpx.Client(**settings) as client, httpx.Client(**settings) as other, browser() as chromium:
            for name, values in while_solving(client, other, chromium, f"{base}/#key={key}", chosen.seconds):
                add(table, name, values)
            for run in client.get("/api/state").json()["items"]:
                client.delete(f"/api/items/{run['id']}")
            if chromium is not None:
                for name, values in with_large_files(chromium, f"{base}/#key={key}", Path(folder)):
                    add(table, name, values)


def add(table: GrowingTable, name: str, seconds: Sequence[float]) -> None:
    """A row in milliseconds."""
    table.add([name, *(f"{1000 * np.quantile(seconds, share):.1f}" for share in (0.5, 0.99, 1.0))])


@contextmanager
def serve() -> Iterator[tuple[str, str, float]]:
    """The page: its address, its key, and how many seconds it took until they were printed."""
    started = time.monotonic()
    command = [sys.executable, "-m", "tensorfill", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = ADDRESS.fullmatch(server.stdout.readline())
            assert found is not None
            yield found[1], found[2], time.monotonic() - started
        finally:
            server.terminate()


@contextmanager
def browser() -> Iterator[Any]:
    """The Chromium of the system; None where there is none."""
    place = os.environ.get("TENSORFILL_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        place = None
    if place is None:
        yield None
        return
    with sync_playwright() as playwright:
        flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        started = playwright.chromium.launch(executable_path=place, args=flags)
        yield started
        started.close()


# While it solves


def open_sample(client: httpx.Client) -> str:
    """Open one, and return its name."""
    item: str = client.post("/api/samples/cat").json()["id"]
    while client.get("/api/state").json()["items"][-1]["state"] == "reading":
        time.sleep(0.02)
    return item


def begin(client: httpx.Client, item: str) -> None:
    """Hide a third of its pixels, and let runs wait for each other."""
    sites = np.packbits(np.random.default_rng(0).random(65536) < 0.7).tobytes()
    holes = client.put(f"/api/items/{item}/holes", content=gzip.compress(sites)).json()["holes"]
    for seed in range(8):
        run = {"item": item, "method": "auto", "holes": holes, "settings": {"effort": "high"}, "seed": seed}
        client.post("/api/runs", json=run).raise_for_status()


def listen(client: httpx.Client, until: float, moments: list[float]) -> None:
    """When progress was told."""
    with suppress(httpx.TransportError), client.stream("GET", "/api/events") as stream:
        for line in stream.iter_lines():
            if time.monotonic() > until:
                return
            if line.startswith("data: ") and json.loads(line[6:]).get("elapsed", 0) > 0:
                moments.append(time.monotonic())


def while_solving(
    client: httpx.Client, other: httpx.Client, chromium: Any, address: str, seconds: float
) -> Iterator[tuple[str, Sequence[float]]]:
    """Times of answers, between two words of progress, and until the page is seen."""
    item = open_sample(client)
    if chromium is not None:
        yield "ms until the first view", [first_view(chromium, address) for _ in range(9)]
    begin(client, item)
    until = time.monotonic() + seconds
    moments: list[float] = []
    listener = threading.Thread(target=listen, args=(other, until, moments), daemon=True)
    listener.start()
    taken = []
    while time.monotonic() < until:
        began = time.perf_counter()
        client.get(f"/api/items/{item}/plane/0").raise_for_status()
        taken.append(time.perf_counter() - began)
        time.sleep(0.005)
    listener.join(5)
    yield "ms of an answer while it solves", taken
    yield "ms between two words of progress", np.diff(moments).tolist()
    if chromium is not None:
        yield "ms until the first view while it solves", [first_view(chromium, address) for _ in range(5)]


def first_view(chromium: Any, address: str) -> float:
    """Seconds from opening the page in a new browser until its picture is drawn."""
    context = chromium.new_context()
    tab = context.new_page()
    began = time.perf_counter()
    tab.goto(address)
    tab.locator("#stage[data-shown]").wait_for()
    taken = time.perf_counter() - began
    context.close()
    return taken


# Large files


def with_large_files(chromium: Any, address: str, folder: Path) -> Iterator[tuple[str, Sequence[float]]]:
    """Times between what a hand does and the picture that shows it."""
    Image.open(ASSETS / "cat.png").resize(LARGE[::-1], Image.Resampling.BICUBIC).save(folder / "photo.jpg")
    rows, columns, frames = np.meshgrid(*map(np.arange, CLIP), indexing="ij")
    waves = np.sin(0.1 * columns + 0.13 * rows - 0.2 * frames) + np.sin(0.07 * columns - 0.2 * rows + 0.1 * frames)
    np.save(folder / "clip.npy", (127 + 60 * waves).astype(np.uint8))
    tab = chromium.new_page(viewport={"width": 1280, "height": 800})
    tab.set_default_timeout(300_000)
    tab.goto(address)
    open_file(tab, folder / "photo.jpg")
    yield "ms of a frame, painting on 12 megapixels", tab.evaluate(PAINT, STEPS)
    fill_in(tab, "mean-fill")
    yield "ms of a frame, sliding on 12 megapixels", tab.evaluate(SLIDE, STEPS)
    open_file(tab, folder / "clip.npy")
    yield "ms until a frame of 150 is seen, the first time", tab.evaluate(SCRUB, CLIP[2])
    yield "ms until a frame of 150 is seen, after that", tab.evaluate(SCRUB, CLIP[2])


def open_file(tab: Any, path: Path) -> None:
    """Send it, and wait until it is seen."""
    tab.locator("body > input[type=file]").set_input_files(str(path))
    tab.locator(f"#stage[aria-label^='{path.name}'][data-shown=holes]").wait_for()
    tab.locator("#missing-share", has_text="%").wait_for()


def fill_in(tab: Any, method: str) -> None:
    """Complete what is open."""
    tab.locator("#next:enabled").click()
    tab.locator('label:has(input[name="choice-Choice"][value="one"])').click()
    tab.locator("#method").select_option(method)
    tab.locator("#fill").click()
    tab.locator("#stage[data-shown=slider]").wait_for()


FRAMES = """
const times = [], frame = () => new Promise(requestAnimationFrame);
const timed = async (act) => {
  const began = performance.now();
  act();
  await frame();
  times.push((performance.now() - began) / 1000);
};
"""
PAINT = (
    "async (steps) => {"
    + FRAMES
    + """
const canvas = document.getElementById("stage"), box = canvas.getBoundingClientRect();
canvas.setPointerCapture = () => {};
const point = (kind, step) => canvas.dispatchEvent(new PointerEvent(kind, {
  bubbles: true, pointerId: 7, button: 0,
  clientX: box.left + box.width * (0.3 + 0.4 * step / steps),
  clientY: box.top + box.height * (0.3 + 0.4 * (step % 20) / 20),
}));
point("pointerdown", 0);
for (let step = 1; step <= steps; step++) await timed(() => point("pointermove", step));
point("pointerup", steps);
return times; }"""
)
SLIDE = (
    "async (steps) => {"
    + FRAMES
    + """
const slider = document.getElementById("split");
for (let step = 0; step < steps; step++) {
  await timed(() => { slider.value = 100 * step / steps; slider.dispatchEvent(new Event("input")); });
}
return times; }"""
)
SCRUB = (
    "async (count) => {"
    + FRAMES
    + """
const scrubber = document.querySelector(".scrubber"), canvas = document.getElementById("stage");
for (let index = 0; index < count; index++) {
  const began = performance.now();
  scrubber.value = index;
  scrubber.dispatchEvent(new Event("input"));
  do await frame(); while (canvas.dataset.plane !== String(index));
  times.push((performance.now() - began) / 1000);
}
return times; }"""
)


if __name__ == "__main__":
    main()
