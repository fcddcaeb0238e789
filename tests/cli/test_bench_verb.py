"""`tensorfill bench`."""

from __future__ import annotations

from pathlib import Path

import pytest
from stand_in import Run

from tensorfill.rows import read_rows

OWN = """
import numpy as np
from dataclasses import dataclass
from typing import ClassVar
from tensorfill.bench.dataset import Dataset
from tensorfill.methods.constant_fill import MeanFill

DATASET = Dataset(
    name="tiny", title="Tiny", kind="synthetic", shape=(6, 5, 4), source="a formula", licence="free",
    how_to_get="It is made.", make=lambda: np.random.default_rng(0).random((6, 5, 4)),
)


@dataclass(frozen=True, kw_only=True)
class Own(MeanFill):
    name: ClassVar[str] = "own"
    luck: bool = True

    def complete(self, observed, *, rng, watch=None):
        if not self.luck:
            raise RuntimeError("out of luck")
        return super().complete(observed, rng=rng, watch=watch)


METHOD = Own
"""
PLAN = """
title = "Mine"
[[experiment]]
name = "table"
datasets = ["baboon"]
rates = [0.5]
seeds = 2
methods = ["zero-fill"]
"""


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENSORFILL_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "plan.toml").write_text(PLAN)


def test_a_method_and_data_of_ones_own_join_the_plan(tensorfill: Run, tmp_path: Path) -> None:
    outcome = tensorfill("bench", "plan.toml", "--with", "own.py", "--seeds", 1, "--jobs", 1)
    assert outcome.code == 0, outcome
    lines = outcome.out.splitlines()
    assert lines[0].startswith("Note: The data of 'baboon'")
    assert [line.split(": RMSE")[0] for line in lines[1:3]] == [
        "[1/2] table: zero-fill on tiny, 50% kept, seed 0",
        "[2/2] table: own on tiny, 50% kept, seed 0",
    ]
    assert lines[3] == "2 ok, 2 no data: bench-plan/rows.jsonl"
    assert lines[4] == "Next: tensorfill report bench-plan -o bench-plan-report"
    rows = read_rows(tmp_path / "bench-plan").rows
    assert {(row.data.name, row.label, row.status) for row in rows} == {
        ("tiny", "zero-fill", "ok"),
        ("tiny", "own", "ok"),
        ("baboon", "zero-fill", "no data"),
        ("baboon", "own", "no data"),
    }
    again = tensorfill("bench", "plan.toml", "--with", "own.py", "--seeds", 1)
    assert "2 of 2 runs are there already." in again.out
    assert "[1/2]" not in again.out


def test_failures_are_told_and_change_the_exit_code(tensorfill: Run, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace('"zero-fill"', '{method = "own", settings = {luck = false}}'))
    outcome = tensorfill("bench", "plan.toml", "--with", "own.py", "--datasets", "tiny", "--seeds", 1, "-o", "out")
    assert outcome.code == 1
    assert "seed 0: failed. RuntimeError: out of luck" in outcome.out
    assert "1 failed: out/rows.jsonl" in outcome.out
    assert "What went wrong is in out/logs; `--again failed` tries it once more." in outcome.out


def test_the_list_without_a_plan_is_of_the_plans_that_ship(tensorfill: Run) -> None:
    outcome = tensorfill("bench", "--list")
    assert outcome.code == 0
    assert [line.split()[0] for line in outcome.out.splitlines()] == ["plan", "paper", "quick", "rivals"]


def test_the_list_of_a_plan_says_what_would_run_and_runs_nothing(tensorfill: Run, tmp_path: Path) -> None:
    outcome = tensorfill("bench", "plan.toml", "--list", "--with", "own.py")
    assert outcome.code == 0
    cells = [line.split() for line in outcome.out.splitlines()]
    assert cells[1] == ["table", "baboon", "not", "there", "zero-fill,", "own", "50%", "uniform", "2", "–", "4"]
    assert cells[2] == ["table", "tiny", "yes", "zero-fill,", "own", "50%", "uniform", "2", "–", "4"]
    assert {path.name for path in tmp_path.iterdir()} == {"own.py", "plan.toml"}


def test_patterns_are_chosen(tensorfill: Run, tmp_path: Path) -> None:
    arguments = ("bench", "plan.toml", "--with", "own.py", "--datasets", "tiny", "--methods", "zero-fill", "--seeds", 1)
    assert tensorfill(*arguments, "-o", "out").code == 0
    outcome = tensorfill(*arguments, "-o", "out", "--patterns", "uniform, slices-1")
    assert "1 of 2 runs are there already." in outcome.out
    assert "table: zero-fill on tiny, 50% kept (slices-1), seed 0: RMSE" in outcome.out
    assert [row.pattern for row in read_rows(tmp_path / "out").rows] == ["uniform", "slices-1"]
