"""What will be needed is told before a run, and a tensor that would not fit is cut by a size that can be told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from served import httpx  # which skips where the page cannot be served

from tensorfill import complete
from tensorfill.large import planning
from tensorfill.page import filling, outlook
from tensorfill.page.outlook import look_ahead
from tensorfill.page.planes import pack
from tensorfill.page.recipes import python_recipe, shell_recipe
from tensorfill.page.work import Wish

assert httpx
SHAPE = (96, 40, 24)


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which even a small tensor has to be cut."""
    for place in (planning, outlook):
        monkeypatch.setattr(place, "available_memory", lambda: 300_500_000)
        monkeypatch.setattr(place, "ALWAYS_WHOLE", 1000)


def ask(**more: Any) -> outlook.Outlook:
    return look_ahead(SHAPE, "spectral", {}, structured=False, missing=0.5, **more)


def test_what_fits_is_completed_whole() -> None:
    found = ask()
    assert (found.tile, found.tiles, found.fits) == (None, 1, True)
    assert found.seconds_of("spectral") > 0


def test_what_does_not_fit_is_cut(small_memory: None) -> None:
    found = ask()
    assert found.tile is not None
    assert found.tiles > 1
    assert ask(listed=True).tile is None, "a long table is never a full tensor"


class Silence:
    """Nobody listens."""

    def __init__(self) -> None:
        self.wanted: dict[str, Any] = {}

    def tell(self, **message: Any) -> None:
        json.dumps(message)


def test_a_run_in_tiles_is_what_the_library_makes_of_the_same_tiles(
    small_memory: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(outlook.Outlook, "fits", True)
    rows, columns, frames = np.meshgrid(*map(np.arange, SHAPE), indexing="ij")
    data = (120 + 50 * np.sin(rows / 6 + frames / 5) * np.cos(columns / 5)).astype(np.uint8)
    np.save(tmp_path / "data.npy", data)
    holes = np.random.default_rng(0).random((SHAPE[2], *SHAPE[:2])) < 0.4
    (tmp_path / "holes.bin").write_bytes(pack(holes))
    wish = Wish("spectral", {})
    given = {"folder": str(tmp_path), "path": str(tmp_path / "data.npy"), "name": "data.npy", "words": {}}
    shown = {"channels": 0, "black": 0.0, "white": 255.0, "holes": str(tmp_path / "holes.bin"), "plane": 0}
    told = filling.fill(Silence(), **given, **shown, **wish.told())
    report = json.loads((tmp_path / "report.json").read_text())
    tile = tuple(report["tile"])
    assert told["uncertainty"] is None, "it would be worked out by completing all tiles again"
    known = np.load(tmp_path / "known.npy")
    expected = complete(data, known, method="spectral", tile=tile).tensor
    assert (np.load(tmp_path / "filled.npy") == expected).all()
    assert f"--tile {','.join(map(str, tile))}" in shell_recipe("a.npy", wish, table=False, words={}, tile=tile)
    assert f"tile={tile}" in python_recipe("a.npy", wish, table=False, words={}, tile=tile)
