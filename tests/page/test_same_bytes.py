"""What the page writes is what the command writes, byte for byte: a recipe is run, with the holes that come with it."""

from __future__ import annotations

import gzip
import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image
from served import Server  # which skips where the page cannot be served
from typer.testing import CliRunner

from tensorfill import write
from tensorfill.cli import app

RNG = np.random.default_rng(0)
SMOOTH = np.add.outer(np.add.outer(np.arange(12.0), np.arange(10.0)), np.arange(4.0)) + 5


def picture(path: Path) -> None:
    Image.fromarray(np.repeat(SMOOTH[..., :1], 4, 2).astype(np.uint8) * 4 + 100, "RGBA").save(path)


def clip(path: Path) -> None:
    frames = [Image.fromarray(SMOOTH[..., frame].astype(np.uint8) * 5) for frame in range(4)]
    frames[0].save(path, save_all=True, append_images=frames[1:])


def array(path: Path) -> None:
    holes = SMOOTH.copy()
    holes[2:4, 3, 1] = np.nan
    np.save(path, holes)


def archive(path: Path) -> None:
    np.savez(path, data=SMOOTH, observed=RNG.random(SMOOTH.shape) < 0.8)


def wide_table(path: Path) -> None:
    rows = [",".join(["city", *"abcd"]), *(f"c{row}," + ",".join(map(str, SMOOTH[row, :4, 0])) for row in range(6))]
    path.write_text("\n".join(rows) + "\n")


def long_table(path: Path) -> None:
    entries = [f"{row},{column},{SMOOTH[row, column, 0]}" for row in range(6) for column in range(5) if row != column]
    path.write_text("city,year,value\n" + "\n".join(entries) + "\n")


def sparse_tensor(path: Path) -> None:
    write(path, SMOOTH[:5, :4, :3])


FILES: dict[str, Callable[[Path], None]] = {
    "photo.png": picture,
    "clip.gif": clip,
    "array.npy": array,
    "archive.npz": archive,
    "wide.csv": wide_table,
    "long.csv": long_table,
    "counts.tns.gz": sparse_tensor,
}


def wait(server: Server, kind: str, number: str) -> dict[str, Any]:
    for _ in range(600):
        (found,) = (one for one in server.state()[kind] if one["id"] == number)
        if found["state"] not in ("reading", "queued", "running"):
            return dict(found)
        time.sleep(0.03)
    raise AssertionError("it took too long")


@pytest.mark.parametrize("painted", [True, False], ids=["painted", "its own holes"])
@pytest.mark.parametrize("name", FILES)
def test_the_recipe_of_a_run_writes_the_same_bytes(
    server: Server, name: str, painted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    FILES[name](Path(name))
    content = Path(name).read_bytes()
    headers = {"X-Tensorfill-Files": quote(json.dumps([[name, len(content)]]))}
    number = server.client.post("/api/items", content=content, headers=headers).json()["id"]
    item = wait(server, "items", number)
    assert item["state"] == "ready", item["error"]
    if item["known_share"] == 1 and not painted:
        pytest.skip("this file has no holes of its own")
    wish: dict[str, Any] = {"item": number, "method": "mean-fill", "seed": 3}
    if painted:
        sites = RNG.random((item["planes"], *item["shape"][:2])) < 0.3
        packed = gzip.compress(np.packbits(sites).tobytes())
        wish["holes"] = server.client.put(f"/api/items/{number}/holes", content=packed).json()["holes"]
    run = wait(server, "runs", server.client.post("/api/runs", json=wish).json()["id"])
    assert run["state"] == "done", run["error"]
    place = f"/api/runs/{run['id']}"
    if painted:
        holes = server.client.get(f"{place}/file/holes").raise_for_status()
        given = holes.headers["Content-Disposition"].partition("''")[2]
        Path(given).write_bytes(holes.content)
    command = shlex.split(server.client.get(f"{place}/recipe").json()["shell"])
    outcome = CliRunner().invoke(app, command[1:])
    assert outcome.exit_code == 0, (command, outcome.output)
    by_command = Path(command[command.index("-o") + 1]).read_bytes()
    by_page = server.client.get(f"{place}/file/filled").content
    if name.endswith(".gz"):
        by_command, by_page = gzip.decompress(by_command), gzip.decompress(by_page)  # gzip notes the time
    assert by_page == by_command
    assert server.client.delete(f"/api/items/{number}").status_code == 204
