"""Adversaries: a part of benchmarks/adversaries.py, which completes all 200 and prints the worst."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]

# Quick ones that cover kinds, patterns, orders, scales and dtypes; and some on which results once were foolish.
QUICK = (11, 17, 47, 81, 109, 125, 128, 149, 154, 163, 178, 180)
ONCE_FOOLISH = (1, 5, 8, 26, 68, 74, 80, 85, 133, 147, 151, 155, 158, 164, 173, 188, 193)


@pytest.fixture(name="collection")
def import_collection(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("adversary_cases.collection")


@pytest.fixture(name="judging")
def import_judging(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("adversary_cases.judging")


@pytest.fixture(name="command")
def import_command(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("adversaries")


# The collection


def test_there_are_two_hundred_of_every_kind_and_pattern(collection: ModuleType) -> None:
    assert [case.number for case in collection.CASES] == list(range(200))
    kinds, holes = (importlib.import_module(f"adversary_cases.{name}") for name in ("kinds", "holes"))
    assert {case.kind for case in collection.CASES} == set(kinds.KINDS)
    assert {case.holes for case in collection.CASES} == set(holes.HOLES)
    assert {len(case.shape) for case in collection.CASES} == {2, 3, 4, 5}
    assert {case.dtype for case in collection.CASES} == {"uint8", "int64", "float32", "float64"}
    assert len({(case.kind, case.holes, case.shape) for case in collection.CASES}) == 200


def test_every_case_can_be_completed(collection: ModuleType) -> None:
    for case in collection.CASES:
        full, known = case.make()
        assert full.shape == known.shape == case.shape, case
        assert full.dtype == case.dtype, case
        assert np.isfinite(full).all(), case
        assert full.min() >= 0, case
        assert 0 < known.sum() < known.size, case
        assert full.max() > 0 or case.kind == "nothing", case


def test_a_case_is_the_same_every_time(collection: ModuleType) -> None:
    for case in collection.CASES[::10]:
        (full, known), (again, known_again) = case.make(), case.make()
        assert np.array_equal(full, again)
        assert np.array_equal(known, known_again)


def test_another_draw_is_another_tensor_of_the_same_sort(collection: ModuleType) -> None:
    case = collection.CASES[36]
    (full, known), (other, known_other) = case.make(), replace(case, draw=1).make()
    assert full.shape == other.shape
    assert not np.array_equal(full, other)
    assert not np.array_equal(known, known_other)


# The judges can condemn


@pytest.fixture(name="verdict")
def make_verdict(collection: ModuleType, judging: ModuleType) -> Callable[..., Any]:
    def verdict(**numbers: Any) -> Any:
        fine = {"error": 1.0, "simple": {"mean-fill": 1.0}, "largest": 10.0, "seconds": 1.0, "forecast": 1.0}
        return judging.Verdict(collection.CASES[0], "auto", **(fine | {"deviation": 1.0} | numbers))

    return verdict


@pytest.mark.parametrize(
    ("numbers", "faults"),
    [
        ({}, ()),
        ({"error": 1.31}, ("worse",)),
        ({"error": 1.31, "simple": {"mean-fill": 2.0, "linear": 1.0}}, ("worse",)),
        ({"error": float("nan")}, ("worse", "too sure")),
        ({"seconds": 10.1}, ("slow",)),
        ({"deviation": 0.19}, ("too sure",)),
        ({"deviation": None}, ()),
        ({"invalid": "negative"}, ("negative",)),
        ({"error": 1e-5, "simple": {"mean-fill": 0.0}, "deviation": 0.0}, ()),
        ({"error": 1e-4, "simple": {"mean-fill": 0.0}, "deviation": 0.0}, ("worse", "too sure")),
        ({"error": 0.0, "simple": {"mean-fill": 0.0}, "deviation": 0.0, "largest": 0.0}, ()),
    ],
)
def test_limits(verdict: Callable[..., Any], numbers: dict[str, Any], faults: tuple[str, ...]) -> None:
    assert verdict(**numbers).faults == faults


def test_a_method_that_leaves_zeros_is_worse(collection: ModuleType, judging: ModuleType) -> None:
    case = collection.Case(0, "waves", "scattered-50", (12, 10))
    assert judging.judge(case, "zero-fill").faults == ("worse",)


def test_an_exception_is_a_fault(collection: ModuleType, judging: ModuleType) -> None:
    found = judging.judge(collection.Case(0, "waves", "scattered-50", (12, 10)), "auto", {"effort": "none"})
    assert found.faults[0].startswith("InvalidSetting: ")
    assert "Traceback" in found.trace


def test_what_is_invalid_is_told(judging: ModuleType) -> None:
    full, known = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[True, False], [True, True]])
    for entry, value, told in (((0, 1), np.inf, "not finite"), ((0, 1), -1.0, "negative"), ((0, 0), 0.0, "known")):
        tensor = full.copy()
        tensor[entry] = value
        assert judging.find_invalid(tensor, full, known).startswith(told)
    assert judging.find_invalid(full, full, known) == ""


# The command


def test_cases_are_chosen_by_number_kind_and_pattern(command: ModuleType) -> None:
    assert [case.number for case in command.select("3,7-9", None, None, 0)] == [3, 7, 8, 9]
    assert {case.kind for case in command.select(None, "waves,counts", None, 0)} == {"waves", "counts"}
    assert all("lost" in case.holes for case in command.select(None, None, "lost", 0))
    assert all(case.draw == 2 for case in command.select(None, None, None, 2))
    assert len(command.select(None, None, None, 0)) == 200


def test_the_worst_are_told_and_counted(command: ModuleType, verdict: Callable[..., Any]) -> None:
    bad = verdict(error=3.0, deviation=0.5)
    told = command.worst([verdict(), bad, verdict(invalid="negative")], 1)
    assert "       3  " + command.line(bad) in told
    assert "       6  " + command.line(bad) in told
    assert "2 of 3 beyond a limit; invalid: 1; too sure: 1; worse: 1" in told
    assert command.line(bad).endswith("<<< worse, too sure")


# Auto


@pytest.mark.parametrize("number", QUICK + ONCE_FOOLISH)
def test_auto_is_not_foolish(
    number: int, collection: ModuleType, judging: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Seconds of work, which do not pass faster on a busy machine.
    monkeypatch.setattr(judging, "time", SimpleNamespace(perf_counter=time.process_time))
    found = judging.judge(collection.CASES[number])
    assert found.faults == (), found
