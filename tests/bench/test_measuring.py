"""Measuring: the curve, the memory, and what a run is told."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from made_up import TINY, a_run
from PIL import Image

from tensorfill.bench import measuring
from tensorfill.bench.extras import load_extras
from tensorfill.bench.measuring import CurveRecorder, Place, measure
from tensorfill.bench.peak_memory import PeakMemory
from tensorfill.completion import Completion, Iteration, Snapshot
from tensorfill.estimates.estimate import ConstantEstimate
from tensorfill.rows import Row
from tensorfill.sampling import mask

Answered = Callable[..., Row]


def snapshot(iteration: int, value: float = 0.0) -> Snapshot:
    return Snapshot(Iteration(iteration, iteration / 10, 1.0), ConstantEstimate((2, 2), value))


@pytest.fixture
def answered(tmp_path: Path) -> Answered:
    """Answer a run on the tiny video, here in this process."""
    (tmp_path / "tiny.py").write_text(TINY)

    def answer(**changes: object) -> Row:
        with load_extras([tmp_path / "tiny.py"]) as found:
            return measure(a_run(**changes), found.known["tiny"], Place(None, tmp_path, 1, {}))

    return answer


def test_the_curve_has_the_first_twenty_and_then_fewer_and_fewer() -> None:
    recorder = CurveRecorder(np.zeros((2, 2)), nonnegative=False)
    for iteration in range(201):
        assert recorder(snapshot(iteration)) is None, "it never asks to stop"
    iterations = [point[0] for point in recorder.finish(200, 20.0, 0.5)]
    assert iterations[:21] == list(range(21))
    assert all(after >= before * 1.05 for before, after in pairwise(iterations[21:-1]))
    assert 55 < len(iterations) < 75
    assert iterations[-1] == 200


def test_the_curve_is_the_error_of_what_the_method_would_return() -> None:
    for nonnegative, error in ((False, 0.5), (True, 0.0)):
        recorder = CurveRecorder(np.zeros((2, 2)), nonnegative=nonnegative)
        recorder(snapshot(0, -0.5))
        recorder(snapshot(1, 0.25))
        assert recorder.finish(1, 0.1, 0.2) == ((0, 0.0, error), (1, 0.1, 0.2))


def test_memory_of_the_watcher_is_not_counted() -> None:
    memory = PeakMemory()
    if memory.bytes() is None or not memory._resettable:
        pytest.skip("this system does not tell")

    def watch(snapshot: Snapshot) -> None:
        np.ones(30_000_000).sum()

    memory.exclude(watch)(snapshot(0))
    apart = memory.bytes()
    np.ones(15_000_000).sum()
    counted = memory.bytes()
    assert apart is not None
    assert counted is not None
    assert apart < 60e6
    assert 110e6 < counted < 200e6


def test_a_method_sees_the_known_entries_and_nothing_else(answered: Answered, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = measuring.complete

    def spy(*arguments: object, **settings: object) -> object:
        calls.append((arguments, settings))
        return real(*arguments, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(measuring, "complete", spy)
    assert answered(method="ncpc", seed=3, time_limit=7.0, settings={"rank": 2}).status == "ok"
    (data,), settings = calls[-1]
    mask = np.random.default_rng(3).random((12, 13, 6)) < 0.5
    assert data.count == mask.sum()  # type: ignore[attr-defined]
    np.testing.assert_array_equal(data.mask(), mask)  # type: ignore[attr-defined]
    assert data.known.base is None, "a copy, from which the rest cannot be had"  # type: ignore[attr-defined]
    assert settings == {"method": "ncpc", "random_state": 3, "watch": None, "time_limit": 7.0, "rank": 2}


def test_a_rank_that_does_not_fit_is_a_refusal(answered: Answered) -> None:
    row = answered(method="dual", settings={"rank": 99})
    assert row.status == "refused"
    assert row.error is not None
    assert row.error.startswith("The 'rank' of dual must not be larger than its mode")


def test_nothing_known_is_a_refusal(answered: Answered) -> None:
    row = answered(rate=1e-9)
    assert (row.status, str(row.error)[:20]) == ("refused", "Nothing is observed:")


def test_a_model_that_is_not_finite_is_a_failure(answered: Answered, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Completion, "model", np.full((12, 13, 6), np.nan))
    row = answered()
    assert (row.status, row.rmse) == ("failed", None)
    assert row.error == "InvalidInput: The model has entries that are NaN or infinite"


def test_a_stop_by_the_time_limit_is_told(answered: Answered) -> None:
    row = answered(method="ncpc", time_limit=1e-6)
    assert (row.status, row.stop) == ("ok", "time")


def test_pictures_of_the_components_are_kept_for_the_methods_that_are_about_them(
    answered: Answered, tmp_path: Path
) -> None:
    roles = {name: set(answered(method=name, pictures=True).pictures) for name in ("dual", "mean-fill")}
    assert roles["mean-fill"] == {"truth", "observed", "model"}
    assert roles["dual"] == roles["mean-fill"] | {"component 1", "component 2", "component 3"}
    row = answered(method="dual", pictures=True)
    assert all((tmp_path / path).is_file() for path in row.pictures.values())
    assert row.id in row.pictures["model"]


def test_the_components_are_measured_with_every_seed(answered: Answered) -> None:
    row = answered(method="nonneg-dual", seed=1)
    shares, likeness = zip(*row.components, strict=True)
    assert len(shares) == 3
    assert sum(shares) == pytest.approx(1)
    assert all(-1 <= alike <= 1 for alike in likeness)
    assert answered(method="mean-fill").components == ()


# Patterns of holes


@pytest.mark.parametrize("pattern", ["pixels", "blocks", "lines", "frames", "slices-1"])
def test_the_mask_is_that_of_the_pattern_and_the_seed(
    answered: Answered, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    seen = []
    real = measuring.complete
    monkeypatch.setattr(measuring, "complete", lambda data, **settings: seen.append(data) or real(data, **settings))
    row = answered(method="linear", pattern=pattern, rate=0.6, seed=3)
    assert (row.status, row.pattern) == ("ok", pattern), row.error
    np.testing.assert_array_equal(seen[-1].mask(), mask(pattern, (12, 13, 6), 0.6, 3))
    assert len(seen) == 2, "the warm-up found something to complete"


@pytest.mark.parametrize(
    "method", ["nonneg-dual", "ncpc", "t-ctv", "tnn", "halrtc", "lrtc-tnn", "spc", "bcpf", "mean-fill"]
)
@pytest.mark.parametrize("pattern", ["slices-1", "frames"])
def test_slices_that_cannot_be_recovered_are_no_failure(answered: Answered, method: str, pattern: str) -> None:
    row = answered(method=method, pattern=pattern, rate=0.6)
    assert row.status == "ok", row.error
    assert row.rmse is not None


def test_a_pattern_that_the_data_does_not_allow_is_a_refusal(answered: Answered) -> None:
    row = answered(pattern="fibres-4")
    assert (row.status, row.pattern) == ("refused", "fibres-4")
    assert str(row.error).startswith("The pattern 'fibres' along mode 4 needs that mode")


def test_the_warm_up_is_where_something_is_known(answered: Answered) -> None:
    observed = np.zeros((40, 40, 20), bool)
    observed[20:, 25:, 5:] = True
    corner = measuring._corner(observed, spread=False)
    assert observed[corner].shape == (16, 16, 16)
    assert observed[corner].mean() > 0.8
    assert not observed[measuring._corner(observed, spread=True)].any()


def test_pictures_of_patterns_do_not_replace_each_other(answered: Answered, tmp_path: Path) -> None:
    rows = {name: answered(method="mean-fill", pattern=name, pictures=True) for name in ("uniform", "blocks", "lines")}
    assert {name: row.pictures["observed"] for name, row in rows.items()} == {
        "uniform": "pictures/tiny-observed-0.5.png",
        "blocks": "pictures/tiny-observed-0.5-blocks.png",
        "lines": "pictures/tiny-observed-0.5-lines.png",
    }
    assert {row.pictures["truth"] for row in rows.values()} == {"pictures/tiny-truth.png"}
    assert len({row.pictures["model"] for row in rows.values()}) == 3
    assert len({(tmp_path / row.pictures["observed"]).read_bytes() for row in rows.values()}) == 3


def test_of_hidden_frames_one_is_shown(answered: Answered, tmp_path: Path) -> None:
    row = answered(method="mean-fill", pattern="frames", pictures=True)
    assert row.pictures["truth"] == "pictures/tiny-truth-0.5-frames.png"
    with Image.open(tmp_path / row.pictures["observed"]) as picture:
        assert not np.asarray(picture).any(), "nothing of it is known"
