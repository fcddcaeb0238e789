"""Runs on a Dask cluster: each is a process of its own there, and its row is the one that it would be here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_up import SPOILT, TINY, Desk, answers

from tensorfill.errors import WorkersLost

PLAN = """
time_limit = 0.2
[[experiment]]
name = "table"
datasets = ["tiny"]
rates = [0.5]
curve = true
pictures = true
methods = ["zero-fill", {method = "spoilt", label = "crash", settings = {how = "crash"}}]
"""

distributed = pytest.importorskip("distributed", reason="a cluster needs pip install 'tensorfill[cluster]'")


@pytest.fixture
def address() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
def test_rows_are_those_of_processes_here(tmp_path: Path, address: str) -> None:
    found: list[dict[str, dict[str, Any]]] = []
    for name, where in (("here", {"jobs": 2}), ("there", {"scheduler": address})):
        (tmp_path / name).mkdir()
        desk = Desk(tmp_path / name)
        desk.file("tiny.py", TINY)
        desk.file("spoilt.py", SPOILT)
        desk.plan(PLAN)
        assert desk.bench(grace=2.0, **where) == {"ok": 1, "crashed": 1}
        assert desk.bench(grace=2.0, **where) == {"ok": 1, "crashed": 1}
        assert desk.told.begun == 0, "what is there is not asked again"
        found.append(answers(desk.rows))
    here, there = found
    for row in (*here.values(), *there.values()):
        row.pop("data"), row.pop("versions"), row.pop("error")  # names of folders differ
    assert here == there


def test_no_cluster_at_an_address_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorfill.tiles.cluster._PATIENCE", 0.5)
    desk = Desk(tmp_path)
    desk.file("tiny.py", TINY)
    desk.plan(PLAN.replace(', {method = "spoilt", label = "crash", settings = {how = "crash"}}', ""))
    with pytest.raises(WorkersLost, match="No Dask scheduler answers"):
        desk.bench(scheduler="tcp://127.0.0.1:1")
