"""How quick the page is while it solves: the time of 99 of 100 answers, gaps between two words of progress, the launch.

    python benchmarks/page_speed.py [--seconds 30]

A server of its own, as `tensorfill serve` starts it, completes a sample by `auto` at high effort, again and again.
Meanwhile one client asks for the picture as it is, as often as it is answered, and another listens to what is told.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import threading
import time
from typing import Any

import httpx
import numpy as np
from harness import GrowingTable, make_parser

ADDRESS = re.compile(r"(http://[^/]+)/#key=([\w-]+)\n")


def begin(client: httpx.Client) -> str:
    """Open a sample with a third of its pixels missing, and let runs wait for each other; the name of the sample."""
    item: str = client.post("/api/samples/cat").json()["id"]
    while client.get("/api/state").json()["items"][-1]["state"] == "reading":
        time.sleep(0.02)
    sites = np.packbits(np.random.default_rng(0).random(65536) < 0.7).tobytes()
    holes = client.put(f"/api/items/{item}/holes", content=gzip.compress(sites)).json()["holes"]
    for seed in range(8):
        run = {"item": item, "method": "auto", "holes": holes, "settings": {"effort": "high"}, "seed": seed}
        client.post("/api/runs", json=run).raise_for_status()
    return item


def listen(client: httpx.Client, until: float, moments: list[float]) -> None:
    """When progress was told."""
    with client.stream("GET", "/api/events") as stream:
        for line in stream.iter_lines():
            if time.monotonic() > until:
                return
            if line.startswith("data: ") and json.loads(line[6:]).get("elapsed", 0) > 0:
                moments.append(time.monotonic())


def main() -> None:
    """Serve, ask, and print."""
    parser = make_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    started = time.monotonic()
    command = [sys.executable, "-m", "tensorfill", "serve", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = ADDRESS.fullmatch(server.stdout.readline())
        assert found is not None
        launched = time.monotonic() - started
        settings: dict[str, Any] = {"base_url": found[1], "headers": {"X-Tensorfill-Key": found[2]}, "timeout": 30}
        with httpx.Client(**settings) as client, httpx.Client(**settings) as other:
            item, until = begin(client), time.monotonic() + chosen.seconds
            moments: list[float] = []
            listener = threading.Thread(target=listen, args=(other, until, moments), daemon=True)
            listener.start()
            taken = []
            while time.monotonic() < until:
                began = time.perf_counter()
                client.get(f"/api/items/{item}/plane/0").raise_for_status()
                taken.append(time.perf_counter() - began)
    finally:
        server.terminate()
        server.wait(20)
    gaps = np.diff(moments)
    table = GrowingTable("what", "median", "99 of 100", "largest")
    table.add(["seconds until the address is printed", f"{launched:.2f}", "", ""])
    for name, seconds in (("ms of an answer", taken), ("ms between two words of progress", gaps)):
        table.add([name, *(f"{1000 * np.quantile(seconds, share):.1f}" for share in (0.5, 0.99, 1.0))])


if __name__ == "__main__":
    main()
