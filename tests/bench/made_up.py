"""Made-up methods, data and plans for the tests of the bench, small and quick."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tensorfill.bench.extras import load_extras
from tensorfill.bench.plan import Run, list_runs
from tensorfill.bench.plan_file import read_plan
from tensorfill.bench.runner import Bench, Show, run_bench
from tensorfill.rows import DataCard, Row, Status, read_rows

TINY = """
import numpy as np
from tensorfill.bench.dataset import Dataset


def make():
    factors = [np.random.default_rng(4).random((size, 2)) for size in (12, 13, 6)]
    return np.einsum("ir,jr,kr->ijk", *factors) / 2


DATASET = Dataset(
    name="tiny", title="Tiny", kind="video", shape=(12, 13, 6), source="a formula", licence="free",
    how_to_get="It is made.", make=make,
)
"""

SPOILT = """
import os
import signal
import time
from dataclasses import dataclass
from typing import ClassVar

from tensorfill.methods.constant_fill import MeanFill


@dataclass(frozen=True, kw_only=True)
class Spoilt(MeanFill):
    name: ClassVar[str] = "spoilt"
    how: str = "not"

    def refuses(self, observed):
        return "Not this one." if self.how == "refuse" else None

    def complete(self, observed, *, rng, watch=None):
        if self.how == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.how == "leave":
            os._exit(3)
        if self.how == "raise":
            print("about to fail")
            raise RuntimeError("out of luck")
        while self.how == "endless":
            time.sleep(0.05)
        return super().complete(observed, rng=rng, watch=watch)


METHOD = Spoilt
"""


def card(name: str = "tiny", shape: tuple[int, ...] = (12, 13, 6), kind: str = "video") -> DataCard:
    return DataCard(name, name.title(), kind, shape, "a formula", "free", "It is made.", False)


def a_run(**changes: Any) -> Run:
    asked: dict[str, Any] = {
        "data": card(),
        "experiment": "table",
        "method": "mean-fill",
        "label": "mean-fill",
        "settings": {},
        "seed": 0,
        "rate": 0.5,
        "pattern": "uniform",
        "time_limit": None,
    }
    return Run(**{**asked, **changes})


@dataclass
class Told(Show):
    """Somebody who remembers what a bench told."""

    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    kept: list[Row] = field(default_factory=list)

    def begin(self, runs: Sequence[Run], kept: Sequence[Row], jobs: int) -> None:
        self.kept = list(kept)

    def started(self, run: Run) -> None:
        self.lines.append(f"started {run.id}")

    def finished(self, run: Run, row: Row, seconds: float) -> None:
        self.lines.append(f"finished {run.id}")

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    @property
    def begun(self) -> int:
        return sum(line.startswith("started") for line in self.lines)


@dataclass
class Desk:
    """A folder with a plan and files of one's own, and a way to run it here."""

    folder: Path
    files: list[Path] = field(default_factory=list)
    told: Told = field(default_factory=Told)

    def file(self, name: str, source: str) -> Path:
        path = self.folder / name
        path.write_text(source, encoding="utf-8")
        if path.suffix == ".py" and path not in self.files:
            self.files.append(path)
        return path

    def plan(self, text: str) -> Path:
        return self.file("plan.toml", text)

    def bench(self, **options: Any) -> Counter[Status]:
        self.told = Told()
        with load_extras(self.files) as found:
            plan = read_plan(self.folder / "plan.toml", found.known)
            cards = {name: dataset.card_without_data() for name, dataset in found.known.items()}
            wanted = Bench(
                runs=list_runs(plan, cards), extras=found, folder=self.out, files=tuple(self.files), **options
            )
            return run_bench(wanted, self.told)

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def rows(self) -> tuple[Row, ...]:
        found = read_rows(self.out)
        assert found.problems == ()
        return found.rows


def answers(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """What rows say that must be the same every time: all but times, memory and threads."""
    import json

    found = {}
    for row in rows:
        told = json.loads(row.as_json())
        for name in ("seconds", "peak_memory", "threads"):
            del told[name]
        told["curve"] = [[iteration, error] for iteration, _, error in told["curve"]]
        found[row.id] = told
    assert len(found) == len(rows), "no row is doubled"
    return found
