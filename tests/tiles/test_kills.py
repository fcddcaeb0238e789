"""Runs that are killed: what `benchmarks/kills.py` counts in large, once each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="about SIGKILL")
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from kills import Case, Count, measure

SHAPE, TILE = (60, 60, 12), (20, 30, 12)


@pytest.mark.parametrize(
    "case",
    [
        Case("tiles", "a worker", SHAPE, TILE),
        Case("tiles", "the run", SHAPE, TILE),
        Case("whole", "the run", (96, 96, 6), None),
    ],
    ids=lambda case: f"{case.victim} of {case.what}",
)
def test_nothing_is_lost_and_nothing_is_left(case: Case) -> None:
    found = measure(case, 1, seed=1)
    assert found == Count(kills=1, finished=found.finished, moments=found.moments)
