"""The page on choosing a method: its tables are those of the benchmark rows in the repository."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tensorfill.methods.registry import available_methods

ROOT = Path(__file__).parents[2]


@pytest.fixture
def choosing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """benchmarks/choosing.py as a module."""
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    spec = importlib.util.spec_from_file_location("choosing_for_tests", ROOT / "benchmarks" / "choosing.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    spec.loader.exec_module(module)
    return module


def test_the_tables_are_those_that_the_rows_give(choosing: ModuleType) -> None:
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    assert page == choosing.rendered(page, choosing.gather())


def test_a_number_that_was_typed_by_hand_is_noticed(choosing: ModuleType) -> None:
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    first = choosing.marked("choosing-holes")[0]["`auto`".strip("`")]
    changed = page.replace(first, "0.0001, 0.1 s")
    assert changed != page
    assert choosing.rendered(changed, choosing.gather()) == page


def test_every_method_in_the_rows_is_one_of_ours(choosing: ModuleType) -> None:
    found = choosing.gather()
    assert set(choosing.TITLES) <= set(found)
    for runs in found.values():
        names = [run.method for run in runs]
        assert len(names) == len(set(names)) >= 10
        assert set(names) <= set(available_methods())


def test_the_frontier_has_what_is_clearly_better_than_all_that_is_quicker(choosing: ModuleType) -> None:
    Run = choosing.Run
    slow, quick, between = Run("slow", 0.1, 9.0), Run("quick", 0.4, 1.0), Run("between", 0.39, 3.0)
    assert choosing.frontier([slow, between, Run("worse", 0.5, 2.0), quick]) == [quick, slow]


def test_of_several_runs_the_most_accurate_counts_or_one_as_accurate_that_was_quicker(choosing: ModuleType) -> None:
    Run = choosing.Run
    runs = [Run("m", 0.1, 9.0), Run("m", 0.1005, 2.0), Run("m", 0.2, 0.1)]
    assert choosing.fairest(runs) == runs[1]


def test_the_figure_is_there_and_small() -> None:
    assert 10_000 < (ROOT / "docs" / "pictures" / "choosing.png").stat().st_size < 400_000
