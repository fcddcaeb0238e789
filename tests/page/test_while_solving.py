"""While a run is under way the page answers at once, and progress moves."""

from __future__ import annotations

import gzip
import json
import time
from typing import Any

import numpy as np
from served import Server

PATIENCE = 2.0  # seconds, on a machine that may do other work, too


def begin(server: Server) -> dict[str, Any]:
    """A run that takes a while."""
    item = server.client.post("/api/samples/cat").json()["id"]
    while server.state()["items"][-1]["state"] == "reading":
        time.sleep(0.02)
    sites = np.packbits(np.random.default_rng(0).random(65536) < 0.7).tobytes()
    holes = server.client.put(f"/api/items/{item}/holes", content=gzip.compress(sites)).json()["holes"]
    run = {
        "item": item,
        "method": "nonneg-dual",
        "holes": holes,
        "settings": {"max_iter": 100_000, "gradient_tolerance": 1e-15},
    }
    found: dict[str, Any] = server.client.post("/api/runs", json=run).json()
    return found


def test_the_page_answers_and_progress_moves_while_a_run_is_under_way(server: Server) -> None:
    run = begin(server)
    taken, moments = [], []
    with server.client.stream("GET", "/api/events") as stream:
        assert stream.status_code == 200
        end = time.monotonic() + 40
        for line in stream.iter_lines():
            if time.monotonic() > end or len(moments) > 20:
                break
            if not line.startswith("data: ") or json.loads(line[6:]).get("id") != run["id"]:
                continue
            if json.loads(line[6:]).get("elapsed", 0) > 0:
                moments.append(time.monotonic())
                began = time.perf_counter()
                assert server.client.get(f"/api/items/{run['item']}/plane/0").status_code == 200
                taken.append(time.perf_counter() - began)
    assert len(moments) > 3
    assert np.median(np.diff(moments)) < PATIENCE
    assert np.median(taken) < PATIENCE
    assert server.client.post(f"/api/runs/{run['id']}/cancel").status_code == 200
    for _ in range(400):
        (state,) = (one["state"] for one in server.state()["runs"] if one["id"] == run["id"])
        if state != "running":
            break
        time.sleep(0.05)
    assert state == "done", "the best so far is kept"
    assert server.client.delete(f"/api/items/{run['item']}").status_code == 204
