"""Which methods are compared, and in which order: methods say it themselves, users' own too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill import available_methods, complete
from tensorfill.completion import Completion, StopReason, Watch
from tensorfill.estimates.estimate import DenseEstimate
from tensorfill.iterating import Progress
from tensorfill.method import Cost, Effort, Question
from tensorfill.methods.auto import candidates, leader, methods_tried
from tensorfill.methods.baseline import complete_by
from tensorfill.methods.forecast import forecast
from tensorfill.methods.patches import Patches
from tensorfill.methods.registry import forget, register
from tensorfill.methods.spectral import Spectral
from tensorfill.observed import ObservedTensor

SMALL = ("scaled-spectral", "nearest-slices", "spc", "tnn", "ncpc")
ALL = (
    "scaled-spectral nonneg-dual rprecon geomcg ncpc tmac lrtc-tv smf-lrtc ffw t-ctv tnn halrtc lrtc-tnn spc "
    "bcpf bayes-factors main-effects nearest-slices linear biharmonic"
)


@pytest.mark.parametrize(
    ("effort", "shape", "structured", "expected"),
    [
        ("low", (8, 7, 6), True, ("spectral",)),
        ("low", (2000, 3000), False, ("spectral",)),
        ("normal", (20, 20), False, ("spectral", "t-ctv", *SMALL, "linear", "mean-fill")),
        ("normal", (20, 20), True, ("spectral", "t-ctv", "linear", *SMALL, "mean-fill")),
        ("normal", (8, 30, 30), True, ("patches", "t-ctv", "linear", *SMALL, "lrtc-tnn", "mean-fill")),
        ("normal", (129, 128), False, ("patches", "t-ctv", *SMALL)),
        ("normal", (80, 25, 100), True, ("patches", "t-ctv", "linear", *SMALL, "lrtc-tnn")),
        ("normal", (300, 300, 3), False, ("patches", "t-ctv")),
        ("normal", (300, 300, 3), True, ("patches", "t-ctv", "linear")),
        ("normal", (1000, 5000), False, ("patches",)),
        ("normal", (1000, 5000), True, ("patches", "linear")),
        ("high", (8, 7, 6), False, ("spectral", *ALL.split())),
        ("high", (1000, 5000), True, ("patches", *ALL.split())),
    ],
)
def test_methods_are_compared_in_this_order(
    effort: Effort, shape: tuple[int, ...], structured: bool, expected: tuple[str, ...]
) -> None:
    assert methods_tried(Question(effort, shape, structured)) == expected


@pytest.mark.parametrize(
    ("effort", "shape", "expected"),
    [
        ("low", (300, 300, 3), ("patches",)),
        ("normal", (300, 300, 3), ("patches",)),
        ("normal", (1000, 5000), ("patches",)),
        ("normal", (200, 200), ("patches", "spectral", *SMALL)),
        ("normal", (64, 64), ("patches", "spectral", "linear", *SMALL, "mean-fill")),
        ("high", (300, 300, 3), ("patches", *ALL.split())),
    ],
)
def test_where_only_strokes_are_missing_hardly_any_is_compared(
    effort: Effort, shape: tuple[int, ...], expected: tuple[str, ...]
) -> None:
    assert methods_tried(Question(effort, shape, structured=True, strokes=True)) == expected


@pytest.mark.parametrize("shape", [(32, 32), (12, 10, 9), (300, 300, 3)])
@pytest.mark.parametrize("effort", ["normal", "high"])
def test_patches_leads_where_there_are_enough_sites(effort: Effort, shape: tuple[int, ...]) -> None:
    assert leader(Question(effort, shape)) == Patches()
    assert leader(Question("low", shape)) == Spectral()


@pytest.mark.parametrize("shape", [(31, 32), (12, 10, 8), (4, 4000), (4, 3, 2)])
@pytest.mark.parametrize("effort", ["low", "normal", "high"])
def test_spectral_leads_where_there_are_too_few(effort: Effort, shape: tuple[int, ...]) -> None:
    assert leader(Question(effort, shape)) == Spectral()
    assert leader(Question(effort, shape, structured=True, strokes=True)) == Spectral()


def test_strokes_are_filled_quickly_at_low_effort() -> None:
    assert leader(Question("low", (64, 64), structured=True, strokes=True)) == Patches(max_iter=1)
    for effort in ("normal", "high"):
        assert leader(Question(effort, (64, 64), structured=True, strokes=True)) == Patches()


def rule(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Neither smooth nor of low rank, so that nobody finds it out."""
    return (1.0 + np.indices(shape).prod(axis=0) ** 2 % 11).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Knows the rule."""

    name: ClassVar[str] = "rule"
    summary: ClassVar[str] = "Knows the rule"
    reference: ClassVar[str] = "a test"
    nonnegative: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(1, 1), Cost(2, 2)

    def refuses(self, observed: ObservedTensor) -> str | None:
        return None

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        scale = float(observed.values.max())

        def steps(data: ObservedTensor) -> Iterator[Progress]:
            yield Progress(0.0, DenseEstimate(rule(data.shape) / scale), stop=StopReason("done", "Known."))

        return complete_by(self, observed, steps, {"max_iter": 1}, watch=watch)


@dataclass(frozen=True, kw_only=True)
class EagerRule(Rule):
    """The same, which wants to be compared at normal effort, as the second one."""

    name: ClassVar[str] = "eager-rule"
    summary: ClassVar[str] = "Knows the rule, and says so"

    def candidate(self, question: Question) -> int | None:
        return question.place(15, when=len(question.shape) == 2)


@dataclass(frozen=True, kw_only=True)
class NeedyRule(Rule):
    """The same, which cannot be had without a setting."""

    name: ClassVar[str] = "needy-rule"
    modulus: int


@pytest.fixture
def registered() -> Iterator[None]:
    added = (Rule, EagerRule)
    for kind in added:
        register(kind)
    yield
    for kind in added:
        forget(kind.name)


@pytest.mark.usefixtures("registered")
def test_a_method_of_ones_own_is_compared_when_it_says_so() -> None:
    assert methods_tried(Question("normal", (300, 1000))) == ("patches", "t-ctv", "eager-rule")
    assert "eager-rule" not in candidates(Question("normal", (30, 10, 100)))
    assert "rule" not in candidates(Question("normal", (300, 1000))), "one that says nothing, at high effort only"
    assert methods_tried(Question("high", (300, 1000)))[-2:] == ("rule", "eager-rule")
    assert methods_tried(Question("low", (300, 1000))) == ("spectral",)


@pytest.mark.usefixtures("registered")
def test_a_method_of_ones_own_can_win() -> None:
    full = rule((24, 18))
    known = np.random.default_rng(0).random(full.shape) < 0.6
    done = complete(full, known)
    assert done.settings["weights"] == {"eager-rule": 1.0}
    np.testing.assert_allclose(done.tensor, full, rtol=1e-12)


@pytest.mark.usefixtures("registered")
def test_a_method_of_ones_own_says_what_it_costs() -> None:
    quick, usual = (forecast((1000, 1000), name, structured=True) for name in ("rule", "tmac"))
    assert quick.seconds == pytest.approx(0.2 + 0.03 + 2.0)
    assert quick.bytes < usual.bytes


def test_a_method_that_needs_a_setting_does_no_harm_where_it_is_not_asked() -> None:
    register(NeedyRule)
    try:
        assert "needy-rule" not in candidates(Question("normal", (20, 20)))
    finally:
        forget(NeedyRule.name)
    assert "needy-rule" not in available_methods()
