"""The report of a run: everything there is to know, in strict JSON."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stand_in import MeanFill, Run

from tensorfill import __version__
from tensorfill.completion import as_json


@pytest.fixture
def told(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "run.json"
    tensorfill(
        "complete", holes, "-o", tmp_path / "done.npy", "--report", path, "--seed", 3, "--max-iter", 9, "--C", 10
    )

    def not_json(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    report: dict[str, Any] = json.loads(path.read_text(), parse_constant=not_json)
    return report


def test_it_says_what_was_done_to_what(told: dict[str, Any], holes: Path, tmp_path: Path) -> None:
    assert told["tensorfill"] == __version__
    assert told["input"] == str(holes)
    assert told["output"] == str(tmp_path / "done.npy")
    assert told["method"] == "auto"
    assert told["settings"] == {"rank": [2, 3], "C": 10.0, "max_iter": 9}
    assert told["seed"] == 3


def test_it_describes_the_data(told: dict[str, Any], holes: Path) -> None:
    with np.load(holes) as archive:
        count = int(archive["observed"].sum())
    assert (told["shape"], told["dtype"]) == ([6, 5, 3], "uint8")
    assert (told["observed_count"], told["observed_share"]) == (count, count / 90)


def test_it_says_how_it_ended(told: dict[str, Any]) -> None:
    assert (told["seconds"], told["iterations"]) == (1.25, 2)
    assert told["stop"] == {"kind": "gap", "sentence": "The relative gap is small."}
    assert told["smallest_before_clipping"] == -0.25
    assert told["nonnegative"] is True
    assert told["notes"] == ["A note of the method."]


def test_it_holds_the_certificate_and_null_for_what_is_no_number(told: dict[str, Any]) -> None:
    assert told["certificate"] == {
        "upper": 2.0,
        "lower": 1.0,
        "gap": 1.0,
        "relative_gap": 0.5,
        "negativity": 0.0,
        "complementarity": None,
        "stationarity": None,
    }


def test_it_holds_every_iteration(told: dict[str, Any]) -> None:
    assert [step["iteration"] for step in told["history"]] == [1, 2]
    assert set(told["history"][0]) == {
        "iteration",
        "seconds",
        "cost",
        "gradient_norm",
        "operator_calls",
        "active",
        "relative_gap",
    }


def test_any_setting_can_be_told() -> None:
    odd = {
        "array": np.array([1.0, np.nan]),
        "path": Path("x"),
        "flag": np.bool_(True),
        "deep": ({"a": -np.inf},),
    }
    assert json.loads(as_json(odd)) == {
        "array": [1.0, None],
        "path": "x",
        "flag": True,
        "deep": [{"a": None}],
    }
